//! A query as a reusable value.

#![expect(unsafe_code, reason = "tells parts which tables they will be asked about")]

use super::access::{ConflictingTerms, refuse_conflicts};
use super::chosen::Chosen;
use super::filter::{Filter, FilterParts};
use super::matches::{Freshness, Matches};
use super::part::Part;
use super::pattern::{Pattern, PatternBuilder, filtered};
use super::term::Terms;
use crate::component::{ComponentId, Registry, SetId};
use crate::storage::{Epoch, Seen, Store, Table};
use std::fmt;

/// A query that is worked out once and used again and again, with one world or with several.
///
/// `world.query` keeps one of these per type for you. Keep your own where you want to save the lookup, or to have two at hand.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// let mut world = World::new();
/// world.spawn((Position(0.0), Velocity(1.0)));
/// let mut moving = Prepared::<(&mut Position, &Velocity)>::new();
/// for _ in 0..3 {
///     moving.on(&mut world).for_each(|(position, velocity)| position.0 += velocity.0);
/// }
/// assert_eq!(world.query::<&Position>().single()?.0, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prepared<Q: Terms, F: Filter = ()> {
    pub(super) pattern: Pattern,
    pub(super) state: <Q::Parts as Part>::State,
    pub(super) filter: <F::Parts as FilterParts>::State,
    pub(super) matches: Matches<<Q::Parts as Part>::Columns>,
    /// The sparse set that is all there is to it, if that is so (`SOLO`) and its component is known.
    pub(super) solo: Option<SetId>,
    /// Up to where this reader has seen changes, of which store.
    seen: (Epoch, Seen),
    /// The same as it was before the present walk, as rows store it.
    pub(super) since: u32,
    /// What [`WithDyn`](super::WithDyn) looks for.
    pub(super) chosen: Option<Chosen>,
}

impl<Q: Terms, F: Filter> Prepared<Q, F> {
    /// Whether rows of a matching table must be looked at one by one.
    pub(super) const ROWS: bool = Q::Parts::ROWS || F::Parts::ROWS;
    /// Whether walking one sparse set, and nothing else, gives all items.
    pub(super) const SOLO: bool = Q::Parts::TABLELESS && Q::Parts::SPARSE == 1 && F::Parts::TRIVIAL;
    /// Whether rows of a matching table are told apart by masks.
    pub(super) const MASKED: bool = Q::Parts::MASKED || F::Parts::MASKED;

    /// Prepares the query.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut orcs = Prepared::<&Health>::new();
    /// assert_eq!(orcs.on(&mut world).count(), 0);
    /// world.spawn(Health(3));
    /// assert_eq!(orcs.on(&mut world).count(), 1);
    /// ```
    ///
    /// # Panics
    /// If two terms would hand out one component twice, once of them mutably, and the compiler could not see it (generic components).
    #[track_caller]
    pub fn new() -> Self {
        const { refuse_conflicts::<Q::Parts>() };
        Self::must()
    }

    /// Prepares the query.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Slot<T>(T);
    ///
    /// fn both<A: Send + Sync + 'static, B: Send + Sync + 'static>() -> bool {
    ///     Prepared::<(&mut Slot<A>, &Slot<B>)>::try_new().is_ok()
    /// }
    /// assert!(both::<u8, u16>() && !both::<u8, u8>());
    /// ```
    ///
    /// # Errors
    /// [`ConflictingTerms`] if two terms would hand out one component twice, once of them mutably.
    #[track_caller]
    pub fn try_new() -> Result<Self, ConflictingTerms> {
        const { refuse_conflicts::<Q::Parts>() };
        Self::make()
    }

    /// [`Prepared::new`] for callers that have refused conflicts known at compile time.
    #[track_caller]
    pub(crate) fn must() -> Self {
        match Self::make() {
            Ok(prepared) => prepared,
            Err(conflict) => panic!("{conflict}"),
        }
    }

    /// [`Prepared::try_new`] for callers that have refused conflicts known at compile time.
    #[track_caller]
    pub(crate) fn make() -> Result<Self, ConflictingTerms> {
        assert!(Q::Parts::ACCESS.writes_nothing_immutable(), "refused at compile time");
        // Conflicts are found by type, so no world is needed yet.
        let nothing = Registry::default();
        let pattern = declare::<Q, F>(&nothing, None);
        pattern.check_conflicts()?;
        Ok(Self {
            pattern,
            state: Q::Parts::resolve(&nothing),
            filter: F::Parts::resolve(&nothing),
            matches: Matches::default(),
            solo: None,
            seen: (Epoch::NEVER, Seen::default()),
            since: 0,
            chosen: None,
        })
    }

    /// The terms as a user would write them.
    pub(crate) fn describe(&self) -> String {
        self.pattern.describe()
    }

