//! Walking by slices: whole tables at once, or runs of rows where some are passed over, for loops that vectorise.

#![expect(unsafe_code, reason = "turns ranges of rows into slices")]

use super::filter::Filter;
use super::matches::Match;
use super::part::Part;
use super::prepared::Prepared;
use super::runs::Runs;
use super::term::Terms;
use crate::component::Message;
use crate::entity::{Entities, Entity};
use crate::storage::Store;

/// The entities of a range of rows.
///
/// It is what [`Query::chunks`](crate::Query::chunks) yields for the term [`Entity`].
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orcs = world.spawn_batch([3, 2, 1].map(Health));
/// for (entities, healths) in world.query::<(Entity, &Health)>().chunks() {
///     assert_eq!(entities.len(), healths.len());
///     let weakest = (0..healths.len()).min_by_key(|row| healths[*row].0).unwrap();
///     assert_eq!(entities.get(weakest), orcs.get(2));
/// }
/// ```
#[derive(Clone, Copy)]
pub struct EntitySlice<'w> {
    indices: &'w [u32],
    entities: &'w Entities,
}

impl<'w> EntitySlice<'w> {
    pub(super) fn new(indices: &'w [u32], entities: &'w Entities) -> Self {
        Self { indices, entities }
    }

    /// How many.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let mut orcs = world.query_filtered::<Entity, With<Health>>();
    /// assert_eq!(orcs.chunks().map(|entities| entities.len()).sum::<usize>(), 3);
    /// ```
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2, 1].map(Health));
    /// let mut orcs = world.query_filtered::<Entity, With<Health>>();
    /// assert!(orcs.chunks().all(|entities| !entities.is_empty()));
    /// ```
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The entity of a row of the slice.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let mut orcs = world.query_filtered::<Entity, With<Health>>();
    /// let entities = orcs.chunks().next().unwrap();
    /// assert_eq!((entities.get(0), entities.get(1)), (Some(orc), None));
    /// ```
    pub fn get(&self, at: usize) -> Option<Entity> {
        self.indices.get(at).map(|index| self.entities.entity_at(*index))
    }

    /// The indices of the entities, in row order: all there is in memory. Whether rows are whose they were is told by [`Slots`](crate::Slots).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let spawned = world.spawn_batch([3, 2, 1].map(Health));
    /// let mut orcs = world.query_filtered::<Entity, With<Health>>();
    /// let entities = orcs.chunks().next().unwrap();
    /// assert!(entities.indices().iter().copied().eq(spawned.iter().map(|orc| orc.index())));
    /// ```
    pub fn indices(&self) -> &'w [u32] {
        self.indices
    }

    /// The entities in row order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let spawned = world.spawn_batch([3, 2, 1].map(Health));
    /// let mut orcs = world.query_filtered::<Entity, With<Health>>();
    /// let entities = orcs.chunks().next().unwrap();
    /// assert!(entities.iter().eq(spawned.iter()));
    /// assert_eq!(entities.iter().next_back(), spawned.get(2));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity> + DoubleEndedIterator + 'w {
        let entities = self.entities;
        self.indices.iter().map(move |index| entities.entity_at(*index))
    }
}

impl std::fmt::Debug for EntitySlice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The columns of a query as slices, one set of them per run of rows; see [`Query::chunks`](crate::Query::chunks).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// world.spawn((Health(5), Enemy));
/// let lengths: Vec<usize> = world.query::<&Health>().chunks().map(|healths| healths.len()).collect();
/// assert_eq!(lengths, [3, 1], "a slice per table");
/// ```
pub struct Chunks<'w, Q: Terms, F: Filter = ()> {
    store: &'w Store,
    prepared: &'w Prepared<Q, F>,
    rest: std::slice::Iter<'w, Match<<Q::Parts as Part>::Columns>>,
    /// The present match, and the runs of its rows that are left, if it has rows to pass over.
    runs: Option<(&'w Match<<Q::Parts as Part>::Columns>, Runs)>,
}

impl<'w, Q: Terms, F: Filter> Chunks<'w, Q, F> {
    /// # Safety
    /// As `QueryIter::new`; `ROWS` is false, and `SLICED` is true.
    pub(super) unsafe fn new(store: &'w Store, prepared: &'w Prepared<Q, F>) -> Self {
        Self { store, prepared, rest: prepared.matches.list.iter(), runs: None }
    }
}

/// Stops the build if the rows of a query (its `ROWS`) must be looked at one by one.
#[track_caller]
pub(super) const fn refuse_rows(rows: bool, instead: &str) {
    if rows {
        let message = Message::new()
            .say(
                "a query with a sparse component or `Exact` has no slices, as its values do not lie side by side: use ",
            )
            .say(instead)
            .say(", or give the component table storage");
        panic!("{}", message.as_str());
    }
}

/// Stops the build if a query (its `SLICED`) asks for `&T` of a shared component.
#[track_caller]
pub(super) const fn refuse_shared(sliced: bool) {
    assert!(
        sliced,
        "a shared component has one value for all rows of a chunk, and no slice of values: ask for `Common<T>` instead of `&T`"
    );
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// A range of rows of a match as slices.
    ///
    /// # Safety
    /// 1. As (1) of `Prepared::row`; `ROWS` is false, and `SLICED` is true.
    /// 2. `start..end` are rows of the match's table.
    /// 3. As (3) of [`Part::item`], for all of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn slices<'w>(
        &self,
        store: &'w Store,
        at: &Match<<Q::Parts as Part>::Columns>,
        start: usize,
        end: usize,
    ) -> Q::Slice<'w> {
        // SAFETY: passed on.
        unsafe {
            let table = store.tables.get_unchecked(at.table.index());
            let pointers = Q::Parts::pointers(self.state, at.columns, store, table);
            Q::assemble_slice(Q::Parts::slice(&pointers, start, end))
        }
    }
}

impl<'w, Q: Terms, F: Filter> Iterator for Chunks<'w, Q, F> {
    type Item = Q::Slice<'w>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((at, runs)) = &mut self.runs {
                // SAFETY: the query is up to date; each run is visited once, and the caller of `new` has the right to its values.
                unsafe {
                    match self.prepared.next_run(self.store, at, runs) {
                        Some(run) => return Some(self.prepared.slices(self.store, at, run.start, run.end)),
                        None => self.runs = None,
                    }
                }
            }
            let at = self.rest.next()?;
            let table = &self.store.tables[at.table.index()];
            if table.len() == 0 {
                continue;
            }
            if self.prepared.visits_all(table) {
                // SAFETY: as above; each match is visited once.
                return Some(unsafe { self.prepared.slices(self.store, at, 0, table.len()) });
            }
            // SAFETY: the query is up to date, and this is one of its matches.
            self.runs = Some((at, unsafe { self.prepared.runs(self.store, at, 0..table.len()) }));
        }
    }
}
