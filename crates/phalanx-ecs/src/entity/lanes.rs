//! Ids for queues of commands: valid at once, without touching the world, and the same whatever thread fills which queue first.
//!
//! Each queue has a *lane*. It begins with a block of reserved ids, dealt from the ordinary allocator. When that is used up the lane goes on by
//! arithmetic: indices from `base` on come in rounds, each twice as long as the one before, and a lane has its share of each.
//!
//! ```text
//! stamps … issued │ room for others │ base
//!                                    round 0: 2048     round 1: 4096                   round 2: 8192 …
//!                                   [ lane 0 | world ][ lane 0       | world        ][ …                     one lane was dealt
//!                                   [ lane 0 | world ][ lane 0 │1│2│3│4│5│6│7│w     ][ …                     then others, out of the world's share
//! ```
//!
//! The lanes that are out together are a *group*. What they used is known to the world when their queues are applied; what lies in between is
//! withheld until all of them are back, and is then handed out as fresh indices, before any other.

use super::entities::{Entities, UNBORN};
use super::handle::{DEAD, Entity, FIRST_STAMP};
use super::spawned::Spawned;
use crate::order::{List, sort_by};
use core::ops::Range;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// A share has at least so many indices in each round it takes part in.
const LEAST: u64 = 1024;
/// A share is at least 1 / 2^10 of a round: with smaller ones, the first index would be too far away.
const DEEPEST: u32 = 10;
/// The smallest first block, and that of a lane that has nothing beyond it.
const FIRST_BLOCK: usize = 16;
const ONLY_BLOCK: usize = 1024;

/// One of `2^depth` equal parts of each round.
#[derive(Clone, Copy, Debug)]
struct Share {
    depth: u32,
    part: u64,
    /// The next round it takes part in.
    round: u32,
}

impl Share {
    /// The indices of this share in a round, below `max`; `None` if there are none, in this round and all later ones.
    fn in_round(self, round: u32, base: u32, max: u32) -> Option<Range<u32>> {
        let size = LEAST << (round + 1) >> self.depth;
        let start = u64::from(base) + (LEAST << (round + 1)) - 2 * LEAST + self.part * size;
        let end = (start + size).min(u64::from(max));
        let index = |at: u64| u32::try_from(at).expect("below `max`, a u32");
        (start < end).then(|| index(start)..index(end))
    }

    /// Where it goes on, and the round: the next one that has room for `count`, or the next one.
    fn next(&mut self, base: u32, max: u32, count: usize) -> Option<Range<u32>> {
        let first = self.round.max(self.depth.saturating_sub(1));
        let rounds = || (first..22).map_while(|round| Some((round, self.in_round(round, base, max)?)));
        let (round, range) = rounds().find(|(_, range)| range.len() >= count).or_else(|| rounds().next())?;
        self.round = round + 1;
        Some(range)
    }

    /// How many indices are left to it.
    fn left(self, base: u32, max: u32) -> usize {
        let first = self.round.max(self.depth.saturating_sub(1));
        (first..22).map_while(|round| self.in_round(round, base, max)).map(|range| range.len()).sum()
    }

    /// Its `2^levels` equal parts.
    fn split(self, levels: u32) -> impl Iterator<Item = Self> {
        (0..1u64 << levels).map(move |part| Self {
            depth: self.depth + levels,
            part: (self.part << levels) + part,
            round: self.round,
        })
    }
}

/// Lanes that are out together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Indices from here on belong to the group.
    pub(super) base: u32,
    /// The world's own share.
    own: Share,
    /// Shares that nobody has yet.
    spare: VecDeque<Share>,
    dealt: usize,
    /// How many lanes are not back.
    out: usize,
    /// Indices from `base` on that are in use; apart, in no order.
    taken: Vec<Range<u32>>,
}

impl Group {
    /// Shares for `count` more lanes, as far as there are any.
    fn shares(&mut self, count: usize) -> Vec<Option<Share>> {
        if self.spare.len() < count {
            // Whoever deals one at a time gets more each time, so that shares do not halve with each.
            let wanted = (count - self.spare.len()).max(4 * self.dealt) + 1;
            let levels = wanted.next_power_of_two().trailing_zeros().min(DEEPEST - self.own.depth);
            let mut parts: Vec<Share> = self.own.split(levels).collect();
            self.own = parts.pop().expect("at least one part");
            self.spare.extend(parts);
        }
        (0..count).map(|_| self.spare.pop_front()).collect()
    }
}

/// What is set aside: indices that are neither alive nor free.
#[derive(Clone, Debug, Default)]
pub(super) struct Reservations {
    /// How many indices with a stamp belong to lanes.
    pub(super) reserved: usize,
    /// Indices with a stamp that were never handed out: sorted, apart, not empty. The next fresh ones.
    pub(super) gaps: VecDeque<Range<u32>>,
    /// How many indices there are in `gaps`.
    pub(super) in_gaps: usize,
    pub(super) group: Option<Box<Group>>,
}

