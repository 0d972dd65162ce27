//! Bits in a row of words.

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

    #[test]
    fn bits_are_set_from_one_to_another() {
        for (first, end) in [(0, 1), (0, 64), (0, 128), (3, 7), (60, 70), (63, 65), (64, 128), (1, 191), (5, 5)] {
            let mut bits = [0; 3];
            fill(&mut bits, first, end);
            assert!((0..192).all(|at| is_set(&bits, at) == (first..end).contains(&at)), "{first}..{end}");
        }
    }
}
