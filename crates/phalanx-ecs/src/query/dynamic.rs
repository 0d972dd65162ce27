//! Queries whose terms are chosen at run time, on the same engine.

#![expect(unsafe_code, reason = "hands out type-erased references into tables and sparse sets")]

use super::access::{Access, ConflictingTerms};
use super::explain::Explanation;
use super::matches::{Freshness, Matches};
use super::pattern::{Pattern, PatternBuilder, Wanted};
use crate::component::{ComponentId, DynRef, DynRefMut, Registry};
use crate::entity::Entity;
use crate::storage::{SparseSet, Store, Table};
use std::marker::PhantomData;

/// Chooses the terms of a [`DynQuery`].
#[derive(Clone, Default, Debug)]
pub struct DynQueryBuilder {
    terms: Vec<(ComponentId, Access, Wanted)>,
    exact: bool,
}

impl DynQueryBuilder {
    /// Asks for a component to read.
    #[must_use]
    pub fn read(self, component: ComponentId) -> Self {
        self.term(component, Access::Read, Wanted::Present)
    }

    /// Asks for a component to change.
    #[must_use]
    pub fn write(self, component: ComponentId) -> Self {
        self.term(component, Access::Write, Wanted::Present)
    }

    /// Asks for a component to read, where it is.
    #[must_use]
    pub fn maybe_read(self, component: ComponentId) -> Self {
        self.term(component, Access::Read, Wanted::Either)
    }

    /// Asks for a component to change, where it is.
    #[must_use]
    pub fn maybe_write(self, component: ComponentId) -> Self {
        self.term(component, Access::Write, Wanted::Either)
    }

    /// Only entities that have this component.
    #[must_use]
    pub fn with(self, component: ComponentId) -> Self {
        self.term(component, Access::None, Wanted::Present)
    }

    /// Only entities that do not have this component.
    #[must_use]
    pub fn without(self, component: ComponentId) -> Self {
        self.term(component, Access::None, Wanted::Absent)
    }

    /// Only entities that have nothing the query does not name.
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    fn term(mut self, component: ComponentId, access: Access, wanted: Wanted) -> Self {
        self.terms.push((component, access, wanted));
        self
    }

    /// Makes the query.
    ///
    /// # Errors
    /// [`ConflictingTerms`] if two terms would hand out one component twice, once of them mutably.
    #[track_caller]
    pub fn build(self) -> Result<DynQuery, ConflictingTerms> {
        let mut query = DynQuery { pattern: Pattern::default(), matches: Matches::default(), builder: self };
        query.pattern = query.declare(&Registry::default());
        query.pattern.check_conflicts()?;
        Ok(query)
    }
}

/// Where the entities that match are to be found.
enum Candidates<'s> {
    /// All rows of the matching tables match.
    Tables,
    /// Some of the rows of the matching tables do.
    Rows,
    /// Some of those in a sparse set do.
    Set(&'s SparseSet),
}

/// A query whose terms were chosen at run time; component ids are those of one world.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{ComponentLayout, DynQuery, DynValue};
///
/// #[derive(Component)] struct Name(&'static str);
///
/// let mut world = World::new();
/// let name = world.register::<Name>();
/// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
/// let elf = world.spawn(Name("Elrond"));
/// world.insert_dyn(elf, mana, DynValue::bytes(&[40]))?;
///
/// let mut casters = DynQuery::builder().read(name).write(mana).build()?;
/// casters.for_each(&mut world, |mut caster| {
///     let who = caster.get(name).unwrap().downcast::<Name>().unwrap().0;
///     caster.get_mut(mana).unwrap().bytes().unwrap()[0] += 2;
///     assert_eq!(who, "Elrond");
/// });
/// assert_eq!(world.get_dyn(elf, mana).unwrap().bytes(), Some(&[42][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DynQuery {
    builder: DynQueryBuilder,
    pattern: Pattern,
    matches: Matches<()>,
}

impl DynQuery {
    /// Starts with no terms: every entity matches.
    pub fn builder() -> DynQueryBuilder {
        DynQueryBuilder::default()
    }

    fn declare(&self, registry: &Registry) -> Pattern {
        let mut builder = PatternBuilder::new(registry);
        for &(component, access, wanted) in &self.builder.terms {
            let around = match (access, wanted) {
                (Access::Read, Wanted::Either) => ("Option<&", ">"),
                (Access::Write, Wanted::Either) => ("Option<&mut ", ">"),
                (Access::Read, _) => ("&", ""),
                (Access::Write, _) => ("&mut ", ""),
                (Access::None, Wanted::Absent) => ("Without<", ">"),
                (Access::None | Access::Marks, _) => ("With<", ">"),
            };
            builder.by_id(component, access, wanted, around);
        }
        if self.builder.exact {
            builder.exact();
        }
        builder.finish()
    }

