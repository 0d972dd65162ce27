//! `Queue`: indices that wait for their next life, first in, first out.
//!
//! ```text
//! slots  [ · | · | 4 | 1 | 3 | 0 | 0 | 0 ]
//!                  └ front     └ back          4 has waited longest, the next to come goes to `back`
//! ```
//!
//! Not a ring: joining is one comparison and one write. When the back meets the end, those who wait move to the beginning if at least
//! half of the room is free there, and else the room grows; either way a step is cheap over many.

use core::fmt;

/// Indices that wait; see the module.
#[derive(Clone, Default)]
pub(super) struct Queue {
    /// All of them are initialised; those outside `front..back` mean nothing.
    slots: Vec<u32>,
    /// At most `back`.
    front: usize,
    /// At most `slots.len()`.
    back: usize,
}

impl Queue {
    /// How many wait.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn len(&self) -> usize {
        self.back - self.front
    }

    /// Whether one more can join without making room.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn has_room(&self) -> bool {
        self.back < self.slots.len()
    }

    /// Lets an index join. If that fails for want of memory, nothing has changed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn push(&mut self, index: u32) {
        if !self.has_room() {
            self.make_room(1);
        }
        self.slots[self.back] = index;
        self.back += 1;
    }

    /// Lets an index join where there is room (`has_room`).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn push_within_room(&mut self, index: u32) {
        if let Some(slot) = self.slots.get_mut(self.back) {
            *slot = index;
            self.back += 1;
        }
    }

    /// The index that has waited longest, which waits no more.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.front == self.back {
            return None;
        }
        let index = self.slots[self.front];
        self.front += 1;
        if self.front == self.back {
            (self.front, self.back) = (0, 0);
        }
        Some(index)
    }

    /// Makes room for `count` more.
    pub(super) fn reserve(&mut self, count: usize) {
        if self.slots.len() - self.back < count {
            self.make_room(count);
        }
    }

    /// Room at the back for `count`, plenty while it is small: those who despawn one often despawn many.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, count: usize) {
        let (len, room) = (self.len(), self.slots.len());
        let needed = len.checked_add(count).expect("fewer than 2³² indices");
        if needed > room / 2 {
            let grown = if room < 65_536 { (room * 4).max(1024) } else { room * 2 };
            self.slots.resize(needed.max(grown), 0);
        }
        self.slots.copy_within(self.front..self.back, 0);
        (self.front, self.back) = (0, len);
    }

    /// Those who wait, the longest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots[self.front..self.back].iter().copied()
    }

    /// How many could wait without more memory.
    pub(super) fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Gives back room that nobody waits in.
    pub(super) fn shrink_to_fit(&mut self) {
        self.slots = self.iter().collect();
        (self.front, self.back) = (0, self.slots.len());
    }
}

/// Two queues are equal if the same indices wait in the same order.
impl PartialEq for Queue {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and long")]
    fn it_is_a_queue_through_growth_moves_and_shrinking() {
        let (mut queue, mut model) = (Queue::default(), VecDeque::new());
        let mut state = 1u32;
        for step in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // By turns more come than go, and more go than come.
            if state >> 16 & 7 < if step / 3000 % 2 == 0 { 5 } else { 3 } {
                queue.push(step);
                model.push_back(step);
            } else {
                assert_eq!(queue.pop(), model.pop_front());
            }
            if step % 4999 == 0 {
                queue.shrink_to_fit();
                assert!(queue.capacity() <= model.len() + 4);
            }
            assert_eq!(queue.len(), model.len());
        }
        assert!(queue.iter().eq(model));
    }

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and long")]
    fn a_steady_queue_stops_growing() {
        let mut queue = Queue::default();
        (0..1000).for_each(|index| queue.push(index));
        for index in 0..100_000 {
            queue.push(index);
            queue.pop();
        }
        assert!(queue.capacity() <= 4096, "room for {}", queue.capacity());
    }
}
