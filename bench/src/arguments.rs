//! The command line.

use crate::ecs;
use crate::growth;
use crate::workloads::{self, Workload};

/// What `--help` prints.
pub const HELP: &str = "\
Measures Phalanx beside six other ECSs and a hand-written struct of arrays (`raw`).

All ECSs run interleaved in one process: in each round of a row each runs once, in rotating order.
Before a row is timed, every ECS must reach the same state as raw; if one does not, nothing more is
measured and the exit status is 1.

Usage: cargo run --release --manifest-path bench/Cargo.toml -- [OPTIONS]

Options:
  --only ROW[,ROW...]   only these rows
  --ecs NAME[,NAME...]  only these ECSs (raw always runs: it is what the others are compared with)
  --growth              instead of the rows: the cost per entity at 1,000 to 1,000,000 entities, Phalanx
                        beside raw, and whether Phalanx's ratio to raw rises (under two minutes; --only
                        picks rows here, too)
  --scale               instead of the rows: one Phalanx world with 10,000 component types and 100,000
                        tables beside one with nothing else in it (under two minutes)
  --threads             instead of the rows: a long walk and 64 systems on one thread and on all of the
                        machine's, Phalanx beside rayon by hand (under a minute)
  --json FILE           write the figures to FILE, too
  --quick               fewer rounds: some two minutes instead of nine
  --list                list the rows and the ECSs, and stop
  --help                print this, and stop

Columns:
  min ns, median ns     per item, over all rounds (bytes per entity in the row `memory`)
  x raw                 median over rounds of the ratio to raw within the round
  x peer                the same to the best peer of the row (smallest median; Phalanx is no peer)
";

/// What the command line asks for.
#[derive(Debug)]
pub enum Request {
    Help,
    List,
    Run(Options),
}

/// What to measure, and how.
#[derive(Debug)]
pub struct Options {
    pub rows: Vec<&'static Workload>,
    /// Always contains raw.
    pub ecs: Vec<&'static str>,
    pub json: Option<String>,
    pub quick: bool,
    /// The report of `growth`, over those of `rows` that it has.
    pub growth: bool,
    /// The report of `scale`.
    pub scale: bool,
    /// The report of `threads`.
    pub threads: bool,
}

/// Reads the arguments (without the program's name).
///
/// # Errors
/// A sentence for the user, when an option is unknown, lacks its value or names nothing.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Request, String> {
    let mut options = Options {
        rows: workloads::ALL.iter().collect(),
        ecs: ecs::NAMES.to_vec(),
        json: None,
        quick: false,
        growth: false,
        scale: false,
        threads: false,
    };
    let (mut only, mut some_ecs) = (false, false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let (option, inline) = match argument.split_once('=') {
            Some((option, value)) => (option, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let takes_value = matches!(option, "--only" | "--ecs" | "--json");
        if inline.is_some() && !takes_value {
            return Err(format!("unknown option `{argument}`"));
        }
        let mut value = || {
            let value = inline.clone().or_else(|| arguments.next());
            value.filter(|value| !value.is_empty()).ok_or_else(|| format!("option `{option}` needs a value"))
        };
        match option {
            "--only" => (options.rows, only) = (rows(&value()?)?, true),
            "--ecs" => (options.ecs, some_ecs) = (names(&value()?)?, true),
            "--json" => options.json = Some(value()?),
            "--quick" => options.quick = true,
            "--growth" => options.growth = true,
            "--scale" => options.scale = true,
            "--threads" => options.threads = true,
            "--list" => return Ok(Request::List),
            "--help" | "-h" => return Ok(Request::Help),
            _ => return Err(format!("unknown option `{argument}`")),
        }
    }
    if some_ecs && (options.growth || options.scale || options.threads) {
        return Err("`--ecs` says nothing to `--growth`, `--scale` and `--threads`, which are about Phalanx".to_owned());
    }
    if only && (options.scale || options.threads) {
        return Err("`--only` says nothing to `--scale` and `--threads`, which have no rows to choose from".to_owned());
    }
    if options.growth
        && let Some(row) = options.rows.iter().find(|row| only && !growth::has(row))
    {
        return Err(format!("`--growth` has no row `{}`; it has: {}", row.name, growth::names().join(", ")));
    }
    Ok(Request::Run(options))
}

/// The named rows, in the order of the table.
fn rows(list: &str) -> Result<Vec<&'static Workload>, String> {
    let names: Vec<&str> = list.split(',').collect();
    if let Some(name) = names.iter().find(|name| !workloads::ALL.iter().any(|row| row.name == **name)) {
        let known: Vec<&str> = workloads::ALL.iter().map(|row| row.name).collect();
        return Err(format!("no row is named `{name}`; there are: {}", known.join(", ")));
    }
    Ok(workloads::ALL.iter().filter(|row| names.contains(&row.name)).collect())
}

/// The named ECSs and raw, in the order of the table.
fn names(list: &str) -> Result<Vec<&'static str>, String> {
    let names: Vec<&str> = list.split(',').collect();
    if let Some(name) = names.iter().find(|name| !ecs::NAMES.contains(name)) {
        return Err(format!("no ECS is named `{name}`; there are: {}", ecs::NAMES.join(", ")));
    }
    Ok(ecs::NAMES.iter().copied().filter(|name| *name == ecs::RAW || names.contains(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::{Options, Request, parse};

    fn run(arguments: &[&str]) -> Result<Options, String> {
        match parse(arguments.iter().map(|argument| (*argument).to_owned()))? {
            Request::Run(options) => Ok(options),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn raw_always_runs() {
        assert_eq!(run(&["--ecs", "hecs"]).unwrap().ecs, ["raw", "hecs"]);
    }

    #[test]
    fn rows_keep_the_order_of_the_table() {
        let rows = run(&["--only=iter_1m,simple_iter"]).unwrap().rows;
        assert_eq!(rows.iter().map(|row| row.name).collect::<Vec<_>>(), ["simple_iter", "iter_1m"]);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(run(&["--only", "simple"]).unwrap_err().contains("no row is named `simple`"));
        assert!(run(&["--ecs", "unity"]).unwrap_err().contains("no ECS is named `unity`"));
        assert!(run(&["--json"]).unwrap_err().contains("`--json` needs a value"));
        assert!(run(&["--fast"]).unwrap_err().contains("unknown option `--fast`"));
        assert!(run(&["--growth", "--only", "memory"]).unwrap_err().contains("`--growth` has no row `memory`"));
        assert!(run(&["--growth", "--ecs", "hecs"]).unwrap_err().contains("`--ecs` says nothing"));
        assert!(run(&["--only", "despawn", "--scale"]).unwrap_err().contains("`--only` says nothing"));
        assert!(run(&["--quick=yes"]).unwrap_err().contains("unknown option `--quick=yes`"));
    }
}
