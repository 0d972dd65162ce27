//! The count of ticks by which changes of tracked components are told apart.
//!
//! Whoever writes marks with the present tick; whoever has looked makes the next tick begin. So what is marked later than a reader's last look
//! has a later tick, and all that a reader must remember is that one number.
//!
//! Rows store 32 bits of it. When those are nearly used up the store moves its base and lowers all ticks; readers keep 64 bits and notice nothing.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Up to which tick a reader has seen everything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Seen(u64);

/// So far ticks may go before the base is moved, and so far it is moved.
pub(crate) const FULL: u32 = 3 << 30;
pub(super) const STEP: u32 = 1 << 31;

pub(crate) struct Era {
    /// The present tick, counted from `base`. At least 1, so that nothing is marked 0.
    now: AtomicU32,
    base: u64,
}

impl Default for Era {
    fn default() -> Self {
        Self { now: AtomicU32::new(1), base: 0 }
    }
}

impl Era {
    /// The tick to mark with.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn now(&self) -> u32 {
        self.now.load(Relaxed)
    }

    /// The tick after which a reader has not seen anything, as rows store it.
    pub(crate) fn since(&self, seen: Seen) -> u32 {
        u32::try_from(seen.0.saturating_sub(self.base)).unwrap_or(u32::MAX)
    }

    /// A reader looks now: what is marked from here on is new to it.
    pub(crate) fn look(&self) -> Seen {
        let next = |now: u32| now.checked_add(1);
        // Without a tick left (four billion looks without one by a reader that may write) readers see some changes twice, and miss none.
        let now = self.now.fetch_update(Relaxed, Relaxed, next).unwrap_or(u32::MAX - 1);
        Seen(self.base + u64::from(now))
    }

    /// Whether the base must be moved soon.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.now() >= FULL
    }

    /// Moves the base by [`STEP`]. All ticks stored must be lowered by as much.
    pub(super) fn move_base(&mut self) {
        *self.now.get_mut() -= STEP;
        self.base += u64::from(STEP);
    }

    #[cfg(test)]
    pub(crate) fn skip_to(&mut self, now: u32) {
        *self.now.get_mut() = now;
    }

    #[cfg(test)]
    pub(crate) fn has_moved(&self) -> bool {
        self.base > 0
    }
}
