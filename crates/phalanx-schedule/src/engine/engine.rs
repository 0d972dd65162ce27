//! [`Engine`]: a world, its schedule and the time.

use super::stats::FrameStats;
use super::stopper::Stopper;
use crate::ids::GroupId;
use crate::schedule::{Beat, CycleError, Fault, FaultPolicy, Group, IntoSystems, NewSystem, NewSystems, Schedule};
use crate::system::{IntoSystem, OtherThread, Outcome, SystemError, insert_main, take_main};
use crate::time::{Rate, Time, duration};
use phalanx_ecs::World;
use std::fmt;
use std::time::{Duration, Instant};

/// A world, its schedule and the time.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, Time, fixed};
///
/// #[derive(Component)] struct Age(u32);
///
/// let mut engine = Engine::new();
/// engine.group("Life").pace(fixed(2.0))?;                       // twice a second
/// engine.add(|mut all: Query<&mut Age>| all.for_each(|age| age.0 += 1))?.to("Life");
/// let cat = engine.world_mut().spawn(Age(0));
/// engine.run_frames(120)?;                                      // two seconds of 60 frames each
/// assert_eq!(engine.world().get::<Age>(cat).unwrap().0, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    world: World,
    schedule: Schedule,
    /// The time that has passed in the world, in nanoseconds.
    now: u128,
    frame: u64,
    /// How long a frame of a run without a clock is.
    rate: Rate,
    /// How many of those there were: so that they are exact.
    counted: u64,
    scale: f64,
    paused: bool,
    /// How many frames still run although the engine is paused.
    single: u64,
    catch_up: u64,
    given_up: u64,
    faults: Vec<Fault>,
    stats: FrameStats,
    stopper: Stopper,
    /// Whether what comes first was run.
    started: bool,
    /// At most so many frames a second, if that is limited.
    most: Option<Rate>,
}

