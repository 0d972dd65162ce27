//! The command as a user meets it: exit codes, what goes where, and pipes that break.

#![cfg(not(miri))]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

fn phalanx(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_phalanx"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn a_run_ends_well_and_writes_its_summary_to_standard_output() {
    let output = phalanx(&["demo", "--frames", "100", "--rocks", "10"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("checksum "), "{}", text(&output.stdout));
    assert_eq!(
        text(&output.stderr),
        "growth: running 100 frames …\nrocks: running 100 frames …\nharbour: running 100 frames …\n",
        "plain lines where there is no terminal"
    );
}

#[test]
fn settings_without_a_command_are_those_of_the_demonstration() {
    let output = phalanx(&["--frames", "10", "--rocks", "5"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("rocks               5          10"), "{}", text(&output.stdout));
}

#[test]
fn a_quiet_run_writes_nothing_to_standard_error() {
    let output = phalanx(&["demo", "--frames", "10", "--quiet"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn two_runs_give_the_same_checksum_whatever_the_threads() {
    let checksum = |threads: &str| {
        let output = phalanx(&["demo", "--frames", "70", "--rocks", "30_000", "--threads", threads]);
        let line = text(&output.stdout).lines().find(|line| line.starts_with("checksum ")).expect("a checksum");
        line.split(' ').nth(1).expect("a figure").to_owned()
    };
    assert_eq!(checksum("1"), checksum("4"));
}

#[test]
fn bad_input_is_refused_with_exit_code_2_and_a_message_on_standard_error() {
    for (arguments, say) in [
        (&["demo", "--rocks", "many"][..], "not a whole number"),
        (&["demo", "--frames", "-1"], "not a whole number"),
        (&["demo", "--rocks"], "a value is required"),
        (&["dmeo"], "demo"),
        (&["--frobnicate"], "--frobnicate"),
    ] {
        let output = phalanx(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(say), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let (help, version) = (phalanx(&["--help"]), phalanx(&["--version"]));
    assert_eq!((help.status.code(), version.status.code()), (Some(0), Some(0)));
    assert!(text(&help.stdout).contains("Examples:"), "{}", text(&help.stdout));
    assert_eq!(text(&version.stdout), concat!("phalanx ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_phalanx"))
        .args(["demo", "--frames", "200", "--rocks", "1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut complaints = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut complaints).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(!complaints.contains("panicked") && !complaints.contains("error"), "{complaints}");
}

/// Starts a long run, waits until `stage` has begun, presses Ctrl-C, and answers the exit code and the summary.
#[cfg(unix)]
fn interrupted_in(stage: &str, frames: &str, rocks: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_phalanx"))
        .args(["demo", "--frames", frames, "--rocks", rocks])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let progress = BufReader::new(child.stderr.take().expect("piped"));
    let begun = progress.lines().any(|line| line.expect("text").starts_with(stage));
    assert!(begun, "it says that {stage} has begun");
    // Long enough for some frames; if it is not, the summary says the same.
    std::thread::sleep(std::time::Duration::from_millis(100));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("`kill` is there");
    assert!(sent.success());
    let mut summary = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut summary).expect("text");
    (child.wait().expect("it ends").code(), summary)
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_long_run_with_its_summary_and_exit_code_130() {
    let (code, summary) = interrupted_in("growth", "1_000_000_000", "1000");
    assert_eq!(code, Some(130), "{summary}");
    assert!(summary.contains("interrupted; ") && summary.contains("checksum so far "), "{summary}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_lets_all_engines_come_to_their_end() {
    let (code, summary) = interrupted_in("growth", "1_000_000_000", "1000");
    assert_eq!(code, Some(130), "{summary}");
    // The lines are written by systems of the end; the later engines have not run a frame.
    assert!(summary.contains("result: tree ") && summary.contains("result: 1000 rocks at height 0.0"), "{summary}");
    let ends = summary.lines().filter(|line| line.contains(" conclude ")).count();
    assert_eq!(ends, 3, "{summary}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_in_a_frame_of_many_rocks_waits_for_the_end_of_the_frame() {
    // The first engine is through at once; the second one takes milliseconds for a frame, on all threads.
    let (code, summary) = interrupted_in("rocks", "20_000", "300_000");
    assert_eq!(code, Some(130), "{summary}");
    let line = summary.lines().find(|line| line.contains(" float_on_many_threads ")).expect("a line for it");
    let runs: u64 = line.split_whitespace().nth(3).and_then(|runs| runs.parse().ok()).expect("a figure");
    assert!(runs < 20_000, "{summary}");
    let frames = summary.lines().find(|line| line.starts_with("rocks ")).expect("a line for the frames");
    assert_eq!(frames.split_whitespace().nth(2), Some(&*runs.to_string()), "each frame is whole: {summary}");
}
