//! [`Query`]: a prepared query and the world it looks at.

#![expect(unsafe_code, reason = "the one place where the right to a store becomes the right to items")]

use super::chunks::{Chunks, refuse_rows, refuse_shared};
use super::explain::{Driver, Explanation, QueryPlan};
use super::filter::Filter;
use super::iter::{QueryIter, Walk};
use super::part::{Part, ReadPart};
use super::prepared::Prepared;
use super::term::Terms;
use super::view::View;
use crate::entity::{Entity, debug_as_display};
use crate::storage::{ArchetypeId, Store};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// A query that has borrowed a world: iterate it, look entities up, ask it to explain.
///
/// `world.query` makes one from `&mut World`, `world.read` one that only reads from `&World`, and a [`Prepared`] of your own either. Each
/// method that hands out `&mut T` borrows the query exclusively; those for terms that only read (`iter`, `get`, `single`, `first`, …) can be used
/// any number of times at once, and what they hand out lives as long as the borrow of the world.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Hunger(u32);
/// #[derive(Component)] struct Asleep;
///
/// let mut world = World::new();
/// world.spawn(Hunger(1));
/// world.spawn((Hunger(1), Asleep));
///
/// let mut awake = world.query_filtered::<&mut Hunger, Without<Asleep>>();
/// awake.for_each(|hunger| hunger.0 += 1);
/// assert_eq!(awake.count(), 1);
/// ```
///
/// # Order
/// Queries walk table by table, in the order in which the tables were made, and each row by row. All entities with the same table components, and the same values of
/// shared ones, stand in one table, so adding or removing a table component moves an entity to the end of another one, and the last row of its old table
/// fills the gap, as it does when an entity ends. A query that requires sparse components walks the smallest of their sets instead, which is kept in the same way. This
/// *walking order* is the same on every run; for one that stays whatever comes and goes, sort:
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Rank(u32);
/// #[derive(Component)] struct Wounded;
///
/// let mut world = World::new();
/// let [first, ..] = [1, 2, 3].map(|rank| world.spawn(Rank(rank)));
/// world.insert(first, Wounded)?;                               // it moves to another table, and the third fills its row
/// assert!(world.query::<&Rank>().iter().map(|rank| rank.0).eq([3, 2, 1]));
///
/// assert!(world.query::<&Rank>().sorted_by_key(|rank| rank.0).map(|rank| rank.0).eq([1, 2, 3]));
/// // Or by the entities themselves: equal keys stand in the order of their indices.
/// assert!(world.query::<&Rank>().sorted_by_key(|_| ()).map(|rank| rank.0).eq([1, 2, 3]));
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
///
/// See [`sorted_by_key`](Query::sorted_by_key) and [`sorted_by`](Query::sorted_by).
pub struct Query<'w, Q: Terms, F: Filter = ()> {
    pub(super) store: &'w Store,
    pub(super) prepared: &'w Prepared<Q, F>,
    _right: Right<'w, Q>,
}

/// Items may be exclusive references into the store.
type Right<'w, Q> = PhantomData<(&'w mut (), fn() -> Q)>;

