//! The demonstration: the examples of `phalanx`, run for many frames.
//!
//! The worlds and what happens in them are the very files of the examples, so what people see here is what they can copy from there.

#[path = "../../phalanx/examples/growth.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod growth;
#[path = "../../phalanx/examples/harbour.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod harbour;
#[path = "../../phalanx/examples/rocks.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod rocks;

use crate::arguments::Demo;
use crate::clock::Clock;
use crate::interrupt;
use crate::progress::Progress;
use phalanx::prelude::*;
use phalanx::{Checksum, MemoryReport};
use std::time::Duration;

/// What came out.
pub(crate) struct Outcome {
    pub(crate) stages: Vec<Stage>,
    pub(crate) threads: usize,
    /// The same for the same frames and rocks, on any number of threads.
    pub(crate) checksum: u64,
    /// Whether it ended before all frames were run.
    pub(crate) interrupted: bool,
}

/// One of the engines.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) entities: usize,
    pub(crate) clock: Clock,
    pub(crate) memory: MemoryReport,
    pub(crate) checksum: Checksum,
    /// What a person would want to know about how it ended.
    pub(crate) result: String,
    pub(crate) systems: Vec<SystemTime>,
}

/// What one system took.
pub(crate) struct SystemTime {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) runs: u64,
    /// How many of its runs were timed.
    pub(crate) timed: u64,
    pub(crate) mean: Duration,
    pub(crate) longest: Duration,
}

impl SystemTime {
    /// What all its runs took, by those that were timed; in nanoseconds.
    fn total(&self) -> u128 {
        self.mean.as_nanos() * u128::from(self.runs)
    }
}

/// Runs all of it.
pub(crate) fn run(settings: &Demo) -> phalanx::Result<Outcome> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = settings.threads {
        pool = pool.num_threads(threads);
    }
    // All of it runs inside the pool: entering it anew for every frame would take longer than the frame.
    pool.build()?.install(|| {
        let stages = vec![grow(settings)?, float(settings)?, sail(settings)?];
        let done: u64 = stages.iter().map(|stage| stage.clock.frames).sum();
        let interrupted = done < settings.frames * stages.len() as u64;
        let checksum = stages.iter().fold(0, |sum: u64, stage| sum.rotate_left(1) ^ stage.checksum.value());
        Ok(Outcome { stages, threads: rayon::current_num_threads(), checksum, interrupted })
    })
}

fn grow(settings: &Demo) -> phalanx::Result<Stage> {
    let about = "a tree and a rock grow, each to its maximum; a stone does not";
    stage(settings, "growth", about, growth::garden, growth::show)
}

fn float(settings: &Demo) -> phalanx::Result<Stage> {
    let about = "they float between where they started and 500 units above it";
    let rocks = settings.rocks;
    let show = move |world: &World| format!("{rocks} rocks at height {:.1}", rocks::height(world));
    stage(settings, "rocks", about, rocks::field(rocks), show)
}

fn sail(settings: &Demo) -> phalanx::Result<Stage> {
    let about = "two scenes with a pace of their own: ships with masts and flags, and gulls that come later";
    stage(settings, "harbour", about, harbour::harbour, harbour::show)
}

/// What a stage leaves behind when it ends.
#[derive(Resource)]
#[resource(no_checksum)]
struct Conclusion(String);

/// Runs what a plugin brings, until all frames are run or somebody presses Ctrl-C; then what belongs to the end.
fn stage(
    settings: &Demo,
    name: &'static str,
    about: &'static str,
    plugin: impl FnOnce(&mut Engine) -> phalanx::Result,
    show: impl Fn(&World) -> String + Copy + Send + 'static,
) -> phalanx::Result<Stage> {
    let mut engine = Engine::new();
    engine.add_plugin(plugin)?;
    let conclude = move |world: &mut World| drop(world.insert_resource(Conclusion(show(world))));
    engine.add_end(conclude)?.named("conclude");
    let clock = frames(settings, name, &mut engine, show)?;
    let mut systems: Vec<SystemTime> = engine
        .schedule()
        .systems()
        .map(|system| SystemTime {
            name: system.name.to_owned(),
            group: system.group.to_owned(),
            runs: system.runs,
            timed: system.timed,
            mean: system.mean,
            longest: system.longest,
        })
        .collect();
    systems.sort_by_key(|system| std::cmp::Reverse(system.total()));
    let world = engine.world_mut();
    let Conclusion(result) = world.remove_resource().expect("it was left at the end");
    let (entities, memory, checksum) = (world.alive(), world.memory(), world.checksum());
    Ok(Stage { name, about, entities, clock, memory, checksum, result, systems })
}

