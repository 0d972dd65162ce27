//! Why an entity matches or not, and how a query would run.

use super::pattern::{Pattern, Wanted};
use crate::component::{Name, called};
use crate::entity::{Entity, NoSuchEntity};
use crate::storage::Store;
use std::fmt;

/// Why an entity matches a query, or what it lacks.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// let elf = world.spawn(Health(5));
/// let why = world.query_filtered::<&Health, With<Enemy>>().explain(elf);
/// assert!(!why.matches && why.dead.is_none());
/// assert_eq!(
///     why.to_string(),
///     "entity 0v0 does not match &Health filtered by With<Enemy>\n  &Health: has `Health`\n  filter With<Enemy>: lacks `Enemy`   <- this is why",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The entity in question.
    pub entity: Entity,
    /// What the entity is called, if it has a name.
    pub name: Option<Name>,
    /// Whether the query yields it.
    pub matches: bool,
    /// The query, as it was written.
    pub query: String,
    /// What was found for each term, in the order of the terms.
    pub terms: Vec<TermFound>,
    /// The groups (`Or`, `AnyOf`) of which no alternative holds.
    pub alternatives: Vec<String>,
    /// Components that an `Exact` query does not allow.
    pub extra: Vec<String>,
    /// Why the entity is not alive, if it is not.
    pub dead: Option<NoSuchEntity>,
}

/// What was found for one term.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// let elf = world.spawn(Health(5));
/// let why = world.query_filtered::<&Health, With<Enemy>>().explain(elf);
/// let term = why.terms.iter().find(|term| term.refused).unwrap();
/// assert_eq!((&*term.term, &*term.component, term.filter, term.present), ("With<Enemy>", "Enemy", true, false));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TermFound {
    /// The term as it was written.
    pub term: String,
    /// The component's name.
    pub component: String,
    /// Whether it only narrows what the query yields.
    pub filter: bool,
    /// Whether the entity has the component, switched on or off.
    pub present: bool,
    /// What else was found of it: `switched off`, `not changed since the reader looked`.
    pub state: Option<&'static str>,
    /// Whether this term alone keeps the entity from matching.
    pub refused: bool,
}

impl Explanation {
    /// `since` is when the reader looked last.
    pub(super) fn new(pattern: &Pattern, store: &Store, entity: Entity, since: u32) -> Self {
        let query = pattern.describe();
        let location = match store.locate(entity) {
            Ok(location) => location,
            Err(dead) => {
                let (terms, alternatives, extra) = (Vec::new(), Vec::new(), Vec::new());
                return Self {
                    entity,
                    name: None,
                    matches: false,
                    query,
                    terms,
                    alternatives,
                    extra,
                    dead: Some(dead),
                };
            }
        };
        let (index, table) = (entity.index(), &store.tables[location.table.index()]);
        let terms = pattern.terms.iter().map(|term| {
            let present = term.is_there(store, table, index);
            let (passes, state) = if present { term.tested(store, table, index, since) } else { (false, None) };
            let refused = match term.wanted {
                Wanted::Present => !passes,
                Wanted::Absent => present,
                Wanted::Either | Wanted::Grouped => false,
            };
            let (filter, component) = (term.filter, term.name.clone());
            TermFound { term: term.label.clone(), component, filter, present, state, refused }
        });
        let extra = if pattern.exact {
            let named = |c| pattern.terms.iter().any(|t| t.component == Some(c) && t.wanted != Wanted::Absent);
            let all = store.components_of(index, location).into_iter().filter(|c| !named(*c));
            all.map(|c| store.registry.name_of(c).to_string()).collect()
        } else {
            Vec::new()
        };
        Self {
            entity,
            name: store.name_of(entity),
            matches: pattern.matches(store, table, index, since),
            query,
            terms: terms.collect(),
            alternatives: pattern.without_alternative(store, table, index, since),
            extra,
            dead: None,
        }
    }
}

impl Explanation {
    /// The entity, with its name.
    pub(super) fn whom(&self) -> String {
        called(self.entity, self.name.as_ref())
    }

    /// What was found, a line each.
    pub(super) fn reasons(&self) -> impl Iterator<Item = String> + '_ {
        let dead = self.dead.iter().map(|dead| format!("it is not alive: {}   <- this is why", dead.found()));
        let terms = self.terms.iter().map(|term| {
            let filter = if term.filter { "filter " } else { "" };
            let has = if term.present { "has" } else { "lacks" };
            let refused = if term.refused { "   <- this is why" } else { "" };
            let state = term.state.map_or_else(String::new, |state| format!(", {state}"));
            format!("{filter}{}: {has} `{}`{state}{refused}", term.term, term.component)
        });
        let nothing =
            self.alternatives.iter().map(|group| format!("{group}: none of the alternatives holds   <- this is why"));
        let extra = (!self.extra.is_empty())
            .then(|| format!("filter Exact: also has `{}`   <- this is why", self.extra.join("`, `")));
        dead.chain(terms).chain(nothing).chain(extra)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.matches { "matches" } else { "does not match" };
        write!(f, "entity {} {verb} {}", self.whom(), self.query)?;
        self.reasons().try_for_each(|reason| write!(f, "\n  {reason}"))
    }
}

/// How a query would run now.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Driver;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// let plan = world.query::<&Health>().plan();
/// assert_eq!((plan.driver, plan.candidates), (Driver::Tables(1), 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryPlan {
    /// What is walked.
    pub driver: Driver,
    /// How many candidates a whole walk looks at.
    pub candidates: usize,
}

/// What a query walks.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Driver;
///
/// #[derive(Component)] #[component(storage = "sparse")] struct Burning;
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// world.spawn((Health(5), Burning));
/// let plan = world.query::<(&Health, &Burning)>().plan();
/// assert_eq!(plan.driver, Driver::SparseSet("Burning".into()), "one candidate, not four");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Driver {
    /// The rows of so many tables.
    Tables(usize),
    /// The sparse set of this component: the smallest of those required.
    SparseSet(String),
}

impl fmt::Display for QueryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |count: usize| if count == 1 { "" } else { "s" };
        let candidates = self.candidates;
        match &self.driver {
            Driver::Tables(tables) => {
                write!(f, "walks {candidates} row{} of {tables} table{}", many(candidates), many(*tables))
            }
            Driver::SparseSet(name) => {
                write!(f, "walks {candidates} value{} of sparse component `{name}`", many(candidates))
            }
        }
    }
}
