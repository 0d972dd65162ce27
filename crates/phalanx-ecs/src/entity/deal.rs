//! Fresh indices; dealing them to lanes, and settling what lanes did with theirs. See `lanes`.

use super::entities::{Entities, UNBORN};
use super::handle::{DEAD, Entity, FIRST_STAMP};
use super::lanes::{FIRST_BLOCK, Ids, Lane, Stage};
use super::shares::Reservations;
use core::ops::Range;

/// The first block of a lane that has nothing beyond it.
const ONLY_BLOCK: usize = 1024;

impl Entities {
    /// How many indices can be handed out that never were.
    pub(super) fn unissued(&self) -> usize {
        let Reservations { in_gaps, group, .. } = &self.reservations;
        let room = match group {
            None => (self.max_indices - self.issued()) as usize,
            Some(group) => self.end_of_fresh().saturating_sub(self.issued()) as usize + group.left,
        };
        room + in_gaps
    }

    /// Where fresh indices end that follow on those issued.
    pub(super) fn end_of_fresh(&self) -> u32 {
        self.reservations.group.as_ref().map_or(self.max_indices, |group| group.fresh_end.min(self.max_indices))
    }

    /// Between one and `most` fresh indices, the lowest there are, with stamps that say that nobody has them yet. Only if there are any (`unissued`).
    pub(super) fn take_fresh(&mut self, most: usize) -> Range<u32> {
        while self.reservations.gaps.is_empty() {
            let start = self.issued();
            let end = u32::try_from(most).map_or(u32::MAX, |most| start.saturating_add(most)).min(self.end_of_fresh());
            if start < end {
                self.cover(end as usize);
                self.stamps.resize(end as usize, UNBORN);
                return start..end;
            }
            self.turn_page();
        }
        let range = self.reservations.take_gap(most).expect("there are gaps");
        self.update_room();
        range
    }

    /// The world goes on with the lowest indices that no lane has: right after those issued, or in a gap.
    fn turn_page(&mut self) {
        let issued = self.issued();
        let group = self.reservations.group.as_mut().expect("no index is left");
        let page = group.draw().expect("no index is left");
        if page.start < issued {
            self.reservations.add_gap(page);
        } else {
            group.fresh_end = page.end;
            self.cover(page.start as usize);
            self.stamps.resize(page.start as usize, UNBORN);
        }
        self.update_room();
    }

    /// A lane has these, which lie beyond the base of the group.
    fn take_beyond(&mut self, range: &Range<u32>) {
        let issued = self.issued();
        let group = self.reservations.group.as_mut().expect("a lane is out");
        group.known += range.len();
        if range.end > issued {
            let rest = issued..group.fresh_end.max(issued);
            self.cover(range.end as usize);
            self.stamps.resize(range.end as usize, UNBORN);
            self.reservations.add_gap(rest);
            self.update_room();
        }
    }

    /// Lanes are to be dealt, so many: answers how deep their shares are. Each gets its share, and then, when all have theirs, its block.
    pub(super) fn begin_dealing(&mut self, count: usize) -> u32 {
        if self.reservations.group.is_none() {
            let margin = self.issued() / 8 + 1024;
            let base = self.issued().saturating_add(margin).checked_next_multiple_of(1024).unwrap_or(u32::MAX);
            self.reservations.open_group(base, self.max_indices);
            self.update_room();
        }
        let group = self.reservations.group.as_mut().expect("made just now");
        let depth = group.depth_for(count);
        group.out += count;
        depth
    }

    /// Gives a lane its share, which is not deeper than the one it had before.
    pub(super) fn give_share(&mut self, lane: &mut Lane, depth: u32) {
        let group = self.reservations.group.as_mut().expect("dealing has begun");
        let share = group.share(lane.wanted.1.map_or(depth, |before| before.min(depth)));
        lane.share = share.filter(|share| share.left() > 0);
    }

    /// Gives a lane its first block.
    pub(super) fn give_block(&mut self, lane: &mut Lane) {
        let (size, _) = lane.wanted;
        let (size, most) = match lane.share {
            // All blocks together are not longer than what is alive, but for a few ids each: whoever was given too few goes on in its share.
            Some(_) => (size, self.alive.saturating_sub(self.reservations.reserved).max(FIRST_BLOCK)),
            None => (size.max(ONLY_BLOCK), usize::MAX),
        };
        lane.block = self.reserve_block(size, most, &mut lane.listed);
        (lane.salt, lane.dealt) = (self.salt(), true);
    }

    /// Sets `count` ids aside, or as many as there are: some one by one, then a range of fresh ones, of which there are `most`.
    fn reserve_block(&mut self, count: usize, most: usize, listed: &mut Vec<Entity>) -> Range<u32> {
        let reusable = count.min((self.free.len() + 1).saturating_sub(self.min_free));
        let fresh = self.unissued().min(count - reusable).min(most);
        // Without fresh ones, whoever is free must do.
        let reused = if fresh == 0 { count.min(self.free.len()) } else { reusable };
        listed.reserve(reused);
        for _ in 0..reused {
            let index = self.free.pop().expect("as many are free as were counted");
            listed.push(self.next_life(index));
        }
        let (mut block, mut left) = (0..0, fresh);
        while left > 0 {
            listed.extend(block.map(|index| self.next_life(index)));
            block = self.take_fresh(left);
            left -= block.len();
        }
        self.reservations.reserved += listed.len() + block.len();
        block
    }

