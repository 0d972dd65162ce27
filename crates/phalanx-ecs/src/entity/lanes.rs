//! Ids for queues of commands: valid at once, without touching the world, and the same whatever thread fills which queue first.
//!
//! Each queue has a *lane*. It begins with a block of reserved ids, dealt from the ordinary allocator. When that is used up the lane goes on by
//! arithmetic: indices from `base` on come in rounds, each twice as long as the one before, and a lane has its share of each (`shares`).
//!
//! ```text
//! stamps … issued │ room for others │ base
//!                                    round 0: 1024     round 1: 2048                   round 2: 4096 …
//!                                   [ lane 0 | world ][ lane 0       | world        ][ …                     one lane was dealt
//!                                   [ lane 0 | world ][ lane 0       | world  │3│2│1│ ][ …                    then others, out of the world's part
//! ```
//!
//! The lanes that are out together are a *group*, which is open for as long as any is out: that may be for ever, since a program keeps its queues. So
//! the world goes on with the indices that no lane has. A lane that is settled gives its share back, to go on where it has stopped; a queue that
//! was applied and has ids enough left keeps its lane. When all lanes are back, what they left in between is handed out before any other.

use super::entities::Entities;
use super::handle::{Entity, FIRST_STAMP};
use super::share::Share;
use super::spawned::Spawned;
use crate::order::{List, sort_by};
use core::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The smallest first block.
pub(super) const FIRST_BLOCK: usize = 16;

/// More ids than this are not expected for long.
const SLOW: usize = 4096;

/// The first block for so many ids that were used lately: a quarter more, or enough for two times if they are few.
fn block_for(used: usize) -> usize {
    (used + (used / 4).max(used.min(256))).max(FIRST_BLOCK)
}

/// Some ids of a lane, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// One that may have lived before.
    One(Entity),
    /// Never used before.
    Fresh(Range<u32>),
}

impl Ids {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Fresh(range) => range.len(),
        }
    }
}

/// The ids of one queue; see the module.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    /// What the lane hands out next without further thought.
    pub(super) next: u32,
    pub(super) end: u32,
    pub(super) salt: u32,
    /// The first block: these one by one, then the range.
    pub(super) listed: Vec<Entity>,
    pub(super) given: usize,
    pub(super) block: Range<u32>,
    /// Where `next` is.
    pub(super) stage: Stage,
    pub(super) share: Option<Share>,
    /// Where the part of the present page begins that the world does not know of.
    pub(super) page: u32,
    /// What was handed out beyond the first block.
    pub(super) pages: Vec<Range<u32>>,
    /// What was passed over, because it was too short to follow each other in.
    pub(super) passed: Vec<Range<u32>>,
    /// How many of `pages` the world knows of.
    pub(super) admitted: usize,
    /// Up to where ids were used for entities, or given up: a piece (0: listed, 1: block, 2 and more: pages) and an offset.
    pub(super) cursor: (usize, usize),
    /// Claimed by nobody, and not to be.
    pub(super) forsaken: Vec<Ids>,
    /// How many were handed out before the queue was applied last.
    pub(super) before: usize,
    /// While it is not dealt: how long its first block should be, and how deep its share was the last time.
    pub(super) wanted: (usize, Option<u32>),
    /// The place in the order of dealing.
    pub(super) serial: u64,
    pub(super) dealt: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    #[default]
    Listed,
    Block,
    Beyond,
}

