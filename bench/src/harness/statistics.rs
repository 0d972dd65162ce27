//! Minimum, median and paired ratios.

/// The smallest sample.
pub fn minimum(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The middle sample, or the mean of the two in the middle.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[middle - 1], sorted[middle]) } else { sorted[middle] }
}

/// The median over rounds of `samples[round] / reference[round]`.
pub fn median_ratio(samples: &[f64], reference: &[f64]) -> f64 {
    let ratios: Vec<f64> = samples.iter().zip(reference).map(|(sample, reference)| sample / reference).collect();
    median(&ratios)
}

#[cfg(test)]
mod tests {
    use super::{median, median_ratio, minimum};

    #[test]
    fn median_of_an_even_count_is_the_mean_of_the_middle() {
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // The second round was disturbed for both: no ratio changes.
        assert_eq!(median_ratio(&[2.0, 20.0, 2.0], &[1.0, 10.0, 1.0]), 2.0);
    }

    #[test]
    fn minimum_finds_the_smallest() {
        assert_eq!(minimum(&[2.0, 1.0, 3.0]), 1.0);
    }
}
