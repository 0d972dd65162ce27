//! What was found, and how it is shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::ecs::PHALANX;
use crate::harness::statistics::{median, minimum};
use crate::report::figure;

/// In which of the two worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    AtScale,
    Alone,
}

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Time,
    Bytes,
}

/// More than so many times the figure alone is said aloud.
const TOLERANCE: f64 = 1.5;

/// Every figure: its name, what it counts and what it is, in plain words.
const ALL: &[(&str, Unit, &str)] = &[
    ("register", Unit::Time, "register one run-time type, the last tenth (alone: the first tenth)"),
    ("new_table", Unit::Time, "spawn into a new table, the last tenth (alone: the first tenth)"),
    ("build", Unit::Time, "build the world: all types, all tables"),
    ("memory", Unit::Bytes, "memory per table, as the world reports it"),
    ("memory_allocated", Unit::Bytes, "memory per table, as the allocator counts it"),
    ("spawn", Unit::Time, "spawn (A, B), one entity"),
    ("get", Unit::Time, "get A, one entity"),
    ("get_spread", Unit::Time, "get_dyn, one entity, each in another table"),
    ("insert", Unit::Time, "insert C, one entity"),
    ("remove", Unit::Time, "remove C, one entity"),
    ("query_new", Unit::Time, "query &A: make it and count, first use"),
    ("query_again", Unit::Time, "query &A: count, second use"),
    ("query_iterate", Unit::Time, "query &A: iterate all"),
    ("query_after_new_table", Unit::Time, "query &A: count, after an unrelated table was made"),
    ("dyn_both_new", Unit::Time, "dynamic query, a rare and a common type: make it and count, first use"),
    ("dyn_both_again", Unit::Time, "dynamic query, a rare and a common type: count, second use"),
    ("dyn_both_iterate", Unit::Time, "dynamic query, a rare and a common type: iterate all"),
    ("dyn_common_new", Unit::Time, "dynamic query, a type of half the tables: make it and count, first use"),
    ("dyn_common_again", Unit::Time, "dynamic query, a type of half the tables: count, second use"),
    ("dyn_common_iterate", Unit::Time, "dynamic query, a type of half the tables: iterate all"),
    ("despawn", Unit::Time, "despawn, one entity, each in another table"),
    ("reclaim", Unit::Time, "reclaim after half the tables became empty"),
];

/// Samples by name; those alone may be missing.
#[derive(Default)]
pub struct Figures {
    samples: BTreeMap<&'static str, [Vec<f64>; 2]>,
}

impl Figures {
    /// Adds a sample: nanoseconds or bytes.
    pub fn note(&mut self, name: &'static str, place: Place, value: f64) {
        debug_assert!(ALL.iter().any(|(known, ..)| *known == name), "`{name}` is not in the list");
        self.samples.entry(name).or_default()[place as usize].push(value);
    }

    fn of(&self, name: &str, place: Place) -> Option<&[f64]> {
        let samples = &self.samples.get(name)?[place as usize];
        (!samples.is_empty()).then_some(samples)
    }

    fn min(&self, name: &str, place: Place) -> Option<f64> {
        self.of(name, place).map(minimum)
    }

    /// How many times the figure alone.
    fn ratio(&self, name: &str) -> Option<f64> {
        Some(self.min(name, Place::AtScale)? / self.min(name, Place::Alone)?)
    }

    /// The names without a sample at scale.
    #[cfg(test)]
    pub fn missing(&self) -> Vec<&'static str> {
        ALL.iter().map(|(name, ..)| *name).filter(|name| self.of(name, Place::AtScale).is_none()).collect()
    }

    /// The table, and what is slower at scale.
    pub fn table(&self) -> String {
        let mut text = format!("{:<23}{:>10}{:>10}{:>9}   what\n", "name", "at scale", "alone", "x alone");
        for &(name, unit, what) in ALL {
            let shown = |place| self.min(name, place).map_or("-".to_owned(), |value| unit.show(value));
            let ratio = self.ratio(name).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            let (at_scale, alone) = (shown(Place::AtScale), shown(Place::Alone));
            let _ = writeln!(text, "{name:<23}{at_scale:>10}{alone:>10}{ratio:>9}   {what}");
        }
        let _ = writeln!(text, "the smallest of several samples; `-`: has no counterpart alone");
        let slower = self.slower();
        let _ = if slower.is_empty() {
            writeln!(text, "nothing takes more than {TOLERANCE} x as long as alone")
        } else {
            writeln!(text, "SLOWER than alone by more than {TOLERANCE} x: {}", slower.join(", "))
        };
        text
    }

    fn slower(&self) -> Vec<String> {
        let with_ratio = ALL.iter().filter_map(|(name, ..)| Some((name, self.ratio(name)?)));
        let slower = with_ratio.filter(|(_, ratio)| *ratio > TOLERANCE);
        slower.map(|(name, ratio)| format!("{name} ({ratio:.2} x)")).collect()
    }

    /// The figures as JSON: one object each.
    pub fn json_lines(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or("null".to_owned(), |value| format!("{value:.6}"));
        let line = |&(name, unit, _): &(&str, Unit, &str)| {
            let unit = if unit == Unit::Time { "ns" } else { "bytes" };
            format!(
                r#"  {{"row":"scale/{name}","ecs":"{PHALANX}","unit":"{unit}","min":{},"median":{},"alone_min":{},"x_alone":{}}}"#,
                number(self.min(name, Place::AtScale)),
                number(self.of(name, Place::AtScale).map(median)),
                number(self.min(name, Place::Alone)),
                number(self.ratio(name)),
            )
        };
        ALL.iter().map(line).collect()
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Bytes => format!("{value:.0} B"),
            Self::Time if value < 1e3 => format!("{} ns", figure(value)),
            Self::Time if value < 1e6 => format!("{} us", figure(value / 1e3)),
            Self::Time => format!("{} ms", figure(value / 1e6)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figures, Place};

    fn spawn(at_scale: &[f64], alone: &[f64]) -> Figures {
        let mut figures = Figures::default();
        for (place, values) in [(Place::AtScale, at_scale), (Place::Alone, alone)] {
            for &value in values {
                figures.note("spawn", place, value);
            }
        }
        figures
    }

    #[test]
    fn what_is_slower_is_named() {
        let slower = "SLOWER than alone by more than 1.5 x: spawn (1.60 x)\n";
        assert!(spawn(&[20.0, 16.0], &[10.0]).table().ends_with(slower));
        assert!(spawn(&[15.0], &[10.0, 30.0]).table().ends_with("nothing takes more than 1.5 x as long as alone\n"));
    }

    #[test]
    fn a_figure_without_counterpart_is_not_judged() {
        let figures = spawn(&[2_500.0], &[]);
        let table = figures.table();
        assert!(table.contains("spawn                    2.500 us         -        -   spawn (A, B)"), "{table}");
        let line = r#"{"row":"scale/spawn","ecs":"phalanx","unit":"ns","min":2500.000000,"median":2500.000000,"alone_min":null,"x_alone":null}"#;
        assert!(figures.json_lines().iter().any(|found| found.trim() == line));
    }
}