    fn update(&mut self, store: &Store) {
        match self.matches.begin(store) {
            Freshness::Current => return,
            Freshness::Stale if self.pattern.is_resolved() || !self.matches.lacks_types_of(store) => {}
            Freshness::Stale | Freshness::Foreign => {
                self.pattern = self.declare(&store.registry);
                self.matches.reset();
            }
        }
        self.matches.update(store, &self.pattern, |_| ());
    }

    /// The entities that match, in walking order.
    pub(crate) fn indices(&mut self, store: &Store) -> Vec<u32> {
        self.update(store);
        match self.candidates(store) {
            Candidates::Set(set) => set.owners().filter(|index| self.holds_of(store, *index)).collect(),
            Candidates::Rows => self.rows(store).filter(|index| self.holds_of(store, *index)).collect(),
            Candidates::Tables => self.rows(store).collect(),
        }
    }

    /// How many entities match.
    pub(crate) fn count_on(&mut self, store: &Store) -> usize {
        self.update(store);
        match self.candidates(store) {
            Candidates::Set(set) => set.owners().filter(|index| self.holds_of(store, *index)).count(),
            Candidates::Rows => self.rows(store).filter(|index| self.holds_of(store, *index)).count(),
            Candidates::Tables => self.tables(store).map(|table| table.len() - table.dead().ones()).sum(),
        }
    }

    fn candidates<'s>(&self, store: &'s Store) -> Candidates<'s> {
        let smallest = self.pattern.required_sets().map(|set| store.sets.get(set)).min_by_key(|set| set.len());
        match smallest {
            Some(set) => Candidates::Set(set),
            None if self.pattern.depends_on_rows() => Candidates::Rows,
            None => Candidates::Tables,
        }
    }

    fn tables<'s>(&'s self, store: &'s Store) -> impl Iterator<Item = &'s Table> {
        self.matches.list.iter().map(|at| &store.tables[at.table.index()])
    }

    fn rows<'s>(&'s self, store: &'s Store) -> impl Iterator<Item = u32> + 's {
        self.tables(store).flat_map(Table::living)
    }

    fn holds_of(&self, store: &Store, index: u32) -> bool {
        let location = store.entities.location_at(index);
        self.pattern.matches(store, &store.tables[location.table.index()], index, 0)
    }

    /// Calls `f` with each item.
    ///
    /// # Safety
    /// 1. Until this returns, nobody else uses what the terms write, and nobody writes what they read.
    pub(crate) unsafe fn walk(&mut self, store: &Store, mut f: impl FnMut(DynItem<'_>)) {
        for index in self.indices(store) {
            f(DynItem { store, pattern: &self.pattern, index, _right: PhantomData });
        }
    }

    pub(crate) fn explain_on(&mut self, store: &Store, entity: Entity) -> Explanation {
        self.update(store);
        Explanation::new(&self.pattern, store, entity, 0)
    }
}

impl std::fmt::Debug for DynQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DynQuery({})", self.pattern.describe())
    }
}

/// One entity that matches a [`DynQuery`].
pub struct DynItem<'w> {
    store: &'w Store,
    pattern: &'w Pattern,
    index: u32,
    /// Stands for the right to this entity's components, as far as the terms name them.
    _right: PhantomData<&'w mut ()>,
}

impl DynItem<'_> {
    /// The entity.
    pub fn entity(&self) -> Entity {
        self.store.entities.entity_at(self.index)
    }

    /// A component that the query reads or writes, if the entity has it.
    pub fn get(&self, component: ComponentId) -> Option<DynRef<'_>> {
        self.allowed(component, Access::Read)?;
        let at = self.store.entities.location_at(self.index);
        if !self.store.is_on(self.index, at, component) {
            return None;
        }
        let data = self.store.cell_dyn(self.index, at, component)?;
        // SAFETY: a valid value; the item has the right to read it, and `self` is shared, so nobody has it from `get_mut`.
        Some(unsafe { DynRef::new(self.store.registry.at(component), data) })
    }

    /// A component that the query writes, if the entity has it.
    pub fn get_mut(&mut self, component: ComponentId) -> Option<DynRefMut<'_>> {
        self.allowed(component, Access::Write)?;
        let at = self.store.entities.location_at(self.index);
        if !self.store.is_on(self.index, at, component) {
            return None;
        }
        let data = self.store.cell_dyn(self.index, at, component)?;
        self.store.mark_dyn(self.index, at, component);
        // SAFETY: a valid value; the item has the right to write it, and `self` is borrowed exclusively.
        Some(unsafe { DynRefMut::new(self.store.registry.at(component), data) })
    }

    fn allowed(&self, component: ComponentId, access: Access) -> Option<()> {
        let allowed = self.pattern.terms.iter().any(|term| {
            term.component == Some(component)
                && match access {
                    Access::Write => term.access == Access::Write,
                    Access::Read | Access::None | Access::Marks => matches!(term.access, Access::Read | Access::Write),
                }
        });
        allowed.then_some(())
    }
}