/// The groups of what runs once.
const START: &str = "Start";
const END: &str = "End";

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine with an empty world and no systems.
    pub fn new() -> Self {
        Self::with_world(World::new())
    }

    /// An engine for a world that is there.
    pub fn with_world(mut world: World) -> Self {
        let stopper = Stopper::default();
        world.insert_resource(stopper.clone());
        Self {
            world,
            schedule: Schedule::new(),
            now: 0,
            frame: 0,
            rate: Rate::new(60.0).expect("a rate"),
            counted: 0,
            scale: 1.0,
            paused: false,
            single: 0,
            catch_up: 8,
            given_up: 0,
            faults: Vec::new(),
            stats: FrameStats::default(),
            stopper,
            started: false,
            most: None,
        }
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to change it between frames.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The schedule, to change it between frames.
    pub fn schedule_mut(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    /// Puts a value into the world that stays on this thread; see [`insert_main`]. [`Engine::run`] is then to be called on this thread, too.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, MainMut};
    /// use std::rc::Rc;
    ///
    /// let mut engine = Engine::new();
    /// engine.insert_main(Rc::new(0_u32));
    /// engine.add(|mut count: MainMut<Rc<u32>>| *count = Rc::new(**count + 1))?;
    /// engine.run_frames(3)?;
    /// assert_eq!(*engine.take_main::<Rc<u32>>()?.unwrap(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_main<R: 'static>(&mut self, value: R) {
        insert_main(&mut self.world, value);
    }

    /// Takes a value out that stays on this thread; see [`take_main`].
    ///
    /// # Errors
    /// [`OtherThread`] if this is not its thread; it then stays where it is.
    pub fn take_main<R: 'static>(&mut self) -> Result<Option<R>, OtherThread> {
        take_main(&mut self.world)
    }

    /// Adds a system; see [`Schedule::add`].
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn add<M, S>(&mut self, system: S) -> Result<NewSystem<'_>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        self.schedule.add(&mut self.world, system)
    }

    /// Adds several systems at once; see [`Schedule::add_all`].
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((physics, render))?.chain()?;
    /// assert!(engine.schedule_mut().order(render, physics).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two arguments of one of them get in each other's way; then none is added.
    #[track_caller]
    pub fn add_all<M, S: IntoSystems<M>>(&mut self, systems: S) -> Result<NewSystems<'_>, SystemError> {
        const { S::CHECK };
        self.schedule.add_all(&mut self.world, systems)
    }

    /// Adds a system that runs once, before the first frame. It is in the group `Start`.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.add_start(|commands: &mut Commands| {
    ///     commands.spawn(());
    /// })?;
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.world().alive(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::add`].
    #[track_caller]
    pub fn add_start<M, S>(&mut self, system: S) -> Result<NewSystem<'_>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        self.schedule.group(START).set_manual();
        Ok(self.schedule.add(&mut self.world, system)?.to(START))
    }

    /// Adds a system that runs once, at the [end](Engine::finish): also when a run ends with a fault, or because somebody [stops](Stopper) it. It is in the group
    /// `End`.
    ///
    /// # Errors
    /// As [`Engine::add`].
    #[track_caller]
    pub fn add_end<M, S>(&mut self, system: S) -> Result<NewSystem<'_>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        self.schedule.group(END).set_manual();
        Ok(self.schedule.add(&mut self.world, system)?.to(END))
    }

    /// Adds what a plugin brings: systems, groups, resources.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, SystemError};
    ///
    /// fn physics(engine: &mut Engine) -> Result<(), SystemError> {
    ///     engine.add(|| ())?.named("integrate").to("Physics");
    ///     Ok(())
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add_plugin(physics)?;
    /// assert!(engine.schedule().find("integrate").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What the plugin answers.
    pub fn add_plugin<E>(&mut self, plugin: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<&mut Self, E> {
        plugin(self)?;
        Ok(self)
    }

    /// What ends a run of this engine, from anywhere.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// The group of this name; it is made if there is none.
    pub fn group(&mut self, name: &str) -> Group<'_, &mut World> {
        let id = self.schedule.group_id(name);
        Group { schedule: &mut self.schedule, world: &mut self.world, id }
    }

    /// Lets one group come before another; see [`Schedule::order_groups`].
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle.
    #[track_caller]
    pub fn order_groups(&mut self, first: &str, then: &str) -> Result<(), CycleError> {
        self.schedule.order_groups(first, then)
    }

    /// Stops the time: frames go by in which no group runs, until it [plays](Engine::play) again. Nothing is lost.
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Lets time pass again.
    pub fn play(&mut self) {
        self.paused = false;
        self.single = 0;
    }

    /// Whether time stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Lets one frame run although the engine is paused.
    pub fn step(&mut self) {
        self.single += 1;
    }

    /// How fast time passes in the world: 1 at first, 0.5 is slow motion. What is negative or not a number counts as 0.
    pub fn set_time_scale(&mut self, scale: f64) {
        self.scale = if scale.is_finite() && scale > 0.0 { scale } else { 0.0 };
    }

    /// How many steps of a fixed pace a group may run in one frame, 8 at first; at least one. Steps beyond are given up: the group falls behind instead of
    /// making the next frame later still.
    pub fn set_catch_up(&mut self, steps: u64) {
        self.catch_up = steps.max(1);
    }

    /// How many steps were given up so far, of all groups.
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// How much time has passed in the world.
    pub fn elapsed(&self) -> Duration {
        duration(self.now)
    }

    /// How many frames have run.
    pub fn frame_count(&self) -> u64 {
        self.frame
    }

    /// How long frames take.
    pub fn stats(&self) -> &FrameStats {
        &self.stats
    }

    /// The faults that did not stop a run, oldest first; the list is empty afterwards.
    pub fn faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// Asks a function what is to happen when a system fails that has no policy of its own; see [`Schedule::handle_faults`].
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| Err::<(), _>("no such file"))?;
    /// engine.handle_faults(|fault| {
    ///     eprintln!("{fault}");
    ///     FaultPolicy::Skip
    /// });
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.faults().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handle_faults(&mut self, handler: impl FnMut(&Fault) -> FaultPolicy + Send + 'static) {
        self.schedule.handle_faults(handler);
    }

    /// Lets every run of every system be timed, or only some as at first; see [`Schedule::time_every_run`].
    pub fn time_every_run(&mut self, every: bool) {
        self.schedule.time_every_run(every);
    }

    /// Runs at most so many frames a second; `None` is as many as it goes, as at first. What is no rate counts as `None`.
    pub fn set_frame_limit(&mut self, hz: Option<f64>) {
        self.most = hz.and_then(Rate::new);
    }

    /// Runs frames by the clock on the wall until somebody [stops](Stopper) it, or a system fails whose policy is to stop; then what belongs to the
    /// [end](Engine::finish) runs.
    ///
    /// # Errors
    /// The [`Fault`] that ended it.
    pub fn run(&mut self) -> Result<(), Fault> {
        self.stopper.reset();
        let begun = Instant::now();
        let (mut now, mut frames, mut result) = (0, 0, Ok(()));
        while result.is_ok() && !self.stopper.is_stopped() {
            let before = std::mem::replace(&mut now, begun.elapsed().as_nanos());
            result = self.advance(now - before);
            frames += 1;
            if let Some(most) = self.most
                && let Some(wait) = duration(most.after(frames)).checked_sub(begun.elapsed())
            {
                std::thread::sleep(wait);
            }
        }
        let end = self.finish();
        result.and(end)
    }

    /// Runs what belongs to the end. The next frame is a first one again.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.started = false;
        self.run_once(END)
    }

    /// Runs a group that runs once, if there is one.
    fn run_once(&mut self, group: &str) -> Result<(), Fault> {
        if self.schedule.has_group(group) { self.run_group(group) } else { Ok(()) }
    }

    /// Runs frames one after another, as fast as it goes, each of which stands for 1/60 s. The clock on the wall has no say, so the result is always the same.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop; the frames after it do not run.
    pub fn run_frames(&mut self, count: u64) -> Result<(), Fault> {
        for _ in 0..count {
            let before = self.counted;
            let passed = self.rate.after(before + 1) - self.rate.after(before);
            self.counted += 1;
            self.advance(passed)?;
        }
        Ok(())
    }

    /// Runs one frame, that stands for this much time.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop; the rest of the frame does not run.
    pub fn run_frame(&mut self, passed: Duration) -> Result<(), Fault> {
        self.advance(passed.as_nanos())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "positive"
    )]
    fn advance(&mut self, passed: u128) -> Result<(), Fault> {
        if !self.started {
            self.started = true;
            self.run_once(START)?;
        }
        let begun = Instant::now();
        let runs = !self.paused || self.single > 0;
        self.single = self.single.saturating_sub(u64::from(self.paused));
        let result = if runs {
            // Exact where nothing is scaled.
            #[expect(clippy::float_cmp, reason = "just that value")]
            let passed = if self.scale == 1.0 { passed } else { (passed as f64 * self.scale) as u128 };
            self.now += passed;
            let result = self.run_groups(passed);
            self.frame += 1;
            result
        } else {
            Ok(())
        };
        self.stats.note(begun.elapsed());
        result
    }

    fn run_groups(&mut self, passed: u128) -> Result<(), Fault> {
        let mut at = 0;
        while let Some(group) = self.schedule.groups_in_order().get(at) {
            let group = GroupId(*group);
            self.run_group_due(group, passed)?;
            at += 1;
        }
        Ok(())
    }

    fn run_group_due(&mut self, group: GroupId, passed: u128) -> Result<(), Fault> {
        let (beat, runs, steps) = self.schedule.beat(group);
        let frame_time = Time {
            step: duration(passed),
            step_seconds: duration(passed).as_secs_f64(),
            elapsed: duration(self.now),
            count: runs,
        };
        match beat {
            Beat::EveryFrame => self.schedule.run_at(&mut self.world, group, frame_time, &mut self.faults),
            Beat::EveryNth(frames) if self.frame.is_multiple_of(frames) => {
                self.schedule.run_at(&mut self.world, group, frame_time, &mut self.faults)
            }
            Beat::EveryNth(_) | Beat::Manual => Ok(()),
            Beat::Fixed(rate) => {
                let due = rate.steps_in(self.now);
                let first = due.saturating_sub(self.catch_up).max(steps);
                self.given_up += first - steps;
                for step in first..due {
                    let time = Time {
                        step: duration(rate.after(step + 1) - rate.after(step)),
                        step_seconds: rate.step(),
                        elapsed: duration(rate.after(step + 1)),
                        count: self.schedule.beat(group).1,
                    };
                    self.schedule.set_steps(group, step + 1);
                    self.schedule.run_at(&mut self.world, group, time, &mut self.faults)?;
                }
                Ok(())
            }
        }
    }

    /// Runs a group now, whatever its pace; the time it sees is that of the frame, with a step of zero.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop.
    pub fn run_group(&mut self, group: &str) -> Result<(), Fault> {
        let id = self.schedule.group_id(group);
        let time = Time { elapsed: duration(self.now), count: self.schedule.beat(id).1, ..Time::default() };
        self.schedule.run_at(&mut self.world, id, time, &mut self.faults)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({:?}, frame {}, {:?})", self.schedule, self.frame, self.elapsed())
    }
}
