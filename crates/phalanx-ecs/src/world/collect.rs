//! Lazy collection: entities that die now and whose rows go later, when there is time.

use super::World;
use crate::entity::{Entity, NoSuchEntity};
use crate::query::Exact;
use crate::storage::DeadRow;
use std::panic::Location;
use std::time::{Duration, Instant};

/// Collects by probing random rows: a dead one is removed, and after so many living ones in a row the collection stops. So it does much where
/// there is much to do, and next to nothing where there is not.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Sampling;
///
/// #[derive(Component)] struct Spark(u32);
///
/// let mut world = World::builder().seed(7).build();
/// let sparks = world.spawn_batch((0..1000).map(Spark)).to_vec();
/// for spark in &sparks[..900] {
///     world.despawn_lazy(*spark)?;
/// }
/// assert_eq!((world.alive(), world.uncollected()), (100, 900));
/// let collected = world.collect(Sampling { live_in_a_row: 4 });
/// assert!(collected > 500);
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// After so many living rows, one after the other, the collection stops.
    ///
    /// With 4 it goes on for long while most rows are dead, takes about two a call where a quarter is, and hardly any below a tenth: it bounds what the dead
    /// cost, and does not clean up. To get rid of the last of them, collect [`Exact`] from time to time.
    pub live_in_a_row: u32,
}

/// Collects until the time is up, or nothing is left: for the rest of a frame. How much is done depends on the machine, so the order of rows does too.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Within;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orcs = world.spawn_batch((0..100).map(Health));
/// for orc in &orcs {
///     world.despawn_lazy(orc)?;
/// }
/// let collected = world.collect(Within(std::time::Duration::from_millis(2)));      // what is left of the frame
/// assert_eq!(world.uncollected(), 100 - collected);
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Within(pub Duration);

/// How [`World::collect`] goes about it: [`Exact`], [`Sampling`] or [`Within`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Collection, Sampling};
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(3));
/// world.despawn_lazy(orc)?;
/// let how: Collection = if world.uncollected() < 100 { Exact.into() } else { Sampling { live_in_a_row: 4 }.into() };
/// assert_eq!(world.collect(how), 1);
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Collection {
    /// All rows that wait.
    Exact,
    /// By probing random rows.
    Sampling(Sampling),
    /// Until the time is up.
    Within(Duration),
}

impl From<Exact> for Collection {
    fn from(_: Exact) -> Self {
        Self::Exact
    }
}

impl From<Sampling> for Collection {
    fn from(sampling: Sampling) -> Self {
        Self::Sampling(sampling)
    }
}

impl From<Within> for Collection {
    fn from(within: Within) -> Self {
        Self::Within(within.0)
    }
}

/// # Ending entities lazily
impl World {
    /// Ends an entity now and leaves its row to be [collected](World::collect). Its handle is dead and no query shows it; its table components are dropped
    /// when the row is collected, sparse ones at once. Its index is not used again before.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.despawn_lazy(orc)?;
    /// assert!(!world.is_alive(orc));
    /// assert_eq!((world.query::<&Health>().count(), world.uncollected()), (0, 1));
    /// assert!(world.despawn_lazy(orc).is_err(), "it is dead");
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive; nothing changes then.
    #[track_caller]
    pub fn despawn_lazy(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.despawn_lazy_for(entity, Location::caller())
    }

    /// [`World::despawn_lazy`], with whom to name.
    pub(crate) fn despawn_lazy_for(
        &mut self,
        entity: Entity,
        caller: &'static Location<'static>,
    ) -> Result<(), NoSuchEntity> {
        if self.is_alive(entity) {
            // Noted first: the entity is dead even if a drop panics.
            self.note_death(entity, caller);
        }
        let ended = self.ending(&[entity], |world| world.store.despawn_lazy(entity));
        ended.map_err(|dead| self.dead(&dead, caller))
    }

