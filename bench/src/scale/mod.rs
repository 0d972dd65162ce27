//! What a world with very many component types and tables costs: the report of `--scale`.
//!
//! ```text
//! at scale   10,000 run-time types; 100,000 tables of 3 to 6 of them, one entity in each
//! alone      only the types and tables that the measured work touches
//!            both: the same 10,000 entities (A, B) come and go, round by round, in one world after the other
//! ```
//!
//! Work on an entity or a query should cost what it costs alone: what else is in the world is not its
//! business. `crowd` makes the worlds, `rounds` measures them, `figures` keeps and shows what was found.

mod crowd;
mod figures;
mod rounds;

use crowd::{Crowd, Size};
use figures::{Figures, Place};
use rounds::Stage;

use crate::components::Random;
use crate::growth::grouped;
use crate::harness::allocator;
use crate::report::Progress;

/// How long to measure.
struct Effort {
    /// How often the large world is built.
    builds: usize,
    /// How often everything is measured in it.
    rounds: usize,
    /// How many entities `(A, B)` come and go.
    entities: usize,
}

/// Measures and prints; answers the figures as lines of JSON.
///
/// # Errors
/// When a world does not hold what it should.
pub fn run(quick: bool) -> Result<Vec<String>, String> {
    let (builds, rounds) = if quick { (2, 4) } else { (4, 12) };
    let size = Size { types: 10_000, tables: 100_000 };
    let figures = measure(size, &Effort { builds, rounds, entities: 10_000 })?;
    println!("one world with {} component types and {} tables", grouped(size.types), grouped(size.tables));
    print!("{}", figures.table());
    Ok(figures.json_lines())
}

fn measure(size: Size, effort: &Effort) -> Result<Figures, String> {
    let mut random = Random::default();
    // One spare set per round, and one for the round that counts for nothing.
    let sets = crowd::distinct_sets(size, effort.rounds + 1, &mut random);
    let (sets, spare) = sets.split_at(size.tables);

    let progress = Progress::new(effort.builds + 1);
    let mut figures = Figures::default();
    for build in 0..effort.builds {
        progress.begin(build, "scale");
        let measured = measure_one_build(size, effort, sets, spare, &mut figures);
        progress.clear();
        measured?;
    }
    progress.begin(effort.builds, "scale, memory");
    // A build of its own: counting costs time.
    let (crowd, bytes) = allocator::live_bytes_of(|| Crowd::build(size, sets, &mut Figures::default()));
    progress.clear();
    let of_report = crowd.members.capacity() * size_of_val(&crowd.members[0]);
    figures.note("memory_allocated", Place::AtScale, (bytes as f64 - of_report as f64) / size.tables as f64);
    Ok(figures)
}

fn measure_one_build(
    size: Size,
    effort: &Effort,
    sets: &[crowd::Set],
    spare: &[crowd::Set],
    figures: &mut Figures,
) -> Result<(), String> {
    let crowd = Crowd::build(size, sets, figures);
    crowd.check(size)?;
    figures.note("memory", Place::AtScale, crowd.world.memory().reserved() as f64 / size.tables as f64);
    let alone = Crowd::only_with_both(sets);
    let mut stages = [Stage::new(crowd, Place::AtScale, sets), Stage::new(alone, Place::Alone, sets)];
    for (round, spare) in spare.iter().enumerate() {
        // The first round after a build counts for nothing: its tables and edges are new.
        let mut ignored = Figures::default();
        let figures = if round == 0 { &mut ignored } else { &mut *figures };
        let (first, second) = (round % 2, 1 - round % 2);
        stages[first].round(effort.entities, spare, figures)?;
        stages[second].round(effort.entities, spare, figures)?;
    }
    let [at_scale, _] = stages;
    at_scale.halve(figures)
}

#[cfg(test)]
mod tests {
    use super::{Effort, Size, measure};

    #[test]
    fn a_small_crowd_gives_every_figure() {
        let effort = Effort { builds: 1, rounds: 2, entities: 50 };
        let figures = measure(Size { types: 60, tables: 400 }, &effort).unwrap();
        assert_eq!(figures.missing(), [""; 0]);
        let lines = figures.json_lines();
        assert!(lines.iter().any(|line| line.contains(r#""row":"scale/spawn","ecs":"phalanx","unit":"ns""#)));
    }
}
