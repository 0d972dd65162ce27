//! Running one row: build and check all cases, then sample them round by round.

use std::fmt;
use std::time::{Duration, Instant};

use super::case::{Case, Prepared};
use super::digest::Digest;
use super::statistics::{error_of_median_ratio, median, median_ratio, minimum};
use crate::ecs::{BY_HAND, PHALANX, RAW};
use crate::workloads::{self, Workload};

/// How long to measure a row.
pub struct Budget {
    /// Rounds go on until this has passed…
    pub time: Duration,
    /// …but there are at least so many,
    pub least: usize,
    /// and at most so many.
    pub most: usize,
    /// How often all worlds are built anew on the way. Where a column happens to lie in memory is worth
    /// ten per cent and more; several builds, each in another order, leave no case its luck.
    pub builds: usize,
}

/// Rounds after each build that count for nothing.
const WARM_UP_ROUNDS: usize = 1;

/// The figures of one row.
pub struct RowResult {
    pub workload: &'static Workload,
    pub rounds: usize,
    pub lines: Vec<Line>,
    /// The peer with the smallest median, as in `bevy/table`.
    pub best_peer: Option<String>,
}

/// The figures of one case.
pub struct Line {
    pub ecs: &'static str,
    pub variant: &'static str,
    /// As [`Case::title`] says.
    pub title: String,
    /// Nanoseconds per item, or bytes in the `memory` row; the median likewise.
    pub min: f64,
    pub median: f64,
    /// Paired ratio to the hand-written code of the same variant, or else of the plain variant.
    pub x_raw: f64,
    /// The standard error of `x_raw`.
    pub x_raw_error: f64,
    /// Paired ratio to the best peer, where any peer ran.
    pub x_peer: Option<f64>,
}

/// A case that did not compute what the hand-written code computed.
#[derive(Debug)]
pub struct Mismatch {
    row: &'static str,
    case: String,
    expected: Digest,
    found: Digest,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, case, expected, found } = self;
        writeln!(f, "row `{row}`: `{case}` ends in another state than the hand-written code")?;
        writeln!(f, "  expected: {expected:?}\n  found:    {found:?}")?;
        write!(f, "  help: a figure for wrong results is worth nothing; fix the case in bench/src/ecs")
    }
}

/// Measures the cases of one row; the first must be raw.
///
/// # Errors
/// When a case's digest differs from raw's, before anything is timed.
pub fn measure(cases: &[&Case], budget: &Budget) -> Result<RowResult, Mismatch> {
    // Live bytes do not vary: one round is the whole truth.
    let bytes = *cases[0].workload == workloads::MEMORY;
    let Budget { time, least, most, builds } = if bytes { &Budget::ONE_ROUND } else { budget };
    let warm_up = if bytes { 0 } else { WARM_UP_ROUNDS };

    let mut samples = vec![Vec::new(); cases.len()];
    for build in 0..*builds {
        let mut prepared = prepare(cases, build);
        if build == 0 {
            check(cases, &mut prepared)?;
        }
        let start = Instant::now();
        for round in 0..warm_up + most / builds {
            if round >= warm_up + least.div_ceil(*builds) && start.elapsed() >= *time / *builds as u32 {
                break;
            }
            for case in order_of(build + round, cases.len()) {
                let sample = prepared[case].sample();
                if round >= warm_up {
                    samples[case].push(sample);
                }
            }
        }
    }
    Ok(summarise(cases, &samples))
}

impl Budget {
    const ONE_ROUND: Self = Self { time: Duration::ZERO, least: 1, most: 1, builds: 1 };
}

/// Builds all cases, in an order that depends on the number of the build.
fn prepare(cases: &[&Case], build: usize) -> Vec<Box<dyn Prepared>> {
    let mut prepared: Vec<_> = order_of(build, cases.len()).map(|case| (case, cases[case].prepare())).collect();
    prepared.sort_unstable_by_key(|(case, _)| *case);
    prepared.into_iter().map(|(_, prepared)| prepared).collect()
}

/// The order of the cases in a round: rotated by one each round, and backwards in every other, so that
/// no case has always the same predecessor.
fn order_of(round: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |position| {
        let turned = if round.is_multiple_of(2) { position } else { count - 1 - position };
        (turned + round) % count
    })
}

fn check(cases: &[&Case], prepared: &mut [Box<dyn Prepared>]) -> Result<(), Mismatch> {
    let digests: Vec<Digest> = prepared.iter_mut().map(|case| case.digest()).collect();
    for (case, &found) in cases.iter().zip(&digests) {
        if found != digests[0] {
            return Err(Mismatch { row: case.workload.name, case: case.title(), expected: digests[0], found });
        }
    }
    Ok(())
}

fn summarise(cases: &[&Case], samples: &[Vec<f64>]) -> RowResult {
    let raw_of = |variant| {
        let same = cases.iter().position(|case| case.ecs == RAW && case.variant == variant);
        &samples[same.unwrap_or(0)]
    };
    let best_peer = (0..cases.len())
        .filter(|&case| ![RAW, PHALANX, BY_HAND].contains(&cases[case].ecs))
        .min_by(|&a, &b| median(&samples[a]).total_cmp(&median(&samples[b])));
    let line = |(case, samples_of_case): (&&Case, &Vec<f64>)| Line {
        ecs: case.ecs,
        variant: case.variant,
        title: case.title(),
        min: minimum(samples_of_case),
        median: median(samples_of_case),
        x_raw: median_ratio(samples_of_case, raw_of(case.variant)),
        x_raw_error: error_of_median_ratio(samples_of_case, raw_of(case.variant)),
        x_peer: best_peer.map(|best| median_ratio(samples_of_case, &samples[best])),
    };
    RowResult {
        workload: cases[0].workload,
        rounds: samples[0].len(),
        lines: cases.iter().zip(samples).map(line).collect(),
        best_peer: best_peer.map(|best| cases[best].title()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Budget, measure, order_of};
    use crate::harness::{Case, Cases, Digest};
    use crate::workloads;

    #[test]
    fn every_round_runs_every_case_once() {
        for round in 0..12 {
            let mut order: Vec<_> = order_of(round, 5).collect();
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4]);
        }
    }
    /// A case that counts up from `start` by one with each run.
    fn counting_from(ecs: &'static str, start: f32) -> Vec<Case> {
        let mut cases = Cases::new(ecs);
        let count_up = |value: &mut f32| *value += 1.0;
        cases.lasting(&workloads::FRAG_ITER, "", move || start, count_up, |value| Digest::of([*value]));
        cases.into_vec()
    }

    fn pair(raw: f32, hecs: f32) -> Vec<Case> {
        counting_from("raw", raw).into_iter().chain(counting_from("hecs", hecs)).collect()
    }

    fn results_of(cases: &[Case]) -> Result<usize, String> {
        let budget = Budget { time: Duration::ZERO, least: 3, most: 8, builds: 2 };
        let cases: Vec<&Case> = cases.iter().collect();
        measure(&cases, &budget).map(|row| row.rounds).map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn equal_results_are_sampled_over_all_builds() {
        let cases = pair(1.0, 1.0);
        assert_eq!(results_of(&cases), Ok(4));
    }

    #[test]
    fn a_wrong_result_is_refused_by_name() {
        let cases = pair(1.0, 2.0);
        let message = results_of(&cases).unwrap_err();
        assert!(message.starts_with("row `frag_iter`: `hecs` ends in another state"), "{message}");
    }
}
