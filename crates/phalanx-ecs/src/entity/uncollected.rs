//! Entities that have died while their rows wait to be collected: their handles are dead, their indices are not free yet.

use super::config::HandleLayout;
use super::entities::{Entities, RETIRED};
use super::handle::{DEAD, FIRST_STAMP};

impl Entities {
    /// Ends the life of the live `index`, which can be used again once it is [collected](Self::release_collected).
    pub(crate) fn end_uncollected(&mut self, index: u32) {
        debug_assert!(self.is_index_alive(index), "index {index} is dead");
        let stamp = self.stamps[index as usize].get();
        self.stamps[index as usize] = match self.layout {
            HandleLayout::Compact if stamp == self.last_stamp => RETIRED | FIRST_STAMP.get(),
            HandleLayout::Wide if stamp == self.last_stamp => {
                self.retired += 1;
                RETIRED
            }
            HandleLayout::Compact | HandleLayout::Wide => RETIRED | (stamp + 1),
        };
        if self.stamps[index as usize] != RETIRED {
            self.uncollected += 1;
        }
        self.alive -= 1;
    }

    /// The row of an index that ended uncollected is gone: the index waits to be used again, unless no generation is left.
    pub(crate) fn release_collected(&mut self, index: u32) {
        let stamp = self.stamps[index as usize];
        debug_assert!(stamp.get() & DEAD != 0, "index {index} is alive");
        if stamp != RETIRED {
            self.free.push(index);
            self.uncollected -= 1;
        }
    }
}
