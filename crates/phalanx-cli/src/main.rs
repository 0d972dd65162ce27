//! The `phalanx` command.
//!
//! | file | idea |
//! |---|---|
//! | `arguments` | what a user can type, and what is wrong with it |
//! | `demo` | the demonstration: the examples of `phalanx`, run by engines for many frames |
//! | `clock` | how long frames took |
//! | `progress` | the line that moves while something runs |
//! | `report` | the summary at the end |
//! | `interrupt` | Ctrl-C |
//!
//! Results go to standard output, progress and errors to standard error. Exit codes: 0 done, 1 failed, 2 not understood, 130 interrupted.

#![forbid(unsafe_code)]

mod arguments;
mod clock;
mod demo;
mod interrupt;
mod progress;
mod report;

use arguments::Demo;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let settings = Demo::from_command_line();
    interrupt::watch();
    let outcome = match demo::run(&settings) {
        Ok(outcome) => outcome,
        // It says itself that it is one.
        Err(error) => return fail(&error.to_string()),
    };
    let mut output = io::stdout().lock();
    match report::write(&outcome, &mut output).and_then(|()| output.flush()) {
        Ok(()) if interrupt::happened() => ExitCode::from(130),
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("error: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::FAILURE
}
