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
        "growth: running 100 frames …\nrocks: running 100 frames …\n",
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

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_long_run_with_its_summary_and_exit_code_130() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_phalanx"))
        .args(["demo", "--frames", "1_000_000_000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut progress = BufReader::new(child.stderr.take().expect("piped"));
    progress.read_line(&mut String::new()).expect("it says that it has begun");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("`kill` is there");
    assert!(sent.success());
    let mut summary = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut summary).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(summary.contains("interrupted; ") && summary.contains("checksum so far "), "{summary}");
}
