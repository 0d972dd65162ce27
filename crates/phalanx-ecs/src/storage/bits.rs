//! A bit per row, and how many are set: rows that are disabled, or dead and not collected yet.

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
/// ```
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct SummedBits {
    bits: Bits,
    /// Words beyond the last of its own are not full.
    full: Vec<u64>,
}

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

    /// Sets or clears a bit; answers what it was.
    pub(crate) fn set(&mut self, row: usize, to: bool) -> bool {
        let was = self.bits.set(row, to);
        if was != to {
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
        let last = self.set(len - 1, false);
        if row == len - 1 { last } else { self.set(row, last) }
    }

    pub(crate) fn clear(&mut self) {
        self.bits.clear();
        self.full.clear();
    }

    pub(crate) fn shrink(&mut self) {
        self.bits.shrink();
        let used = self.full.iter().rposition(|word| *word != 0).map_or(0, |at| at + 1);
        self.full.truncate(used);
        self.full.shrink_to_fit();
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.bytes() + self.full.capacity() * size_of::<u64>()
    }

    /// The first thing that does not fit together, if any.
    pub(crate) fn fault(&self, len: usize) -> Option<String> {
        let is_noted = |word: usize| self.not_full(word / 64) >> (word % 64) & 1 == 0;
        let mut words = 0..self.bits.words.len().max(self.full.len() * 64);
        let wrong = words.find(|word| (self.bits.word(*word) == !0) != is_noted(*word));
        let wrong = wrong.map(|word| format!("whether word {word} of the bits is full is noted wrongly"));
        self.bits.fault(len).or(wrong)
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
