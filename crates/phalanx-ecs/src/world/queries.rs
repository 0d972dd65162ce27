//! Queries, prepared by the user or kept by the world.

#![expect(unsafe_code, reason = "turns a borrow of the world into the right to a query's items")]

use super::World;
use crate::component::TypeMap;
use crate::entity::{Entity, debug_as_display};
use crate::query::{
    DynItem, DynQuery, Explanation, Filter, FilterParts, Prepared, Query, ReadPart, Terms, refuse_conflicts,
};
use crate::storage::Store;
use std::any::{Any, TypeId};
use std::fmt;
use std::panic::Location;
use std::sync::{PoisonError, RwLock};

/// The queries a world was asked for, by type.
///
/// A query is written only by who has the world for himself, or while it is out of date. What is handed out under a shared world is up to
/// date, and stays so until somebody has the world for himself; so it is not written while anybody looks at it.
#[derive(Default)]
pub(super) struct QueryCache(RwLock<Kept>);

/// Each query is in a box of its own, and stays there as long as the world lives.
#[derive(Default)]
struct Kept {
    by_type: TypeMap,
    queries: Vec<Box<dyn Any + Send + Sync>>,
}

impl QueryCache {
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn get<Q: Terms + 'static, F: Filter>(&mut self) -> &mut Prepared<Q, F> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).get()
    }

    /// The query, up to date with the store of the world that is borrowed.
    fn get_shared<'w, Q: Terms + 'static, F: Filter>(&'w self, store: &'w Store) -> &'w Prepared<Q, F> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let current = match kept.find::<Q, F>() {
            Some(prepared) if prepared.is_current(store) => Some(std::ptr::from_ref(prepared)),
            _ => None,
        };
        drop(kept);
        let prepared = current.unwrap_or_else(|| self.catch_up::<Q, F>(store));
        // SAFETY: it is in a box that nobody removes. It is up to date with a store that is borrowed for `'w`, so it stays up to date, and
        // nobody writes it: neither `catch_up`, which leaves alone what is up to date, nor `get`, which borrows the cache exclusively.
        unsafe { &*prepared }
    }

    #[cold]
    fn catch_up<Q: Terms + 'static, F: Filter>(&self, store: &Store) -> *const Prepared<Q, F> {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been here first, and may look at it already: then not even `&mut` may point to it.
        if let Some(prepared) = kept.find::<Q, F>().filter(|prepared| prepared.is_current(store)) {
            return prepared;
        }
        let prepared = kept.get::<Q, F>();
        prepared.update(store);
        prepared
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).bytes()
    }
}

impl Kept {
    fn find<Q: Terms + 'static, F: Filter>(&self) -> Option<&Prepared<Q, F>> {
        let at = self.by_type.get(TypeId::of::<Prepared<Q, F>>())?;
        self.queries[at as usize].downcast_ref()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn get<Q: Terms + 'static, F: Filter>(&mut self) -> &mut Prepared<Q, F> {
        let key = TypeId::of::<Prepared<Q, F>>();
        let at = match self.by_type.get(key) {
            Some(at) => at as usize,
            None => self.add(key, Box::new(Prepared::<Q, F>::must())),
        };
        self.queries[at].downcast_mut().expect("filed under its type")
    }

    #[cold]
    fn add(&mut self, key: TypeId, query: Box<dyn Any + Send + Sync>) -> usize {
        self.queries.push(query);
        let at = self.queries.len() - 1;
        self.by_type.insert(key, u32::try_from(at).expect("fewer than 2³² queries"));
        at
    }

    fn bytes(&self) -> usize {
        self.by_type.bytes() + self.queries.iter().map(|query| size_of_val(&**query)).sum::<usize>()
    }
}

