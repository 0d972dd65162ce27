//! The summary at the end.

use crate::demo::Outcome;
use std::io::{self, Write};
use std::time::Duration;

/// Writes everything people want to know.
pub(crate) fn write(outcome: &Outcome, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "Phalanx {}: the demonstration", env!("CARGO_PKG_VERSION"))?;
    writeln!(output)?;
    writeln!(output, "{:<10} {:>10} {:>11} {:>46}", "", "", "", "frame time")?;
    writeln!(
        output,
        "{:<10} {:>10} {:>11} {:>11} {:>11} {:>11} {:>11}",
        "world", "entities", "frames", "least", "median", "p99", "most"
    )?;
    for stage in &outcome.stages {
        let [least, median, p99, most] = [stage.clock.least, stage.clock.median(), stage.clock.p99(), stage.clock.most]
            .map(|time| if stage.clock.frames == 0 { "none".into() } else { people_read(time) });
        writeln!(
            output,
            "{:<10} {:>10} {:>11} {least:>11} {median:>11} {p99:>11} {most:>11}",
            stage.name, stage.entities, stage.clock.frames
        )?;
    }
    writeln!(output, "  half of the frames took no longer than the median, and 99 of 100 no longer than p99")?;
    systems(outcome, output)?;
    for stage in &outcome.stages {
        writeln!(output)?;
        writeln!(output, "{}: {}", stage.name, stage.about)?;
        for line in stage.memory.to_string().lines() {
            writeln!(output, "  {line}")?;
        }
        writeln!(output, "  result: {}", stage.result)?;
    }
    writeln!(output)?;
    writeln!(output, "live: bytes of values; reserved: bytes taken from the system, those of values included")?;
    writeln!(output, "entities: where each one is, kept for 1024 of them at a time, however few there are")?;
    writeln!(output, "Ship@0: the tag of who is a node `Ship` of the first scene; Gull@1: of the second")?;
    writeln!(output)?;
    let threads = if outcome.threads == 1 { "thread" } else { "threads" };
    if outcome.interrupted {
        writeln!(output, "interrupted; {} {threads}; checksum so far {:016x}", outcome.threads, outcome.checksum)
    } else {
        writeln!(
            output,
            "checksum {:016x} on {} {threads}: the same bits on every run and on any number of threads",
            outcome.checksum, outcome.threads
        )
    }
}

/// What systems took, in each engine the one first that took most in all its runs.
fn systems(outcome: &Outcome, output: &mut impl Write) -> io::Result<()> {
    writeln!(output)?;
    writeln!(
        output,
        "{:<10} {:<21} {:<8} {:>11} {:>11} {:>11} {:>11}",
        "world", "system, by total time", "group", "runs", "timed", "mean", "most"
    )?;
    for stage in &outcome.stages {
        for system in &stage.systems {
            let [mean, most] = [system.mean, system.longest]
                .map(|time| if system.timed == 0 { "none".into() } else { people_read(time) });
            writeln!(
                output,
                "{:<10} {:<21} {:<8} {:>11} {:>11} {mean:>11} {most:>11}",
                stage.name, system.name, system.group, system.runs, system.timed
            )?;
        }
    }
    writeln!(
        output,
        "  timed: of how many runs the time was taken, since that takes time, too; mean and most are of those"
    )
}

/// Three digits and a unit.
fn people_read(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.2} µs", time.as_secs_f64() * 1e6),
        1_000_000..1_000_000_000 => format!("{:.2} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.2} s", time.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Demo;

    fn summary(frames: u64, rocks: u32) -> String {
        let outcome = crate::demo::run(&Demo { frames, rocks, threads: Some(1), quiet: true }).expect("nothing fails");
        let mut text = Vec::new();
        write(&outcome, &mut text).expect("a vector takes everything");
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn the_summary_says_entities_frames_memory_result_and_version() {
        let text = summary(128, 100);
        for part in [
            concat!("Phalanx ", env!("CARGO_PKG_VERSION")),
            "rocks             100         128",
            "Position                            100       1200 B",
            "result: 100 rocks at height 500.0",
            "result: tree 2.000, rock 2.250, stone 3.000",
            "least      median         p99        most",
            "growth     grow                  Life              16",
            "rocks      float                 Update           128",
            "checksum ",
            "half of the frames took no longer than the median",
            "timed: of how many runs",
            "live: bytes of values",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
    }

    #[test]
    fn without_frames_there_is_no_frame_time() {
        let text = summary(0, 0);
        assert!(text.contains("none        none        none        none"), "{text}");
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        let times = [999, 1_500, 2_340_000, 3_000_000_000].map(|ns| people_read(Duration::from_nanos(ns)));
        assert_eq!(times, ["999 ns", "1.50 µs", "2.34 ms", "3.00 s"]);
    }
}