impl Lane {
    /// The next id; `None` if no index is left to this lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_id(&mut self) -> Option<Entity> {
        if self.next == self.end {
            return self.next_id_slowly();
        }
        let index = self.next;
        self.next += 1;
        Some(Entity::from_stamp(index, FIRST_STAMP, self.salt))
    }

    #[cold]
    #[inline(never)]
    fn next_id_slowly(&mut self) -> Option<Entity> {
        if let Some(&entity) = self.listed.get(self.given) {
            self.given += 1;
            return Some(entity);
        }
        while self.next == self.end {
            self.turn_page(1)?;
        }
        self.next_id()
    }

    /// Goes on to the block, or to the next page, if possible one with room for `count`.
    fn turn_page(&mut self, count: usize) -> Option<()> {
        if self.stage == Stage::Listed {
            self.stage = Stage::Block;
            (self.next, self.end) = (self.block.start, self.block.end);
            return Some(());
        }
        let page = self.share.as_mut()?.next(count, &mut self.passed)?;
        self.close_page();
        if self.stage == Stage::Beyond && self.next < self.end {
            self.passed.push(self.next..self.end);
        }
        self.stage = Stage::Beyond;
        (self.next, self.end, self.page) = (page.start, page.end, page.start);
        Some(())
    }

    /// Notes what was handed out of the present page.
    pub(super) fn close_page(&mut self) {
        if self.stage == Stage::Beyond && self.page < self.next {
            self.pages.push(self.page..self.next);
            self.page = self.next;
        }
    }

    /// How many ids are left to it.
    fn left(&self) -> usize {
        let block = if self.stage == Stage::Listed { self.block.len() } else { 0 };
        let here = self.listed.len() - self.given + (self.end - self.next) as usize;
        here + block + self.share.map_or(0, Share::left)
    }

    /// The next `count` ids, or none if not so many are left. Fresh ones follow each other where possible.
    pub(crate) fn next_ids(&mut self, count: usize) -> Vec<Ids> {
        let (mut ids, mut left) = (Vec::new(), count);
        // Most batches fit where it is; what never fits must not use up all that there is.
        if count > (self.end - self.next) as usize && self.left() < count {
            return ids;
        }
        while left > 0 {
            if let Some(&entity) = self.listed.get(self.given) {
                self.given += 1;
                left -= 1;
                ids.push(Ids::One(entity));
                continue;
            }
            let room = self.end - self.next;
            let fits = room as usize >= left;
            // What is left of the first block is used up; what is left of a page may be passed over.
            if room > 0 && (fits || self.stage == Stage::Block) {
                let most = u32::try_from(left).map_or(room, |left| left.min(room));
                ids.push(Ids::Fresh(self.next..self.next + most));
                self.next += most;
                left -= most as usize;
            } else if self.turn_page(left).is_none() {
                if room == 0 {
                    break;
                }
                ids.push(Ids::Fresh(self.next..self.end));
                self.next = self.end;
                left -= room as usize;
            } else if self.stage == Stage::Beyond && ((self.end - self.next) as usize) < left {
                // There are no longer pages.
                let page = self.next..self.end;
                left -= page.len();
                self.next = self.end;
                ids.push(Ids::Fresh(page));
            }
        }
        ids
    }

    /// The handles that ids stand for.
    pub(crate) fn handles<'a>(&self, ids: &'a [Ids]) -> impl Iterator<Item = Entity> + use<'a> {
        let salt = self.salt;
        ids.iter().flat_map(move |ids| {
            let (one, range) = match ids {
                Ids::One(entity) => (Some(*entity), 0..0),
                Ids::Fresh(range) => (None, range.clone()),
            };
            one.into_iter().chain(range.map(move |index| Entity::from_stamp(index, FIRST_STAMP, salt)))
        })
    }

    /// The same as a batch: the longest range as such, what comes before and after it one by one.
    pub(crate) fn batch(&self, ids: &[Ids]) -> Spawned {
        let longest = ids.iter().enumerate().filter(|(_, ids)| matches!(ids, Ids::Fresh(_)));
        let longest = longest.max_by_key(|(_, ids)| ids.len()).map_or(ids.len(), |(at, _)| at);
        let mut listed: Vec<Entity> = self.handles(&ids[..longest]).collect();
        let lead = listed.len();
        let Some(Ids::Fresh(range)) = ids.get(longest) else {
            return Spawned::new(listed, lead, 0..0, self.salt);
        };
        listed.extend(self.handles(&ids[longest + 1..]));
        Spawned::new(listed, lead, range.clone(), self.salt)
    }

    /// What was handed out so far will not be used: it is given up when the lane is settled.
    pub(crate) fn forsake(&mut self) {
        let mut forsaken = std::mem::take(&mut self.forsaken);
        self.claim(usize::MAX, &mut forsaken);
        self.forsaken = forsaken;
    }

    fn piece_len(&self, piece: usize) -> Option<usize> {
        match piece {
            0 => Some(self.given),
            1 if self.stage == Stage::Listed => Some(0),
            1 if self.stage == Stage::Block => Some((self.next - self.block.start) as usize),
            1 => Some(self.block.len()),
            _ => self.pages.get(piece - 2).map(ExactSizeIterator::len),
        }
    }

    /// The ids that were handed out first among those not claimed yet, at most `count`.
    pub(crate) fn claim(&mut self, mut count: usize, claimed: &mut Vec<Ids>) {
        self.close_page();
        let (mut piece, mut offset) = self.cursor;
        while let Some(len) = self.piece_len(piece)
            && count > 0
        {
            let most = count.min(len - offset);
            if most == 0 {
                // A piece that may still grow is not left behind.
                if piece == 0 && self.given < self.listed.len() || piece == 1 && self.stage != Stage::Beyond {
                    break;
                }
                (piece, offset) = (piece + 1, 0);
                continue;
            }
            if piece == 0 {
                claimed.extend(self.listed[offset..offset + most].iter().copied().map(Ids::One));
            } else {
                let start = if piece == 1 { self.block.start } else { self.pages[piece - 2].start };
                let at = |offset: usize| start + u32::try_from(offset).expect("below the length of a u32 range");
                claimed.push(Ids::Fresh(at(offset)..at(offset + most)));
            }
            offset += most;
            count -= most;
        }
        self.cursor = (piece, offset);
    }

    /// Where the one is that was handed out first among those not claimed yet: a piece and an offset.
    fn first_place(&self) -> Option<(usize, usize)> {
        let (mut piece, mut offset) = self.cursor;
        while let Some(len) = self.piece_len(piece) {
            if offset < len {
                return Some((piece, offset));
            }
            (piece, offset) = (piece + 1, 0);
        }
        None
    }

    /// The one that was handed out first among those not claimed yet. What was handed out is known to the world.
    pub(crate) fn first_unclaimed(&self) -> Option<Entity> {
        let (piece, offset) = self.first_place()?;
        let start = match piece {
            0 => return Some(self.listed[offset]),
            1 => self.block.start,
            _ => self.pages[piece - 2].start,
        };
        let index = start + u32::try_from(offset).expect("below the length of a u32 range");
        Some(Entity::from_stamp(index, FIRST_STAMP, self.salt))
    }

    /// Claims that one.
    pub(crate) fn claim_first(&mut self) {
        if let Some((piece, offset)) = self.first_place() {
            self.cursor = (piece, offset + 1);
        }
    }

    /// The one that was handed out first among those not claimed yet, if that is simple to say.
    #[inline]
    pub(crate) fn claim_one(&mut self) -> Option<Entity> {
        let (piece @ 2.., offset) = self.cursor else { return None };
        let page = self.pages.get(piece - 2)?;
        let index = page.start.checked_add(u32::try_from(offset).ok()?)?;
        if index >= page.end {
            return None;
        }
        self.cursor.1 += 1;
        Some(Entity::from_stamp(index, FIRST_STAMP, self.salt))
    }

    /// How many are left of the first block.
    fn left_in_block(&self) -> usize {
        self.listed.len() - self.given + self.block.len() - self.piece_len(1).unwrap_or(0)
    }

    /// How many ids were handed out since the queue was applied last.
    pub(crate) fn handed_out(&self) -> usize {
        let beyond = if self.stage == Stage::Beyond { (self.next - self.page) as usize } else { 0 };
        let pages: usize = self.pages.iter().map(ExactSizeIterator::len).sum();
        self.given + self.piece_len(1).unwrap_or(0) + pages + beyond - self.before
    }

    /// How deep its share is, if it has one.
    pub(crate) fn depth(&self) -> Option<u32> {
        self.share.map(Share::depth)
    }

    /// As if new, with its memory.
    pub(super) fn reset(&mut self) {
        let (mut listed, mut pages, mut passed) =
            (std::mem::take(&mut self.listed), std::mem::take(&mut self.pages), std::mem::take(&mut self.passed));
        listed.clear();
        pages.clear();
        passed.clear();
        *self = Self { listed, pages, passed, ..Self::default() };
    }

    /// Whether it was dealt and not yet settled.
    pub(crate) fn is_dealt(&self) -> bool {
        self.dealt
    }

    /// The place in the order of dealing.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }
}

