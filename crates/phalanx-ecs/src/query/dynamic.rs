//! Queries whose terms are chosen at run time, on the same engine.

#![expect(unsafe_code, reason = "hands out type-erased references into tables and sparse sets")]

use super::access::{Access, ConflictingTerms};
use super::explain::Explanation;
use super::matches::{Freshness, Matches};
use super::pattern::{Pattern, PatternBuilder, Test, Wanted};
use crate::component::{ComponentId, DynRef, DynRefMut, Registry};
use crate::entity::Entity;
use crate::storage::{ArchetypeId, SparseSet, Store, Table};
use std::marker::PhantomData;
use std::panic::Location;

/// Chooses the terms of a [`DynQuery`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::DynQuery;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Frozen;
///
/// let mut world = World::new();
/// let (position, frozen) = (world.register::<Position>(), world.register::<Frozen>());
/// let mut moving = DynQuery::builder().write(position).without(frozen).build()?;
/// let ball = world.spawn(Position(1.0));
/// world.spawn((Position(2.0), Frozen));
/// assert_eq!(moving.entities(&world), [ball]);
/// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct DynQueryBuilder {
    terms: Vec<(ComponentId, Access, Wanted, Test)>,
    exact: bool,
}

impl DynQueryBuilder {
    /// Asks for a component to read.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// world.spawn(Health(3));
    /// let mut query = DynQuery::builder().read(health).build()?;
    /// query.for_each(&mut world, |mut orc| {
    ///     assert_eq!(orc.get(health).unwrap().downcast::<Health>().unwrap().0, 3);
    ///     assert!(orc.get_mut(health).is_none(), "it is only read");
    /// });
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn read(self, component: ComponentId) -> Self {
        self.term(component, Access::Read, Wanted::Present)
    }

    /// Asks for a component to change.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(Health(3));
    /// let mut query = DynQuery::builder().write(health).build()?;
    /// query.for_each(&mut world, |mut orc| {
    ///     orc.get_mut(health).unwrap().downcast::<Health>().unwrap().0 += 1;
    /// });
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn write(self, component: ComponentId) -> Self {
        self.term(component, Access::Write, Wanted::Present)
    }

    /// Asks for a component to read, where it is.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Shield(u32);
    /// # let mut world = World::new();
    /// let (health, shield) = (world.register::<Health>(), world.register::<Shield>());
    /// world.spawn_batch([Health(3), Health(2)]);
    /// world.spawn((Health(1), Shield(1)));
    /// let mut query = DynQuery::builder().read(health).maybe_read(shield).build()?;
    /// let mut shields = 0;
    /// query.for_each(&mut world, |item| shields += usize::from(item.get(shield).is_some()));
    /// assert_eq!((query.count(&world), shields), (3, 1));
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn maybe_read(self, component: ComponentId) -> Self {
        self.term(component, Access::Read, Wanted::Either)
    }