impl<'w, Q: Terms, F: Filter> Query<'w, Q, F> {
    /// # Safety
    /// 1. `prepared` is up to date with `store`.
    /// 2. For `'w` nobody else uses what the terms write, and nobody writes what they read; if the terms only read, sharing is enough.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn new(store: &'w Store, prepared: &'w Prepared<Q, F>) -> Self {
        // SAFETY: passed on.
        unsafe { prepared.begin_marks(store) };
        Self { store, prepared, _right: PhantomData }
    }

    /// The items, one by one, for terms that only read.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let orcs = world.query::<&Health>();
    /// assert_eq!(orcs.iter().map(|health| health.0).sum::<u32>(), 6);
    /// assert!(orcs.iter().any(|health| health.0 == 1), "any number of times");
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn iter(&self) -> QueryIter<'w, Q, F>
    where
        Q::Parts: ReadPart,
    {
        // SAFETY: by the contract of `new`; shared access may be handed out many times.
        unsafe { QueryIter::new(self.store, self.prepared) }
    }

    /// The items, one by one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let mut orcs = world.query::<&mut Health>();
    /// for health in orcs.iter_mut().filter(|health| health.0 > 1) {
    ///     health.0 += 10;
    /// }
    /// assert!(orcs.iter_mut().map(|health| health.0).eq([13, 12, 1]));
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn iter_mut(&mut self) -> QueryIter<'_, Q, F> {
        // SAFETY: by the contract of `new`; `self` is borrowed as long as the items live.
        unsafe { QueryIter::new(self.store, self.prepared) }
    }

    /// Calls `f` with each item. The fastest way to visit all of them.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # let mut world = World::new();
    /// world.spawn_batch([1.0, 2.0].map(|speed| (Position(0.0), Velocity(speed))));
    /// world.query::<(&mut Position, &Velocity)>().for_each(|(position, velocity)| position.0 += velocity.0);
    /// assert!(world.query::<&Position>().iter().map(|position| position.0).eq([1.0, 2.0]));
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn for_each(&mut self, mut f: impl FnMut(Q::Item<'_>)) {
        if !Prepared::<Q, F>::SOLO {
            return self.iter_mut().for_each(f);
        }
        match self.prepared.solo {
            // SAFETY: by the contract of `new`; `self` is borrowed as long as the items live, and each row is visited once.
            Some(set) => unsafe { Prepared::<Q, F>::each_solo(self.store, set, &mut f) },
            None => self.each_in_company(f),
        }
    }

    /// `for_each` where a set could be walked alone but is not: apart, so that its registers do not cost the walk of a set anything.
    #[cold]
    #[inline(never)]
    fn each_in_company(&mut self, f: impl FnMut(Q::Item<'_>)) {
        self.iter_mut().for_each(f);
    }

    /// The columns as slices; see [`flat_mut`](crate::flat_mut) for viewing them as plain numbers.
    ///
    /// There is one set of slices per run of rows: mostly one per table, more where rows are passed over in between, because a component is switched off,
    /// a filter refuses them, or they [wait to be collected](crate::World::despawn_lazy). So do not count on one set per table. Of tracked components that are
    /// asked for mutably, every row of a slice counts as [changed](crate::Changed).
    ///
    /// Queries with sparse terms or filters have no slices; the build stops with a message that says so. Of a [shared](crate::Shared) component all rows of a chunk
    /// have the same value: ask for [`Common<T>`](crate::Common).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{flat, flat_mut};
    ///
    /// #[derive(Component, Plain, Clone, Copy)] struct Position { x: f32, y: f32 }
    /// #[derive(Component, Plain, Clone, Copy)] struct Velocity { x: f32, y: f32 }
    ///
    /// let mut world = World::new();
    /// world.spawn((Position { x: 0.0, y: 0.0 }, Velocity { x: 1.0, y: 2.0 }));
    /// for (positions, velocities) in world.query::<(&mut Position, &Velocity)>().chunks() {
    ///     for (p, v) in flat_mut(positions).iter_mut().zip(flat(velocities)) {
    ///         *p += v;
    ///     }
    /// }
    /// assert_eq!(world.query::<&Position>().single()?.y, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("iter_batched", "slices"))]
    #[inline]
    pub fn chunks(&mut self) -> Chunks<'_, Q, F> {
        const { refuse_rows(Prepared::<Q, F>::ROWS, "`iter` or `for_each`") };
        const { refuse_shared(<Q::Parts as Part>::SLICED) };
        // SAFETY: as in `iter_mut`; no rows to look at, and there are slices.
        unsafe { Chunks::new(self.store, self.prepared) }
    }

    /// The item of an entity, if it is alive and matches, for terms that only read. [`Query::lookup`] says why not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Title(&'static str);
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Title("Grub")));
    /// let stone = world.spawn(Title("stone"));
    /// let named = world.query::<(&Title, &Health)>();
    /// assert_eq!(named.get(orc).unwrap().0.0, "Grub");
    /// assert!(named.get(stone).is_none(), "it has no health");
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self, entity: Entity) -> Option<Q::Item<'w>>
    where
        Q::Parts: ReadPart,
    {
        // SAFETY: as in `iter`.
        unsafe { self.get_unchecked(entity) }
    }

    /// The item of an entity, for terms that only read, or why there is none: [`Query::get`] with a reason.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, stone] = [world.spawn(Health(3)), world.spawn(())];
    /// let healths = world.query::<&Health>();
    /// assert_eq!(healths.lookup(orc)?.0, 3);
    /// assert!(healths.lookup(stone).err().unwrap().to_string().contains("&Health: lacks `Health`"));
    /// # Ok::<(), phalanx_ecs::EntityMismatch>(())
    /// ```
    ///
    /// # Errors
    /// [`EntityMismatch`] if it is dead or does not match.
    #[track_caller]
    pub fn lookup(&self, entity: Entity) -> Result<Q::Item<'w>, EntityMismatch>
    where
        Q::Parts: ReadPart,
    {
        let caller = Location::caller();
        self.get(entity).ok_or_else(|| self.mismatch(entity, false, caller))
    }

    /// The item of an entity, if it is alive and matches; [`Query::explain`] says why not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let mut healths = world.query::<&mut Health>();
    /// if let Some(health) = healths.get_mut(orc) {
    ///     health.0 -= 1;
    /// }
    /// assert_eq!(healths.get_mut(orc).unwrap().0, 2);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get_mut(&mut self, entity: Entity) -> Option<Q::Item<'_>> {
        // SAFETY: as in `iter_mut`.
        unsafe { self.get_unchecked(entity) }
    }

    /// The item of an entity through a shared reference, whatever the terms.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, elf] = [world.spawn(Health(3)), world.spawn(Health(5))];
    /// let healths = world.query::<&mut Health>();
    /// // SAFETY: two entities, each asked for once.
    /// let (a, b) = unsafe { (healths.get_unchecked(orc).unwrap(), healths.get_unchecked(elf).unwrap()) };
    /// std::mem::swap(a, b);
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 5);
    /// ```
    ///
    /// # Safety
    /// 1. No other item of the same entity, from this query, lives as long as `'a`, if the terms write.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn get_unchecked<'a>(&self, entity: Entity) -> Option<Q::Item<'a>>
    where
        'w: 'a,
    {
        let location = self.store.entities.locate(entity)?;
        let slot = self.prepared.matches.slot(self.store, location.table)?;
        // SAFETY: slots are positions in the list; a location names a row of its table; the right to the item by `new` and (1).
        unsafe {
            let at = self.prepared.matches.list.get_unchecked(slot);
            self.prepared.row(self.store, at, location.row.index())
        }
    }

    /// The query made ready for many lookups by entity: a little work per table now, less per entity then.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(i32);
    /// #[derive(Component)] struct Attack { target: Entity, damage: i32 }
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn(Health(10));
    /// world.spawn_batch((1..=3).map(|damage| Attack { target: orc, damage }));
    ///
    /// let attacks: Vec<(Entity, i32)> = world.query::<&Attack>().iter().map(|a| (a.target, a.damage)).collect();
    /// let mut health = world.query::<&mut Health>();
    /// let mut health = health.view();
    /// for (target, damage) in attacks {
    ///     if let Some(health) = health.get_mut(target) { health.0 -= damage; }
    /// }
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
    /// ```
    pub fn view(&mut self) -> View<'_, Q, F> {
        // SAFETY: as in `iter_mut`.
        unsafe { View::new(self.store, self.prepared) }
    }

    /// The items of several entities, in their order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, elf] = [world.spawn(Health(3)), world.spawn(Health(5))];
    /// let stone = world.spawn(());
    /// let healths = world.query::<&Health>();
    /// assert_eq!(healths.get_many([elf, orc])?.map(|health| health.0), [5, 3]);
    /// assert_eq!(healths.get_many([elf, stone]).err().unwrap().entity, stone);
    /// # Ok::<(), phalanx_ecs::EntityMismatch>(())
    /// ```
    ///
    /// # Errors
    /// [`EntityMismatch`] for the first that is dead or does not match.
    #[track_caller]
    pub fn get_many<const N: usize>(&self, entities: [Entity; N]) -> Result<[Q::Item<'w>; N], EntityMismatch>
    where
        Q::Parts: ReadPart,
    {
        // SAFETY: as in `iter`.
        unsafe { self.many(entities, Location::caller()) }
    }

    /// The items of several different entities, in their order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let [orc, elf] = [world.spawn(Gold(3)), world.spawn(Gold(5))];
    /// let mut purses = world.query::<&mut Gold>();
    /// let [from, to] = purses.get_many_mut([orc, elf])?;
    /// (from.0, to.0) = (from.0 - 1, to.0 + 1);
    /// assert!(purses.get_many_mut([orc, orc]).err().unwrap().twice);
    /// # Ok::<(), phalanx_ecs::EntityMismatch>(())
    /// ```
    ///
    /// # Errors
    /// [`EntityMismatch`] for the first that is dead, does not match, or is there twice.
    #[track_caller]
    pub fn get_many_mut<const N: usize>(&mut self, entities: [Entity; N]) -> Result<[Q::Item<'_>; N], EntityMismatch> {
        let caller = Location::caller();
        for (at, entity) in entities.iter().enumerate() {
            if entities[..at].contains(entity) {
                return Err(self.mismatch(*entity, true, caller));
            }
        }
        // SAFETY: as in `iter_mut`; the entities are all different.
        unsafe { self.many(entities, caller) }
    }

    /// # Safety
    /// As `get_unchecked`, for all of them at once.
    unsafe fn many<'a, const N: usize>(
        &self,
        entities: [Entity; N],
        caller: &'static Location<'static>,
    ) -> Result<[Q::Item<'a>; N], EntityMismatch>
    where
        'w: 'a,
    {
        // SAFETY: passed on.
        let items = entities.map(|entity| unsafe { self.get_unchecked(entity) });
        if let Some(at) = items.iter().position(Option::is_none) {
            return Err(self.mismatch(entities[at], false, caller));
        }
        Ok(items.map(|item| item.expect("all of them were found")))
    }

    #[cold]
    fn mismatch(&self, entity: Entity, twice: bool, caller: &'static Location<'static>) -> EntityMismatch {
        EntityMismatch { entity, twice, explanation: Box::new(self.explain(entity)), caller }
    }

    /// The item of the one entity that matches, for terms that only read.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn((Enemy, Health(3)));
    /// let enemies = world.query_filtered::<&Health, With<Enemy>>();
    /// assert_eq!(enemies.single()?.0, 3);
    /// world.spawn((Enemy, Health(5)));
    /// assert_eq!(world.query::<&Health>().single().err().unwrap().found, 2);
    /// # Ok::<(), phalanx_ecs::NotSingle>(())
    /// ```
    ///
    /// # Errors
    /// [`NotSingle`] if there is none, or more than one.
    #[doc(alias = "get_single")]
    #[track_caller]
    pub fn single(&self) -> Result<Q::Item<'w>, NotSingle>
    where
        Q::Parts: ReadPart,
    {
        self.refuse_other_than_one(Location::caller())?;
        Ok(self.iter().next().expect("there is one"))
    }

    /// The item of the one entity that matches.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// assert!(world.query::<&mut Health>().single_mut().is_err());
    /// world.spawn(Health(3));
    /// world.query::<&mut Health>().single_mut()?.0 -= 1;
    /// assert_eq!(world.query::<&Health>().single()?.0, 2);
    /// # Ok::<(), phalanx_ecs::NotSingle>(())
    /// ```
    ///
    /// # Errors
    /// [`NotSingle`] if there is none, or more than one.
    #[track_caller]
    pub fn single_mut(&mut self) -> Result<Q::Item<'_>, NotSingle> {
        self.refuse_other_than_one(Location::caller())?;
        Ok(self.iter_mut().next().expect("there is one"))
    }

    fn refuse_other_than_one(&self, caller: &'static Location<'static>) -> Result<(), NotSingle> {
        match self.count() {
            1 => Ok(()),
            found => Err(NotSingle { found, query: self.prepared.describe(), caller }),
        }
    }

    /// The first item, for terms that only read.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// assert!(world.query::<&Health>().first().is_none());
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// assert_eq!(world.query::<&Health>().first().unwrap().0, 3);
    /// ```
    pub fn first(&self) -> Option<Q::Item<'w>>
    where
        Q::Parts: ReadPart,
    {
        self.iter().next()
    }

    /// The first item.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// world.query::<&mut Health>().first_mut().unwrap().0 = 9;
    /// assert!(world.query::<&Health>().iter().map(|health| health.0).eq([9, 2, 1]));
    /// ```
    pub fn first_mut(&mut self) -> Option<Q::Item<'_>> {
        self.iter_mut().next()
    }

    /// How many entities match. Where no row needs to be looked at this costs one addition per table.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// world.spawn((Health(5), Enemy));
    /// assert_eq!(world.query::<&Health>().count(), 4);
    /// assert_eq!(world.query_filtered::<(), With<Enemy>>().count(), 1);
    /// ```
    #[doc(alias = "len")]
    pub fn count(&self) -> usize {
        // SAFETY: up to date, by the contract of `new`.
        unsafe { self.prepared.count(self.store) }
    }

    /// Whether no entity matches.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// assert!(world.query::<&Enemy>().is_empty());
    /// world.spawn(Enemy);
    /// assert!(!world.query::<&Enemy>().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Whether an entity is alive and matches.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Enemy));
    /// let elf = world.spawn(Health(5));
    /// let enemies = world.query_filtered::<&Health, With<Enemy>>();
    /// assert!(enemies.contains(orc) && !enemies.contains(elf));
    /// ```
    pub fn contains(&self, entity: Entity) -> bool {
        // SAFETY: up to date, by the contract of `new`.
        self.store.entities.is_alive(entity) && unsafe { self.prepared.matches_index(self.store, entity.index()) }
    }

    /// Why an entity matches, or what it lacks.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position;
    /// #[derive(Component)] struct Velocity;
    ///
    /// let mut world = World::new();
    /// let stone = world.spawn(Position);
    /// let why = world.query::<(&Position, &Velocity)>().explain(stone);
    /// assert!(why.to_string().contains("&Velocity: lacks `Velocity`   <- this is why"));
    /// ```
    pub fn explain(&self, entity: Entity) -> Explanation {
        Explanation::new(&self.prepared.pattern, self.store, entity, self.prepared.since)
    }

    /// What a walk over the query would look at now.
    ///
    /// To see whether a query is driven by what you think it is, and how much of what it looks at is in vain.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] #[component(storage = "sparse")] struct Burning;
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// world.spawn((Health(5), Burning));
    /// assert_eq!(world.query::<&Health>().plan().to_string(), "walks 4 rows of 1 table");
    /// assert_eq!(world.query::<(&Health, &Burning)>().plan().to_string(), "walks 1 value of sparse component `Burning`");
    /// ```
    pub fn plan(&self) -> QueryPlan {
        match Walk::choose(self.store, self.prepared) {
            Walk::Tables => {
                let tables = self.prepared.matches.list.iter();
                let rows = tables.map(|at| self.store.tables[at.table.index()].len());
                QueryPlan { driver: Driver::Tables(self.prepared.matches.list.len()), candidates: rows.sum() }
            }
            Walk::Set(set) | Walk::Solo(set) => QueryPlan {
                driver: Driver::SparseSet(self.store.registry.name_of(set.component()).into()),
                candidates: set.len(),
            },
        }
    }

    /// The archetypes whose entities all match, if that decides it.
    pub(crate) fn whole_archetypes(&self) -> Option<Vec<ArchetypeId>> {
        (!Prepared::<Q, F>::ROWS && !Prepared::<Q, F>::MASKED)
            .then(|| self.prepared.matches.list.iter().map(|at| at.archetype).collect())
    }

    /// All items with their entities, in walking order.
    pub(super) fn with_entities(&mut self) -> Vec<(Entity, Q::Item<'_>)> {
        let mut all = Vec::new();
        match Walk::choose(self.store, self.prepared) {
            Walk::Tables => {
                for at in &self.prepared.matches.list {
                    let table = &self.store.tables[at.table.index()];
                    let mut visit = |row: usize| {
                        // SAFETY: rows of matching tables, each visited once; as in `iter_mut`.
                        if let Some(item) = unsafe { self.prepared.row(self.store, at, row) } {
                            all.push((self.store.entities.entity_at(table.entities()[row]), item));
                        }
                    };
                    // SAFETY: up to date, by the contract of `new`; a match, and all rows of its table.
                    unsafe { self.prepared.visit(self.store, at, 0..table.len(), |run| run.for_each(&mut visit)) };
                }
            }
            Walk::Set(set) | Walk::Solo(set) => {
                for index in set.owners() {
                    // SAFETY: owners of values are alive, each is visited once; as in `iter_mut`.
                    if let Some(item) = unsafe { self.prepared.of_index(self.store, index) } {
                        all.push((self.store.entities.entity_at(index), item));
                    }
                }
            }
        }
        all
    }
}

