//! A query's terms and conditions as data.

use super::access::{Access, ConflictingTerms};
use super::chosen::WITHOUT_NAME;
use crate::component::{Component, ComponentId, ComponentInfo, Registry, SetId, StorageKind};
use crate::storage::{Archetype, Side, Store, Table};
use std::any::TypeId;
use std::panic::Location;

/// One mention of a component.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// As the user would write it: `&mut Position`, `Without<Frozen>`.
    pub(crate) label: String,
    pub(crate) name: String,
    /// Whether it only narrows what the query yields.
    pub(super) filter: bool,
    pub(crate) access: Access,
    pub(crate) wanted: Wanted,
    /// What must be true of the component, where it is there.
    test: Test,
    /// Known once the component is registered.
    pub(crate) component: Option<ComponentId>,
    pub(crate) set: Option<SetId>,
    /// Whether the component can be switched off.
    toggle: bool,
    /// Whether the registry knew the component.
    resolved: bool,
    type_id: Option<TypeId>,
    /// Registers the component, if it is a compiled type.
    pub(super) register: Option<fn(&mut Store) -> ComponentId>,
}

/// Whether an entity must have the component of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    Present,
    Absent,
    Either,
    /// Decided by the group (`Or`, `AnyOf`) the term is in.
    Grouped,
}

/// What must be true of a component that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// It is not switched off.
    On,
    Off,
    EvenOff,
    /// It changed, or arrived, since the reader looked last.
    Changed,
    Added,
}

/// What must hold of an entity. Numbers are positions in the list of terms.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Has(usize),
    Lacks(usize),
    All(Vec<Condition>),
    Any(Alternatives),
}

/// Conditions of which at least one must hold.
#[derive(Clone, Debug)]
pub(crate) struct Alternatives {
    any: Vec<Condition>,
    /// As the user would write them, and whether they only narrow what the query yields.
    label: String,
    filter: bool,
}

/// The three answers an archetype can give when sparse components are in question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    No,
    Depends,
    Yes,
}

/// Terms, and what must hold.
#[derive(Clone, Default, Debug)]
pub struct Pattern {
    pub(crate) terms: Vec<Term>,
    pub(super) conditions: Vec<Condition>,
    pub(crate) exact: bool,
    /// How a compiled query was written; one made at run time is described by its terms.
    pub(super) written: Option<fn() -> String>,
    /// How a component that was chosen at run time is asked for.
    pub(super) chosen: Option<String>,
}

/// Collects the terms of a query, in the order in which they were written.
#[doc(hidden)]
pub struct PatternBuilder<'r> {
    registry: &'r Registry,
    pattern: Pattern,
    /// How terms found now are wanted.
    wanted: Wanted,
    /// The members of the tuple or group that is being declared, as the user would write them.
    members: Vec<String>,
    /// The component that was chosen at run time.
    pub(super) chosen: Option<ComponentId>,
}

impl<'r> PatternBuilder<'r> {
    pub(crate) fn new(registry: &'r Registry) -> Self {
        Self { registry, pattern: Pattern::default(), wanted: Wanted::Present, members: Vec::new(), chosen: None }
    }

    pub(crate) fn finish(self) -> Pattern {
        self.pattern
    }

    pub(super) fn exact(&mut self) {
        self.pattern.exact = true;
    }

    /// Adds a term for a compiled type.
    pub(super) fn typed<T: Component>(&mut self, access: Access, wanted: Wanted, around: (&str, &str)) {
        let component = self.registry.id_of::<T>();
        self.add(component, Some(TypeId::of::<T>()), name_of::<T>(), access, wanted, around);
        if let Some(term) = self.pattern.terms.last_mut() {
            term.register = Some(Store::register::<T>);
        }
    }

    /// [`PatternBuilder::typed`] for a component of which something else must be true than that it is switched on.
    pub(super) fn tested<T: Component>(&mut self, access: Access, test: Test, around: (&str, &str)) {
        self.typed::<T>(access, Wanted::Present, around);
        self.test_last(test);
    }

    /// Says what must be true of the component of the last term.
    pub(super) fn test_last(&mut self, test: Test) {
        if let Some(term) = self.pattern.terms.last_mut() {
            term.test = test;
        }
    }

