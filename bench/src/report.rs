//! What is shown: the table, the verdicts on the bars, the progress line and the JSON file.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Instant;

use crate::bars::Bar;
use crate::ecs::PHALANX;
use crate::harness::rounds::RowResult;

/// The table's heading.
pub fn heading() -> String {
    format!("{:<20}{:<16}{:>11}{:>11}{:>9}{:>10}", "row", "ecs", "min ns", "median ns", "x raw", "x peer")
}

/// One row's part of the table.
pub fn table(row: &RowResult) -> String {
    let mut text = String::new();
    for (i, line) in row.lines.iter().enumerate() {
        let name = match i {
            0 => row.workload.name.to_owned(),
            1 if row.rounds > 1 => format!("  {} rounds", row.rounds),
            _ => String::new(),
        };
        let (x_raw, x_peer) = (ratio(line.x_raw), line.x_peer.map_or("-".to_owned(), ratio));
        let (title, min, median) = (&line.title, figure(line.min), figure(line.median));
        let _ = writeln!(text, "{name:<20}{title:<16}{min:>11}{median:>11}{x_raw:>9}{x_peer:>10}");
    }
    text
}

/// A ratio with two or three digits that matter.
fn ratio(value: f64) -> String {
    if value < 0.1 { format!("{value:.4}") } else { format!("{value:.2}") }
}

/// A time with three or four digits that matter.
pub fn figure(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.3}")
    } else if value < 100.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

/// For each line of Phalanx: its bar, and whether it is met.
pub fn verdicts(rows: &[RowResult]) -> String {
    let mut text = String::new();
    let lines = rows.iter().flat_map(|row| row.lines.iter().map(move |line| (row, line)));
    for (row, line) in lines.filter(|(_, line)| line.ecs == PHALANX) {
        let Some(bar) = Bar::of(row.workload, line.variant) else { continue };
        let verdict = match bar.is_met(line) {
            Some(true) => "PASS",
            Some(false) => "MISS",
            None => "????",
        };
        let name = if line.variant.is_empty() {
            row.workload.name.to_owned()
        } else {
            format!("{}/{}", row.workload.name, line.variant)
        };
        let found = bar.figure(line).map_or("-".to_owned(), ratio);
        let _ = writeln!(text, "{verdict}  {name:<26}{found:>7}  {}", bar.limit(row));
    }
    if text.is_empty() {
        text.push_str("no case of Phalanx ran, so there is no bar to judge\n");
    }
    text
}

/// The JSON file, of objects made by [`json_lines`] and the like.
pub fn json(lines: &[String]) -> String {
    format!("{{\"rows\":[\n{}\n]}}\n", lines.join(",\n"))
}

/// The figures as JSON: one object per case.
pub fn json_lines<'a>(rows: impl IntoIterator<Item = &'a RowResult>) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        for line in &row.lines {
            // The names are our own literals: nothing in them needs escaping.
            lines.push(format!(
                r#"  {{"row":"{}","ecs":"{}","variant":"{}","min_ns":{:.6},"median_ns":{:.6},"x_raw":{:.6}}}"#,
                row.workload.name, line.ecs, line.variant, line.min, line.median, line.x_raw
            ));
        }
    }
    lines
}

/// Tells on stderr which row is being measured: in place on a terminal, else a line per row.
pub struct Progress {
    start: Instant,
    rows: usize,
    in_place: bool,
}

impl Progress {
    /// Progress through so many rows.
    pub fn new(rows: usize) -> Self {
        Self { start: Instant::now(), rows, in_place: io::stderr().is_terminal() }
    }

    /// Row number `index`, counted from 0, begins.
    pub fn begin(&self, index: usize, name: &str) {
        let seconds = self.start.elapsed().as_secs();
        let text = format!("row {} of {}: {name}, {}:{:02} elapsed", index + 1, self.rows, seconds / 60, seconds % 60);
        let mut stderr = io::stderr();
        // A progress line that cannot be written is no reason to stop measuring.
        let _ = if self.in_place { write!(stderr, "\r\x1b[K{text}") } else { writeln!(stderr, "{text}") };
        let _ = stderr.flush();
    }

    /// Clears the line, before something else is printed.
    pub fn clear(&self) {
        if self.in_place {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::harness::rounds::{Line, RowResult};
    use crate::workloads;

    fn simple_iter(x_raw: f64) -> RowResult {
        let line = |ecs, x_raw| Line {
            ecs,
            variant: "",
            title: String::from(ecs),
            min: 0.5,
            median: 0.75,
            x_raw,
            x_raw_error: 0.0,
            x_peer: None,
        };
        let lines = vec![line("raw", 1.0), line("phalanx", x_raw)];
        RowResult { workload: &workloads::SIMPLE_ITER, rounds: 3, lines, best_peer: None }
    }

    #[test]
    fn a_line_over_its_bar_is_a_miss() {
        assert!(super::verdicts(&[simple_iter(1.02)]).starts_with("PASS  simple_iter"));
        assert!(super::verdicts(&[simple_iter(1.04)]).starts_with("MISS  simple_iter"));
    }

    #[test]
    fn json_has_one_object_per_line() {
        let text = super::json(&super::json_lines(&[simple_iter(1.0)]));
        let first =
            r#"{"row":"simple_iter","ecs":"raw","variant":"","min_ns":0.500000,"median_ns":0.750000,"x_raw":1.000000}"#;
        assert!(text.contains(first), "{text}");
        assert_eq!(text.matches("\"ecs\"").count(), 2);
    }
}
