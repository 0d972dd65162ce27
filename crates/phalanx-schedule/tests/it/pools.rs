//! The thread that calls `run` beside pools of any size.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::main_thread::{Heat, Mass, Ran, Window, draw, look, warm, weigh};
use phalanx_ecs::prelude::*;
use phalanx_schedule::{Main, Schedule, Threads, insert_main, take_main};
use std::cell::Cell;
use std::sync::Arc;
use std::thread::ThreadId;

/// Waits for `warm` and `draw`, and `look` waits for it.
fn between(_: Query<&Heat>, window: Main<Window>, mut masses: Query<&mut Mass>) {
    window.frames.set(window.frames.get() + 10_000);
    masses.for_each(|mass| mass.0 *= 2);
}

fn pool(threads: usize) -> Arc<rayon::ThreadPool> {
    Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
}

/// How often all of the above are run, and what that makes of a window.
const RUNS: u32 = if cfg!(miri) { 2 } else { 10 };
const FRAMES: u32 = 10_101 * RUNS;

/// Runs all of the above.
fn run_all(pool: Option<Arc<rayon::ThreadPool>>) -> (u32, Vec<ThreadId>) {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    if let Some(pool) = pool {
        schedule.set_pool(pool);
    }
    world.spawn_batch((0..if cfg!(miri) { 3 } else { 100 }).map(|i| (Heat(i), Mass(i))));
    world.insert_resource(Ran::default());
    insert_main(&mut world, Window::new());
    schedule.add_all(&mut world, (weigh, warm, draw, between, look, || ())).unwrap();
    schedule.order(between, look).unwrap();
    for _ in 0..RUNS {
        schedule.run(&mut world).unwrap();
    }
    let window = take_main::<Window>(&mut world).unwrap().expect("inserted");
    (window.frames.get(), std::mem::take(&mut world.resource_mut::<Ran>().unwrap().0))
}

#[test]
fn systems_with_such_values_run_on_the_thread_that_calls_run_and_others_elsewhere() {
    for threads in if cfg!(miri) { 2..3 } else { 1..9 } {
        let (frames, others) = run_all(Some(pool(threads)));
        assert_eq!(frames, FRAMES);
        assert!(others.len() == RUNS as usize && others.iter().all(|id| *id != std::thread::current().id()));
    }
    assert_eq!(run_all(None).0, FRAMES);
}

#[test]
fn from_within_a_pool_of_any_size_nothing_waits_for_ever() {
    for threads in if cfg!(miri) { 2..3 } else { 1..5 } {
        let (own, other) = (pool(threads), pool(1));
        assert_eq!(own.install(|| run_all(None)).0, FRAMES);
        assert_eq!(own.install(|| run_all(Some(own.clone()))).0, FRAMES);
        assert_eq!(own.install(|| run_all(Some(other.clone()))).0, FRAMES);
    }
}

/// A schedule whose systems run schedules, each with a value of the thread it runs on, as deep as there are pools.
fn nested(pools: &[Arc<rayon::ThreadPool>]) {
    let Some((first, rest)) = pools.split_first() else {
        assert_eq!(run_all(None).0, FRAMES);
        return;
    };
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_threads(Threads::Always);
    schedule.set_pool(first.clone());
    insert_main(&mut world, Window::new());
    for _ in 0..3 {
        let rest = rest.to_vec();
        schedule.add(&mut world, move || nested(&rest)).unwrap();
    }
    let rest = rest.to_vec();
    let inside = move |window: Main<Window>| {
        nested(&rest);
        window.frames.set(window.frames.get() + 1);
    };
    schedule.add(&mut world, inside).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(take_main::<Window>(&mut world).unwrap().unwrap().frames.get(), 1);
}

#[test]
fn schedules_within_schedules_do_not_wait_for_each_other_whatever_pools_they_run_in() {
    for (threads, more) in [(2, 1), (1, 1), (3, 2)].into_iter().take(if cfg!(miri) { 1 } else { 3 }) {
        let (one, other) = (pool(threads), pool(more));
        nested(&[one.clone(), one.clone()]);
        if !cfg!(miri) {
            nested(&[one.clone(), other.clone(), one.clone()]);
        }
        other.install(|| nested(&[one.clone(), other.clone()]));
    }
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of systems that wait")]
fn systems_that_wait_do_not_pile_up_on_one_thread() {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    static DEEPEST: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }
    fn wait(all: Query<&Mass>) {
        DEPTH.set(DEPTH.get() + 1);
        DEEPEST.fetch_max(DEPTH.get(), Relaxed);
        let mut all = all;
        // While the other half is elsewhere, this thread looks for something else to do.
        all.par_for_each(|_| std::thread::sleep(std::time::Duration::from_micros(200)));
        DEPTH.set(DEPTH.get() - 1);
    }
    for after_mains in [false, true] {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        schedule.set_pool(pool(2));
        schedule.set_threads(Threads::Always);
        insert_main(&mut world, Window::new());
        world.spawn_batch([1, 2].map(Mass));
        schedule.add(&mut world, look).unwrap();
        for _ in 0..400 {
            let waits = schedule.add(&mut world, wait).unwrap().id();
            if after_mains {
                let main = schedule.add(&mut world, look).unwrap().id();
                schedule.order(main, waits).unwrap();
            }
        }
        schedule.run(&mut world).unwrap();
    }
    let deepest = DEEPEST.load(Relaxed);
    assert!(deepest <= 12, "{deepest} systems on top of each other");
}
