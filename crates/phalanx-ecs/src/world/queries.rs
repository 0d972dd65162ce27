//! Queries, prepared by the user or kept by the world.

#![expect(unsafe_code, reason = "turns a borrow of the world into the right to a query's items")]

use super::World;
use crate::component::TypeMap;
use crate::entity::Entity;
use crate::query::{DynItem, DynQuery, Explanation, Filter, Prepared, Query, ReadPart, Terms, refuse_conflicts};
use std::any::{Any, TypeId};
use std::fmt;
use std::panic::Location;

/// The queries a world was asked for, by type.
#[derive(Default)]
pub(super) struct QueryCache {
    by_type: TypeMap,
    queries: Vec<Box<dyn Any + Send + Sync>>,
}

impl QueryCache {
    #[inline(always)]
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

    pub(super) fn bytes(&self) -> usize {
        self.by_type.bytes() + self.queries.iter().map(|query| size_of_val(&**query)).sum::<usize>()
    }
}

impl World {
    /// A query for `Q`; see [`Terms`] for what that can be. The world keeps it, so asking again costs a lookup and a comparison.
    ///
    /// To read a shared `&World`, see [`Prepared::on_shared`].
    ///
    /// # Panics
    /// If two terms would hand out one component twice, once of them mutably, and the compiler could not see it.
    #[inline(always)]
    #[track_caller]
    pub fn query<Q: Terms + 'static>(&mut self) -> Query<'_, Q> {
        const { refuse_conflicts::<Q::Parts>() };
        self.ask()
    }

    /// A query for `Q` among the entities that match the filter `F`.
    ///
    /// # Panics
    /// As [`World::query`].
    #[inline(always)]
    #[track_caller]
    pub fn query_filtered<Q: Terms + 'static, F: Filter>(&mut self) -> Query<'_, Q, F> {
        const { refuse_conflicts::<Q::Parts>() };
        self.ask()
    }

    #[inline(always)]
    #[track_caller]
    fn ask<Q: Terms + 'static, F: Filter>(&mut self) -> Query<'_, Q, F> {
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
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// The query on a world.
    #[inline(always)]
    pub fn on<'w>(&'w mut self, world: &'w mut World) -> Query<'w, Q, F> {
        self.update(&world.store);
        // SAFETY: up to date; the world is borrowed exclusively.
        unsafe { Query::new(&world.store, self) }
    }

    /// The query on a shared world, for terms that only read.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Name(&'static str);
    ///
    /// fn longest(world: &World) -> usize {
    ///     let mut names = Prepared::<&Name>::new();
    ///     names.on_shared(world).iter().map(|name| name.0.len()).max().unwrap_or(0)
    /// }
    /// # let mut world = World::new();
    /// # world.spawn(Name("Ada"));
    /// # assert_eq!(longest(&world), 3);
    /// ```
    #[inline(always)]
    pub fn on_shared<'w>(&'w mut self, world: &'w World) -> Query<'w, Q, F>
    where
        Q::Parts: ReadPart,
    {
        self.update(&world.store);
        // SAFETY: up to date; the world is borrowed, and the terms only read.
        unsafe { Query::new(&world.store, self) }
    }

    /// Calls `f` with every item of this query combined with every item of another; see [`World::cross`].
    pub fn cross<B: Terms, G: Filter>(
        &mut self,
        other: &mut Prepared<B, G>,
        world: &mut World,
        f: impl FnMut(Q::Item<'_>, B::Item<'_>),
    ) {
        self.update(&world.store);
        other.update(&world.store);
        // SAFETY: both are up to date; the world is borrowed exclusively.
        unsafe { crate::query::cross(&world.store, self, other, f) };
    }

    /// [`Prepared::cross`] on all threads of the current rayon pool: items of this query are shared out among them, each meets those of the other in
    /// order.
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
        other.update(&world.store);
        // SAFETY: both are up to date; the world is borrowed exclusively.
        if unsafe { crate::query::par_cross(&world.store, self, other, f) } {
            Ok(())
        } else {
            Err(CrossConflict { first: self.describe(), second: other.describe(), caller: Location::caller() })
        }
    }
}

/// Two queries cannot be crossed in parallel, because one writes what the other reads.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl DynQuery {
    /// Calls `f` with each entity that matches.
    pub fn for_each(&mut self, world: &mut World, f: impl FnMut(DynItem<'_>)) {
        // SAFETY: the world is borrowed exclusively.
        unsafe { self.walk(&world.store, f) };
    }

    /// The entities that match, in walking order.
    pub fn entities(&mut self, world: &World) -> Vec<Entity> {
        let indices = self.indices(&world.store);
        indices.into_iter().map(|index| world.store.entities.entity_at(index)).collect()
    }

    /// How many entities match.
    pub fn count(&mut self, world: &World) -> usize {
        self.indices(&world.store).len()
    }

    /// Why an entity matches, or what it lacks.
    pub fn explain(&mut self, world: &World, entity: Entity) -> Explanation {
        self.explain_on(&world.store, entity)
    }
}
