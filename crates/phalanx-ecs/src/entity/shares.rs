//! What is set aside for lanes: their shares of the indices to come, and the gaps that they leave. See `lanes`.
//!
//! ```text
//! base │ round 0: 1024            │ round 1: 2048                                        │ round 2: 4096 …
//!      [ · · · · · D C A A A A A A ][ · · · · · · · · · · D D C C A A A A A A A A A A A A ][ …
//! ```
//!
//! A *share* is one of `2^depth` equal parts of each round (A: depth 1, C and D: depth 3). Each lane that is out has one; all others (·) are *spare*,
//! and the world goes on with the lowest index of those: what lanes hold is little, so the world's own indices stay close together. A share that
//! comes back is spare from where its lane has stopped. The first lane may need many ids and gets much; the more are out, the deeper are the shares.

use crate::order::sort_by;
use core::cmp::Reverse;
use core::ops::Range;
use std::collections::{BinaryHeap, VecDeque};

/// The first round has so many indices, each other twice as many as the one before.
const FIRST_ROUND: u64 = 1 << FIRST_BITS;
const FIRST_BITS: u32 = 10;
/// The rounds that begin below 2³².
const ROUNDS: u32 = 23;
/// No share is deeper: it would have fewer than a thousand indices.
const DEEPEST: u32 = 22;

/// One of `2^depth` equal parts of each round, from some place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Share {
    base: u32,
    max: u32,
    depth: u32,
    part: u32,
    /// The next round it takes part in.
    round: u32,
    /// What is left of the round before, from one index to another.
    rest: (u32, u32),
}

impl Share {
    /// All of each round, from `base` to `max`.
    fn whole(base: u32, max: u32) -> Self {
        Self { base, max, depth: 0, part: 0, round: 0, rest: (0, 0) }
    }

    /// The next round in which it has an index. What cannot be halved any more belongs to the first half of each half.
    fn next_round(self) -> u32 {
        let halved_off = self.part.trailing_zeros().min(self.depth);
        self.round.max((self.depth - halved_off).saturating_sub(FIRST_BITS))
    }

    /// How many indices it has in the next round, whether or not they are below `max`.
    fn next_len(self) -> u64 {
        (FIRST_ROUND << self.next_round() >> self.depth).max(1)
    }

    /// The next index, whether or not it is below `max`.
    fn next_index(self) -> u64 {
        if self.rest.0 < self.rest.1 {
            return self.rest.0.into();
        }
        let size = FIRST_ROUND << self.next_round();
        u64::from(self.base) + (size - FIRST_ROUND) + ((size * u64::from(self.part)) >> self.depth)
    }

    /// The next indices that follow each other; `None` if none is left.
    fn step(&mut self) -> Option<Range<u32>> {
        if self.rest.0 < self.rest.1 {
            let (start, end) = core::mem::take(&mut self.rest);
            return Some(start..end);
        }
        let (round, start) = (self.next_round(), self.next_index());
        let end = (start + self.next_len()).min(self.max.into());
        if round == ROUNDS || start >= end {
            return None;
        }
        self.round = round + 1;
        let index = |at: u64| u32::try_from(at).expect("at most `max`, a u32");
        Some(index(start)..index(end))
    }

    /// Where it goes on: the next place that has room for `count`, or else the next; and what is passed over.
    pub(super) fn next(&mut self, count: usize, passed: &mut Vec<Range<u32>>) -> Option<Range<u32>> {
        let mut ahead = *self;
        while let Some(page) = ahead.step() {
            if page.len() < count {
                continue;
            }
            while let Some(before) = self.step() {
                if before == page {
                    return Some(page);
                }
                passed.push(before);
            }
        }
        self.step()
    }

    /// It is one of `2^depth` equal parts.
    pub(super) fn depth(self) -> u32 {
        self.depth
    }

    /// It will go on with this, which is the rest of what it gave last.
    pub(super) fn put_back(&mut self, rest: Range<u32>) {
        self.rest = (rest.start, rest.end);
    }

    /// How many indices are left to it.
    pub(super) fn left(mut self) -> usize {
        let mut left = 0;
        while let Some(page) = self.step() {
            left += page.len();
        }
        left
    }

    /// Its first half, which also has the rest of the last round, and its second half.
    fn halves(self) -> (Self, Self) {
        let (depth, part) = (self.depth + 1, self.part * 2);
        (Self { depth, part, ..self }, Self { depth, part: part + 1, rest: (0, 0), ..self })
    }

    /// The last of its parts of this depth.
    fn last_part(self, depth: u32) -> Self {
        let mut share = self;
        while share.depth < depth {
            (_, share) = share.halves();
        }
        share
    }
}

/// How deep the shares of `count` lanes are if `out` have theirs.
///
/// The first lane gets 1/4, or those that are first together at most 3/8 of all; the others up to the 256th get 1/4 together, those up to the 4,096th 1/8,
/// those up to the 16,384th a tenth; and 1/16 those that are dealt together and many times as many as are out. So lanes hold seldom much more than
/// half of all, whatever the order in which they come and go: the nth of those that are out had at least n - 1 before it. A queue that gets a
/// new lane keeps its place in this.
fn depth(out: usize, count: usize) -> u32 {
    let bits = count.next_power_of_two().trailing_zeros();
    match (out, count) {
        (0, 1) => 2,
        (0, _) if count <= (3 << bits) / 4 => (bits + 1).min(DEEPEST),
        (0, _) => (bits + 2).min(DEEPEST),
        _ if out + count <= 256 => 10,
        _ if count >= 15 * out => (bits + 4).min(DEEPEST),
        _ if out + count <= 4096 => 15,
        _ if out + count <= 16_384 => 17,
        _ => DEEPEST,
    }
}

