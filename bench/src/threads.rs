//! How much faster work becomes on all threads of the machine: the report of `--threads`.
//!
//! ```text
//! walk      one system that inverts matrices, a hundred times for each of 40,000 entities, with `par_for_each`
//! systems   64 systems that have nothing in common and invert 300 matrices each: about a millisecond
//! clocked   64 systems that have nothing in common and do nothing for a millisecond by the clock each
//! placed    1,000,000 transforms in random trees of ten are moved, and where they are in the world is worked out
//! ```
//!
//! Each is run by a schedule on one thread and on all, in turn; and beside it the same work shared out by rayon, by hand. What a machine gives
//! is less than its number of threads where they share cores, caches or heat: the hand-written side shows how much less. By the clock a
//! millisecond is one on any core, so that `clocked` shows what sharing out costs, and nothing else. `placed` reads and writes memory more than it
//! computes, and has no bar; by hand each tree is known to be ten rows in a row.

use std::fmt::Write as _;
use std::hint::spin_loop;
use std::sync::Arc;
use std::time::{Duration, Instant};

use phalanx_ecs::prelude::*;
use phalanx_scene::glam::Affine3A;
use phalanx_scene::{Transform as Placement, propagate};
use phalanx_schedule::{Schedule, Threads};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::components::{Position, Transform, rows};
use crate::ecs::trees::{NOBODY, forest, forest_world, transform_of};
use crate::ecs::{PHALANX, RAW};
use crate::harness::statistics::{median, median_ratio, minimum};
use crate::matrix::heavy_work;
use crate::report;

/// Entities of the walk: some 80 ms on one thread.
const ENTITIES: usize = 40_000;
const SYSTEMS: usize = 64;
/// Matrices of one system: about a millisecond.
const EACH: usize = 300;

/// The least gain on 16 threads.
const BAR: f64 = 13.0;

type Run = Box<dyn FnMut(&Arc<ThreadPool>)>;

/// One work, done by one side: on one thread, and on all.
struct Work {
    row: &'static str,
    ecs: &'static str,
    /// The least gain on 16 threads.
    bar: Option<f64>,
    run: Run,
    one: Vec<f64>,
    all: Vec<f64>,
}

impl Work {
    fn new(row: &'static str, ecs: &'static str, run: impl FnMut(&Arc<ThreadPool>) + 'static) -> Self {
        let bar = (ecs == PHALANX).then_some(BAR);
        Self { row, ecs, bar, run: Box::new(run), one: Vec::new(), all: Vec::new() }
    }

    fn without_bar(self) -> Self {
        Self { bar: None, ..self }
    }

    /// By the best runs: a neighbour who takes one core of sixteen holds up all sixteen.
    fn gain(&self) -> f64 {
        minimum(&self.one) / minimum(&self.all)
    }

    /// By all runs, each beside the one on one thread.
    fn usual_gain(&self) -> f64 {
        median_ratio(&self.one, &self.all)
    }
}

/// Measures and prints; answers the figures as lines of JSON.
///
/// # Errors
/// When a pool of threads cannot be started.
pub fn run(quick: bool) -> Result<Vec<String>, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string());
        pool.map(Arc::new)
    };
    let (one, all) = (pool(1)?, pool(threads)?);
    let mut works = [
        Work::new("walk", RAW, raw_walk()),
        Work::new("walk", PHALANX, walk()),
        Work::new("systems", RAW, raw_systems(inverting)),
        Work::new("systems", PHALANX, systems(inverting)),
        Work::new("clocked", RAW, raw_systems(|| wait)),
        Work::new("clocked", PHALANX, systems(|| wait)),
        Work::new("placed", RAW, raw_placed()),
        Work::new("placed", PHALANX, placed()).without_bar(),
    ];
    let rounds = if quick { 5 } else { 30 };
    let progress = report::Progress::new(rounds);
    for round in 0..rounds {
        progress.begin(round, "threads");
        for work in &mut works {
            // Each pool twice: what the other left in the caches and in the estimates counts for nothing.
            for (pool, samples) in [(&one, &mut work.one), (&all, &mut work.all)] {
                (work.run)(pool);
                let begun = Instant::now();
                (work.run)(pool);
                samples.push(begun.elapsed().as_secs_f64() * 1e9);
            }
        }
        progress.clear();
    }
    print!("{}", table(&works, threads));
    Ok(works.iter().flat_map(|work| json(work, threads)).collect())
}

fn walk() -> impl FnMut(&Arc<ThreadPool>) {
    let (mut world, mut schedule) = (World::new(), Schedule::new());
    world.spawn_batch(rows(ENTITIES));
    let invert = |mut all: Query<(&mut Transform, &mut Position)>| {
        all.par_for_each(|(transform, position)| heavy_work(transform, position));
    };
    schedule.add(&mut world, invert).expect("the first of its name");
    move |pool| pool.install(|| schedule.run(&mut world)).expect("nothing fails")
}

fn raw_walk() -> impl FnMut(&Arc<ThreadPool>) {
    let (mut transforms, mut positions): (Vec<_>, Vec<_>) =
        rows(ENTITIES).map(|(transform, position, ..)| (transform, position)).unzip();
    move |pool| {
        pool.install(|| {
            let both = transforms.par_iter_mut().zip(&mut positions);
            both.for_each(|(transform, position)| heavy_work(transform, position));
        });
    }
}