impl<'w, Q: Terms, F: Filter> IntoIterator for Query<'w, Q, F> {
    type Item = Q::Item<'w>;
    type IntoIter = QueryIter<'w, Q, F>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_iter(self) -> QueryIter<'w, Q, F> {
        // SAFETY: by the contract of `new`; `self` is gone, and the iterator has its right.
        unsafe { QueryIter::new(self.store, self.prepared) }
    }
}

impl<'a, Q: Terms, F: Filter> IntoIterator for &'a mut Query<'_, Q, F> {
    type Item = Q::Item<'a>;
    type IntoIter = QueryIter<'a, Q, F>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_iter(self) -> QueryIter<'a, Q, F> {
        self.iter_mut()
    }
}

impl<'w, Q: Terms<Parts: ReadPart>, F: Filter> IntoIterator for &Query<'w, Q, F> {
    type Item = Q::Item<'w>;
    type IntoIter = QueryIter<'w, Q, F>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_iter(self) -> QueryIter<'w, Q, F> {
        self.iter()
    }
}

impl<Q: Terms, F: Filter> fmt::Debug for Query<'_, Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({})", self.prepared.describe())
    }
}

/// An entity given to a query is dead, does not match, or was given twice.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let stone = world.spawn(());
/// let error = world.query::<&Health>().get_many([stone]).err().unwrap();
/// assert_eq!((error.entity, error.twice), (stone, false));
/// assert!(error.to_string().starts_with("error[Q002]: entity 0v0 does not match the query\n  query: &Health"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntityMismatch {
    /// The entity.
    pub entity: Entity,
    /// Whether it was given twice, and so its components would be handed out twice.
    pub twice: bool,
    /// What was found.
    pub explanation: Box<Explanation>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for EntityMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, caller) = (&self.explanation, self.caller);
        let whom = found.whom();
        if self.twice {
            writeln!(f, "error[Q003]: entity {whom} was asked for twice")?;
            writeln!(f, "  query: {}", found.query)?;
        } else {
            writeln!(f, "error[Q002]: entity {whom} does not match the query")?;
            writeln!(f, "  query: {}", found.query)?;
            found.reasons().try_for_each(|reason| writeln!(f, "  {reason}"))?;
        }
        writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
        f.write_str(if self.twice {
            "  help: name each entity once: it can be borrowed mutably only once at a time"
        } else {
            "  help: ask `query.contains(entity)` first, or use `get` and `get_mut`, which answer `None`"
        })
    }
}

impl std::error::Error for EntityMismatch {}
debug_as_display!(EntityMismatch);

/// A query was expected to match exactly one entity.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// let error = world.query::<&Enemy>().single().err().unwrap();
/// assert_eq!((error.found, &*error.query), (0, "&Enemy"));
/// assert!(error.to_string().starts_with("error[Q004]: expected exactly one entity\n  found: 0"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotSingle {
    /// How many matched.
    pub found: usize,
    /// The query, as it was written.
    pub query: String,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for NotSingle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let help = if self.found == 0 {
            "spawn one first, or use `first()`, which answers `None`"
        } else {
            "narrow the query with a filter, or use `first()`"
        };
        write!(
            f,
            "error[Q004]: expected exactly one entity\n  found: {}\n  query: {}\n  asked by: {}:{}\n  help: {help}",
            self.found,
            self.query,
            self.caller.file(),
            self.caller.line()
        )
    }
}

impl std::error::Error for NotSingle {}
debug_as_display!(NotSingle);
