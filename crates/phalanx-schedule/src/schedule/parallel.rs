//! Systems side by side.
//!
//! ```text
//! stage [ a, b, c, d ]     c waits for a and b, d for nobody
//! begin: a, b, d are free ─► the heavy ones are handed over, the light ones run here
//! a is done: c waits for one ─ b is done: c is free ─► who finished b goes on with c
//! ```
//!
//! Handing over costs more than a light system does, so a stage goes this way only if much would run beside each other, by what its systems took so far.

use super::compile::{Stage, Waits};
use super::fault::FaultKind;
use super::run::Failures;
use super::schedule::{Node, Schedule};
use crate::ids::SystemId;
use crate::system::{Moment, Place};
use crate::time::Time;
use phalanx_ecs::{Lend, World};
use rayon::{Scope, ThreadPool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::AcqRel};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether systems run side by side.
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
    }

    /// Lets systems run on the threads of this pool instead of rayon's global one.
    pub fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.pool = Some(pool);
    }

    /// Whether a stage is to be dealt out.
    pub(super) fn pays(&mut self, stage: &mut Stage) -> bool {
        if stage.systems.len() < 2 || self.threads == Threads::Never {
            return false;
        }
        if self.threads == Threads::Always {
            self.know_waits(stage);
            return true;
        }
        let mut sum = 0;
        for id in &stage.systems {
            let node = self.systems[id.0 as usize].as_mut().expect("compiled anew when it is removed");
            if node.may_run() {
                // Before all were timed nobody knows.
                let Some(cost) = node.runner_mut().cost.estimate() else { return false };
                sum += cost;
            }
        }
        if sum < WORTH {
            return false;
        }
        let threads = self.pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads());
        if threads < 2 {
            return false;
        }
        self.know_waits(stage);
        sum - self.longest_way(stage) >= WORTH
    }

    fn know_waits(&mut self, stage: &mut Stage) {
        if stage.waits.is_none() {
            stage.waits = Some(self.waits(&stage.systems));
        }
    }

    /// What the stage takes at least, with any number of threads.
    fn longest_way(&mut self, stage: &Stage) -> u64 {
        let Some(waits) = &stage.waits else { return 0 };
        let mut done = vec![0; stage.systems.len()];
        let mut longest = 0;
        for (at, id) in stage.systems.iter().enumerate() {
            let node = self.systems[id.0 as usize].as_mut().expect("compiled anew when it is removed");
            done[at] += if node.may_run() { node.runner_mut().cost.estimate().unwrap_or(0) } else { 0 };
            longest = longest.max(done[at]);
            for then in &waits.then[at] {
                done[*then as usize] = done[*then as usize].max(done[at]);
            }
        }
        longest
    }

    /// Runs the systems of a stage, side by side where they do not wait for each other.
    pub(super) fn run_beside(&mut self, stage: &Stage, world: &mut World, time: Time, failures: &mut Failures) {
        let waits = stage.waits.as_ref().expect("known when it pays");
        let lend = world.lend();
        let dealing = Dealing {
            systems: &stage.systems,
            nodes: &self.systems,
            waits,
            left: waits.count.iter().map(|count| AtomicU32::new(*count)).collect(),
            heavy: self.heavy(stage),
            lend: &lend,
            time,
            failures: Mutex::new(Vec::new()),
        };
        let deal = || {
            rayon::scope(|scope| {
                let free = (0..).zip(&waits.count).filter(|(_, count)| **count == 0).map(|(at, _)| at);
                dealing.go_on(scope, free.collect());
            });
        };
        match &self.pool {
            Some(pool) => pool.install(deal),
            None => deal(),
        }
        let mut failed = dealing.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        // In the order of the stage, whoever failed first.
        failed.sort_by_key(|(at, _)| *at);
        failures.extend(failed.into_iter().map(|(at, kind)| (stage.systems[at as usize], kind)));
    }

    fn heavy(&self, stage: &Stage) -> Vec<bool> {
        let all = self.threads == Threads::Always;
        let is_heavy = |id: &SystemId| {
            let runner = self.node(*id).runner.lock().unwrap_or_else(PoisonError::into_inner);
            all || runner.cost.estimate().is_none_or(|cost| cost >= HEAVY)
        };
        stage.systems.iter().map(is_heavy).collect()
    }
}

/// A stage while it is dealt out.
struct Dealing<'a> {
    systems: &'a [SystemId],
    nodes: &'a [Option<Node>],
    waits: &'a Waits,
    /// By place: for how many it still waits.
    left: Vec<AtomicU32>,
    heavy: Vec<bool>,
    lend: &'a Lend<'a>,
    time: Time,
    failures: Mutex<Vec<(u32, FaultKind)>>,
}

impl Dealing<'_> {
    /// Runs what is free, and what becomes free by it: the heavy ones elsewhere, all but one.
    fn go_on<'s>(&'s self, scope: &Scope<'s>, mut free: Vec<u32>) {
        while let Some(next) = self.hand_over(scope, &mut free) {
            self.run(next);
            for then in &self.waits.then[next as usize] {
                // Who takes the last one sees what all before it did.
                if self.left[*then as usize].fetch_sub(1, AcqRel) == 1 {
                    free.push(*then);
                }
            }
        }
    }

    /// Hands the heavy ones over, but one if there is nothing light; answers what to run here.
    fn hand_over<'s>(&'s self, scope: &Scope<'s>, free: &mut Vec<u32>) -> Option<u32> {
        let light = free.iter().position(|at| !self.heavy[*at as usize]);
        let keep = light.or_else(|| (!free.is_empty()).then_some(0))?;
        let next = free.remove(keep);
        free.retain(|at| {
            let heavy = self.heavy[*at as usize];
            if heavy {
                let at = *at;
                scope.spawn(move |scope| self.go_on(scope, vec![at]));
            }
            !heavy
        });
        Some(next)
    }

    fn run(&self, at: u32) {
        let id = self.systems[at as usize];
        let Some(node) = &self.nodes[id.0 as usize] else { return };
        if !node.may_run() {
            return;
        }
        let mut runner = node.runner.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = Moment { time: self.time, system: id };
        let result = catch_unwind(AssertUnwindSafe(|| runner.run(&mut Place::Beside(self.lend), moment)));
        let kind = match result {
            Ok(Ok(())) => return,
            Ok(Err(why)) => FaultKind::Refused(*why),
            Err(panic) => FaultKind::Panicked(panic),
        };
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push((at, kind));
    }
}
