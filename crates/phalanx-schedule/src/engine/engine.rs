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
    pub(super) now: u128,
    pub(super) frame: u64,
    /// How long a frame of a run without a clock is.
    rate: Rate,
    /// How many of those there were: so that they are exact.
    counted: u64,
    pub(super) scale: f64,
    pub(super) paused: bool,
    /// How many frames still run although the engine is paused.
    pub(super) single: u64,
    pub(super) catch_up: u64,
    pub(super) given_up: u64,
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
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let engine = Engine::new();
    /// assert_eq!((engine.world().alive(), engine.schedule().len(), engine.frame_count()), (0, 0, 0));
    /// ```
    pub fn new() -> Self {
        Self::with_world(World::new())
    }

    /// An engine for a world that is there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([(), ()]);
    /// let engine = Engine::with_world(world);
    /// assert_eq!(engine.world().alive(), 2);
    /// ```
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
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Component)] struct Age(u32);
    ///
    /// let mut engine = Engine::new();
    /// let cat = engine.world_mut().spawn(Age(3));
    /// assert_eq!(engine.world().get::<Age>(cat).map(|age| age.0), Some(3));
    /// ```
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to change it between frames.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Resource)] struct Gravity(f32);
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Gravity(9.81));
    /// assert_eq!(engine.world().get_resource::<Gravity>().map(|gravity| gravity.0), Some(9.81));
    /// ```
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The schedule.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn draw() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?;
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.schedule().info(draw)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The schedule, to change it between frames.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn draw() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?;
    /// engine.schedule_mut().disable(draw)?;
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.schedule().info(draw)?.runs, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::rc::Rc;
    ///
    /// let mut engine = Engine::new();
    /// engine.insert_main(Rc::new(5_u32));
    /// assert_eq!(engine.take_main()?, Some(Rc::new(5_u32)));
    /// assert_eq!(engine.take_main::<Rc<u32>>()?, None);
    /// # Ok::<(), phalanx_schedule::OtherThread>(())
    /// ```
    ///
    /// # Errors
    /// [`OtherThread`] if this is not its thread; it then stays where it is.
    pub fn take_main<R: 'static>(&mut self) -> Result<Option<R>, OtherThread> {
        take_main(&mut self.world)
    }

    /// Adds a system; see [`Schedule::add`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut wounded: Query<&mut Health>) {
    ///     wounded.for_each(|health| health.0 += 1);
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(heal)?;
    /// let orc = engine.world_mut().spawn(Health(5));
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.world().get::<Health>(orc).unwrap().0, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// use phalanx_ecs::{ResMut, prelude::*};
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Resource)] struct Saved(bool);
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Saved(false));
    /// engine.add_end(|mut saved: ResMut<Saved>| saved.0 = true)?;
    /// engine.run_frames(3)?;
    /// assert!(!engine.world().get_resource::<Saved>().unwrap().0);
    /// engine.finish()?;
    /// assert!(engine.world().get_resource::<Saved>().unwrap().0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    ///
    /// let mut engine = Engine::new();
    /// let stopper = engine.stopper();
    /// engine.add(move |time: Time| {
    ///     if time.count() == 2 {
    ///         stopper.stop();
    ///     }
    /// })?;
    /// engine.run()?;
    /// assert_eq!(engine.frame_count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// The group of this name; it is made if there is none.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, every_nth};
    ///
    /// fn think() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Thinking").pace(every_nth(10))?;
    /// engine.add(think)?.to("Thinking");
    /// engine.run_frames(20)?;
    /// assert_eq!(engine.schedule().info(think)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(&mut self, name: &str) -> Group<'_, &mut World> {
        let id = self.schedule.group_id(name);
        Group { schedule: &mut self.schedule, world: &mut self.world, id }
    }

    /// Lets one group come before another; see [`Schedule::order_groups`].
    ///
    /// ```
    /// use phalanx_ecs::{ResMut, prelude::*};
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Resource)] struct Log(Vec<&'static str>);
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Log(Vec::new()));
    /// engine.add(|mut log: ResMut<Log>| log.0.push("draw"))?.to("Drawing");
    /// engine.add(|mut log: ResMut<Log>| log.0.push("move"))?.to("Physics");
    /// engine.order_groups("Physics", "Drawing")?;
    /// engine.run_frames(1)?;
    /// assert_eq!(engine.world().get_resource::<Log>().unwrap().0, ["move", "draw"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle.
    #[track_caller]
    pub fn order_groups(&mut self, first: &str, then: &str) -> Result<(), CycleError> {
        self.schedule.order_groups(first, then)
    }

    /// How long frames take.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.stats().frames(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> &FrameStats {
        &self.stats
    }

    /// The faults that did not stop a run, oldest first; the list is empty afterwards.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// fn load() -> Result<(), &'static str> {
    ///     Err("no such file")
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(load)?.on_fault(FaultPolicy::Skip);
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.faults().len(), 2);
    /// assert!(engine.faults().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn nothing() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.time_every_run(true);
    /// engine.add(nothing)?;
    /// engine.run_frames(1000)?;
    /// assert_eq!(engine.schedule().info(nothing)?.timed, 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time_every_run(&mut self, every: bool) {
        self.schedule.time_every_run(every);
    }

    /// Runs at most so many frames a second; `None` is as many as it goes, as at first. What is no rate counts as `None`.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Res, Stopper, Time};
    /// use std::time::{Duration, Instant};
    ///
    /// let mut engine = Engine::new();
    /// engine.set_frame_limit(Some(100.0));
    /// engine.add(|time: Time, stopper: Res<Stopper>| {
    ///     if time.count() == 2 {
    ///         stopper.stop();
    ///     }
    /// })?;
    /// let begun = Instant::now();
    /// engine.run()?;
    /// assert!(begun.elapsed() >= Duration::from_millis(30));       // three frames of 10 ms
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_frame_limit(&mut self, hz: Option<f64>) {
        self.most = hz.and_then(Rate::new);
    }

    /// Runs frames by the clock on the wall until somebody [stops](Stopper) it, or a system fails whose policy is to stop; then what belongs to the
    /// [end](Engine::finish) runs.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Res, Stopper, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time, stopper: Res<Stopper>| {
    ///     if time.elapsed() >= Duration::from_millis(5) {
    ///         stopper.stop();
    ///     }
    /// })?;
    /// engine.run()?;
    /// assert!(engine.elapsed() >= Duration::from_millis(5) && engine.frame_count() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn save() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_end(save)?;
    /// engine.run_frames(3)?;
    /// engine.finish()?;
    /// assert_eq!(engine.schedule().info(save)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// use phalanx_schedule::{Engine, fixed};
    ///
    /// fn fall() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(100.0))?;
    /// engine.add(fall)?.to("Physics");
    /// engine.run_frames(60)?;                                       // a second
    /// assert_eq!((engine.frame_count(), engine.schedule().info(fall)?.runs), (60, 100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time| assert_eq!(time.step(), 0.25))?;
    /// engine.run_frame(Duration::from_millis(250))?;
    /// assert_eq!(engine.elapsed(), Duration::from_millis(250));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// use phalanx_schedule::{Engine, manual};
    ///
    /// fn save() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Saving").pace(manual())?;
    /// engine.add(save)?.to("Saving");
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.schedule().info(save)?.runs, 0);
    /// engine.run_group("Saving")?;
    /// assert_eq!(engine.schedule().info(save)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