impl Reservations {
    /// Adds to the gaps.
    fn add_gap(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        self.in_gaps += range.len();
        let at = self.gaps.partition_point(|gap| gap.end < range.start);
        match self.gaps.get_mut(at) {
            Some(gap) if gap.end == range.start => {
                gap.end = range.end;
                if self.gaps.get(at + 1).is_some_and(|next| next.start == range.end) {
                    let next = self.gaps.remove(at + 1).expect("just seen");
                    self.gaps[at].end = next.end;
                }
            }
            Some(gap) if gap.start == range.end => gap.start = range.start,
            _ => self.gaps.insert(at, range),
        }
    }

    /// Up to `most` indices of the lowest gap.
    fn take_gap(&mut self, most: usize) -> Option<Range<u32>> {
        let gap = self.gaps.front_mut()?;
        let taken = u32::try_from(most).map_or(gap.end, |most| gap.start.saturating_add(most).min(gap.end));
        let range = gap.start..taken;
        gap.start = taken;
        self.in_gaps -= range.len();
        if gap.start == gap.end {
            self.gaps.pop_front();
        }
        Some(range)
    }

    /// How many indices lie between those that the lanes of the group use, if stamps go up to `issued`.
    pub(super) fn withheld(&self, issued: usize) -> usize {
        let Some(group) = &self.group else { return 0 };
        let taken: usize = group.taken.iter().map(ExactSizeIterator::len).sum();
        issued.saturating_sub(group.base as usize) - taken
    }
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
    next: u32,
    end: u32,
    salt: u32,
    max_indices: u32,
    /// The first block: these one by one, then the range.
    listed: Vec<Entity>,
    given: usize,
    block: Range<u32>,
    /// Where `next` is.
    stage: Stage,
    share: Option<Share>,
    base: u32,
    /// Where the part of the present page begins that the world does not know of.
    page: u32,
    /// What was handed out beyond the first block.
    pages: Vec<Range<u32>>,
    /// How many of `pages` the world knows of.
    admitted: usize,
    /// Up to where ids were used for entities, or given up: a piece (0: listed, 1: block, 2 and more: pages) and an offset.
    cursor: (usize, usize),
    /// Claimed by nobody, and not to be.
    forsaken: Vec<Ids>,
    /// The place in the order of dealing.
    serial: u64,
    dealt: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Listed,
    Block,
    Beyond,
}

impl Lane {
    /// The next id; `None` if no index is left to this lane.
    #[inline(always)]
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
        let page = self.share.as_mut()?.next(self.base, self.max_indices, count)?;
        self.close_page();
        self.stage = Stage::Beyond;
        (self.next, self.end, self.page) = (page.start, page.end, page.start);
        Some(())
    }

    /// Notes what was handed out of the present page.
    fn close_page(&mut self) {
        if self.stage == Stage::Beyond && self.page < self.next {
            self.pages.push(self.page..self.next);
            self.page = self.next;
        }
    }

    /// The next `count` ids, or fewer if no more are left. Fresh ones follow each other where possible.
    pub(crate) fn next_ids(&mut self, count: usize) -> Vec<Ids> {
        let (mut ids, mut left) = (Vec::new(), count);
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

    /// How many ids were handed out.
    pub(crate) fn handed_out(&self) -> usize {
        let beyond = if self.stage == Stage::Beyond { (self.next - self.page) as usize } else { 0 };
        let pages: usize = self.pages.iter().map(ExactSizeIterator::len).sum();
        self.given + self.piece_len(1).unwrap_or(0) + pages + beyond
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
    /// How many ids were used last time, by name.
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
            Some(last) => *last = used,
            None => *self.used.entry(name.into()) = used,
        }
    }

    /// Deals a lane to each of these, in order.
    pub(crate) fn deal<'a>(
        &mut self,
        names: impl ExactSizeIterator<Item = &'a str>,
        entities: &mut Entities,
    ) -> Vec<Lane> {
        self.collect(entities);
        let sizes = names.map(|name| self.used.get(name).map_or(0, |used| used + used / 4).max(FIRST_BLOCK));
        let mut lanes = entities.deal(sizes);
        for lane in &mut lanes {
            lane.serial = self.serial;
            self.serial += 1;
        }
        lanes
    }

    /// Settles the lanes of queues that were dropped, in the order in which they were dealt.
    pub(crate) fn collect(&mut self, entities: &mut Entities) {
        // A list of numbers is in order whatever panicked.
        let mut lanes = std::mem::take(&mut *self.returned.lock().unwrap_or_else(PoisonError::into_inner));
        sort_by(&mut lanes, |a, b| a.serial < b.serial);
        for lane in lanes {
            entities.settle(lane);
        }
    }
}

impl Entities {
    /// How many indices can be handed out that never were.
    pub(super) fn unissued(&self) -> usize {
        let Reservations { in_gaps, group, .. } = &self.reservations;
        let room = match group {
            None => (self.max_indices - self.issued()) as usize,
            Some(group) => {
                group.base.saturating_sub(self.issued()) as usize + group.own.left(group.base, self.max_indices)
            }
        };
        room + in_gaps
    }

