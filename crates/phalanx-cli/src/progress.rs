//! The line that moves while something runs.
//!
//! On a terminal one line is written over and over, at most 20 times a second, and wiped at the end, so that nothing of it stays. Elsewhere
//! (a file, a pipe, a log) there is one plain line per task, when it begins.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(50);
const BAR: u64 = 24;

/// Back to the first column, and wipe what stands there.
const WIPE: &str = "\r\x1b[2K";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Silent,
    Plain,
    Live,
}

/// Shows how far one task is.
pub(crate) struct Progress<W: Write = io::Stderr> {
    output: W,
    style: Style,
    task: &'static str,
    frames: u64,
    drawn: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(task: &'static str, frames: u64, quiet: bool) -> Self {
        let style = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Live,
            (false, false) => Style::Plain,
        };
        Self::with(io::stderr(), style, task, frames)
    }
}

impl<W: Write> Progress<W> {
    fn with(mut output: W, style: Style, task: &'static str, frames: u64) -> Self {
        if style == Style::Plain {
            // Here and below: progress that nobody can see is no reason to fail.
            let _ = writeln!(output, "{task}: running {frames} frames …");
        }
        Self { output, style, task, frames, drawn: None }
    }

    /// Says how many frames are done; `detail` is asked for only when the line is drawn.
    pub(crate) fn show(&mut self, done: u64, detail: impl FnOnce() -> String) {
        if self.style == Style::Live && self.drawn.is_none_or(|last| last.elapsed() >= INTERVAL) {
            self.drawn = Some(Instant::now());
            let line = line(self.task, done, self.frames, &detail());
            let _ = write!(self.output, "{WIPE}{line}").and_then(|()| self.output.flush());
        }
    }
}

impl<W: Write> Drop for Progress<W> {
    /// Leaves the terminal as it was, whatever ended the task.
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(self.output, "{WIPE}").and_then(|()| self.output.flush());
        }
    }
}

fn line(task: &str, done: u64, frames: u64, detail: &str) -> String {
    let part = |of: u64| (u128::from(done) * u128::from(of)).checked_div(u128::from(frames)).unwrap_or(u128::from(of));
    let bar: String = (0..BAR).map(|at| if u128::from(at) < part(BAR) { '#' } else { '.' }).collect();
    format!("{task} [{bar}] {:>3} %  {detail}", part(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_the_part_that_is_done() {
        assert_eq!(line("rocks", 50, 200, "12 m"), "rocks [######..................]  25 %  12 m");
        assert_eq!(line("rocks", 0, 0, ""), "rocks [########################] 100 %  ");
    }

    #[test]
    fn on_a_terminal_the_line_is_wiped_at_the_end() {
        let mut seen = Vec::new();
        let mut progress = Progress::with(&mut seen, Style::Live, "rocks", 10);
        progress.show(5, || "half".into());
        progress.show(6, || unreachable!("too soon to draw again"));
        drop(progress);
        let seen = String::from_utf8(seen).expect("text");
        assert!(seen.starts_with("\r\x1b[2Krocks [") && seen.ends_with("half\r\x1b[2K"), "{seen:?}");
    }

    #[test]
    fn elsewhere_there_is_one_plain_line_and_when_quiet_there_is_none() {
        for (style, expected) in [(Style::Plain, "rocks: running 10 frames …\n"), (Style::Silent, "")] {
            let mut seen = Vec::new();
            let mut progress = Progress::with(&mut seen, style, "rocks", 10);
            progress.show(5, || unreachable!("nobody sees it"));
            drop(progress);
            assert_eq!(String::from_utf8(seen).expect("text"), expected);
        }
    }
}
