//! `Share`: one of `2^depth` equal parts of each round of indices to come. See `shares`.

use core::ops::Range;

/// The first round has so many indices, each other twice as many as the one before.
const FIRST_ROUND: u64 = 1 << FIRST_BITS;
const FIRST_BITS: u32 = 10;
/// The rounds that begin below 2³².
const ROUNDS: u32 = 23;

/// One of `2^depth` equal parts of each round, from some place on.
#[derive(Clone, Copy, Debug)]
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
    pub(super) fn whole(base: u32, max: u32) -> Self {
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
    pub(super) fn next_index(self) -> u64 {
        if self.rest.0 < self.rest.1 {
            return self.rest.0.into();
        }
        let size = FIRST_ROUND << self.next_round();
        u64::from(self.base) + (size - FIRST_ROUND) + ((size * u64::from(self.part)) >> self.depth)
    }

    /// The next indices that follow each other; `None` if none is left.
    pub(super) fn step(&mut self) -> Option<Range<u32>> {
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
        while self.rest.0 < self.rest.1 || FIRST_BITS + self.next_round() < self.depth {
            let Some(page) = self.step() else { return left };
            left += page.len();
        }
        // From here on each round has twice as many as the one before; all but the last are whole.
        let (first, mut last) = (self.next_round(), self);
        last.round = ROUNDS;
        while last.round > first {
            last.round -= 1;
            let mut at_last = last;
            if let Some(page) = at_last.step() {
                let len = |round: u32| 1usize << (FIRST_BITS + round - self.depth);
                return left + (len(last.round) - len(first)) + page.len();
            }
        }
        left
    }

    /// Its first half, which also has the rest of the last round, and its second half.
    pub(super) fn halves(self) -> (Self, Self) {
        let (depth, part) = (self.depth + 1, self.part * 2);
        (Self { depth, part, ..self }, Self { depth, part: part + 1, rest: (0, 0), ..self })
    }

    /// The last of its parts of this depth.
    pub(super) fn last_part(self, depth: u32) -> Self {
        let mut share = self;
        while share.depth < depth {
            (_, share) = share.halves();
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::sort_by;

    fn pages(mut share: Share) -> Vec<Range<u32>> {
        core::iter::from_fn(|| share.step()).collect()
    }

    #[test]
    fn shares_have_all_indices_once_however_they_are_split() {
        for max in [100_000, 5000, 1500, 1000] {
            let base = 1000;
            let (mut shares, mut random) = (vec![Share::whole(base, max)], 1u32);
            // An interpreter is a thousand times slower.
            for _ in 0..if cfg!(miri) { 20 } else { 3000 } {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (random >> 8) as usize % shares.len();
                if shares[at].depth < 22 {
                    let (first, second) = shares.swap_remove(at).halves();
                    shares.extend([first, second]);
                }
            }
            let mut all: Vec<Range<u32>> = shares.iter().flat_map(|share| pages(*share)).collect();
            sort_by(&mut all, |a, b| a.start < b.start);
            let mut end = base;
            for page in all {
                assert_eq!(page.start, end);
                end = page.end;
            }
            assert_eq!(end, max.max(base));
            for share in shares {
                assert_eq!(share.left(), pages(share).iter().map(ExactSizeIterator::len).sum::<usize>(), "{share:?}");
            }
        }
    }

    #[test]
    fn what_is_put_back_comes_next() {
        let mut share = Share::whole(0, 10_000).last_part(2);
        let (mut passed, before) = (Vec::new(), share.left());
        assert_eq!(share.next(300, &mut passed), Some(1024 + 1536..3072));
        assert_eq!(passed.pop(), Some(768..1024));
        share.put_back(2600..3072);
        assert_eq!((share.next_index(), share.left()), (2600, before - 256 - 40));
        assert_eq!(share.next(1, &mut passed), Some(2600..3072));
    }
}
