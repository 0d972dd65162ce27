//! What a user can type, and what is wrong with it.

use clap::{Arg, ArgAction, ArgMatches, Command};

/// The settings of the demonstration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Demo {
    pub(crate) frames: u64,
    pub(crate) rocks: u32,
    /// As many as the machine has, if nothing is said.
    pub(crate) threads: Option<usize>,
    pub(crate) quiet: bool,
}

/// What `phalanx` does without arguments.
const DEFAULT: Demo = Demo { frames: 100_000, rocks: 1000, threads: None, quiet: false };

const MOST_FRAMES: u64 = 1_000_000_000;
const MOST_ROCKS: u32 = 10_000_000;
const MOST_THREADS: usize = 1024;

impl Demo {
    /// Reads the command line; help, the version and mistakes are answered here, and end the program.
    pub(crate) fn from_command_line() -> Self {
        Self::from_matches(&command().get_matches())
    }

    fn from_matches(matches: &ArgMatches) -> Self {
        // The settings stand before or behind `demo`, or alone.
        let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
        Self {
            frames: matches.get_one("frames").copied().unwrap_or(DEFAULT.frames),
            rocks: matches.get_one("rocks").copied().unwrap_or(DEFAULT.rocks),
            threads: matches.get_one("threads").copied(),
            quiet: matches.get_flag("quiet"),
        }
    }
}

fn command() -> Command {
    Command::new("phalanx")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Phalanx, an entity component system: the command")
        .long_about(
            "Phalanx, an entity component system: the command.\n\n\
             Without arguments it runs the built-in demonstration, three worlds one after another, each with its systems in an engine: a tree and a rock that grow beside \
             a stone that does not (growth); 1000 rocks that float up and down (rocks); and ships and gulls in two scenes (harbour). Then it says how many entities and frames there were, how long frames \
             and systems took, where the memory is, and what came out. Ctrl-C ends it early, with its summary and exit code 130.",
        )
        .after_help(
            "Examples:\n  \
             phalanx                                  the demonstration as it is\n  \
             phalanx --frames 1000                    the same as `phalanx demo --frames 1000`\n  \
             phalanx demo --rocks 1_000_000 --frames 600\n  \
             phalanx demo --rocks 1_000_000 --frames 600 --threads 1\n                                           \
             the same result on one thread\n  \
             phalanx demo --quiet > summary.txt       no progress, only the summary",
        )
        .args(settings().map(|setting| setting.global(true)))
        .subcommand(demo())
}

fn demo() -> Command {
    Command::new("demo")
        .about("Runs the demonstration with settings of your own")
        .after_help(
            "The result depends on --frames and --rocks, never on --threads. Fewer than 20_000 rocks are moved by one thread: sharing them would take longer.\n\nExamples:\n  \
             phalanx demo --frames 1000\n  \
             phalanx demo --rocks 10_000_000 --frames 60 --threads 2",
        )
}

fn settings() -> [Arg; 4] {
    [
        number("frames")
            .help(format!(
                "How many frames to run in each of the three worlds, 0 to {} [default: {}]",
                grouped(MOST_FRAMES),
                grouped(DEFAULT.frames)
            ))
            .value_parser(|text: &str| parse::<u64>(text, 0, MOST_FRAMES)),
        number("rocks")
            .help(format!("How many rocks float, 0 to {} [default: {}]", grouped(MOST_ROCKS), grouped(DEFAULT.rocks)))
            .value_parser(|text: &str| parse::<u32>(text, 0, MOST_ROCKS)),
        number("threads")
            .help(format!(
                "How many threads for 20_000 rocks or more, 1 to {} [default: as many as the machine has]",
                grouped(MOST_THREADS)
            ))
            .value_parser(|text: &str| parse::<usize>(text, 1, MOST_THREADS)),
        Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue).help("No progress, only the summary"),
    ]
}

fn number(name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("N").allow_hyphen_values(true)
}