    /// Asks for a component to change, where it is.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Shield(u32);
    /// # let mut world = World::new();
    /// let shield = world.register::<Shield>();
    /// world.spawn(Health(3));
    /// let orc = world.spawn((Health(1), Shield(1)));
    /// let mut query = DynQuery::builder().maybe_write(shield).build()?;
    /// query.for_each(&mut world, |mut item| {
    ///     if let Some(shield) = item.get_mut(shield) {
    ///         shield.downcast::<Shield>().unwrap().0 = 9;
    ///     }
    /// });
    /// assert_eq!(world.get::<Shield>(orc).unwrap().0, 9);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn maybe_write(self, component: ComponentId) -> Self {
        self.term(component, Access::Write, Wanted::Either)
    }

    /// Only entities that have this component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let enemy = world.register::<Enemy>();
    /// world.spawn(());
    /// let orc = world.spawn(Enemy);
    /// let mut enemies = DynQuery::builder().with(enemy).build()?;
    /// assert_eq!(enemies.entities(&world), [orc]);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn with(self, component: ComponentId) -> Self {
        self.term(component, Access::None, Wanted::Present)
    }

    /// Only entities that have this component, switched on or off.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] #[component(toggle)] struct Awake;
    /// # let mut world = World::new();
    /// let awake = world.register::<Awake>();
    /// let owl = world.spawn(Awake);
    /// world.switch_off::<Awake>(owl)?;
    /// assert_eq!(DynQuery::builder().with(awake).build()?.count(&world), 0);
    /// assert_eq!(DynQuery::builder().with_even_off(awake).build()?.entities(&world), [owl]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_even_off(mut self, component: ComponentId) -> Self {
        self.terms.push((component, Access::None, Wanted::Present, Test::EvenOff));
        self
    }

    /// Only entities that do not have this component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let enemy = world.register::<Enemy>();
    /// let stone = world.spawn(());
    /// world.spawn(Enemy);
    /// let mut others = DynQuery::builder().without(enemy).build()?;
    /// assert_eq!(others.entities(&world), [stone]);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn without(self, component: ComponentId) -> Self {
        self.term(component, Access::None, Wanted::Absent)
    }

    /// Only entities that have nothing the query does not name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let elf = world.spawn(Health(5));
    /// world.spawn((Health(3), Enemy));
    /// let mut query = DynQuery::builder().read(health).exact().build()?;
    /// assert_eq!(query.entities(&world), [elf]);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    fn term(mut self, component: ComponentId, access: Access, wanted: Wanted) -> Self {
        self.terms.push((component, access, wanted, Test::On));
        self
    }

    /// Makes the query.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert!(DynQuery::builder().read(health).build().is_ok());
    /// assert!(DynQuery::builder().read(health).maybe_write(health).build().is_err());
    /// ```
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
/// #[derive(Component)] struct Title(&'static str);
///
/// let mut world = World::new();
/// let name = world.register::<Title>();
/// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
/// let elf = world.spawn(Title("Elrond"));
/// world.insert_dyn(elf, mana, DynValue::bytes(&[40]))?;
///
/// let mut casters = DynQuery::builder().read(name).write(mana).build()?;
/// casters.for_each(&mut world, |mut caster| {
///     let who = caster.get(name).unwrap().downcast::<Title>().unwrap().0;
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
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # let mut world = World::new();
    /// world.spawn_batch([(), ()]);
    /// let mut all = DynQuery::builder().build()?;
    /// assert_eq!(all.count(&world), 2);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    pub fn builder() -> DynQueryBuilder {
        DynQueryBuilder::default()
    }

    fn declare(&self, registry: &Registry) -> Pattern {
        let mut builder = PatternBuilder::new(registry);
        for &(component, access, wanted, test) in &self.builder.terms {
            let around = match (access, wanted) {
                _ if test == Test::EvenOff => ("EvenOff<", ">"),
                (Access::Read, Wanted::Either) => ("Option<&", ">"),
                (Access::Write, Wanted::Either) => ("Option<&mut ", ">"),
                (Access::Read, _) => ("&", ""),
                (Access::Write, _) => ("&mut ", ""),
                (Access::None, Wanted::Absent) => ("Without<", ">"),
                (Access::None | Access::Marks, _) => ("With<", ">"),
            };
            builder.by_id(component, access, wanted, around);
            builder.test_last(test);
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

    /// The archetypes whose entities all match, if that decides it.
    pub(crate) fn whole_archetypes(&mut self, store: &Store) -> Option<Vec<ArchetypeId>> {
        self.update(store);
        matches!(self.candidates(store), Candidates::Tables)
            .then(|| self.matches.list.iter().map(|at| at.archetype).collect())
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
    #[track_caller]
    pub(crate) unsafe fn walk(&mut self, store: &Store, mut f: impl FnMut(DynItem<'_>)) {
        self.refuse_immutable(store);
        for index in self.indices(store) {
            f(DynItem { store, pattern: &self.pattern, index, _right: PhantomData });
        }
    }

    /// Refuses to change in its place what is immutable.
    #[track_caller]
    fn refuse_immutable(&mut self, store: &Store) {
        self.update(store);
        for term in &self.pattern.terms {
            if let (Access::Write, Some(component)) = (term.access, term.component)
                && store.registry.info(component).is_some_and(|info| !info.mutable)
            {
                let (name, query, caller) = (&term.name, self.pattern.describe(), Location::caller());
                panic!(
                    "error[Q007]: a query cannot change component `{name}`, which is immutable\n  query: {query}\n  asked by: {}:{}\n  help: ask for it by `read`; another value takes the place of the old one by `world.insert_dyn`",
                    caller.file(),
                    caller.line()
                );
            }
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
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::DynQuery;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// let orc = world.spawn(Health(3));
/// let mut query = DynQuery::builder().read(health).build()?;
/// query.for_each(&mut world, |item| {
///     assert_eq!(item.entity(), orc);
///     assert_eq!(item.get(health).unwrap().info().name(), "Health");
/// });
/// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
/// ```
pub struct DynItem<'w> {
    store: &'w Store,
    pattern: &'w Pattern,
    index: u32,
    /// Stands for the right to this entity's components, as far as the terms name them.
    _right: PhantomData<&'w mut ()>,
}

impl DynItem<'_> {
    /// The entity.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(Health(3));
    /// let mut found = Vec::new();
    /// DynQuery::builder().with(health).build()?.for_each(&mut world, |item| found.push(item.entity()));
    /// assert_eq!(found, [orc]);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    pub fn entity(&self) -> Entity {
        self.store.entities.entity_at(self.index)
    }

    /// A component that the query reads or writes, if the entity has it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let (health, enemy) = (world.register::<Health>(), world.register::<Enemy>());
    /// world.spawn((Health(3), Enemy));
    /// DynQuery::builder().read(health).with(enemy).build()?.for_each(&mut world, |item| {
    ///     assert_eq!(item.get(health).unwrap().downcast::<Health>().unwrap().0, 3);
    ///     assert!(item.get(enemy).is_none(), "the query only asks whether it is there");
    /// });
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
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
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynQuery, DynValue};
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(1))?;
    /// let elf = world.spawn(());
    /// world.insert_dyn(elf, mana, DynValue::bytes(&[7]))?;
    /// DynQuery::builder().write(mana).build()?.for_each(&mut world, |mut item| {
    ///     item.get_mut(mana).unwrap().bytes().unwrap()[0] += 1;
    /// });
    /// assert_eq!(world.get_dyn(elf, mana).unwrap().bytes(), Some(&[8][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
