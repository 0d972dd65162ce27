//! What is set aside for lanes: their shares of the indices to come, and the gaps that they leave. See `lanes`.
//!
//! ```text
//! base │ round 0: 1024            │ round 1: 2048                                        │ round 2: 4096 …
//!      [ A A A A A A · · · · · · D C ][ A A A A A A A A A A A A · · · · · · · · · · · D D C C ][ …
//! ```
//!
//! A *share* is one of `2^depth` equal parts of each round (A: depth 2, C and D: depth 4). Each lane that is out has one; all others (·) are *spare*,
//! and the world goes on with the lowest index of those: what lanes hold is little, so the world's own indices stay close together. A share that
//! comes back is spare from where its lane has stopped. The first lane may need many ids and gets much; the more are out, the deeper are the shares.

use super::share::Share;
use crate::order::sort_by;
use core::ops::Range;
use std::collections::VecDeque;

/// No share is deeper: it would have fewer than a thousand indices.
const DEEPEST: u32 = 22;

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
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Indices from here on belong to the group.
    pub(super) base: u32,
    /// Where the indices end that the world goes on with, if any are left between those issued and this.
    pub(super) fresh_end: u32,
    /// Shares that no lane has, by depth; each list is a heap with the lowest index on top.
    spare: Vec<Vec<Share>>,
    /// How many are spare; at least one.
    spares: usize,
    /// How many indices are left to those.
    pub(super) left: usize,
    /// How many lanes are not back.
    pub(super) out: usize,
    /// How many indices from `base` on the world knows of: lanes have handed them out or passed them over, or the world goes on with them.
    pub(super) known: usize,
    /// Memory for when it is closed.
    between: Vec<Range<u32>>,
}

impl Group {
    /// No lanes yet; indices from `base` on are theirs.
    fn open(&mut self, base: u32, max: u32) {
        self.spare.resize_with(DEEPEST as usize + 2, Vec::new);
        self.spare[0].push(Share::whole(base, max));
        (self.base, self.fresh_end) = (base, base);
        (self.spares, self.left) = (1, max.saturating_sub(base) as usize);
    }

    /// A share that no lane has any more.
    pub(super) fn put(&mut self, share: Share) {
        self.left += share.left();
        self.push(share);
    }

    fn push(&mut self, share: Share) {
        self.spares += 1;
        let heap = &mut self.spare[share.depth() as usize];
        let mut at = heap.len();
        heap.push(share);
        while at > 0 && heap[at].next_index() < heap[(at - 1) / 2].next_index() {
            heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn pop(&mut self, depth: usize) -> Option<Share> {
        let heap = &mut self.spare[depth];
        let last = heap.len().checked_sub(1)?;
        self.spares -= 1;
        heap.swap(0, last);
        let share = heap.pop();
        let mut at = 0;
        loop {
            let mut lowest = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < last && heap[child].next_index() < heap[lowest].next_index() {
                    lowest = child;
                }
            }
            if lowest == at {
                return share;
            }
            heap.swap(at, lowest);
            at = lowest;
        }
    }

    /// The indices that the world goes on with: the lowest that no lane has.
    pub(super) fn draw(&mut self) -> Option<Range<u32>> {
        let (mut lowest, mut found) = (u64::MAX, None);
        for (depth, spare) in self.spare.iter().enumerate() {
            if let Some(share) = spare.first()
                && share.next_index() < lowest
            {
                (lowest, found) = (share.next_index(), Some(depth));
            }
        }
        let mut share = self.pop(found?)?;
        let page = share.step();
        self.push(share);
        let len = page.as_ref().map_or(0, ExactSizeIterator::len);
        self.known += len;
        self.left -= len;
        page
    }

    /// How deep the shares of so many more lanes are.
    pub(super) fn depth_for(&self, count: usize) -> u32 {
        depth(self.out, count)
    }

    /// A share that is as deep, or deeper if there is none.
    pub(super) fn share(&mut self, depth: u32) -> Option<Share> {
        let (mut nearest, mut found) = (u64::MAX, None);
        for (at, spare) in self.spare.iter().enumerate() {
            let Some(share) = spare.first() else { continue };
            if share.depth() > depth {
                found = found.or(Some(at));
                break;
            }
            let distance = share.last_part(depth).next_index() - u64::from(self.base);
            // One that was split before will do even if it goes on twice as far away.
            let distance = if share.depth() == depth { distance / 2 } else { distance };
            if distance <= nearest {
                (nearest, found) = (distance, Some(at));
            }
        }
        let found = found?;
        if self.spares == 1 && found == DEEPEST as usize + 1 {
            return None;
        }
        let mut share = self.pop(found)?;
        // Whoever comes first is nearest to what is issued: it may be alone, and use many.
        let first_of_all = share.depth() == 0;
        // The world keeps one.
        while share.depth() < depth || self.spares == 0 {
            let (first, second) = share.halves();
            let (kept, taken) = if first_of_all { (second, first) } else { (first, second) };
            self.push(kept);
            share = taken;
        }
        self.left -= share.left();
        Some(share)
    }

    /// Whether what it says of its spare shares is so; if not, what is not.
    pub(super) fn validate(&self) -> Result<(), String> {
        let (mut spares, mut left) = (0, 0);
        for (depth, shares) in self.spare.iter().enumerate() {
            for (at, share) in shares.iter().enumerate() {
                let above = &shares[at.saturating_sub(1) / 2];
                if share.depth() as usize != depth || share.next_index() < above.next_index() {
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

    /// What lies below `issued` and was never handed out, in order. Only if all lanes are back; it is as if new afterwards.
    fn close(&mut self, issued: u32) -> &mut Vec<Range<u32>> {
        let between = &mut self.between;
        for spare in &mut self.spare {
            for mut share in spare.drain(..) {
                while share.next_index() < issued.into()
                    && let Some(page) = share.step()
                {
                    between.push(page.start..page.end.min(issued));
                }
            }
        }
        sort_by(between, |a, b| a.start < b.start);
        self.known = 0;
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
    /// The memory of the last group: who has one queue opens and closes one each time.
    closed: Option<Box<Group>>,
}

impl Reservations {
    /// Lanes can be dealt; indices from `base` to `max` are theirs.
    pub(super) fn open_group(&mut self, base: u32, max: u32) {
        let mut group = self.closed.take().unwrap_or_default();
        group.open(base, max);
        self.group = Some(group);
    }

    /// All lanes are back: what lies between the indices they used, below `issued`, can be handed out.
    pub(super) fn close_group(&mut self, issued: u32) {
        let mut group = self.group.take().expect("a group");
        for range in group.close(issued).drain(..) {
            self.add_gap(range);
        }
        self.closed = Some(group);
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.closed = None;
        self.gaps.shrink_to_fit();
    }

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