    /// The world learns of all ids that a lane has handed out.
    pub(crate) fn admit(&mut self, lane: &mut Lane) {
        lane.close_page();
        for page in &lane.pages[lane.admitted..] {
            self.reservations.reserved += page.len();
            self.take_beyond(page);
        }
        lane.admitted = lane.pages.len();
    }

    /// Cuts off what a lane has handed out, as a lane of its own that hands out nothing more; the rest can be used by others.
    pub(crate) fn cut_off(&mut self, lane: &mut Lane) -> Lane {
        self.admit(lane);
        let rest = lane.listed.split_off(lane.given);
        let (listed, pages) = (std::mem::replace(&mut lane.listed, rest), std::mem::take(&mut lane.pages));
        let end = match lane.stage {
            Stage::Listed => lane.block.start,
            Stage::Block => lane.next,
            Stage::Beyond => lane.block.end,
        };
        let block = lane.block.start..end;
        // A queue that was applied before may stand in an observer's place: what it had handed out by then is cut off, too.
        (lane.given, lane.admitted, lane.block.start, lane.before) = (0, 0, end, 0);
        self.reservations.group.as_mut().expect("the group of the lane").out += 1;
        Lane {
            salt: lane.salt,
            serial: lane.serial,
            given: listed.len(),
            listed,
            block,
            stage: Stage::Beyond,
            admitted: pages.len(),
            pages,
            cursor: std::mem::take(&mut lane.cursor),
            forsaken: std::mem::take(&mut lane.forsaken),
            dealt: true,
            ..Lane::default()
        }
    }

    /// How many of the reserved ids may come to life.
    pub(crate) fn room_for_reserved(&self) -> usize {
        self.limit.saturating_sub(self.alive)
    }

    /// Reserved ids come to life. The caller says where they are right after.
    ///
    /// # Panics
    /// If one of them is not reserved.
    pub(crate) fn enliven(&mut self, ids: &Ids) {
        match ids {
            Ids::One(entity) => {
                let stamp = &mut self.stamps[entity.index() as usize];
                assert!(stamp.get() == DEAD | entity.bare_stamp(), "{entity} is not reserved");
                *stamp = FIRST_STAMP.saturating_add(entity.bare_stamp() - 1);
                self.highest_stamp = self.highest_stamp.max(entity.bare_stamp());
            }
            Ids::Fresh(range) => {
                let stamps = &mut self.stamps[range.start as usize..range.end as usize];
                // All of them, whatever is found on the way: so many are compared at once.
                let differing = stamps.iter().fold(0, |bits, stamp| bits | (stamp.get() ^ UNBORN.get()));
                assert!(differing == 0, "not all of {range:?} are reserved");
                stamps.fill(FIRST_STAMP);
            }
        }
        self.alive += ids.len();
        self.reservations.reserved -= ids.len();
    }

    /// Ids that somebody may hold will not come to life.
    pub(crate) fn give_up(&mut self, ids: &Ids) {
        self.enliven(ids);
        match ids {
            Ids::One(entity) => self.free_indices(&[entity.index()]),
            Ids::Fresh(range) => self.free_indices(&range.clone().collect::<Vec<_>>()),
        }
    }

    /// All of these ids will not come to life.
    pub(crate) fn give_up_all(&mut self, ids: &[Ids]) {
        for ids in ids {
            self.give_up(ids);
        }
    }

    /// What was handed out and not claimed is given up.
    pub(crate) fn settle_handed_out(&mut self, lane: &mut Lane) {
        self.admit(lane);
        lane.forsake();
        self.give_up_all(&std::mem::take(&mut lane.forsaken));
    }

    /// The lane is not used any more: what nobody got goes back, and what was not claimed is given up. Its memory can be used again.
    pub(crate) fn settle(&mut self, lane: &mut Lane) {
        if !lane.dealt {
            // Somebody may have asked it for ids, in vain.
            return lane.reset();
        }
        self.settle_handed_out(lane);
        for entity in lane.listed.drain(lane.given..) {
            self.reservations.reserved -= 1;
            if entity.bare_stamp() == FIRST_STAMP.get() {
                self.reservations.add_gap(entity.index()..entity.index() + 1);
            } else {
                self.free.push(entity.index());
            }
        }
        let unused = match lane.stage {
            Stage::Listed => lane.block.clone(),
            Stage::Block => lane.next..lane.block.end,
            Stage::Beyond => 0..0,
        };
        self.reservations.reserved -= unused.len();
        self.reservations.add_gap(unused);
        for passed in &lane.passed {
            self.take_beyond(passed);
            self.reservations.add_gap(passed.clone());
        }
        let group = self.reservations.group.as_mut().expect("the group of the lane");
        if let Some(mut share) = lane.share {
            if lane.stage == Stage::Beyond {
                share.put_back(lane.next..lane.end);
            }
            group.put(share);
        }
        group.out -= 1;
        if group.out == 0 {
            let issued = self.issued();
            self.reservations.close_group(issued);
        }
        self.trim();
        lane.reset();
    }

    /// Forgets gaps at the end: what comes after them is fresh anyway.
    fn trim(&mut self) {
        while let Some(last) = self.reservations.gaps.back()
            && last.end == self.issued()
            && self.reservations.group.as_ref().is_none_or(|group| last.end <= group.base)
        {
            self.stamps.truncate(last.start as usize);
            self.reservations.in_gaps -= last.len();
            self.reservations.gaps.pop_back();
        }
        self.update_room();
    }
}
