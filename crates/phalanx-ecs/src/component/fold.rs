//! Folding values into a checksum.
//!
//! ```text
//! state ─► (state ^ word) × odd ─► ^ its own upper half ─► state        one step per word
//! ```
//!
//! Each step loses nothing: with the same word, different states stay different, and with the same state, different words make
//! different states. So two sequences that differ in one word never have the same sum; others have it with a chance of 2⁻⁶⁴. It is fast and
//! depends on nothing but the words. It is no protection from somebody who wants to make two sums equal.

/// An odd number without pattern: 2⁶⁴ divided by the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Takes in words, one after the other, and answers a sum that depends on all of them and on their order.
///
/// ```
/// use phalanx_ecs::Folder;
///
/// let (mut a, mut b) = (Folder::new(), Folder::new());
/// a.word(1);
/// a.word(2);
/// b.word(2);
/// b.word(1);
/// assert_ne!(a.sum(), b.sum());
/// ```
#[derive(Clone, Debug)]
pub struct Folder(u64);

impl Folder {
    /// One that has taken in nothing.
    ///
    /// ```
    /// use phalanx_ecs::Folder;
    ///
    /// let mut folder = Folder::new();
    /// folder.word(0);
    /// assert_ne!(folder.sum(), Folder::new().sum(), "a zero counts too");
    /// ```
    pub const fn new() -> Self {
        Self(FACTOR)
    }

    /// Takes in a number.
    ///
    /// ```
    /// use phalanx_ecs::Folder;
    ///
    /// let sum = |words: [u64; 2]| {
    ///     let mut folder = Folder::new();
    ///     words.map(|word| folder.word(word));
    ///     folder.sum()
    /// };
    /// assert_eq!(sum([1, 2]), sum([1, 2]));
    /// assert_ne!(sum([1, 2]), sum([1, 3]));
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(FACTOR);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// Takes in numbers, but not how many they are.
    ///
    /// ```
    /// use phalanx_ecs::Folder;
    ///
    /// let (mut a, mut b) = (Folder::new(), Folder::new());
    /// a.words([1, 2, 3]);
    /// b.words([1, 2]);
    /// b.word(3);
    /// assert_eq!(a.sum(), b.sum());
    /// ```
    #[inline]
    pub fn words(&mut self, words: impl IntoIterator<Item = u64>) {
        for word in words {
            self.word(word);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn halves(&mut self, number: u128) {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        self.word(number as u64);
        self.word((number >> 64) as u64);
    }

    /// Takes in how many there are of what follows, or which of several it is.
    ///
    /// So that `[[1], [2]]` and `[[1, 2], []]` have different sums.
    ///
    /// ```
    /// use phalanx_ecs::Folder;
    ///
    /// let sum = |lists: [&[u64]; 2]| {
    ///     let mut folder = Folder::new();
    ///     for list in lists {
    ///         folder.count(list.len());
    ///         folder.words(list.iter().copied());
    ///     }
    ///     folder.sum()
    /// };
    /// assert_ne!(sum([&[1], &[2]]), sum([&[1, 2], &[]]));
    /// ```
    #[inline]
    pub fn count(&mut self, count: usize) {
        self.word(count as u64);
    }

    /// Takes in bytes, and how many they are.
    ///
    /// ```
    /// use phalanx_ecs::Folder;
    ///
    /// let sum = |parts: &[&[u8]]| {
    ///     let mut folder = Folder::new();
    ///     parts.iter().for_each(|part| folder.bytes(part));
    ///     folder.sum()
    /// };
    /// assert_ne!(sum(&[b"ab", b"c"]), sum(&[b"a", b"bc"]));
    /// ```
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        let (words, rest) = bytes.as_chunks::<8>();
        self.words(words.iter().map(|word| u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(word));
        }
    }

    /// The sum of all that was taken in.
    ///
    /// It is the same on every machine, and in every run of the program.
    ///
    /// ```
    /// use phalanx_ecs::Folder;
    ///
    /// let mut folder = Folder::new();
    /// folder.word(7);
    /// let before = folder.sum();
    /// assert_eq!(folder.sum(), before);
    /// folder.word(7);
    /// assert_ne!(folder.sum(), before);
    /// ```
    pub fn sum(&self) -> u64 {
        // Every bit of the state reaches every bit of the sum (the last steps of `splitmix64`), so that sums can be added up.
        let mut sum = self.0;
        sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        sum = (sum ^ (sum >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        sum ^ (sum >> 31)
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn sum(words: &[u64]) -> u64 {
        let mut folder = Folder::new();
        folder.words(words.iter().copied());
        folder.sum()
    }

    #[test]
    fn small_sequences_all_differ() {
        let mut seen = HashSet::new();
        let small = if cfg!(miri) { 6 } else { 40 };
        for a in 0..small {
            assert!(seen.insert(sum(&[a])));
            for b in 0..small {
                assert!(seen.insert(sum(&[a, b])));
                for c in 0..small {
                    assert!(seen.insert(sum(&[a, b, c])));
                }
            }
        }
    }

    #[test]
    fn each_bit_of_a_word_changes_about_half_of_the_sum() {
        for at in 0..3 {
            for bit in 0..64 {
                let mut words = [7, 0, u64::MAX];
                let before = sum(&words);
                words[at] ^= 1 << bit;
                let changed = (sum(&words) ^ before).count_ones();
                assert!((12..=52).contains(&changed), "bit {bit} of word {at} changes {changed} bits");
            }
        }
    }

    #[test]
    fn the_sum_is_the_same_in_every_build() {
        // Whoever changes this number changes every checksum that anybody has written down.
        assert_eq!(format!("{:016x}", sum(&[1, 2, 3])), "f85c1840eb6a5a12");
    }

    #[test]
    fn bytes_are_told_from_their_padding() {
        let of = |bytes: &[u8]| {
            let mut folder = Folder::new();
            folder.bytes(bytes);
            folder.sum()
        };
        assert_ne!(of(&[1]), of(&[1, 0]));
        assert_ne!(of(&[]), of(&[0; 8]));
        assert_ne!(of(&[0; 8]), of(&[0; 9]));
    }
}