    /// How many rows wait to be collected.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.despawn_lazy(orc)?;
    /// assert_eq!(world.uncollected(), 1);
    /// world.collect(Exact);
    /// assert_eq!(world.uncollected(), 0);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn uncollected(&self) -> usize {
        self.store.tables.iter().map(|table| table.dead().ones()).sum()
    }

    /// Removes rows that [`World::despawn_lazy`] left behind, and answers how many. The last row of a table moves into the hole, as with
    /// [`World::despawn`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Leaf;
    ///
    /// let mut world = World::new();
    /// let leaf = world.spawn(Leaf);
    /// world.despawn_lazy(leaf)?;
    /// assert_eq!(world.query::<&Leaf>().count(), 0);
    /// assert_eq!(world.collect(Exact), 1);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn collect(&mut self, how: impl Into<Collection>) -> usize {
        match how.into() {
            Collection::Exact => self.store.collect_rows(self.store.dead_rows(), || true),
            Collection::Sampling(sampling) => {
                let chosen = self.sample(sampling.live_in_a_row);
                self.store.collect_rows(chosen, || true)
            }
            Collection::Within(budget) => {
                let (start, mut asked) = (Instant::now(), 0u32);
                self.store.collect_rows(self.store.dead_rows(), || {
                    // Looking at the clock costs as much as a row.
                    let look = asked.is_multiple_of(32);
                    asked += 1;
                    !look || start.elapsed() < budget
                })
            }
        }
    }

    /// The rows that probing at random would find before it meets so many living rows one after the other.
    ///
    /// Probing is not done row by row: how many living rows are met before the next dead one follows from how many there are of each, and which dead one it is is
    /// a matter of chance alone. So what is found has the same probability as if each row had been looked at, and costs only what is found.
    fn sample(&mut self, live_in_a_row: u32) -> Vec<DeadRow> {
        let (dead, mut total) = (self.store.dead_rows(), self.store.rows() as u64);
        // Those not found yet, by position, in any order; and which were found, in the order of the rows.
        let mut left: Vec<usize> = (0..dead.len()).collect();
        let mut found = vec![false; dead.len()];
        while !left.is_empty() && !self.random.misses(left.len() as u64, total, live_in_a_row) {
            let pick = usize::try_from(self.random.below(left.len() as u64)).expect("below a length");
            found[left.swap_remove(pick)] = true;
            total -= 1;
        }
        dead.into_iter().zip(found).filter(|(_, found)| *found).map(|(row, _)| row).collect()
    }
}

/// A small generator of random numbers, the same on every machine.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Where it stands.
    pub(super) fn state(&self) -> u64 {
        self.0
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, each as likely as the others.
    fn below(&mut self, bound: u64) -> u64 {
        loop {
            let wide = u128::from(self.next()) * u128::from(bound);
            #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
            let low = wide as u64;
            // The few values that would make some numbers likelier are drawn again. That takes a division, which is seldom needed to know.
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return u64::try_from(wide >> 64).expect("the upper half");
            }
        }
    }

    /// Whether `tries` draws in a row would all miss, if `hits` of `total` hit.
    fn misses(&mut self, hits: u64, total: u64, tries: u32) -> bool {
        // Only the operations whose results are the same to the last bit on every machine.
        #[expect(clippy::cast_precision_loss, reason = "chances need not be more exact")]
        let (drawn, chance) = ((self.next() >> 11) as f64 / (1_u64 << 53) as f64, (total - hits) as f64 / total as f64);
        let mut all = 1.0;
        for bit in (0..u32::BITS - tries.leading_zeros()).rev() {
            all *= all;
            if tries >> bit & 1 == 1 {
                all *= chance;
            }
            if all <= drawn {
                // More tries make it no likelier.
                return false;
            }
        }
        drawn < all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_what_drawing_one_by_one_gives() {
        let mut random = Random::new(1);
        for (hits, total, tries) in [(1, 10, 1), (1, 10, 4), (5, 10, 3), (9, 10, 2), (0, 5, 9), (5, 5, 1), (1, 2, 0)] {
            let rounds = 20_000;
            let quick = (0..rounds).filter(|_| random.misses(hits, total, tries)).count();
            let slow = (0..rounds).filter(|_| (0..tries).all(|_| random.below(total) >= hits)).count();
            assert!(quick.abs_diff(slow) < 600, "{hits} of {total}, {tries} tries: {quick} and {slow} of {rounds}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and long")]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut random = Random::new(9);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[usize::try_from(random.below(7)).expect("small")] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }
}