    /// Where fresh indices end that follow on those issued.
    pub(super) fn end_of_fresh(&self) -> u32 {
        self.reservations.group.as_ref().map_or(self.max_indices, |group| group.base.min(self.max_indices))
    }

    /// Between one and `most` fresh indices, the lowest there are, with stamps that say that nobody has them yet. Only if there are any (`unissued`).
    pub(super) fn take_fresh(&mut self, most: usize) -> Range<u32> {
        if self.reservations.gaps.is_empty() {
            let start = self.issued();
            let end = u32::try_from(most).map_or(u32::MAX, |most| start.saturating_add(most)).min(self.end_of_fresh());
            if start < end {
                self.cover(end as usize);
                self.stamps.resize(end as usize, UNBORN);
                return start..end;
            }
            let max = self.max_indices;
            let group = self.reservations.group.as_mut().expect("no index is left");
            let page = group.own.next(group.base, max, most).expect("no index is left");
            self.take_beyond(page.clone());
            self.reservations.add_gap(page);
        }
        let range = self.reservations.take_gap(most).expect("there are gaps");
        self.update_room();
        range
    }

    /// Indices beyond the base of the group come into use.
    fn take_beyond(&mut self, range: Range<u32>) {
        let (issued, end) = (self.issued(), self.issued().max(range.end));
        self.cover(end as usize);
        self.stamps.resize(end as usize, UNBORN);
        let group = self.reservations.group.as_mut().expect("a lane is out");
        let below = issued..group.base.max(issued);
        group.taken.push(range);
        self.reservations.add_gap(below);
        self.update_room();
    }

    fn deal(&mut self, sizes: impl ExactSizeIterator<Item = usize>) -> Vec<Lane> {
        if sizes.len() == 0 {
            return Vec::new();
        }
        if self.reservations.group.is_none() {
            let margin = self.issued() / 8 + 1024;
            let base = self.issued().saturating_add(margin).checked_next_multiple_of(1024).unwrap_or(u32::MAX);
            let own = Share { depth: 0, part: 0, round: 0 };
            let (spare, taken) = (VecDeque::new(), Vec::new());
            self.reservations.group = Some(Box::new(Group { base, own, spare, dealt: 0, out: 0, taken }));
            self.update_room();
        }
        let group = self.reservations.group.as_mut().expect("made just now");
        let shares = group.shares(sizes.len());
        group.dealt += shares.len();
        group.out += shares.len();
        let base = group.base;
        let dealt = sizes.zip(shares).map(|(size, share)| {
            let share = share.filter(|share| share.left(base, self.max_indices) > 0);
            let (listed, block) = self.reserve_block(if share.is_some() { size } else { size.max(ONLY_BLOCK) });
            let (salt, max_indices) = (self.salt(), self.max_indices);
            Lane { salt, max_indices, listed, block, share, base, dealt: true, ..Lane::default() }
        });
        dealt.collect()
    }

    /// Sets `count` ids aside, or as many as there are: some one by one, then a range of fresh ones.
    fn reserve_block(&mut self, count: usize) -> (Vec<Entity>, Range<u32>) {
        let reusable = count.min((self.free.len() + 1).saturating_sub(self.min_free));
        let fresh = self.unissued().min(count - reusable);
        // Without fresh ones, whoever is free must do.
        let reused = if fresh == 0 { count.min(self.free.len()) } else { reusable };
        let mut listed = Vec::with_capacity(reused);
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
        (listed, block)
    }

    /// The world learns of all ids that a lane has handed out.
    pub(crate) fn admit(&mut self, lane: &mut Lane) {
        lane.close_page();
        for page in &lane.pages[lane.admitted..] {
            self.reservations.reserved += page.len();
            self.take_beyond(page.clone());
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
        (lane.given, lane.admitted, lane.block.start) = (0, 0, end);
        self.reservations.group.as_mut().expect("the group of the lane").out += 1;
        Lane {
            salt: lane.salt,
            max_indices: lane.max_indices,
            base: lane.base,
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
                assert!(stamps.iter().all(|stamp| *stamp == UNBORN), "not all of {range:?} are reserved");
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

    /// The lane is not used any more: what nobody got goes back, and what was not claimed is given up.
    pub(crate) fn settle(&mut self, mut lane: Lane) {
        if !lane.dealt {
            return;
        }
        self.admit(&mut lane);
        lane.forsake();
        self.give_up_all(&lane.forsaken);
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
        let group = self.reservations.group.as_mut().expect("the group of the lane");
        group.out -= 1;
        if group.out == 0 {
            self.close_group();
        }
        self.trim();
    }

    /// All lanes are back: what lies between the indices they used can be handed out.
    fn close_group(&mut self) {
        let mut group = self.reservations.group.take().expect("a group");
        sort_by(&mut group.taken, |a, b| a.start < b.start);
        let mut at = group.base;
        for range in group.taken {
            self.reservations.add_gap(at..range.start);
            at = range.end;
        }
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
