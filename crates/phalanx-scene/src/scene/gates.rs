//! Whether systems may run in this pass, each by its gate.
//!
//! ```text
//! gate 2³²·7 + 1      list 7: [ open | closed | open ]      closed
//! the same            list 8: [ open ]                      none of these: closed
//! ```
//!
//! A gate is kept by the condition of its system and by what is to be removed: both are there even when [`Scenes`](super::Scenes) is taken away and another comes. So each list has
//! numbers of its own, and a gate of another list is out of bounds. That is seen where it has to be looked at anyway, in every pass for every system.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The gate of a system.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Gate(u64);

/// All gates of the systems of a world's scenes.
#[derive(Clone, Debug)]
pub(super) struct Gates {
    /// The number of the first: no other list has one of the 2³² from there on.
    first: u64,
    open: Vec<bool>,
    free: Vec<Gate>,
}

impl Default for Gates {
    fn default() -> Self {
        // From 1 on, so the gate that is nobody's is in no list.
        static LISTS: AtomicU64 = AtomicU64::new(1);
        Self { first: LISTS.fetch_add(1, Relaxed) << 32, open: Vec::new(), free: Vec::new() }
    }
}

impl Gates {
    /// Where a gate is in the list; far beyond its end if it is one of another.
    fn at(&self, gate: Gate) -> usize {
        usize::try_from(gate.0.wrapping_sub(self.first)).unwrap_or(usize::MAX)
    }

    /// A gate that nobody has, closed.
    pub(super) fn take(&mut self) -> Gate {
        self.free.pop().unwrap_or_else(|| {
            let at = u32::try_from(self.open.len()).expect("fewer than 2³² systems");
            self.open.push(false);
            Gate(self.first + u64::from(at))
        })
    }

    /// The system of a gate is gone for good; another may have it.
    pub(super) fn give_back(&mut self, gate: Gate) {
        if self.at(gate) < self.open.len() {
            self.set(gate, false);
            self.free.push(gate);
        }
    }

    pub(super) fn close_all(&mut self) {
        self.open.fill(false);
    }

    pub(super) fn set(&mut self, gate: Gate, open: bool) {
        let at = self.at(gate);
        if let Some(is_open) = self.open.get_mut(at) {
            *is_open = open;
        }
    }

    pub(super) fn is_open(&self, gate: Gate) -> bool {
        self.open.get(self.at(gate)).copied().unwrap_or(false)
    }
}
