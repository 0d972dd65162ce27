//! [`Tick`]: when something was written, and the [`Clock`] that counts them.
//!
//! ```text
//! write   write   look    write   look    look
//! tick 1  tick 2  at 2    tick 3  at 3    at 3
//!                 new             new     nothing new
//! ```
//! Every write takes a tick of its own, so all that a reader must remember is the tick at which it looked: what is later, it has not seen.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// When something was written: a count that only grows, of one world.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// let before = world.now();
/// world.insert_resource(Score(0));
/// assert!(world.now() > before);
/// ```
///
/// The default is before everything: nothing is written at it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tick(u64);

impl Tick {
    /// The count itself.
    ///
    /// ```
    /// assert_eq!(phalanx_ecs::World::new().now().count(), 0);
    /// ```
    pub fn count(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// The count of one world, or a clock that stands.
#[derive(Default, Debug)]
pub(crate) struct Clock {
    now: AtomicU64,
    /// Whether every write has the same tick.
    stands: bool,
}

impl Clock {
    /// A clock that stands: for writes that share a tick drawn from the clock of a world before.
    #[inline]
    pub(crate) fn standing(at: Tick) -> Self {
        Self { now: AtomicU64::new(at.0), stands: true }
    }

    /// The tick of the latest write.
    #[inline]
    pub(crate) fn now(&self) -> Tick {
        Tick(self.now.load(Ordering::Relaxed))
    }

    /// A tick of its own for a write.
    #[inline]
    pub(crate) fn advance(&mut self) -> Tick {
        let now = self.now.get_mut();
        *now += u64::from(!self.stands);
        Tick(*now)
    }

    /// The same for a clock that does not stand, if one tick is taken; the latest tick, if none is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn advance_by(&mut self, ticks: u64) -> Tick {
        debug_assert!(!self.stands, "the clock of a world");
        let now = self.now.get_mut();
        // Asked, so that those who take none need not wait for each other: what is stored takes some time to be loaded again.
        if ticks > 0 {
            *now += ticks;
        }
        Tick(*now)
    }

    /// A tick of its own, drawn by one of several threads. It is later than any tick that the thread has heard of.
    #[inline]
    pub(crate) fn draw(&self) -> Tick {
        // The count orders nothing but itself; what was written is ordered by whoever lets threads write it.
        Tick(self.now.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_write_has_a_later_tick_than_all_before() {
        let mut clock = Clock::default();
        assert_eq!(clock.now(), Tick::default());
        let (first, second) = (clock.advance(), clock.advance());
        assert!(Tick::default() < first && first < second && clock.now() == second);
        assert_eq!(format!("{second} {second:?}"), "2 t2");
        assert!(clock.draw() > second && clock.now() > second);
    }

    #[test]
    fn a_clock_that_stands_gives_every_write_the_same_tick() {
        let mut world = Clock::default();
        let mut clock = Clock::standing(world.advance());
        assert_eq!((clock.advance(), clock.advance(), clock.now()), (world.now(), world.now(), world.now()));
    }
}