    /// Adds a term for a type known by id.
    pub(super) fn by_id(&mut self, component: ComponentId, access: Access, wanted: Wanted, around: (&str, &str)) {
        let info = self.registry.info(component);
        let name = info.map_or_else(|| format!("{component:?}"), |info| info.name().into());
        self.add(Some(component), info.and_then(|info| info.type_id), name, access, wanted, around);
    }

    /// Adds a term for the component that was chosen at run time; nothing matches before that.
    pub(super) fn chosen(&mut self, access: Access, wanted: Wanted, around: (&str, &str)) {
        match self.chosen {
            Some(component) => {
                self.by_id(component, access, wanted, around);
                self.pattern.chosen = self.pattern.terms.last().map(|term| term.label.clone());
            }
            None => self.add(None, None, "a component chosen at run time".into(), access, wanted, around),
        }
    }

    fn add(
        &mut self,
        component: Option<ComponentId>,
        type_id: Option<TypeId>,
        name: String,
        access: Access,
        wanted: Wanted,
        around: (&str, &str),
    ) {
        let at = self.pattern.terms.len();
        match wanted {
            Wanted::Present => self.pattern.conditions.push(Condition::Has(at)),
            Wanted::Absent => self.pattern.conditions.push(Condition::Lacks(at)),
            Wanted::Either | Wanted::Grouped => {}
        }
        let filter = matches!(access, Access::None | Access::Marks) && wanted != Wanted::Either;
        let wanted = if self.wanted == Wanted::Present { wanted } else { self.wanted };
        let info = component.and_then(|c| self.registry.info(c));
        let set = info.and_then(|info| match info.kind {
            StorageKind::Set(set) => Some(set),
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => None,
        });
        let resolved = info.is_some();
        let label = format!("{}{name}{}", around.0, around.1);
        self.members.push(label.clone());
        let register = None;
        self.pattern.terms.push(Term {
            label,
            name,
            toggle: info.is_some_and(ComponentInfo::is_toggle),
            filter,
            access,
            wanted,
            test: Test::On,
            component,
            set,
            resolved,
            type_id,
            register,
        });
    }

    /// Adds what every entity has.
    pub(super) fn always(&mut self, name: &'static str) {
        self.members.push(name.into());
    }

    /// Adds terms whose conditions do not count by themselves, and answers those conditions.
    fn apart(&mut self, wanted: Wanted, add: impl FnOnce(&mut Self)) -> (Condition, String) {
        let outer = std::mem::take(&mut self.pattern.conditions);
        let outer_wanted = std::mem::replace(&mut self.wanted, wanted);
        let outer_members = std::mem::take(&mut self.members);
        add(self);
        self.wanted = outer_wanted;
        let members = std::mem::replace(&mut self.members, outer_members);
        let conditions = std::mem::replace(&mut self.pattern.conditions, outer);
        let label = if let [one] = &members[..] { one.clone() } else { tuple_of(&members) };
        (Condition::All(conditions), label)
    }

    /// Adds terms that need not be there.
    pub(super) fn maybe(&mut self, add: impl FnOnce(&mut Self)) {
        let first = self.pattern.terms.len();
        let (_, label) = self.apart(Wanted::Either, add);
        if let [one] = &mut self.pattern.terms[first..] {
            one.label = format!("Option<{}>", one.label);
        }
        self.members.push(format!("Option<{label}>"));
    }