/// # Queries
impl World {
    /// A query for `Q`; see [`Terms`] for what that can be. The world keeps it, so asking again costs a lookup and a comparison.
    ///
    /// To read a shared `&World`, see [`World::read`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Velocity(f32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([1.0, 2.0].map(|speed| (Position(0.0), Velocity(speed))));
    /// for (position, velocity) in world.query::<(&mut Position, &Velocity)>() {
    ///     position.0 += velocity.0;
    /// }
    /// let all = world.query::<&Position>();
    /// assert!(all.iter().map(|position| position.0).eq([1.0, 2.0]));
    /// ```
    ///
    /// Terms that would hand out one component twice, once of them mutably, as in `(&Position, &mut Position)`, stop the build: `cargo build` and `cargo test` say so,
    /// **`cargo check` does not**.
    ///
    /// # Panics
    /// If two terms would hand out one component twice, once of them mutably, and the compiler could not see it.
    #[doc(alias("query_mut", "world_mut", "iter_mut"))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn query<Q: Terms + 'static>(&mut self) -> Query<'_, Q> {
        const { refuse_conflicts::<Q::Parts>() };
        self.ask()
    }

    /// A query for `Q` among the entities that match the filter `F`.
    ///
    /// [`Changed`](crate::Changed) and [`Added`](crate::Added) ask what is new to a reader, and stop the build here: they go into a [`Prepared`] query.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Frozen;
    /// # let mut world = World::new();
    /// world.spawn((Health(3), Enemy));
    /// world.spawn((Health(4), Enemy, Frozen));
    /// world.spawn(Health(5));
    /// let awake = world.query_filtered::<&Health, (With<Enemy>, Without<Frozen>)>();
    /// assert!(awake.iter().map(|health| health.0).eq([3]));
    /// ```
    ///
    /// # Panics
    /// As [`World::query`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn query_filtered<Q: Terms + 'static, F: Filter>(&mut self) -> Query<'_, Q, F> {
        const { refuse_conflicts::<Q::Parts>() };
        const { refuse_reader(F::Parts::READER) };
        self.ask()
    }

    /// A query for `Q` on a shared world, for terms that only read.
    ///
    /// The world keeps it as it keeps those of [`World::query`], behind a lock that is held for the lookup only: 6 ns where `query`
    /// takes 4, more where many threads ask at once. In a loop, ask once before it, or keep a [`Prepared`] and use [`Prepared::on_shared`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Title(&'static str);
    /// #[derive(Component)] struct Hidden;
    ///
    /// fn longest(world: &World) -> Option<&'static str> {
    ///     world.read::<&Title>().iter().map(|name| name.0).max_by_key(|name| name.len())
    /// }
    ///
    /// let mut world = World::new();
    /// let ada = world.spawn(Title("Ada"));
    /// world.spawn((Title("Grace"), Hidden));
    /// assert_eq!(longest(&world), Some("Grace"));
    ///
    /// let seen = world.read_filtered::<(Entity, &Title), Without<Hidden>>();
    /// let (entity, name) = seen.single()?;
    /// assert_eq!((entity, name.0, seen.count()), (ada, "Ada", 1));
    /// # Ok::<(), phalanx_ecs::NotSingle>(())
    /// ```
    #[doc(alias("iter", "query_shared", "view"))]
    #[inline]
    pub fn read<Q: Terms<Parts: ReadPart> + 'static>(&self) -> Query<'_, Q> {
        self.read_filtered()
    }

    /// A query for `Q` on a shared world, among the entities that match the filter `F`; see [`World::read`].
    ///
    /// [`Changed`](crate::Changed) and [`Added`](crate::Added) stop the build here, as in [`World::query_filtered`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// fn strongest(world: &World) -> Option<u32> {
    ///     world.read_filtered::<&Health, With<Enemy>>().iter().map(|health| health.0).max()
    /// }
    /// world.spawn_batch([(Health(3), Enemy), (Health(4), Enemy)]);
    /// world.spawn(Health(5));
    /// assert_eq!(strongest(&world), Some(4));
    /// ```
    #[inline]
    pub fn read_filtered<Q: Terms<Parts: ReadPart> + 'static, F: Filter>(&self) -> Query<'_, Q, F> {
        const { refuse_reader(F::Parts::READER) };
        let prepared = self.queries.get_shared(&self.store);
        // SAFETY: up to date; the world is borrowed, and the terms only read.
        unsafe { Query::new(&self.store, prepared) }
    }

    /// [`World::query_filtered`] for callers that have refused conflicts and readers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub(super) fn ask<Q: Terms + 'static, F: Filter>(&mut self) -> Query<'_, Q, F> {
        let prepared = self.queries.get::<Q, F>();
        prepared.update(&self.store);
        // SAFETY: up to date; the world is borrowed exclusively.
        unsafe { Query::new(&self.store, prepared) }
    }

    /// Calls `f` with every item of `A` combined with every item of `B`.
    ///
    /// An entity that matches both is combined with itself too, unless that would hand out a component twice, once of them mutably.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Shot(i32);
    /// #[derive(Component)] struct Target { at: i32, hits: u32 }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Shot(1), Shot(2), Shot(2)]);
    /// world.spawn_batch([1, 2, 3].map(|at| Target { at, hits: 0 }));
    /// world.cross::<&Shot, &mut Target>(|shot, target| target.hits += u32::from(shot.0 == target.at));
    /// assert_eq!(world.query::<&Target>().iter().map(|t| t.hits).collect::<Vec<_>>(), [1, 2, 0]);
    /// ```
    ///
    /// # Panics
    /// As [`World::query`].
    #[track_caller]
    pub fn cross<A: Terms, B: Terms>(&mut self, f: impl FnMut(A::Item<'_>, B::Item<'_>)) {
        const {
            refuse_conflicts::<A::Parts>();
            refuse_conflicts::<B::Parts>();
        }
        Prepared::<A>::must().cross(&mut Prepared::<B>::must(), self, f);
    }

    /// [`World::cross`] among the entities that match a filter: each query is followed by its own.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Team(u8);
    /// #[derive(Component)] struct Healer;
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Team(1), Healer));
    /// world.spawn_batch([(Team(1), Health(5)), (Team(2), Health(5))]);
    /// world.cross_filtered::<&Team, With<Healer>, (&Team, &mut Health), Without<Healer>>(|healer, (team, health)| {
    ///     health.0 += u32::from(healer.0 == team.0);
    /// });
    /// assert_eq!(world.read::<&Health>().iter().map(|h| h.0).collect::<Vec<_>>(), [6, 5]);
    /// ```
    ///
    /// # Panics
    /// As [`World::query`].
    #[track_caller]
    pub fn cross_filtered<A: Terms, FA: Filter, B: Terms, FB: Filter>(
        &mut self,
        f: impl FnMut(A::Item<'_>, B::Item<'_>),
    ) {
        const {
            refuse_conflicts::<A::Parts>();
            refuse_conflicts::<B::Parts>();
            refuse_reader(FA::Parts::READER || FB::Parts::READER);
        }
        Prepared::<A, FA>::must().cross(&mut Prepared::<B, FB>::must(), self, f);
    }
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// The query on a world.
    ///
    /// With [`Changed`](crate::Changed) or [`Added`](crate::Added) this is a look: what it finds is not new at the next one, whether it was walked or not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(track)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut changed = Prepared::<&Health, Changed<Health>>::new();
    /// assert_eq!(changed.on(&mut world).count(), 1);
    /// assert_eq!(changed.on(&mut world).count(), 0, "nothing new since");
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn on<'w>(&'w mut self, world: &'w mut World) -> Query<'w, Q, F> {
        world.store.keep_ticks_in_range();
        self.update(&world.store);
        self.look(&world.store);
        // SAFETY: up to date; the world is borrowed exclusively.
        unsafe { Query::new(&world.store, self) }
    }

    /// For queries with [`Changed`](crate::Changed) or [`Added`](crate::Added): nothing that happened so far is new.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(track)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(1));
    /// let mut changed = Prepared::<&Health, Changed<Health>>::new();
    /// changed.skip_to_now(&world);
    /// assert!(changed.on(&mut world).is_empty());
    /// ```
    pub fn skip_to_now(&mut self, world: &World) {
        self.skip(&world.store);
    }

    /// The query on a shared world, for terms that only read; [`World::read`] does it without a [`Prepared`] of your own.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Title(&'static str);
    ///
    /// fn longest(world: &World) -> usize {
    ///     let mut names = Prepared::<&Title>::new();
    ///     names.on_shared(world).iter().map(|name| name.0.len()).max().unwrap_or(0)
    /// }
    /// # let mut world = World::new();
    /// # world.spawn(Title("Ada"));
    /// # assert_eq!(longest(&world), 3);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn on_shared<'w>(&'w mut self, world: &'w World) -> Query<'w, Q, F>
    where
        Q::Parts: ReadPart,
    {
        self.update(&world.store);
        self.look(&world.store);
        // SAFETY: up to date; the world is borrowed, and the terms only read.
        unsafe { Query::new(&world.store, self) }
    }

    /// Calls `f` with every item of this query combined with every item of another; see [`World::cross`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn_batch([1.0, 2.0].map(Position));
    /// world.spawn_batch([(Position(1.5), Enemy)]);
    /// let mut friends = Prepared::<&Position, Without<Enemy>>::new();
    /// let mut enemies = Prepared::<&Position, With<Enemy>>::new();
    /// let mut close = 0;
    /// friends.cross(&mut enemies, &mut world, |friend, enemy| close += usize::from((friend.0 - enemy.0).abs() < 1.0));
    /// assert_eq!(close, 2);
    /// ```
    pub fn cross<B: Terms, G: Filter>(
        &mut self,
        other: &mut Prepared<B, G>,
        world: &mut World,
        f: impl FnMut(Q::Item<'_>, B::Item<'_>),
    ) {
        self.update(&world.store);
        self.look(&world.store);
        other.update(&world.store);
        other.look(&world.store);
        // SAFETY: both are up to date; the world is borrowed exclusively.
        unsafe { crate::query::cross(&world.store, self, other, f) };
    }

    /// [`Prepared::cross`] on all threads of the current rayon pool: items of this query are shared out among them, each meets those of the other in
    /// order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn((Position(0.0), Velocity(0.0)));
    /// world.spawn_batch([1.0, 2.0].map(|x| (Position(x), Enemy)));
    /// let mut bodies = Prepared::<(&Position, &mut Velocity)>::new();
    /// let mut enemies = Prepared::<&Position, With<Enemy>>::new();
    /// bodies.par_cross(&mut enemies, &mut world, |(position, velocity), enemy| velocity.0 += enemy.0 - position.0)?;
    /// assert_eq!(world.query::<&Velocity>().single().unwrap().0, 3.0);
    /// # Ok::<(), phalanx_ecs::CrossConflict>(())
    /// ```
    ///
    /// # Errors
    /// [`CrossConflict`] if this query writes what the other reads: then the result would depend on timing.
    #[cfg(feature = "parallel")]
    #[track_caller]
    pub fn par_cross<B: Terms<Parts: ReadPart>, G: Filter>(
        &mut self,
        other: &mut Prepared<B, G>,
        world: &mut World,
        f: impl Fn(Q::Item<'_>, B::Item<'_>) + Send + Sync,
    ) -> Result<(), CrossConflict> {
        self.update(&world.store);
        self.look(&world.store);
        other.update(&world.store);
        other.look(&world.store);
        // SAFETY: both are up to date; the world is borrowed exclusively.
        if unsafe { crate::query::par_cross(&world.store, self, other, f) } {
            Ok(())
        } else {
            Err(CrossConflict { first: self.describe(), second: other.describe(), caller: Location::caller() })
        }
    }
}