/// Where queues that are dropped leave their lanes.
pub(crate) type Returned = Arc<Mutex<Vec<Lane>>>;

/// What a world remembers about lanes.
#[derive(Debug, Default)]
pub(crate) struct LaneBook {
    /// Lanes whose queues were dropped, perhaps by other threads.
    returned: Returned,
    /// How many ids were used lately, by name.
    used: List<Box<str>, usize>,
    serial: u64,
}

impl LaneBook {
    /// Where dropped queues leave their lanes.
    pub(crate) fn returned(&self) -> Returned {
        Arc::clone(&self.returned)
    }

    /// Notes how many ids somebody used.
    pub(crate) fn note_use(&mut self, name: &str, used: usize) {
        match self.used.get_mut(name) {
            // What was used once is expected for a while; not for long if it was much, since setting it aside takes time.
            Some(most) => *most = used.max(*most - *most / if *most > SLOW { 16 } else { 256 }),
            // Few are expected of who is not known: so names of those who never use more are not kept.
            None if used > FIRST_BLOCK / 2 => *self.used.entry(name.into()) = used,
            None => {}
        }
    }

    /// Whether the lane, all of which is settled but what it has not handed out, will do for what its queue is expected to use next.
    pub(crate) fn keeps(&self, name: &str, lane: &mut Lane) -> bool {
        let (left, most) = (lane.left_in_block(), self.used.get(name).copied().unwrap_or(0));
        if lane.stage == Stage::Beyond || left < most.max(FIRST_BLOCK / 2) || left > 4 * block_for(most) {
            return false;
        }
        lane.before += lane.handed_out();
        true
    }

