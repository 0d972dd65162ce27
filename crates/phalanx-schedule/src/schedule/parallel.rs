//! Systems side by side.
//!
//! ```text
//! stage [ a, b, c, d ]     c waits for a and b, d for nobody
//! begin: a, b, d are free ─► the heavy ones are handed over, the light ones run here
//! a is done: c waits for one ─ b is done: c is free ─► who finished b goes on with c
//! ```
//!
//! If some of them must run on the thread that calls `run`, that thread does not go to sleep meanwhile but serves them, each when it is free (`main_thread`).
//!
//! Handing over costs more than a light system does, so a stage goes this way only if much would run beside each other, by what its systems took so far.

use super::compile::Stage;
use super::countdown::Countdown;
use super::fault::FaultKind;
use super::main_thread::Counter;
use super::run::Failures;
use super::schedule::{Node, Schedule};
use super::waits::Waits;
use crate::ids::SystemId;
use crate::system::{Moment, Place};
use crate::time::Time;
use phalanx_ecs::{Lend, World};
use rayon::{Scope, ThreadPool, Yield};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

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

    /// Lets systems run on the threads of this pool instead of rayon's global one.
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
            let node = self.systems[id.0 as usize].as_mut().expect("compiled anew when it is removed");
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
        };
        let deal = || rayon::scope(|scope| dealing.begin(scope));
        match (&self.pool, *mains) {
            (Some(pool), 0) => pool.install(deal),
            (None, 0) => deal(),
            (Some(pool), mains) => pool.in_place_scope(|scope| dealing.serve(scope, mains)),
            (None, mains) => rayon::in_place_scope(|scope| dealing.serve(scope, mains)),
        }
        let mut failed = dealing.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        // In the order of the stage, whoever failed first.
        failed.sort_by_key(|(at, _)| *at);
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

/// Who runs a system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Share {
    /// Whoever finds it free, at once.
    Light,
    /// It is worth to be handed over.
    Heavy,
    /// The thread that calls `run`.
    Main,
}

/// A stage while it is dealt out.
struct Dealing<'a> {
    systems: &'a [SystemId],
    nodes: &'a [Option<Node>],
    waits: &'a Waits,
    left: &'a Countdown,
    shares: &'a [Share],
    /// Those that are free and run on the thread that calls `run`.
    counter: Counter,
    lend: &'a Lend<'a>,
    time: Time,
    failures: Mutex<Vec<(u32, FaultKind)>>,
}

impl Dealing<'_> {
    /// Hands over what is heavy and waits for nobody, and runs what is light and does not.
    fn begin<'s>(&'s self, scope: &Scope<'s>) {
        let free = |wanted: Share| {
            let place = (0..).zip(&self.waits.count).zip(self.shares);
            place.filter(move |((_, count), share)| **count == 0 && **share == wanted).map(|((at, _), _)| at)
        };
        for at in free(Share::Heavy) {
            scope.spawn(move |scope| self.go_on(scope, at));
        }
        for at in free(Share::Main) {
            self.counter.bring(at);
        }
        for at in free(Share::Light) {
            self.go_on(scope, at);
        }
    }

    /// The same, on the thread that calls `run`: which then runs those that must run there, each when it is free.
    fn serve<'s>(&'s self, scope: &Scope<'s>, mains: usize) {
        self.begin(scope);
        let in_pool = rayon::current_thread_index().is_some();
        for _ in 0..mains {
            let at = self.counter.wait(in_pool.then_some(|| rayon::yield_now() == Some(Yield::Executed)));
            self.run(at);
            for then in self.waits.then[at as usize].iter().copied() {
                if self.left.is_free_now(then as usize) {
                    match self.shares[then as usize] {
                        Share::Main => self.counter.bring(then),
                        // Others may wait here.
                        Share::Heavy => scope.spawn(move |scope| self.go_on(scope, then)),
                        Share::Light => self.go_on(scope, then),
                    }
                }
            }
        }
    }

    /// Runs a system, and then what became free by it: the light ones here, and one that is heavy; the other heavy ones elsewhere.
    fn go_on<'s>(&'s self, scope: &Scope<'s>, first: u32) {
        let (mut next, mut light) = (Some(first), Vec::new());
        // Light ones first: they are done at once, and what becomes free by them may be handed over.
        while let Some(at) = light.pop().or_else(|| next.take()) {
            self.run(at);
            for then in self.waits.then[at as usize].iter().copied() {
                if !self.left.is_free_now(then as usize) {
                    continue;
                }
                match (self.shares[then as usize], next) {
                    (Share::Main, _) => self.counter.bring(then),
                    (_, None) => next = Some(then),
                    (Share::Heavy, Some(_)) => scope.spawn(move |scope| self.go_on(scope, then)),
                    (Share::Light, Some(_)) => light.push(then),
                }
            }
        }
    }

    fn run(&self, at: u32) {
        let id = self.systems[at as usize];
        let Some(node) = &self.nodes[id.0 as usize] else { return };
        if !node.may_run() {
            return;
        }
        let mut runner = node.runner.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = Moment { time: self.time, system: id };
        let result = catch_unwind(AssertUnwindSafe(|| runner.run(&mut Place::Beside(self.lend), &moment)));
        let kind = match result {
            Ok(Ok(())) => return,
            Ok(Err(why)) => FaultKind::Refused(*why),
            Err(panic) => FaultKind::Panicked(panic.into()),
        };
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push((at, kind));
    }
}
