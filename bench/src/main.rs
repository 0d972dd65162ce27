//! The benchmark of Phalanx: a hand-written struct of arrays, Phalanx and its peers, interleaved.
//!
//! `arguments` says what to measure, `workloads` which rows there are, `ecs` holds one module per ECS
//! with its cases, `harness` checks and samples them, `bars` judges and `report` prints. Three reports stand
//! beside the rows: `growth` asks whether costs rise with the number of entities, `scale` what a world with
//! very many types and tables costs, `threads` how much faster work becomes on many threads.

#![deny(unsafe_code)]

mod arguments;
mod bars;
mod components;
mod ecs;
mod growth;
mod harness;
mod matrix;
mod report;
mod scale;
mod threads;
mod workloads;

use std::fs::File;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use arguments::{Options, Request};
use harness::Case;
use harness::rounds::{self, Budget};

#[global_allocator]
static ALLOCATOR: harness::allocator::Counting = harness::allocator::Counting;

/// Threads of the parallel rows, for every ECS.
pub const THREADS: usize = 2;

fn main() -> ExitCode {
    match arguments::parse(std::env::args().skip(1)) {
        Ok(Request::Help) => print!("{}", arguments::HELP),
        Ok(Request::List) => list(),
        Ok(Request::Run(options)) => return run(&options),
        Err(message) => return fail(&format!("{message}\n  help: --help lists the options"), 2),
    }
    ExitCode::SUCCESS
}

fn fail(message: &str, status: u8) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(status)
}

fn list() {
    println!("rows:");
    for row in workloads::ALL {
        println!("  {:<20}{}", row.name, row.what);
    }
    println!("ecs:\n  {}", ecs::NAMES.join(", "));
}

fn run(options: &Options) -> ExitCode {
    // Opened first: better to hear of a bad path now than after four minutes.
    let json = match options.json.as_ref().map(File::create).transpose() {
        Ok(file) => file,
        Err(error) => return fail(&format!("cannot write `{}`: {error}", options.json.as_deref().unwrap_or("")), 2),
    };
    harness::allocator::keep_freed_memory();
    ecs::start_thread_pools();

    let figures =
        if options.growth || options.scale || options.threads { side_reports(options) } else { table(options) };
    let lines = match figures {
        Ok(lines) => lines,
        Err(message) => return fail(&message, 1),
    };
    if let Some(mut file) = json
        && let Err(error) = file.write_all(report::json(&lines).as_bytes())
    {
        return fail(&format!("cannot write `{}`: {error}", options.json.as_deref().unwrap_or("")), 1);
    }
    ExitCode::SUCCESS
}

/// `--growth`, `--scale`, `--threads`, or several; answers the figures as lines of JSON.
fn side_reports(options: &Options) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    if options.growth {
        lines.extend(growth::run(&options.rows, options.quick)?);
    }
    if options.scale {
        lines.extend(scale::run(options.quick)?);
    }
    if options.threads {
        lines.extend(threads::run(options.quick)?);
    }
    Ok(lines)
}

/// The table of all rows and the verdicts; answers the figures as lines of JSON.
fn table(options: &Options) -> Result<Vec<String>, String> {
    let cases: Vec<Case> = ecs::cases().into_iter().filter(|case| options.ecs.contains(&case.ecs)).collect();
    let budget = if options.quick {
        Budget { time: Duration::from_millis(1_500), least: 6, most: 400, builds: 2 }
    } else {
        Budget { time: Duration::from_secs(9), least: 16, most: 2_000, builds: 4 }
    };
    let progress = report::Progress::new(options.rows.len());
    let mut results = Vec::new();
    println!("{}", report::heading());
    for (index, row) in options.rows.iter().enumerate() {
        progress.begin(index, row.name);
        let of_row: Vec<&Case> = cases.iter().filter(|case| case.workload == *row).collect();
        let result = rounds::measure(&of_row, &budget);
        progress.clear();
        let result = result.map_err(|mismatch| mismatch.to_string())?;
        println!("{}", report::table(&result));
        results.push(result);
    }
    print!("{}", report::verdicts(&results));
    Ok(report::json_lines(&results))
}
