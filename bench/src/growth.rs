//! Whether costs per entity stay what they are when entities become many: the report of `--growth`.
//!
//! Time per entity rises with size for everybody, as data outgrow the caches; so the question is put to the
//! ratio to the hand-written code at the same size. It may fall, as what a world costs once is spread over
//! more entities. It should not rise.

use std::fmt::Write as _;
use std::time::Duration;

use crate::ecs::{PHALANX, RAW, phalanx, raw};
use crate::harness::rounds::{self, Budget, Line, RowResult};
use crate::harness::{Case, Cases};
use crate::report;
use crate::workloads::{self, Workload};

/// How many entities.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// By how much a ratio may exceed that of the smallest size, beyond the noise of the two.
const TOLERANCE: f64 = 1.25;

type Register = fn(&mut Cases, &'static Workload);

/// A row of the table that can be had at any size: the row, and how raw and Phalanx register it.
type Row = (&'static Workload, Register, Register);

const ROWS: &[Row] = &[
    (&workloads::SIMPLE_INSERT, raw::insert_columns, phalanx::insert_columns),
    (&workloads::SIMPLE_INSERT_ROWS, raw::insert_rows, phalanx::insert_rows),
    (&workloads::SPAWN_ONE, raw::spawn_one, phalanx::spawn_one),
    (&workloads::SIMPLE_ITER, raw::iterate, phalanx::iterate),
    (&workloads::RANDOM_GET, raw::random_get, phalanx::random_get),
    (&workloads::DESPAWN, raw::despawn, phalanx::despawn),
    (&workloads::BULK_ADD, raw::bulk_add, phalanx::bulk_add),
];

/// Whether the report has this row.
pub fn has(workload: &Workload) -> bool {
    ROWS.iter().any(|(row, ..)| *row == workload)
}

/// The names of its rows.
pub fn names() -> Vec<&'static str> {
    ROWS.iter().map(|(row, ..)| row.name).collect()
}

/// Measures and prints those of its rows that are among `rows`; answers the figures as lines of JSON.
///
/// # Errors
/// When Phalanx does not reach the state that raw reaches.
pub fn run(rows: &[&'static Workload], quick: bool) -> Result<Vec<String>, String> {
    let budget = if quick {
        Budget { time: Duration::from_millis(300), least: 4, most: 400, builds: 2 }
    } else {
        Budget { time: Duration::from_millis(1_800), least: 8, most: 2_000, builds: 2 }
    };
    let chosen: Vec<&Row> = ROWS.iter().filter(|(row, ..)| rows.contains(row)).collect();
    let progress = report::Progress::new(chosen.len() * SIZES.len());
    let mut lines = Vec::new();
    println!("{}", heading());
    for (at, row) in chosen.iter().enumerate() {
        let mut sizes = Vec::with_capacity(SIZES.len());
        for (step, entities) in SIZES.into_iter().enumerate() {
            let workload = row.0.with(entities);
            progress.begin(at * SIZES.len() + step, workload.name);
            let cases = cases_of(row, workload);
            let result = rounds::measure(&cases.iter().collect::<Vec<_>>(), &budget);
            progress.clear();
            sizes.push(result.map_err(|mismatch| mismatch.to_string())?);
        }
        println!("{}", table(row.0.name, &sizes));
        lines.extend(report::json_lines(&sizes));
    }
    Ok(lines)
}

/// Raw's and Phalanx's case of one row at one size.
fn cases_of(&(_, raw, phalanx): &Row, workload: &'static Workload) -> Vec<Case> {
    let case = |(ecs, register): (&'static str, Register)| {
        let mut cases = Cases::new(ecs);
        register(&mut cases, workload);
        cases.into_vec()
    };
    [(RAW, raw), (PHALANX, phalanx)].into_iter().flat_map(case).collect()
}

fn heading() -> String {
    let mut text = format!("{:<20}{:<8}{:^44}   {:^44}\n{:<28}", "row", "ecs", "median ns per entity", "x raw", "");
    for columns in ["", "   "] {
        text.push_str(columns);
        for entities in SIZES {
            let _ = write!(text, "{:>11}", grouped(entities));
        }
    }
    text
}

/// One row's part of the table, and the verdict on it.
fn table(name: &str, sizes: &[RowResult]) -> String {
    let mut text = String::new();
    for ecs in [RAW, PHALANX] {
        let _ = write!(text, "{:<20}{ecs:<8}", if ecs == RAW { name } else { "" });
        for line in lines_of(ecs, sizes) {
            let _ = write!(text, "{:>11}", report::figure(line.median));
        }
        text.push_str("   ");
        for line in lines_of(ecs, sizes) {
            let _ = write!(text, "{:>11.2}", line.x_raw);
        }
        text.push('\n');
    }
    let phalanx: Vec<&Line> = lines_of(PHALANX, sizes).collect();
    let _ = writeln!(text, "  {}", verdict(&phalanx));
    text
}

fn lines_of<'a>(ecs: &'static str, sizes: &'a [RowResult]) -> impl Iterator<Item = &'a Line> {
    sizes.iter().flat_map(|size| &size.lines).filter(move |line| line.ecs == ecs)
}

/// Whether the ratio to raw rises, from Phalanx's lines by size.
fn verdict(lines: &[&Line]) -> String {
    let first = lines[0];
    let (at, worst) = lines
        .iter()
        .enumerate()
        .skip(1)
        .max_by(|a, b| excess(first, a.1).total_cmp(&excess(first, b.1)))
        .expect("more than one size");
    let word = if excess(first, worst) > 0.0 { "RISES" } else { "steady" };
    format!(
        "{word}: {:.2} x raw at {}, {:.2} at {} (limit {:.2})",
        first.x_raw,
        grouped(SIZES[0]),
        worst.x_raw,
        grouped(SIZES[at]),
        limit(first, worst)
    )
}

/// What the ratio of `line` may be: two standard errors of either ratio are noise.
fn limit(first: &Line, line: &Line) -> f64 {
    TOLERANCE * first.x_raw + 2.0 * (TOLERANCE * first.x_raw_error).hypot(line.x_raw_error)
}

fn excess(first: &Line, line: &Line) -> f64 {
    line.x_raw - limit(first, line)
}

/// A number with commas.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ROWS, cases_of, grouped, verdict};
    use crate::harness::rounds::{self, Budget, Line};

    fn lines(ratios: [f64; 4], x_raw_error: f64) -> Vec<Line> {
        let line = |x_raw| Line {
            ecs: "phalanx",
            variant: "",
            title: String::from("phalanx"),
            min: 1.0,
            median: 1.0,
            x_raw,
            x_raw_error,
            x_peer: None,
        };
        ratios.map(line).into()
    }

    fn verdict_on(ratios: [f64; 4], error: f64) -> String {
        verdict(&lines(ratios, error).iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_ratio_above_the_limit_at_any_size_rises() {
        assert!(verdict_on([1.0, 1.0, 1.24, 1.0], 0.0).starts_with("steady: 1.00 x raw at 1,000, 1.24 at 100,000"));
        assert!(verdict_on([1.0, 1.0, 1.26, 1.0], 0.0).starts_with("RISES: 1.00 x raw at 1,000, 1.26 at 100,000"));
    }

    #[test]
    fn a_falling_ratio_is_steady() {
        assert!(verdict_on([2.0, 1.5, 1.2, 1.1], 0.0).starts_with("steady"));
    }

    #[test]
    fn noise_is_no_rise() {
        assert!(verdict_on([1.0, 1.0, 1.0, 1.3], 0.001).starts_with("RISES"));
        assert!(verdict_on([1.0, 1.0, 1.0, 1.3], 0.05).starts_with("steady"));
    }

    #[test]
    fn every_row_agrees_with_raw_at_an_odd_size() {
        let budget = Budget { time: Duration::ZERO, least: 1, most: 1, builds: 1 };
        for row in ROWS {
            let cases = cases_of(row, row.0.with(777));
            let result = rounds::measure(&cases.iter().collect::<Vec<_>>(), &budget);
            let result = result.unwrap_or_else(|mismatch| panic!("{mismatch}"));
            assert_eq!(result.workload.name, format!("growth/{}/777", row.0.name));
            assert_eq!(result.lines.iter().map(|line| line.ecs).collect::<Vec<_>>(), ["raw", "phalanx"]);
        }
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([7, 100, 1_000, 1_234_567].map(grouped), ["7", "100", "1,000", "1,234,567"]);
    }
}