    /// Whether there is nothing to catch up with.
    #[inline]
    pub(crate) fn is_current(&self, store: &Store) -> bool {
        self.matches.begin(store) == Freshness::Current
    }

    /// Catches up with a store.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn update(&mut self, store: &Store) {
        match self.matches.begin(store) {
            Freshness::Current => {}
            freshness => self.catch_up(store, freshness == Freshness::Foreign),
        }
    }

    /// The reader looks: what it has not seen is what is marked after its last look.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn look(&mut self, store: &Store) {
        if F::Parts::READER {
            // To a reader that comes from another world everything is new.
            let seen = if self.seen.0 == store.birth() { self.seen.1 } else { Seen::default() };
            self.since = store.era.since(seen);
            self.skip(store);
        }
    }

    /// From here on nothing that happened so far is new to this reader.
    pub(crate) fn skip(&mut self, store: &Store) {
        self.seen = (store.birth(), store.era.look());
    }

    /// Begins to note the changes that items make.
    ///
    /// # Safety
    /// 1. The query is up to date with `store`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn begin_marks(&self, store: &Store) {
        if Q::Parts::MARKS {
            let now = store.era.now();
            for at in &self.matches.list {
                let table = &store.tables[at.table.index()];
                // SAFETY: state, columns and table are of the same store and archetype, by (1).
                unsafe { Q::Parts::begin(self.state, at.columns, store, table, now) };
            }
        }
    }

    /// From here on items may be handed out by several threads at the same time, so what they note must not get lost.
    #[cfg(feature = "parallel")]
    pub(super) fn begin_together(&self, store: &Store) {
        if Q::Parts::MARKS {
            for at in &self.matches.list {
                store.tables[at.table.index()].sides().begin_together();
            }
            for set in store.sets.iter() {
                if let Some(side) = set.side() {
                    side.ticks.begin_together();
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn catch_up(&mut self, store: &Store, foreign: bool) {
        if foreign || (!self.pattern.is_resolved() && self.matches.lacks_types_of(store)) {
            let chosen = self.chosen.and_then(|chosen| chosen.of(store.birth()));
            self.pattern = declare::<Q, F>(&store.registry, chosen);
            self.state = Q::Parts::resolve(&store.registry);
            self.filter = F::Parts::resolve(&store.registry);
            F::Parts::choose(&mut self.filter, chosen);
            self.matches.reset();
            self.solo = self.pattern.required_sets().next().filter(|_| Self::SOLO && self.pattern.is_resolved());
        }
        let state = self.state;
        self.matches.update(store, &self.pattern, |table: &Table| Q::Parts::columns(state, table));
    }
}

fn declare<Q: Terms, F: Filter>(registry: &Registry, chosen: Option<ComponentId>) -> Pattern {
    let mut builder = PatternBuilder::new(registry);
    builder.chosen = chosen;
    Q::Parts::declare(&mut builder);
    F::Parts::declare(&mut builder);
    let written = || if F::Parts::TRIVIAL { Q::describe() } else { filtered(&Q::describe(), &F::describe()) };
    Pattern { written: Some(written), ..builder.finish() }
}

impl<Q: Terms, F: Filter> Default for Prepared<Q, F> {
    #[track_caller]
    fn default() -> Self {
        const { refuse_conflicts::<Q::Parts>() };
        Self::must()
    }
}

impl<Q: Terms, F: Filter> Clone for Prepared<Q, F> {
    fn clone(&self) -> Self {
        Self { pattern: self.pattern.clone(), matches: self.matches.clone(), ..*self }
    }
}

impl<Q: Terms, F: Filter> fmt::Debug for Prepared<Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared({})", self.describe())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{Component, Tracked};
    use crate::entity::EntityConfig;
    use crate::query::{Changed, Query};
    use crate::storage::FULL_ERA;

    struct Health;
    impl Component for Health {
        const TRACK: bool = true;
    }
    impl Tracked for Health {}

    type Reader = Prepared<&'static Health, Changed<Health>>;

    fn count(reader: &mut Reader, store: &mut Store) -> usize {
        store.keep_ticks_in_range();
        reader.update(store);
        reader.look(store);
        // SAFETY: (1) up to date; (2) the store is borrowed exclusively.
        unsafe { Query::new(store, reader) }.count()
    }

    #[test]
    fn moving_the_base_of_ticks_hides_no_change_and_shows_none_twice() {
        let mut store = Store::new(EntityConfig::default());
        let mut reader = Reader::new();
        store.era.skip_to(FULL_ERA - 3);
        for _ in 0..10 {
            assert!(store.spawn((Health,)).is_ok());
            assert_eq!((count(&mut reader, &mut store), count(&mut reader, &mut store)), (1, 0));
        }
        assert!(store.era.has_moved(), "the base was moved on the way");
        assert_eq!(count(&mut Reader::new(), &mut store), 10, "to a reader that never looked everything is new");
        store.validate().expect("valid");
    }
}