    /// Gives a lane the last place in the order of dealing.
    pub(crate) fn number(&mut self, lane: &mut Lane) {
        lane.serial = self.serial;
        self.serial += 1;
    }

    /// Says what a lane is to be dealt, for who has this name; it had a share of this depth before.
    pub(crate) fn want(&self, name: &str, before: Option<u32>, lane: &mut Lane) {
        lane.wanted = (block_for(self.used.get(name).copied().unwrap_or(0)), before);
    }

    /// Deals a lane to each of these, in order.
    pub(crate) fn deal<'a>(&mut self, names: impl Iterator<Item = &'a str>, entities: &mut Entities) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for name in names {
            let mut lane = Lane::default();
            self.want(name, None, &mut lane);
            lanes.push(lane);
        }
        self.deal_wanted(&mut lanes, |lane| Some(lane), entities);
        for lane in &mut lanes {
            self.number(lane);
        }
        lanes
    }

    /// Deals those of these lanes that were settled what they [want](LaneBook::want), in order.
    pub(crate) fn deal_wanted<T>(
        &mut self,
        all: &mut [T],
        lane_of: impl Fn(&mut T) -> Option<&mut Lane>,
        entities: &mut Entities,
    ) {
        let wants = |lane: &Lane| !lane.dealt;
        let count = all.iter_mut().filter_map(&lane_of).filter(|lane| wants(lane)).count();
        if count == 0 {
            return;
        }
        self.collect(entities);
        let depth = entities.begin_dealing(count);
        for lane in all.iter_mut().filter_map(&lane_of).filter(|lane| wants(lane)) {
            entities.give_share(lane, depth);
        }
        for lane in all.iter_mut().filter_map(&lane_of).filter(|lane| wants(lane)) {
            entities.give_block(lane);
        }
    }

    /// Settles the lanes of queues that were dropped, in the order in which they were dealt.
    pub(crate) fn collect(&mut self, entities: &mut Entities) {
        // A list of numbers is in order whatever panicked.
        let mut lanes = std::mem::take(&mut *self.returned.lock().unwrap_or_else(PoisonError::into_inner));
        sort_by(&mut lanes, |a, b| a.serial < b.serial);
        for lane in &mut lanes {
            entities.settle(lane);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_who_uses_few_ids_are_not_kept_and_they_are_dealt_the_same() {
        let mut book = LaneBook::default();
        let (mut known, mut unknown) = (Lane::default(), Lane::default());
        for number in 0..1000 {
            book.note_use(&format!("queue {number}"), number % (FIRST_BLOCK / 2 + 1));
        }
        assert_eq!(book.used.iter().count(), 0);
        // What such a name would be worth is what nothing is worth.
        book.want("nobody", None, &mut unknown);
        *book.used.entry("few".into()) = FIRST_BLOCK / 2;
        book.want("few", None, &mut known);
        assert_eq!(known.wanted, unknown.wanted);
        book.note_use("many", FIRST_BLOCK);
        assert_eq!(book.used.iter().count(), 2);
    }
}
