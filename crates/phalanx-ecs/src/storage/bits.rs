//! A bit per row, and how many are set: rows that are disabled, or dead and not collected yet.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bits by row. Rows beyond the last word have none set.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    ones: usize,
}

impl Bits {
    /// How many bits are set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn ones(&self) -> usize {
        self.ones
    }

    /// The bits of 64 rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn word(&self, block: usize) -> u64 {
        self.words.get(block).copied().unwrap_or(0)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self, row: usize) -> bool {
        self.word(row / 64) >> (row % 64) & 1 == 1
    }

    /// Sets or clears a bit; answers what it was.
    pub(crate) fn set(&mut self, row: usize, to: bool) -> bool {
        let was = self.get(row);
        if was != to {
            if row / 64 >= self.words.len() {
                self.words.resize(row / 64 + 1, 0);
            }
            self.words[row / 64] ^= 1 << (row % 64);
            self.ones = if to { self.ones + 1 } else { self.ones - 1 };
        }
        was
    }

    /// Takes a row out of `len`: the last one moves into the hole. Answers the bit of the one taken out.
    pub(crate) fn swap_remove(&mut self, row: usize, len: usize) -> bool {
        let last = self.set(len - 1, false);
        if row == len - 1 { last } else { self.set(row, last) }
    }

    /// The rows whose bit is set, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                word &= word.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        })
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.ones = 0;
    }

    pub(crate) fn shrink(&mut self) {
        let used = self.words.iter().rposition(|word| *word != 0).map_or(0, |at| at + 1);
        self.words.truncate(used);
        self.words.shrink_to_fit();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// The first thing that does not fit together, if any.
    pub(crate) fn fault(&self, len: usize) -> Option<String> {
        let counted = self.iter().count();
        if counted != self.ones {
            return Some(format!("{counted} bits are set, {} were counted", self.ones));
        }
        self.iter().find(|row| *row >= len).map(|row| format!("bit {row} is set, but there are {len} rows"))
    }
}

/// Bits of which it is known where 64 rows side by side all have theirs set: a walk over the others passes over them unseen.
///
/// ```text
/// bits    [ 0…0110 | 1…1111 | 1…1111 | 1…1011 ]     64 rows to a word
/// full    [ 0…0110 ]                                a bit per word
/// few     [ 0 3 5 … ]                               the rows that are not set, if they are few
/// ```
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct SummedBits {
    bits: Bits,
    /// Words beyond the last of its own are not full.
    full: Vec<u64>,
    few: Few,
}

/// If at most one of so many rows has no bit, these are listed: a processor that looks for them in the bits waits longer for each than it takes to visit them.
const FEW: usize = 8;

/// The rows that are not set, noted by the second walk after a change: what changes between any two walks is not worth it.
#[derive(Default, Debug)]
struct Few {
    walked: AtomicBool,
    /// Of how many rows they are, and which.
    rows: OnceLock<(usize, Box<[u32]>)>,
}

impl Few {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn forget(&mut self) {
        if *self.walked.get_mut() {
            *self = Self::default();
        }
    }
}

impl Clone for Few {
    /// Nothing: it follows from the bits.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Few {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Few {}

impl std::ops::Deref for SummedBits {
    type Target = Bits;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn deref(&self) -> &Bits {
        &self.bits
    }
}

impl SummedBits {
    /// Of 64 words, those that have a bit that is not set, as a mask.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn not_full(&self, group: usize) -> u64 {
        !self.full.get(group).copied().unwrap_or(0)
    }

    /// The rows of `len` that are not set, in order, if they are few and nothing has changed since somebody asked before.
    pub(crate) fn few_unset(&self, len: usize) -> Option<&[u32]> {
        if (len - self.ones()) * FEW > len {
            return None;
        }
        let (of, rows) = match self.few.rows.get() {
            Some(noted) => noted,
            None if self.few.walked.swap(true, Ordering::Relaxed) => {
                self.few.rows.get_or_init(|| (len, self.unset(len).collect()))
            }
            None => return None,
        };
        (*of == len).then_some(rows)
    }

