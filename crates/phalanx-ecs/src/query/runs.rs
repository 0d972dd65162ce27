//! Runs of rows that a walk does not pass over, found 64 rows at a time.

use std::ops::Range;

/// A mask of the first so many bits, or of all 64.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn first_bits(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { !0 }
}

/// Goes through the runs of visible rows within a range. What is visible is asked anew with each call, by blocks of 64 rows: a set bit is a
/// row to visit.
#[derive(Clone, Copy, Default)]
pub(super) struct Runs {
    block: usize,
    /// What is left of the present block.
    word: u64,
    end: usize,
}

impl Runs {
    #[inline]
    pub(super) fn new(rows: Range<usize>, visible: impl Fn(usize) -> u64) -> Self {
        let mut runs = Self { block: rows.start / 64, word: 0, end: rows.end };
        if rows.start < rows.end {
            runs.word = runs.look(visible) & (!0 << (rows.start % 64));
        }
        runs
    }

    /// The visible rows of the present block, none beyond the end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn look(&self, visible: impl Fn(usize) -> u64) -> u64 {
        let left = self.end - self.block * 64;
        visible(self.block) & first_bits(left)
    }

    /// The next run.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn next(&mut self, visible: impl Fn(usize) -> u64) -> Option<Range<usize>> {
        while self.word == 0 {
            self.block += 1;
            if self.block * 64 >= self.end {
                self.block -= 1;
                return None;
            }
            self.word = self.look(&visible);
        }
        let first = self.word.trailing_zeros();
        let ones = (self.word >> first).trailing_ones();
        let start = self.block * 64 + first as usize;
        let mut end = start + ones as usize;
        if first + ones < 64 {
            self.word &= !0 << (first + ones);
            return Some(start..end);
        }
        // The run may go on in the next block.
        self.word = 0;
        while (self.block + 1) * 64 < self.end {
            self.block += 1;
            self.word = self.look(&visible);
            let ones = self.word.trailing_ones();
            end += ones as usize;
            if ones < 64 {
                self.word &= !0 << ones;
                break;
            }
            self.word = 0;
        }
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_visible_rows_in_order() {
        let words = [0b1011, !0, !0, 0, 1 << 63, !0, 0b111];
        let visible = |block: usize| words[block];
        for end in 0..=7 * 64 {
            for start in [0, 1, 2, 3, 63, 64, 65, 190, 191, 192, 319, 320, 400] {
                let expected: Vec<usize> = (start..end).filter(|row| words[row / 64] >> (row % 64) & 1 == 1).collect();
                let mut runs = Runs::new(start..end, visible);
                let mut found: Vec<usize> = Vec::new();
                while let Some(run) = runs.next(visible) {
                    assert!(!run.is_empty() && found.last().is_none_or(|last| last + 1 < run.start), "runs are apart");
                    found.extend(run);
                }
                assert_eq!(found, expected, "{start}..{end}");
                assert!(runs.next(visible).is_none());
            }
        }
    }
}
