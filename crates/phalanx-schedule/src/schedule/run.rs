//! A group is run.
//!
//! Stage by stage; after each, what its systems queued is applied in their order. A system that fails does not keep the others of its stage from running: so what
//! a failure leaves behind is the same, whoever ran beside it. The run ends at the end of that stage, if the policy says so.

use super::compile::{Compiled, Stage};
use super::fault::{Fault, FaultFacts, FaultKind, FaultPolicy};
use super::panicked::Panic;
use super::schedule::{DEFAULT_GROUP, Node, Runner, Schedule};
use super::sync::ApplyQueued;
use crate::ids::{GroupId, SystemId};
use crate::panics::Panics;
use crate::system::{Applied, Moment, Place, Refusal};
use crate::time::Time;
use phalanx_ecs::World;
use std::any::TypeId;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::PoisonError;

/// Who failed, and how.
pub(super) type Failures = Vec<(SystemId, FaultKind)>;

impl Schedule {
    /// Runs all systems of the group `Update` once, and applies what they queued.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Schedule;
    ///
    /// #[derive(Component)] struct Age(u32);
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, |mut all: Query<&mut Age>| all.for_each(|age| age.0 += 1))?;
    /// let cat = world.spawn(Age(3));
    /// schedule.run(&mut world)?;
    /// assert_eq!(world.get::<Age>(cat).unwrap().0, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to [stop](FaultPolicy::Stop).
    pub fn run(&mut self, world: &mut World) -> Result<(), Fault> {
        self.run_group(world, DEFAULT_GROUP)
    }

    /// Runs all systems of a group once, and applies what they queued.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn save() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, save)?.to("Saving");
    /// schedule.run(&mut world)?;                                    // that is `Update`
    /// assert_eq!(schedule.info(save)?.runs, 0);
    /// schedule.run_group(&mut world, "Saving")?;
    /// assert_eq!(schedule.info(save)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to [stop](FaultPolicy::Stop), or if there is no such group ([`FaultKind::UnknownGroup`]).
    #[track_caller]
    pub fn run_group(&mut self, world: &mut World, group: &str) -> Result<(), Fault> {
        let id = self.known_group(group, Location::caller())?;
        let mut faults = Vec::new();
        let time = Time { count: self.groups[id.at as usize].runs, ..Time::default() };
        self.run_at(world, id, time, &mut faults)
    }

    /// Runs the systems of a group. Faults that do not stop it are noted.
    pub(crate) fn run_at(
        &mut self,
        world: &mut World,
        group: GroupId,
        time: Time,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Fault> {
        if !self.lost.is_empty() {
            self.refuse_lost(group)?;
        }
        let at = group.at as usize;
        self.groups[at].served = true;
        if !self.groups[at].open && !self.passes_gate(world, group, time, faults)? {
            return Ok(());
        }
        let mut compiled = match self.groups[at].compiled.take() {
            Some(compiled) => compiled,
            None => self.compile(group),
        };
        let mut panics = Panics::default();
        let ended = self.run_stages(world, group, time, faults, &mut compiled, &mut panics);
        let group = &mut self.groups[at];
        group.runs += 1;
        group.compiled = Some(compiled);
        panics.resume();
        ended
    }

    /// The panic of a handler ends it, and is kept.
    fn run_stages(
        &mut self,
        world: &mut World,
        group: GroupId,
        time: Time,
        faults: &mut Vec<Fault>,
        compiled: &mut Compiled,
        panics: &mut Panics,
    ) -> Result<(), Fault> {
        let mut failures = Failures::new();
        // From which stage on nothing was applied yet.
        let mut waiting = 0;
        for at in 0..compiled.stages.len() {
            let stage = &mut compiled.stages[at];
            self.run_stage(stage, world, time, &mut failures);
            if self.is_held_back(stage) {
                continue;
            }
            if waiting < at {
                self.apply_all(&compiled.stages[waiting..at], world, &mut failures);
            }
            self.apply(&compiled.stages[at], world, &mut failures);
            if !failures.is_empty() {
                self.judge(group, &compiled.stages[waiting..=at], &mut failures, faults, panics)?;
                if panics.any() {
                    break;
                }
            }
            waiting = at + 1;
        }
        Ok(())
    }

    /// Whether a stage ends with a point at which changes are applied, and that did not run.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_held_back(&mut self, stage: &Stage) -> bool {
        stage.point.is_some_and(|point| {
            let node = self.node_mut(point);
            let may_run = node.may_run();
            let runner = node.runner_mut();
            // A condition that failed is still being asked.
            !may_run || runner.held_by.is_some() || runner.asked.is_some()
        })
    }

    /// Runs the systems of a stage: in a drawn order, side by side, or one after another.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run_stage(&mut self, stage: &mut Stage, world: &mut World, time: Time, failures: &mut Failures) {
        if self.shuffled.is_some() {
            return self.run_shuffled(stage, world, time, failures);
        }
        #[cfg(feature = "parallel")]
        if self.pays(stage) {
            return self.run_beside(stage, world, time, failures);
        }
        self.run_in_row(stage, world, time, failures);
    }

    /// Runs the systems of a stage one after another.
    fn run_in_row(&mut self, stage: &Stage, world: &mut World, time: Time, failures: &mut Failures) {
        let mut done = 0;
        // A panic leaves this loop, which then goes on behind the one that panicked: to catch once for all of them costs nothing where nobody panics.
        while done < stage.systems.len() {
            let systems = &mut self.systems;
            let mut moment = Moment { time, system: SystemId::NONE };
            let mut place = Place::Alone(world);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                while let Some(id) = stage.systems.get(done) {
                    let node = systems[id.at as usize].as_mut().expect("compiled anew when it is removed");
                    moment.system = *id;
                    if node.may_run()
                        && let Err(why) = node.runner_mut().run(&mut place, &moment)
                    {
                        return Some(why);
                    }
                    done += 1;
                }
                None
            }));
            let kind = match caught {
                Ok(None) => return,
                Ok(Some(why)) => FaultKind::Refused(*why),
                Err(panic) => FaultKind::Panicked(panic.into()),
            };
            failures.push((stage.systems[done], kind));
            done += 1;
        }
    }

    /// Lets systems that do not wait for each other run in an order drawn from a seed, one after another: for tests. `None` is the usual order.
    ///
    /// See [`check_orders`](crate::check_orders).
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    /// use std::sync::{Arc, Mutex};
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// for number in 0..8 {
    ///     let seen = seen.clone();
    ///     schedule.add(&mut world, move || seen.lock().unwrap().push(number))?;
    /// }
    /// schedule.shuffle(Some(1));
    /// schedule.run(&mut world)?;
    /// let mut order = std::mem::take(&mut *seen.lock().unwrap());
    /// assert_ne!(order, [0, 1, 2, 3, 4, 5, 6, 7], "they are free to run in any order");
    /// order.sort();
    /// assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shuffle(&mut self, seed: Option<u64>) {
        self.shuffled = seed;
    }

    /// Runs the systems of a stage in one of the orders that are allowed.
    fn run_shuffled(&mut self, stage: &Stage, world: &mut World, time: Time, failures: &mut Failures) {
        let mut waits = self.waits(&stage.systems);
        let mut free: Vec<usize> = (0..stage.systems.len()).filter(|at| waits.count[*at] == 0).collect();
        let mut systems = Vec::with_capacity(stage.systems.len());
        while !free.is_empty() {
            let seed = self.shuffled.unwrap_or(0).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            self.shuffled = Some(seed);
            let draw = usize::try_from(seed >> 33).expect("31 bits") % free.len();
            let at = free.swap_remove(draw);
            systems.push(stage.systems[at]);
            for then in std::mem::take(&mut waits.then[at]) {
                waits.count[then as usize] -= 1;
                if waits.count[then as usize] == 0 {
                    free.push(then as usize);
                }
            }
        }
        self.run_in_row(&Stage { systems, ..Stage::default() }, world, time, failures);
        failures.sort_by_key(|(id, _)| stage.systems.iter().position(|other| other == id));
    }

    /// Applies what the systems of stages queued that ended with points which were held back.
    #[cold]
    fn apply_all(&mut self, stages: &[Stage], world: &mut World, failures: &mut Failures) {
        for stage in stages {
            self.apply(stage, world, failures);
        }
    }

    /// Applies what the systems of a stage queued, in their order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn apply(&mut self, stage: &Stage, world: &mut World, failures: &mut Failures) {
        for id in &stage.deferring {
            let body = &mut self.runner_mut(*id).body;
            if body.has_changes() {
                let mut applied = Applied::default();
                body.apply(world, &mut applied);
                if !applied.is_fine() {
                    note_failures(*id, applied, failures);
                }
            }
        }
    }

    /// Decides what failures mean: by policies, or by asking handlers. The first that is to stop the run does.
    #[cold]
    fn judge(
        &mut self,
        group: GroupId,
        stages: &[Stage],
        failures: &mut Failures,
        faults: &mut Vec<Fault>,
        panics: &mut Panics,
    ) -> Result<(), Fault> {
        // Those of running and those of applying, in the order of the stage.
        failures.sort_by_key(|(id, _)| stages.iter().flat_map(|stage| &stage.systems).position(|at| at == id));
        let group = &self.groups[group.at as usize];
        let mut stop = None;
        for (id, kind) in failures.drain(..) {
            let node = self.systems[id.at as usize].as_mut().expect("it ran just now");
            let (system, group, run) = (node.name.clone(), group.name.clone(), group.runs);
            let runner = node.runner_mut();
            let condition = runner.asked.take().map(|at| runner.conditions[at].name.clone());
            let added = node.caller;
            let mut fault = Fault(Box::new(FaultFacts {
                system,
                is_condition: false,
                condition,
                group,
                run,
                kind,
                added,
                stopped: false,
            }));
            let judge = node.judge.as_deref_mut().unwrap_or(&mut self.judge);
            match panics.catch(|| judge.decide(&fault)) {
                Some(FaultPolicy::Stop) if stop.is_none() => {
                    fault.0.stopped = true;
                    stop = Some(fault);
                    continue;
                }
                Some(FaultPolicy::Disable) => node.enabled = false,
                // A handler that panics is heard when all faults were judged.
                Some(FaultPolicy::Stop | FaultPolicy::Skip) | None => {}
            }
            faults.push(fault);
        }
        if panics.any() {
            faults.extend(stop.take());
        }
        stop.map_or(Ok(()), Err)
    }
}