fn frames(
    settings: &Demo,
    name: &'static str,
    engine: &mut Engine,
    show: impl Fn(&World) -> String,
) -> phalanx::Result<Clock> {
    let mut progress = Progress::new(name, settings.frames, settings.quiet);
    let mut clock = Clock::default();
    let stopper = engine.stopper();
    interrupt::stops(&stopper);
    while clock.frames < settings.frames && !stopper.is_stopped() {
        engine.run_frame(rocks::FRAME)?;
        clock.add(engine.stats().last());
        progress
            .show(clock.frames, || format!("{}, {:.0} frames/s", show(engine.world()), engine.stats().average_fps()));
    }
    engine.finish()?;
    Ok(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(frames: u64, rocks: u32, threads: usize) -> Outcome {
        run(&Demo { frames, rocks, threads: Some(threads), quiet: true }).expect("nothing fails")
    }

    #[test]
    fn the_result_is_the_same_on_every_run_and_on_any_number_of_threads() {
        let rocks = rocks::ENOUGH_TO_SHARE + 1;
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
        let [growth, rocks, harbour] = outcome.stages.as_slice() else { panic!("three stages") };
        assert_eq!((growth.entities, growth.clock.frames), (3, 128));
        assert_eq!((rocks.entities, rocks.clock.frames), (100, 128));
        assert_eq!((harbour.entities, harbour.clock.frames), (14, 128), "three ships of three parts, and five gulls");
        assert_eq!(harbour.result, "a flag at 6.0; fly slept at 0.0 s, sail woke at 0.1 s, fly woke at 1.0 s");
        assert_eq!(growth.result, "tree 2.000, rock 2.250, stone 3.000");
        assert_eq!(rocks.result, "100 rocks at height 500.0");
        assert!(growth.checksum.is_complete() && rocks.checksum.is_complete());
        assert!(!outcome.interrupted);
    }

    #[test]
    fn systems_are_those_of_the_examples_each_at_its_pace() {
        let outcome = outcome(128, 100, 1);
        let runs = |stage: &Stage| -> Vec<String> {
            stage.systems.iter().map(|system| format!("{} in {}: {}", system.name, system.group, system.runs)).collect()
        };
        let [mut growth, mut rocks] = [0, 1].map(|stage| runs(&outcome.stages[stage]));
        growth.sort();
        rocks.sort();
        assert_eq!(growth, ["conclude in End: 1", "grow in Life: 16"], "eight times a second, for two seconds");
        assert_eq!(rocks, ["conclude in End: 1", "float in Update: 128"]);
        let mut harbour = runs(&outcome.stages[2]);
        harbour.retain(|system| system.contains("in Scenes"));
        harbour.sort();
        assert_eq!(harbour, ["harbour/sail in Scenes: 60", "sky/fly in Scenes: 34"]);
        for stage in &outcome.stages {
            assert!(stage.systems.is_sorted_by_key(|system| std::cmp::Reverse(system.total())), "slowest first");
        }
    }

    #[test]
    fn an_engine_that_is_stopped_runs_no_more_frames_and_comes_to_its_end() {
        let settings = Demo { frames: 1000, rocks: 1, threads: Some(1), quiet: true };
        let stops_itself = |engine: &mut Engine| -> phalanx::Result {
            engine.add(|time: Time, stopper: Res<phalanx::Stopper>| {
                if time.count() == 6 {
                    stopper.stop();
                }
            })?;
            Ok(())
        };
        let stage = stage(&settings, "test", "", stops_itself, |_| "the end".into()).expect("nothing fails");
        assert_eq!((stage.clock.frames, &*stage.result), (7, "the end"));
    }

    #[test]
    fn nothing_to_do_is_fine() {
        let outcome = outcome(0, 0, 1);
        assert_eq!(outcome.stages[1].entities, 0);
        assert_eq!(outcome.stages[1].result, "0 rocks at height 0.0");
        assert!(!outcome.interrupted);
    }
}