/// Stops the build if a query that asks what is new to its reader is asked for where there is no reader.
#[track_caller]
pub(super) const fn refuse_reader(reader: bool) {
    assert!(
        !reader,
        "`Changed` and `Added` ask what is new to a reader, and each reader keeps its own position: make one with `Prepared::<Q, F>::new()`, keep it, and use `reader.on(&mut world)`; or take `Query<Q, F>` as an argument of a system"
    );
}

/// Two queries cannot be crossed in parallel, because one writes what the other reads.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
///
/// let mut world = World::new();
/// # #[cfg(feature = "parallel")] {
/// let mut writing = Prepared::<&mut Position>::new();
/// let mut reading = Prepared::<&Position>::new();
/// let error = writing.par_cross(&mut reading, &mut world, |a, b| a.0 += b.0).unwrap_err();
/// assert_eq!((&*error.first, &*error.second), ("&mut Position", "&Position"));
/// assert!(error.to_string().starts_with("error[Q005]: two queries cannot be crossed in parallel"));
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrossConflict {
    /// The query that writes.
    pub first: String,
    /// The query that reads.
    pub second: String,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for CrossConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[Q005]: two queries cannot be crossed in parallel\n  first: {}\n  second: {}\n  found: the first writes what the second reads\n  asked by: {}:{}\n  help: use `cross`, or collect what is to be written and apply it afterwards",
            self.first,
            self.second,
            self.caller.file(),
            self.caller.line()
        )
    }
}

