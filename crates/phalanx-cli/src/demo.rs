//! The demonstration: the examples of `phalanx`, run for many frames.
//!
//! The worlds and what happens in them are the very files of the examples, so what people see here is what they can copy from there.

#[path = "../../phalanx/examples/growth.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod growth;
#[path = "../../phalanx/examples/rocks.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod rocks;

use crate::arguments::Demo;
use crate::clock::Clock;
use crate::interrupt;
use crate::progress::Progress;
use phalanx::{Checksum, MemoryReport, World};
use std::io;

/// A frame of the demonstration, in seconds: a power of two, so that times add up exactly.
const FRAME: f32 = 1.0 / 64.0;

/// With fewer rocks than this, sharing them between threads takes longer than moving them.
const ENOUGH_TO_SHARE: u32 = 20_000;

/// What came out.
pub(crate) struct Outcome {
    pub(crate) stages: Vec<Stage>,
    pub(crate) threads: usize,
    /// The same for the same frames and rocks, on any number of threads.
    pub(crate) checksum: u64,
    /// Whether it ended before all frames were run.
    pub(crate) interrupted: bool,
}

/// One of the worlds.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) entities: usize,
    pub(crate) clock: Clock,
    pub(crate) memory: MemoryReport,
    pub(crate) checksum: Checksum,
    /// What a person would want to know about how it ended.
    pub(crate) result: String,
}

/// Runs all of it.
pub(crate) fn run(settings: &Demo) -> io::Result<Outcome> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = settings.threads {
        pool = pool.num_threads(threads);
    }
    let pool = pool.build().map_err(io::Error::other)?;
    // All of it runs inside the pool: entering it anew for every frame would take longer than the frame.
    Ok(pool.install(|| {
        let stages = vec![grow(settings), float(settings)];
        let done: u64 = stages.iter().map(|stage| stage.clock.frames).sum();
        let interrupted = done < settings.frames * stages.len() as u64;
        let checksum = stages.iter().fold(0, |sum: u64, stage| sum.rotate_left(1) ^ stage.checksum.value());
        Outcome { stages, threads: rayon::current_num_threads(), checksum, interrupted }
    }))
}

/// Runs the frames of one world.
fn frames(
    name: &'static str,
    settings: &Demo,
    world: &mut World,
    mut frame: impl FnMut(&mut World),
    detail: impl Fn(&World) -> String,
) -> Clock {
    let mut progress = Progress::new(name, settings.frames, settings.quiet);
    let mut clock = Clock::default();
    while clock.frames < settings.frames && !interrupt::happened() {
        clock.time(|| frame(world));
        progress.show(clock.frames, || detail(world));
    }
    clock
}

fn grow(settings: &Demo) -> Stage {
    let mut world = growth::garden();
    let clock = frames("growth", settings, &mut world, |world| growth::grow(world, FRAME), growth::show);
    Stage {
        name: "growth",
        about: "a tree and a rock grow, each to its maximum; a stone does not",
        entities: world.alive(),
        clock,
        memory: world.memory(),
        checksum: world.checksum(),
        result: growth::show(&world),
    }
}

fn float(settings: &Demo) -> Stage {
    let mut world = rocks::field(settings.rocks);
    let share = rayon::current_num_threads() > 1 && settings.rocks >= ENOUGH_TO_SHARE;
    let float = if share { rocks::float_on_many_threads } else { rocks::float };
    let height = |world: &World| format!("{} rocks at height {:.1}", settings.rocks, rocks::height(world));
    let clock = frames("rocks", settings, &mut world, |world| float(world, FRAME), height);
    Stage {
        name: "rocks",
        about: "they float between where they started and 500 units above it",
        entities: world.alive(),
        clock,
        memory: world.memory(),
        checksum: world.checksum(),
        result: height(&world),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(frames: u64, rocks: u32, threads: usize) -> Outcome {
        run(&Demo { frames, rocks, threads: Some(threads), quiet: true }).expect("a pool")
    }

    #[test]
    fn the_result_is_the_same_on_every_run_and_on_any_number_of_threads() {
        let rocks = ENOUGH_TO_SHARE + 1;
        let one = outcome(50, rocks, 1);
        assert_eq!(one.checksum, outcome(50, rocks, 1).checksum);
        for threads in [2, 3, 8] {
            let many = outcome(50, rocks, threads);
            assert_eq!((many.checksum, many.threads), (one.checksum, threads));
        }
        assert_ne!(one.checksum, outcome(51, rocks, 1).checksum);
        assert_ne!(one.checksum, outcome(50, rocks + 1, 1).checksum);
    }

    #[test]
    fn every_frame_is_run_and_every_entity_counted() {
        let outcome = outcome(128, 100, 1);
        let [growth, rocks] = outcome.stages.as_slice() else { panic!("two stages") };
        assert_eq!((growth.entities, growth.clock.frames), (3, 128));
        assert_eq!((rocks.entities, rocks.clock.frames), (100, 128));
        assert_eq!(growth.result, "tree 2.000, rock 2.250, stone 3.000");
        assert_eq!(rocks.result, "100 rocks at height 500.0");
        assert!(growth.checksum.is_complete() && rocks.checksum.is_complete());
        assert!(!outcome.interrupted);
    }

    #[test]
    fn nothing_to_do_is_fine() {
        let outcome = outcome(0, 0, 1);
        assert_eq!(outcome.stages[1].entities, 0);
        assert_eq!(outcome.stages[1].result, "0 rocks at height 0.0");
        assert!(!outcome.interrupted);
    }
}