    /// Adds alternatives, of which at least one must hold; `name` is what the group is called.
    pub(super) fn any_of(&mut self, name: &str, alternatives: &[fn(&mut PatternBuilder<'_>)]) {
        let first = self.pattern.terms.len();
        let (any, members): (Vec<_>, Vec<_>) =
            alternatives.iter().map(|alternative| self.apart(Wanted::Grouped, alternative)).unzip();
        let label = format!("{name}<{}>", tuple_of(&members));
        let filter = self.pattern.terms[first..].iter().all(|term| term.filter);
        self.members.push(label.clone());
        self.pattern.conditions.push(Condition::Any(Alternatives { any, label, filter }));
    }
}

/// The type's name without paths.
pub(super) fn short_type_name<T: ?Sized>() -> String {
    crate::component::short_name(std::any::type_name::<T>())
}

/// The component's name.
pub(super) fn name_of<T: Component>() -> String {
    T::NAME.map_or_else(|| short_type_name::<T>(), Into::into)
}

/// What a query asks for, and among whom.
pub(super) fn filtered(terms: &str, filter: &str) -> String {
    format!("{terms} filtered by {filter}")
}

/// `(A, B)`; `(A,)` for one.
pub(super) fn tuple_of(members: &[String]) -> String {
    if let [one] = members { format!("({one},)") } else { format!("({})", members.join(", ")) }
}

impl Pattern {
    /// Whether every component was registered when the pattern was made.
    pub(super) fn is_resolved(&self) -> bool {
        self.terms.iter().all(|term| term.resolved)
    }

    /// Refuses a component that is handed out twice, once of them mutably.
    #[track_caller]
    pub(super) fn check_conflicts(&self) -> Result<(), ConflictingTerms> {
        let same = |a: &Term, b: &Term| match (a.type_id, b.type_id) {
            (Some(a), Some(b)) => a == b,
            _ => a.component.is_some() && a.component == b.component,
        };
        for (at, second) in self.terms.iter().enumerate() {
            let first = self.terms[..at].iter().find(|first| {
                let touches = |term: &Term| matches!(term.access, Access::Read | Access::Write);
                same(first, second)
                    && touches(first)
                    && touches(second)
                    && (first.access == Access::Write || second.access == Access::Write)
            });
            if let Some(first) = first {
                return Err(ConflictingTerms {
                    first: first.label.clone(),
                    second: second.label.clone(),
                    query: self.describe(),
                    caller: Location::caller(),
                });
            }
        }
        Ok(())
    }

    /// The query as a user would write it.
    pub(super) fn describe(&self) -> String {
        if let Some(written) = self.written {
            return match &self.chosen {
                Some(chosen) => written().replace(WITHOUT_NAME, chosen),
                None => written(),
            };
        }
        let labels = |filter: bool| {
            let terms = self.terms.iter().filter(move |term| term.filter == filter);
            let mut labels: Vec<String> = terms.map(|term| term.label.clone()).collect();
            if filter && self.exact {
                labels.push("Exact".into());
            }
            if let [one] = &labels[..] { one.clone() } else { tuple_of(&labels) }
        };
        match labels(true) {
            none if none == "()" => labels(false),
            filter => filtered(&labels(false), &filter),
        }
    }

    /// The groups of alternatives of which none holds of an entity.
    pub(super) fn without_alternative(&self, store: &Store, table: &Table, index: u32, since: u32) -> Vec<String> {
        let groups = self.conditions.iter().filter_map(|condition| match condition {
            Condition::Any(group) if !self.holds(condition, store, table, index, since) => Some(group),
            _ => None,
        });
        groups.map(|group| format!("{}{}", if group.filter { "filter " } else { "" }, group.label)).collect()
    }

    /// Components that an entity must have, kept in tables.
    pub(super) fn required_in_tables(&self) -> impl Iterator<Item = Option<ComponentId>> + '_ {
        let required = self.terms.iter().filter(|term| term.wanted == Wanted::Present && term.set.is_none());
        required.map(|term| term.component)
    }

    /// Sparse sets that an entity must be in.
    pub(super) fn required_sets(&self) -> impl Iterator<Item = SetId> + '_ {
        self.terms.iter().filter(|term| term.wanted == Wanted::Present).filter_map(|term| term.set)
    }

    /// Whether entities of an archetype can match at all.
    pub(super) fn may_match(&self, archetype: &Archetype) -> bool {
        self.conditions.iter().all(|condition| self.ask(condition, archetype) != Answer::No)
            && (!self.exact || archetype.components.iter().all(|c| self.names(*c)))
    }

    /// Whether the archetype does not decide for all its rows: a sparse component is wanted, or must not be there.
    pub(super) fn depends_on_rows(&self) -> bool {
        let depends = |term: &Term| term.set.is_some() || term.toggle && term.test != Test::EvenOff;
        self.exact || self.terms.iter().any(|term| depends(term) && term.wanted != Wanted::Either)
    }

    fn names(&self, component: ComponentId) -> bool {
        self.terms.iter().any(|term| term.component == Some(component) && term.wanted != Wanted::Absent)
    }