/// Lanes that are out together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Indices from here on belong to the group.
    pub(super) base: u32,
    /// Where the indices end that the world goes on with, if any are left between those issued and this.
    pub(super) fresh_end: u32,
    /// Shares that no lane has, by depth, the one with the lowest index first.
    spare: Vec<BinaryHeap<(Reverse<u64>, Share)>>,
    /// How many are spare; at least one.
    spares: usize,
    /// How many indices are left to those.
    pub(super) left: usize,
    /// How many lanes are not back.
    pub(super) out: usize,
    /// How many indices from `base` on the world knows of: lanes have handed them out or passed them over, or the world goes on with them.
    pub(super) known: usize,
}

impl Group {
    /// No lanes yet; indices from `base` on are theirs.
    pub(super) fn new(base: u32, max: u32) -> Self {
        let mut spare = Vec::new();
        spare.resize_with(DEEPEST as usize + 2, BinaryHeap::new);
        let mut group = Self { base, fresh_end: base, spare, spares: 0, left: 0, out: 0, known: 0 };
        group.put(Share::whole(base, max));
        group
    }

    /// A share that no lane has any more.
    pub(super) fn put(&mut self, share: Share) {
        self.left += share.left();
        self.spares += 1;
        self.spare[share.depth as usize].push((Reverse(share.next_index()), share));
    }

    fn pop(&mut self, depth: usize) -> Option<Share> {
        let (_, share) = self.spare[depth].pop()?;
        self.left -= share.left();
        self.spares -= 1;
        Some(share)
    }

    /// The indices that the world goes on with: the lowest that no lane has.
    pub(super) fn draw(&mut self) -> Option<Range<u32>> {
        let (mut lowest, mut found) = (u64::MAX, None);
        for (depth, spare) in self.spare.iter().enumerate() {
            if let Some((Reverse(index), _)) = spare.peek()
                && *index < lowest
            {
                (lowest, found) = (*index, Some(depth));
            }
        }
        let mut share = self.pop(found?)?;
        let page = share.step();
        self.put(share);
        self.known += page.as_ref().map_or(0, ExactSizeIterator::len);
        page
    }

    /// Shares for more lanes, as far as there are any: not deeper than those they had before, if they had some.
    pub(super) fn shares(&mut self, before: &[Option<u32>]) -> Vec<Option<Share>> {
        let depth = depth(self.out, before.len());
        before.iter().map(|before| self.share(before.map_or(depth, |before| before.min(depth)))).collect()
    }

    /// A share that is as deep, or deeper if there is none.
    fn share(&mut self, depth: u32) -> Option<Share> {
        let (mut nearest, mut found) = (u64::MAX, None);
        for (at, spare) in self.spare.iter().enumerate() {
            let Some((_, share)) = spare.peek() else { continue };
            if share.depth > depth {
                found = found.or(Some(at));
                break;
            }
            let distance = share.last_part(depth).next_index() - u64::from(self.base);
            // One that was split before will do even if it goes on twice as far away.
            let distance = if share.depth == depth { distance / 2 } else { distance };
            if distance <= nearest {
                (nearest, found) = (distance, Some(at));
            }
        }
        let found = found?;
        if self.spares == 1 && found == DEEPEST as usize + 1 {
            return None;
        }
        let mut share = self.pop(found)?;
        // The world keeps one.
        while share.depth < depth || self.spares == 0 {
            let (first, second) = share.halves();
            self.put(first);
            share = second;
        }
        Some(share)
    }

    /// Whether what it says of its spare shares is so; if not, what is not.
    pub(super) fn validate(&self) -> Result<(), String> {
        let (mut spares, mut left) = (0, 0);
        for (depth, shares) in self.spare.iter().enumerate() {
            for (Reverse(index), share) in shares {
                if share.depth as usize != depth || share.next_index() != *index {
                    return Err(format!("{share:?} is in the wrong place"));
                }
                (spares, left) = (spares + 1, left + share.left());
            }
        }
        if spares == 0 || (spares, left) != (self.spares, self.left) {
            return Err(format!("{spares} spare shares with {left}, {} with {} kept", self.spares, self.left));
        }
        if self.out == 0 { Err("a group without lanes".to_owned()) } else { Ok(()) }
    }

    /// What lies below `issued` and was never handed out, in order. Only if all lanes are back.
    pub(super) fn between(self, issued: u32) -> Vec<Range<u32>> {
        let mut between = Vec::new();
        for (_, mut share) in self.spare.into_iter().flatten() {
            while share.next_index() < issued.into()
                && let Some(page) = share.step()
            {
                between.push(page.start..page.end.min(issued));
            }
        }
        sort_by(&mut between, |a, b| a.start < b.start);
        between
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
    pub(super) fn add_gap(&mut self, range: Range<u32>) {
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
    pub(super) fn take_gap(&mut self, most: usize) -> Option<Range<u32>> {
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

    /// How many indices with a stamp, if there are `issued`, are left to lanes and to spare shares.
    pub(super) fn withheld(&self, issued: usize) -> usize {
        let Some(group) = &self.group else { return 0 };
        issued.max(group.fresh_end as usize) - group.base as usize - group.known
    }
}
