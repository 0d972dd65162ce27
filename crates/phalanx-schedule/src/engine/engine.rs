//! [`Engine`]: a world, its schedule and the time.

use super::stats::FrameStats;
use super::stopper::Stopper;
use crate::schedule::{Fault, FaultPolicy, Schedule};
use crate::system::{OtherThread, insert_main, take_main};
use crate::time::{Rate, Scale};
use phalanx_ecs::World;
use std::fmt;

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
///
/// In a frame each group runs when its [pace](crate::Pace) says so, in the order in which the groups were made; systems go to the group `Update` if nobody says
/// otherwise. What systems queue in their `&mut Commands` is applied at the end of their group's run, in the order of the systems, and before wherever an
/// [`ApplyQueued`](crate::ApplyQueued) or `after_applied` asks for it. At the end of a frame [old events](crate::Reader) are let go. Who sees what when is [a table](crate#what-is-seen-when).
pub struct Engine {
    pub(super) world: World,
    pub(super) schedule: Schedule,
    /// The time that has passed in the world, in nanoseconds.
    pub(super) now: u128,
    pub(super) frame: u64,
    /// How long a frame of a run without a clock is.
    pub(super) rate: Rate,
    /// How many of those there were: so that they are exact.
    pub(super) counted: u64,
    pub(super) scale: Scale,
    pub(super) paused: bool,
    /// How many frames still run although the engine is paused.
    pub(super) single: u64,
    pub(super) catch_up: u64,
    pub(super) given_up: u64,
    /// Those that nobody asked for yet: at the end of a frame at most [`KEPT`] and as many again, so that old ones are seldom moved out.
    pub(super) faults: Vec<Fault>,
    pub(super) faults_dropped: u64,
    pub(super) stats: FrameStats,
    pub(super) stopper: Stopper,
    /// Whether what comes first was run.
    pub(super) started: bool,
    /// At most so many frames a second, if that is limited.
    pub(super) most: Option<Rate>,
}

/// How many faults are kept for whoever asks.
pub(super) const KEPT: usize = 1024;

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
            scale: Scale::default(),
            paused: false,
            single: 0,
            catch_up: 8,
            given_up: 0,
            faults: Vec::new(),
            faults_dropped: 0,
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

    /// The faults that did not stop a run, oldest first; the list is empty afterwards. The last 1,024 are kept for whoever asks.
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
        self.drop_faults(KEPT);
        std::mem::take(&mut self.faults)
    }

    /// How many faults were dropped so far because nobody asked for them and newer ones came.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| Err::<(), _>("no such file"))?.on_fault(FaultPolicy::Skip);
    /// engine.run_frames(1030)?;
    /// assert_eq!((engine.faults_dropped(), engine.faults().len()), (6, 1024));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn faults_dropped(&self) -> u64 {
        self.faults_dropped + self.faults.len().saturating_sub(KEPT) as u64
    }

    /// Drops old faults if there are more than `most`.
    #[inline]
    pub(super) fn drop_faults(&mut self, most: usize) {
        if self.faults.len() > most {
            let old = self.faults.len() - KEPT;
            self.faults_dropped += old as u64;
            self.faults.drain(..old);
        }
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
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({:?}, frame {}, {:?})", self.schedule, self.frame, self.elapsed())
    }
}