    fn ask(&self, condition: &Condition, archetype: &Archetype) -> Answer {
        let known = |yes: bool| if yes { Answer::Yes } else { Answer::No };
        match condition {
            Condition::Has(at) | Condition::Lacks(at) => {
                let term = &self.terms[*at];
                if term.set.is_some() {
                    return Answer::Depends;
                }
                let has = term.component.is_some_and(|component| archetype.has(component));
                known(has == matches!(condition, Condition::Has(_)))
            }
            Condition::All(all) => all.iter().map(|c| self.ask(c, archetype)).fold(Answer::Yes, |a, b| match (a, b) {
                (Answer::No, _) | (_, Answer::No) => Answer::No,
                (Answer::Yes, Answer::Yes) => Answer::Yes,
                _ => Answer::Depends,
            }),
            Condition::Any(group) => {
                group.any.iter().map(|c| self.ask(c, archetype)).fold(Answer::No, |a, b| match (a, b) {
                    (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
                    (Answer::No, Answer::No) => Answer::No,
                    _ => Answer::Depends,
                })
            }
        }
    }

    /// Whether a live entity matches for a reader that looked last at `since`; the slow and complete answer.
    pub(super) fn matches(&self, store: &Store, table: &Table, index: u32, since: u32) -> bool {
        self.conditions.iter().all(|condition| self.holds(condition, store, table, index, since))
            && (!self.exact || self.is_exact(store, table, index))
    }

    fn holds(&self, condition: &Condition, store: &Store, table: &Table, index: u32, since: u32) -> bool {
        match condition {
            Condition::Has(at) => {
                let term = &self.terms[*at];
                term.is_there(store, table, index) && term.tested(store, table, index, since).0
            }
            Condition::Lacks(at) => !self.terms[*at].is_there(store, table, index),
            Condition::All(all) => all.iter().all(|c| self.holds(c, store, table, index, since)),
            Condition::Any(group) => group.any.iter().any(|c| self.holds(c, store, table, index, since)),
        }
    }

    /// Whether an entity has nothing that the terms do not name.
    pub(super) fn is_exact(&self, store: &Store, table: &Table, index: u32) -> bool {
        let archetype = &store.archetypes[table.archetype().index()];
        archetype.components.iter().all(|c| self.names(*c)) && self.has_no_other_set(store, index)
    }

    /// The part of [`Pattern::is_exact`] that the archetype does not decide.
    pub(super) fn has_no_other_set(&self, store: &Store, index: u32) -> bool {
        !store.sets.has_any(index) || store.sets.of(index).all(|set| self.names(store.sets.get(set).component()))
    }
}

impl Term {
    /// Whether an entity has the term's component, switched on or off.
    pub(super) fn is_there(&self, store: &Store, table: &Table, index: u32) -> bool {
        match (self.set, self.component) {
            (Some(set), _) => store.sets.get(set).row(index).is_some(),
            (None, Some(component)) => table.map().contains(component),
            (None, None) => false,
        }
    }

    /// Whether what the term asks of a component is true of that of a live entity, which has it; and what is worth telling about it.
    pub(super) fn tested(&self, store: &Store, table: &Table, index: u32, since: u32) -> (bool, Option<&'static str>) {
        let newer = |tick: fn(&Side, usize) -> u32| {
            self.side(store, table, index).is_some_and(|(side, row)| tick(side, row) > since)
        };
        match self.test {
            Test::Changed if newer(|side, row| side.ticks.changed_at(row)) => {
                (true, Some("changed since the reader looked"))
            }
            Test::Changed => (false, Some("not changed since the reader looked")),
            Test::Added if newer(|side, row| side.ticks.added_at(row)) => (true, Some("added since the reader looked")),
            Test::Added => (false, Some("not added since the reader looked")),
            Test::On | Test::Off | Test::EvenOff => {
                let off = self.toggle && self.side(store, table, index).is_some_and(|(side, row)| side.off.get(row));
                match (self.test, off) {
                    (test, true) => (test != Test::On, Some("switched off")),
                    (Test::Off, false) => (false, Some("switched on")),
                    (_, false) => (true, None),
                }
            }
        }
    }

    /// What is kept beside the component's value, and the value's row there.
    fn side<'s>(&self, store: &'s Store, table: &'s Table, index: u32) -> Option<(&'s Side, usize)> {
        match self.set {
            Some(set) => {
                let set = store.sets.get(set);
                Some((set.side()?, set.row(index)?))
            }
            None => Some((table.sides().get(self.component?)?, store.entities.location_at(index).row.index())),
        }
    }
}
