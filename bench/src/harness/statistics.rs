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
    median(&ratios(samples, reference))
}

/// The standard error of [`median_ratio`], as the quartiles of the ratios tell it; zero for one round.
///
/// By the quartiles, because a single round in which the machine did something else must not count.
pub fn error_of_median_ratio(samples: &[f64], reference: &[f64]) -> f64 {
    let mut ratios = ratios(samples, reference);
    ratios.sort_unstable_by(f64::total_cmp);
    let quarter = ratios.len() / 4;
    let between_quartiles = ratios[ratios.len() - 1 - quarter] - ratios[quarter];
    // For a normal distribution: sigma = 0.74 x the distance of the quartiles, error of the median = 1.25 x sigma / sqrt(n).
    0.93 * between_quartiles / (ratios.len() as f64).sqrt()
}

fn ratios(samples: &[f64], reference: &[f64]) -> Vec<f64> {
    samples.iter().zip(reference).map(|(sample, reference)| sample / reference).collect()
}

#[cfg(test)]
mod tests {
    use super::{error_of_median_ratio, median, median_ratio, minimum};

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
    fn one_disturbed_round_does_not_widen_the_error() {
        let calm = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7];
        let mut disturbed = calm;
        disturbed[7] = 100.0;
        let error = error_of_median_ratio(&calm, &[1.0; 8]);
        assert!((error - 0.93 * 0.3 / 8.0_f64.sqrt()).abs() < 1e-9, "{error}");
        assert_eq!(error_of_median_ratio(&disturbed, &[1.0; 8]), error);
        assert_eq!(error_of_median_ratio(&[2.0], &[1.0]), 0.0);
    }

    #[test]
    fn minimum_finds_the_smallest() {
        assert_eq!(minimum(&[2.0, 1.0, 3.0]), 1.0);
    }
}
