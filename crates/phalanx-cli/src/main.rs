//! The `phalanx` command.
//!
//! | file | idea |
//! |---|---|
//! | `arguments` | what a user can type, and what is wrong with it |
//! | `demo` | the demonstration: the examples of `phalanx`, run for many frames |
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
    match run(&settings, &mut io::stdout().lock()) {
        Ok(()) if interrupt::happened() => ExitCode::from(130),
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(settings: &Demo, output: &mut impl Write) -> io::Result<()> {
    interrupt::watch();
    let outcome = demo::run(settings)?;
    report::write(&outcome, output)?;
    output.flush()
}