    /// The rows of `len` that are not set, in order.
    fn unset(&self, len: usize) -> impl Iterator<Item = u32> + '_ {
        let rows = u32::try_from(len).expect("tables have fewer than 2³² rows");
        (0..rows).step_by(64).flat_map(move |first| {
            let mut word = !self.word(first as usize / 64);
            if rows - first < 64 {
                word &= (1 << (rows - first)) - 1;
            }
            std::iter::from_fn(move || {
                let row = first + word.trailing_zeros();
                (word != 0).then(|| {
                    word &= word - 1;
                    row
                })
            })
        })
    }

    /// There are more or fewer rows than before.
    pub(crate) fn resized(&mut self) {
        self.few.forget();
    }

    /// Sets or clears a bit; answers what it was.
    pub(crate) fn set(&mut self, row: usize, to: bool) -> bool {
        let was = self.bits.set(row, to);
        if was != to {
            self.few.forget();
            let (word, bit) = (self.bits.word(row / 64), 1 << (row % 64));
            if word | bit == !0 {
                self.note(row / 64, to);
            }
        }
        was
    }

    /// All bits of a word are set now, or one of them is not any more.
    fn note(&mut self, word: usize, full: bool) {
        if word / 64 >= self.full.len() {
            self.full.resize(word / 64 + 1, 0);
        }
        let bit = 1 << (word % 64);
        if full {
            self.full[word / 64] |= bit;
        } else {
            self.full[word / 64] &= !bit;
        }
    }

    /// Takes a row out of `len`: the last one moves into the hole. Answers the bit of the one taken out.
    pub(crate) fn swap_remove(&mut self, row: usize, len: usize) -> bool {
        self.few.forget();
        let last = self.set(len - 1, false);
        if row == len - 1 { last } else { self.set(row, last) }
    }

    pub(crate) fn clear(&mut self) {
        self.bits.clear();
        self.full.clear();
        self.few.forget();
    }

    pub(crate) fn shrink(&mut self) {
        self.few.forget();
        self.bits.shrink();
        let used = self.full.iter().rposition(|word| *word != 0).map_or(0, |at| at + 1);
        self.full.truncate(used);
        self.full.shrink_to_fit();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        let few = self.few.rows.get().map_or(0, |(_, rows)| size_of_val(&**rows));
        self.bits.bytes() + self.full.capacity() * size_of::<u64>() + few
    }

    /// The first thing that does not fit together, if any.
    pub(crate) fn fault(&self, len: usize) -> Option<String> {
        let is_noted = |word: usize| self.not_full(word / 64) >> (word % 64) & 1 == 0;
        let mut words = 0..self.bits.words.len().max(self.full.len() * 64);
        let wrong = words.find(|word| (self.bits.word(*word) == !0) != is_noted(*word));
        let wrong = wrong.map(|word| format!("whether word {word} of the bits is full is noted wrongly"));
        let noted = self.few.rows.get().filter(|(of, rows)| *of == len && !self.unset(len).eq(rows.iter().copied()));
        let noted = noted.map(|_| "the rows that are noted as not set are others".to_owned());
        self.bits.fault(len).or(wrong).or(noted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_full_are_known() {
        let mut bits = SummedBits::default();
        for row in 64..64 * 70 {
            bits.set(row, true);
        }
        assert_eq!((bits.not_full(0), bits.not_full(1)), (1, !0b11_1111));
        bits.set(130, false);
        assert_eq!((bits.not_full(0), bits.not_full(9)), (0b101, !0));
        assert_eq!(bits.fault(64 * 70), None);
        bits.set(130, true);
        for len in (65..=64 * 70).rev() {
            bits.swap_remove(64, len);
            assert_eq!(bits.fault(len - 1), None);
        }
        assert_eq!((bits.ones(), bits.not_full(0), bits.not_full(1)), (0, !0, !0));
    }

    #[test]
    fn few_rows_are_listed_when_nothing_changes() {
        let mut bits = SummedBits::default();
        for row in (0..200).filter(|row| ![5, 64, 130].contains(row)) {
            bits.set(row, true);
        }
        assert_eq!(bits.few_unset(200), None, "the first walk may be the only one");
        assert_eq!(bits.few_unset(200), Some(&[5, 64, 130][..]));
        assert_eq!(bits.few_unset(201), None, "a row has come that nobody spoke of");
        bits.resized();
        assert_eq!([bits.few_unset(201), bits.few_unset(201)], [None, Some(&[5, 64, 130, 200][..])]);
        bits.set(64, true);
        assert_eq!([bits.few_unset(201), bits.few_unset(201)], [None, Some(&[5, 130, 200][..])]);
        bits.swap_remove(7, 201);
        assert_eq!([bits.few_unset(200), bits.few_unset(200)], [None, Some(&[5, 7, 130][..])]);
        assert_eq!(bits.fault(200), None);
        for row in 0..40 {
            bits.set(row, false);
        }
        assert_eq!([bits.few_unset(200), bits.few_unset(200)], [None, None], "too many");
    }

    #[test]
    fn bits_follow_their_rows() {
        let (mut bits, mut model) = (Bits::default(), Vec::<bool>::new());
        let mut state = 7u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % below
        };
        for _ in 0..if cfg!(miri) { 300 } else { 10_000 } {
            match random(4) {
                0 | 1 => model.push(false),
                2 if !model.is_empty() => {
                    let (row, to) = (random(model.len()), random(2) == 0);
                    assert_eq!(bits.set(row, to), std::mem::replace(&mut model[row], to));
                }
                _ if !model.is_empty() => {
                    let row = random(model.len());
                    assert_eq!(bits.swap_remove(row, model.len()), model.swap_remove(row));
                }
                _ => {}
            }
            assert_eq!(bits.fault(model.len()), None);
        }
        let expected: Vec<usize> = (0..model.len()).filter(|row| model[*row]).collect();
        assert_eq!(bits.iter().collect::<Vec<_>>(), expected);
        assert!(!expected.is_empty());
    }
}