impl std::error::Error for CrossConflict {}
debug_as_display!(CrossConflict);

impl DynQuery {
    /// Calls `f` with each entity that matches.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(Health(3));
    /// let mut query = DynQuery::builder().write(health).build()?;
    /// query.for_each(&mut world, |mut item| item.get_mut(health).unwrap().downcast::<Health>().unwrap().0 += 1);
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    ///
    /// # Panics
    /// If the query asks for an immutable component to change.
    #[track_caller]
    pub fn for_each(&mut self, world: &mut World, f: impl FnMut(DynItem<'_>)) {
        // SAFETY: the world is borrowed exclusively.
        unsafe { self.walk(&world.store, f) };
    }

    /// The entities that match, in [walking order](struct@crate::Query#order).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// world.spawn(());
    /// let orc = world.spawn(Health(3));
    /// assert_eq!(DynQuery::builder().with(health).build()?.entities(&world), [orc]);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    pub fn entities(&mut self, world: &World) -> Vec<Entity> {
        let indices = self.indices(&world.store);
        indices.into_iter().map(|index| world.store.entities.entity_at(index)).collect()
    }

    /// How many entities match.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// assert_eq!(DynQuery::builder().with(health).build()?.count(&world), 3);
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    pub fn count(&mut self, world: &World) -> usize {
        self.count_on(&world.store)
    }

    /// Why an entity matches, or what it lacks.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynQuery;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let stone = world.spawn(());
    /// let why = DynQuery::builder().read(health).build()?.explain(&world, stone);
    /// assert!(!why.matches);
    /// assert!(why.to_string().contains("lacks `Health`   <- this is why"));
    /// # Ok::<(), phalanx_ecs::ConflictingTerms>(())
    /// ```
    pub fn explain(&mut self, world: &World, entity: Entity) -> Explanation {
        self.explain_on(&world.store, entity)
    }
}