/// A system's work: matrices of its own.
fn inverting() -> impl FnMut() + Send + 'static {
    let mut matrices: Vec<_> = rows(EACH).map(|(transform, position, ..)| (transform, position)).collect();
    move || matrices.iter_mut().for_each(|(transform, position)| heavy_work(transform, position))
}

/// A system's work: a millisecond, on whatever core.
fn wait() {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(1) {
        spin_loop();
    }
}

fn systems<W: FnMut() + Send + 'static>(mut work: impl FnMut() -> W) -> impl FnMut(&Arc<ThreadPool>) {
    let (mut world, mut schedule) = (World::new(), Schedule::new());
    for at in 0..SYSTEMS {
        schedule.add(&mut world, work()).expect("may be added").named(format!("system {at}"));
    }
    move |pool| {
        schedule.set_pool(Arc::clone(pool));
        schedule.set_threads(if pool.current_num_threads() == 1 { Threads::Never } else { Threads::Auto });
        schedule.run(&mut world).expect("nothing fails");
    }
}

fn raw_systems<W: FnMut() + Send + 'static>(mut work: impl FnMut() -> W) -> impl FnMut(&Arc<ThreadPool>) {
    let mut all: Vec<_> = (0..SYSTEMS).map(|_| work()).collect();
    move |pool| pool.scope(|scope| all.iter_mut().for_each(|work| scope.spawn(|_| work())))
}

/// Trees of `placed`, and nodes of each.
const FOREST: (usize, usize) = (100_000, 10);

fn placed() -> impl FnMut(&Arc<ThreadPool>) {
    let mut world = forest_world(FOREST.0, FOREST.1);
    move |pool| {
        pool.install(|| {
            world.query::<&mut Placement>().par_for_each(|transform| transform.translation.x += 1.0);
            propagate(&mut world);
        });
    }
}

fn raw_placed() -> impl FnMut(&Arc<ThreadPool>) {
    let shape = forest(FOREST.0, FOREST.1);
    let mut locals: Vec<Placement> = (0..shape.len()).map(transform_of).collect();
    let mut places = vec![Affine3A::IDENTITY; shape.len()];
    // So many trees are handed to a thread.
    let rows = 200 * FOREST.1;
    move |pool| {
        pool.install(|| {
            locals.par_iter_mut().with_min_len(rows).for_each(|transform| transform.translation.x += 1.0);
            let pieces = places.par_chunks_mut(rows).zip(locals.par_chunks(rows).zip(shape.par_chunks(rows)));
            pieces.enumerate().for_each(|(piece, (places, (locals, above)))| {
                for row in 0..places.len() {
                    let local = locals[row].matrix();
                    places[row] = match above[row] {
                        NOBODY => local,
                        above => places[above as usize - piece * rows] * local,
                    };
                }
            });
        });
    }
}

fn table(works: &[Work], threads: usize) -> String {
    let mut text = format!(
        "{:<10}{:<10}{:>14}{:>14}{:>14}{:>14}{:>8}{:>8}\n",
        "row",
        "ecs",
        "min ms on 1",
        "median",
        format!("min ms on {threads}"),
        "median",
        "gain",
        "usual"
    );
    for work in works {
        let _ = write!(text, "{:<10}{:<10}", work.row, work.ecs);
        for samples in [&work.one, &work.all] {
            let _ = write!(text, "{:>14.2}{:>14.2}", minimum(samples) / 1e6, median(samples) / 1e6);
        }
        let _ = writeln!(text, "{:>7.1}x{:>7.1}x{}", work.gain(), work.usual_gain(), verdict(work, threads));
    }
    text
}

fn verdict(work: &Work, threads: usize) -> String {
    match (work.bar, threads) {
        (None, _) => String::new(),
        (Some(bar), 16) => format!("  {} (bar {bar} on 16 threads)", if work.gain() >= bar { "met" } else { "MISSED" }),
        _ => "  (the bar is for 16 threads)".to_owned(),
    }
}

fn json(work: &Work, threads: usize) -> [String; 2] {
    [(1, &work.one), (threads, &work.all)].map(|(threads, samples)| {
        format!(
            "{{\"row\":\"threads/{}/{threads}\",\"ecs\":\"{}\",\"variant\":\"\",\"min_ns\":{:.0},\"median_ns\":{:.0},\"gain\":{:.2},\"usual_gain\":{:.2}}}",
            work.row, work.ecs, minimum(samples), median(samples), work.gain(), work.usual_gain()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Work, verdict};

    #[test]
    fn the_verdict_is_about_sixteen_threads() {
        let mut work = Work::new("walk", "phalanx", |_| ());
        work.one = vec![26.0, 27.0, 28.0];
        work.all = vec![2.0, 2.0, 2.0];
        assert_eq!(verdict(&work, 16), "  met (bar 13 on 16 threads)");
        work.all = vec![2.1, 2.1, 2.1];
        assert_eq!(verdict(&work, 16), "  MISSED (bar 13 on 16 threads)");
        assert_eq!(verdict(&work, 2), "  (the bar is for 16 threads)");
    }
}