/// What a system queued could not be done: a fault of the panic, and one of the errors.
#[cold]
fn note_failures(id: SystemId, mut applied: Applied, failures: &mut Failures) {
    failures.extend(applied.panics.take().map(|panic| (id, FaultKind::Panicked(Panic::from(panic).queued()))));
    failures.extend(applied.errors.take().map(|why| (id, FaultKind::Refused(Refusal::Commands(why)))));
}

impl Node {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn may_run(&self) -> bool {
        self.enabled && self.asleep.is_none()
    }

    /// Whether it is a point at which changes are applied.
    pub(super) fn is_point(&self) -> bool {
        self.function == TypeId::of::<ApplyQueued>()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn runner_mut(&mut self) -> &mut Runner {
        self.runner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runner {
    /// Runs the system, if its conditions hold.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn run(&mut self, place: &mut Place<'_>, moment: &Moment) -> Result<(), Box<Refusal>> {
        if !self.conditions.is_empty() && !self.holds(place, moment)? {
            return Ok(());
        }
        let Self { body, runs, cost, .. } = self;
        *runs += 1;
        cost.time(|| body.run(place, moment, ()))
    }

    /// Whether all conditions hold.
    #[inline(never)]
    fn holds(&mut self, place: &mut Place<'_>, moment: &Moment) -> Result<bool, Box<Refusal>> {
        self.held_by = None;
        for (at, condition) in self.conditions.iter_mut().enumerate() {
            self.asked = Some(at);
            if !condition.body.run(place, moment, ())? {
                (self.held_by, self.asked) = (Some(at), None);
                return Ok(false);
            }
        }
        self.asked = None;
        Ok(true)
    }
}