/// Reads a whole number, which may have underscores between its digits.
fn parse<T: Copy + PartialOrd + std::fmt::Display + TryFrom<u64>>(text: &str, least: T, most: T) -> Result<T, String> {
    let well_formed =
        text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '_');
    if !well_formed {
        return Err(format!(
            "not a whole number; write one from {} to {}, such as 1000 or 1_000",
            grouped(least),
            grouped(most)
        ));
    }
    // A number too large for its type is out of range as well.
    let value = text.replace('_', "").parse().ok().and_then(|number: u64| T::try_from(number).ok());
    match value {
        Some(value) if value >= least && value <= most => Ok(value),
        _ => Err(format!("out of range; write a number from {} to {}", grouped(least), grouped(most))),
    }
}

/// A number as it can be typed: `1_000_000`, and `1000` as it is.
fn grouped(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    if digits.len() <= 4 {
        return digits;
    }
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Demo, String> {
        let line = ["phalanx"].iter().chain(arguments);
        command().try_get_matches_from(line).map(|matches| Demo::from_matches(&matches)).map_err(|e| e.to_string())
    }

    #[test]
    fn without_arguments_the_demonstration_has_its_defaults() {
        assert_eq!(read(&[]), Ok(DEFAULT));
        assert_eq!(read(&["demo"]), Ok(DEFAULT));
    }

    #[test]
    fn every_setting_arrives() {
        let all = ["demo", "--frames", "7", "--rocks=1_000_000", "--threads", "3", "-q"];
        assert_eq!(read(&all), Ok(Demo { frames: 7, rocks: 1_000_000, threads: Some(3), quiet: true }));
        assert_eq!(read(&["demo", "--rocks", "0", "--frames", "0"]), Ok(Demo { frames: 0, rocks: 0, ..DEFAULT }));
    }

    #[test]
    fn settings_need_not_say_demo() {
        assert_eq!(read(&["--frames", "7", "-q"]), Ok(Demo { frames: 7, quiet: true, ..DEFAULT }));
        assert_eq!(read(&["--frames", "7"]), read(&["demo", "--frames", "7"]));
        let both = Demo { frames: 7, rocks: 1, quiet: true, ..DEFAULT };
        assert_eq!(read(&["--quiet", "--frames", "7", "demo", "--rocks", "1"]), Ok(both), "before and behind");
    }

    #[test]
    fn a_bad_number_is_refused_with_what_to_write() {
        for (option, value, say) in [
            ("--rocks", "-1", "not a whole number; write one from 0 to 10_000_000, such as 1000 or 1_000"),
            ("--rocks", "many", "not a whole number"),
            ("--rocks", "", "not a whole number"),
            ("--rocks", "_", "not a whole number"),
            ("--rocks", "10_000_001", "out of range; write a number from 0 to 10_000_000"),
            ("--rocks", "5000000000", "out of range"),
            ("--frames", "1.5", "not a whole number"),
            ("--frames", "99999999999999999999999", "out of range; write a number from 0 to 1_000_000_000"),
            ("--threads", "0", "out of range; write a number from 1 to 1024"),
        ] {
            let error = read(&["demo", option, value]).expect_err(value);
            assert!(error.contains(say) && error.contains(option), "{option} {value}: {error}");
        }
    }

    #[test]
    fn the_help_names_every_option_and_shows_examples() {
        let help = read(&["demo", "--help"]).expect_err("help is not a run");
        for part in [
            "--frames",
            "--rocks",
            "--threads",
            "--quiet",
            "Examples:",
            "in each of the three worlds",
            "default: 1000]",
            "0 to 1_000_000_000 [default: 100_000]",
        ] {
            assert!(help.contains(part), "{part} is missing in:\n{help}");
        }
    }

    #[test]
    fn the_help_tells_of_every_world_of_the_demonstration() {
        let help = read(&["--help"]).expect_err("help is not a run");
        for world in ["(growth)", "(rocks)", "(harbour)"] {
            assert!(help.contains(world), "{world} is missing in:\n{help}");
        }
    }

    #[test]
    fn help_is_a_command_too() {
        let first_line =
            |arguments: &[&str]| read(arguments).expect_err("help is not a run").lines().next().map(str::to_owned);
        assert_eq!(first_line(&["help"]), first_line(&["--help"]));
        assert_eq!(first_line(&["help", "demo"]), first_line(&["demo", "--help"]));
    }

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }
}
