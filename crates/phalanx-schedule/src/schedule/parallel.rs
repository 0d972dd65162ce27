//! Systems side by side.
//!
//! Handing over costs more than a light system does, so a stage is dealt out (`dealing`) only if much would run beside each other, by what its systems took so far.

use super::compile::Stage;
use super::countdown::Countdown;
use super::dealing::{Dealing, Share};
use super::main_thread::Counter;
use super::run::Failures;
use super::schedule::Schedule;
use super::waits::Waits;
use crate::time::Time;
use phalanx_ecs::World;
use rayon::ThreadPool;
use std::sync::{Arc, Mutex};

/// Whether systems run side by side.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{Schedule, Threads};
/// use std::thread;
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.set_threads(Threads::Never);
/// let here = thread::current().id();
/// for _ in 0..2 {
///     schedule.add(&mut world, move || assert_eq!(thread::current().id(), here))?;
/// }
/// schedule.run(&mut world)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// Where that is faster, by what systems took so far.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Wherever systems do not get in each other's way: for tests.
    Always,
}

/// What must be saved at least, in nanoseconds, before a stage is dealt out: waking the others takes some twenty microseconds.
const WORTH: u64 = 50_000;
/// What a system costs more, in nanoseconds, if it is claimed and counted beside others; and one that does not run.
const CLAIMED: u64 = 100;
const PASSED: u64 = 20;
/// After how many runs it is decided anew.
const AGAIN: u32 = 63;
/// What is lighter than this is not handed over.
const HEAVY: u64 = 5_000;

impl Schedule {
    /// Says whether systems run side by side. The result is the same.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{Schedule, Threads};
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Heat(f32);
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.set_threads(Threads::Always);
    /// schedule.add(&mut world, |mut all: Query<&mut Position>| all.for_each(|position| position.0 += 1.0))?;
    /// schedule.add(&mut world, |mut all: Query<&mut Heat>| all.for_each(|heat| heat.0 *= 0.5))?;
    /// let stone = world.spawn((Position(0.0), Heat(8.0)));
    /// schedule.run(&mut world)?;
    /// assert_eq!((world.get::<Position>(stone).unwrap().0, world.get::<Heat>(stone).unwrap().0), (1.0, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
        self.forget_compiled();
    }

    /// Lets systems be dealt out to the threads of this pool instead of rayon's global one.
    ///
    /// Where a stage is not dealt out, because it is one system or not worth it, its systems run on the thread that calls `run`, and what they do in parallel by themselves
    /// (`par_for_each`) uses the pool which that thread belongs to: the global one, if it is none of a pool. To keep all of it to one pool, run the engine inside:
    /// `pool.install(|| engine.run_frames(60))`.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{Schedule, Threads};
    /// use std::sync::Arc;
    ///
    /// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build()?);
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.set_pool(pool);
    /// schedule.set_threads(Threads::Always);
    /// for _ in 0..2 {
    ///     schedule.add(&mut world, || assert_eq!(rayon::current_num_threads(), 3))?;
    /// }
    /// schedule.run(&mut world)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.pool = Some(pool);
        self.forget_compiled();
    }

    /// What was decided for other threads.
    fn forget_compiled(&mut self) {
        self.groups.iter_mut().for_each(|group| group.compiled = None);
    }

    /// Whether a stage is to be dealt out.
    #[inline]
    pub(super) fn pays(&mut self, stage: &mut Stage) -> bool {
        if stage.systems.len() < 2 || self.threads == Threads::Never {
            return false;
        }
        if stage.beside.until > 0 {
            stage.beside.until -= 1;
            return stage.beside.pays;
        }
        stage.beside.pays = self.decide(stage);
        stage.beside.until = if stage.beside.known { AGAIN } else { 0 };
        stage.beside.pays
    }

    /// Decides anew whether a stage is to be dealt out, by what its systems took so far.
    #[inline(never)]
    fn decide(&mut self, stage: &mut Stage) -> bool {
        let always = self.threads == Threads::Always;
        let beside = &mut stage.beside;
        beside.costs.clear();
        beside.shares.clear();
        // Those run one after another, whoever runs beside.
        let (mut in_row, mut timed, mut more) = (0, false, 0);
        beside.mains = 0;
        for id in &stage.systems {
            let node = self.systems[id.at as usize].as_mut().expect("compiled anew when it is removed");
            let (main, may_run, runner) = (node.main, node.may_run(), node.runner_mut());
            let cost = if may_run { runner.cost.estimate() } else { Some(0) };
            timed |= cost.is_some();
            // Before those that run were timed nobody knows. One whose conditions never held takes nothing.
            if cost.is_none() && runner.runs > 0 && !always {
                beside.known = false;
                return false;
            }
            let cost = cost.unwrap_or(0);
            more += if cost == 0 { PASSED } else { CLAIMED };
            beside.costs.push(cost);
            beside.shares.push(match main {
                true => Share::Main,
                false if always || cost >= HEAVY => Share::Heavy,
                false => Share::Light,
            });
            if main {
                beside.mains += 1;
                in_row += cost;
            }
        }
        beside.known = timed || always;
        let sum: u64 = beside.costs.iter().sum();
        let threads = self.pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads());
        if !always && (sum < WORTH + more || threads < 2) {
            return false;
        }
        if beside.waits.count.is_empty() {
            beside.waits = self.waits(&stage.systems);
            beside.left = Countdown::new(&beside.waits.count);
        }
        always || sum - beside.longest_way().max(in_row) >= WORTH + more
    }

    /// Runs the systems of a stage, side by side where they do not wait for each other.
    pub(super) fn run_beside(&mut self, stage: &Stage, world: &mut World, time: Time, failures: &mut Failures) {
        let Beside { waits, left, shares, mains, .. } = &stage.beside;
        left.reset(&waits.count);
        let lend = world.lend();
        let dealing = Dealing {
            systems: &stage.systems,
            nodes: &self.systems,
            waits,
            left,
            shares,
            counter: Counter::default(),
            lend: &lend,
            time,
            failures: Mutex::new(Vec::new()),
            put_off: Mutex::new(Vec::new()),
        };
        match *mains {
            0 => dealing.deal(self.pool.as_deref()),
            mains => dealing.serve(self.pool.as_deref(), mains),
        }
        let failed = dealing.into_failures();
        failures.extend(failed.into_iter().map(|(at, kind)| (stage.systems[at as usize], kind)));
    }
}

/// What a stage knows for running its systems side by side.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// Whether that is faster, as it was last decided; and for how many runs that holds.
    pays: bool,
    until: u32,
    /// Whether all systems were timed.
    known: bool,
    waits: Waits,
    left: Countdown,
    /// By place: who runs it.
    shares: Vec<Share>,
    /// How many run on the thread that calls `run`.
    mains: usize,
    /// By place: what it took so far, in nanoseconds; and when it is done at the earliest.
    costs: Vec<u64>,
    done: Vec<u64>,
}

impl Beside {
    /// What the stage takes at least, with any number of threads.
    fn longest_way(&mut self) -> u64 {
        let Self { waits, costs, done, .. } = self;
        done.clear();
        done.resize(costs.len(), 0);
        let mut longest = 0;
        for (at, cost) in costs.iter().enumerate() {
            // Until here it was when those before are done.
            done[at] += cost;
            longest = done[at].max(longest);
            for then in &waits.then[at] {
                done[*then as usize] = done[at].max(done[*then as usize]);
            }
        }
        longest
    }
}
