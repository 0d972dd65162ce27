//! Bits in a row of words.

/// Marked places, found without a look at each word:
///
/// ```text
/// words     [ 0  0  6 │ 0 … ]      64 places each
/// filled    [     100 │ 0 … ]      64 words each: those with a mark
/// ```
#[derive(Default)]
pub(super) struct Marks {
    words: Vec<u64>,
    filled: Vec<u64>,
    /// No group of words before this one has a mark.
    front: usize,
}

impl Marks {
    /// Room for so many places; marks on others are lost.
    pub(super) fn resize(&mut self, places: usize) {
        let words = places.div_ceil(64);
        self.words.resize(words, 0);
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), places % 64) {
            *last &= first_bits(rest);
        }
        self.filled.resize(words.div_ceil(64), 0);
        if let (Some(last), rest @ 1..) = (self.filled.last_mut(), words % 64) {
            *last &= first_bits(rest);
        }
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize) {
        let word = place / 64;
        self.words[word] |= 1 << (place % 64);
        self.filled[word / 64] |= 1 << (word % 64);
        self.front = self.front.min(word / 64);
    }

    /// Marks the first so many places: all there are.
    pub(super) fn set_all(&mut self, places: usize) {
        self.words.fill(!0);
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), places % 64) {
            *last = first_bits(rest);
        }
        self.filled.fill(!0);
        if let (Some(last), rest @ 1..) = (self.filled.last_mut(), self.words.len() % 64) {
            *last = first_bits(rest);
        }
        self.front = 0;
    }

    /// Takes all marks off.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
        self.filled.fill(0);
    }

    /// Takes off the marks before a place, and the first that is not; answers where that was.
    #[inline]
    pub(super) fn take_from(&mut self, place: usize) -> Option<usize> {
        while let Some(filled) = self.filled.get_mut(self.front) {
            while *filled != 0 {
                let at = self.front * 64 + filled.trailing_zeros() as usize;
                let word = &mut self.words[at];
                if at <= place / 64 {
                    *word &= if at < place / 64 { 0 } else { !first_bits(place % 64) };
                }
                if *word != 0 {
                    let first = at * 64 + word.trailing_zeros() as usize;
                    *word &= *word - 1;
                    return Some(first);
                }
                *filled &= *filled - 1;
            }
            self.front += 1;
        }
        None
    }

    #[cfg(test)]
    pub(super) fn has(&self, place: usize) -> bool {
        is_set(&self.words, place)
    }
}

fn first_bits(count: usize) -> u64 {
    (1 << count) - 1
}

pub(super) fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] & (1 << (at % 64)) != 0
}

/// Sets bits from one to another.
pub(super) fn fill(bits: &mut [u64], mut first: usize, end: usize) {
    while first < end {
        let count = (64 - first % 64).min(end - first);
        bits[first / 64] |= (u64::MAX >> (64 - count)) << (first % 64);
        first += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks are taken from the front, none of those before the place that was asked for.
    #[test]
    fn marks_are_taken_from_the_front() {
        let places = [0, 1, 63, 64, 65, 127, 640, 4095, 4096, 4097, 8192, 12_287];
        for from in places {
            let mut marks = Marks::default();
            marks.resize(12_288);
            for place in places {
                marks.set(place);
            }
            let mut taken = Vec::new();
            let mut next = from;
            while let Some(place) = marks.take_from(next) {
                taken.push(place);
                next = place + 1;
            }
            assert!(taken.iter().eq(places.iter().filter(|place| **place >= from)), "{from}: {taken:?}");
            assert_eq!(marks.take_from(0), None, "those before are gone too");
        }
    }

    #[test]
    fn all_places_are_marked_and_no_others() {
        for places in [0, 1, 63, 64, 65, 4095, 4096, 4097, 9000] {
            let mut marks = Marks::default();
            marks.resize(places);
            marks.set_all(places);
            let mut taken = 0;
            while let Some(place) = marks.take_from(taken) {
                assert_eq!(place, taken);
                taken += 1;
            }
            assert_eq!(taken, places);
            marks.set_all(places);
            marks.clear();
            assert_eq!(marks.take_from(0), None);
        }
    }

    #[test]
    fn marks_on_places_that_are_given_up_are_lost() {
        let mut marks = Marks::default();
        marks.resize(9000);
        for place in [5, 70, 8999] {
            marks.set(place);
        }
        marks.resize(64);
        marks.resize(9000);
        assert_eq!([marks.take_from(0), marks.take_from(6)], [Some(5), None]);
        for place in [10, 60, 63] {
            marks.set(place);
        }
        marks.resize(60);
        marks.resize(64);
        assert_eq!([marks.take_from(0), marks.take_from(11)], [Some(10), None], "in the middle of a word, too");
    }

    #[test]
    fn bits_are_set_from_one_to_another() {
        for (first, end) in [(0, 1), (0, 64), (0, 128), (3, 7), (60, 70), (63, 65), (64, 128), (1, 191), (5, 5)] {
            let mut bits = [0; 3];
            fill(&mut bits, first, end);
            assert!((0..192).all(|at| is_set(&bits, at) == (first..end).contains(&at)), "{first}..{end}");
        }
    }
}
