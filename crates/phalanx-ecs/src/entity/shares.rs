//! What is set aside for lanes: their shares of the indices to come, and the gaps that they leave. See `lanes`.

use core::ops::Range;
use std::collections::VecDeque;

/// A share has at least so many indices in each round it takes part in.
const LEAST: u64 = 1024;
/// A share is at least 1 / 2^10 of a round: with smaller ones, the first index would be too far away.
const DEEPEST: u32 = 10;

/// One of `2^depth` equal parts of each round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    depth: u32,
    part: u64,
    /// The next round it takes part in.
    round: u32,
}

impl Share {
    /// All of each round.
    const WHOLE: Self = Self { depth: 0, part: 0, round: 0 };

    /// The indices of this share in a round, below `max`; `None` if there are none, in this round and all later ones.
    fn in_round(self, round: u32, base: u32, max: u32) -> Option<Range<u32>> {
        let size = LEAST << (round + 1) >> self.depth;
        let start = u64::from(base) + (LEAST << (round + 1)) - 2 * LEAST + self.part * size;
        let end = (start + size).min(u64::from(max));
        let index = |at: u64| u32::try_from(at).expect("below `max`, a u32");
        (start < end).then(|| index(start)..index(end))
    }

    /// Where it goes on, and the round: the next one that has room for `count`, or the next one.
    pub(super) fn next(&mut self, base: u32, max: u32, count: usize) -> Option<Range<u32>> {
        let first = self.round.max(self.depth.saturating_sub(1));
        let rounds = || (first..22).map_while(|round| Some((round, self.in_round(round, base, max)?)));
        let (round, range) = rounds().find(|(_, range)| range.len() >= count).or_else(|| rounds().next())?;
        self.round = round + 1;
        Some(range)
    }

    /// How many indices are left to it.
    pub(super) fn left(self, base: u32, max: u32) -> usize {
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
    pub(super) own: Share,
    /// Shares that nobody has yet.
    spare: VecDeque<Share>,
    pub(super) dealt: usize,
    /// How many lanes are not back.
    pub(super) out: usize,
    /// Indices from `base` on that are in use; apart, in no order.
    pub(super) taken: Vec<Range<u32>>,
}

impl Group {
    /// No lanes yet; indices from `base` on are theirs.
    pub(super) fn new(base: u32) -> Self {
        Self { base, own: Share::WHOLE, spare: VecDeque::new(), dealt: 0, out: 0, taken: Vec::new() }
    }

    /// Shares for `count` more lanes, as far as there are any.
    pub(super) fn shares(&mut self, count: usize) -> Vec<Option<Share>> {
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

    /// How many indices lie between those that the lanes of the group use, if stamps go up to `issued`.
    pub(super) fn withheld(&self, issued: usize) -> usize {
        let Some(group) = &self.group else { return 0 };
        let taken: usize = group.taken.iter().map(ExactSizeIterator::len).sum();
        issued.saturating_sub(group.base as usize) - taken
    }
}
