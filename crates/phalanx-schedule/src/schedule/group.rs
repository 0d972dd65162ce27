//! Groups of systems, and how often they run.

use super::condition::{ConditionError, IntoCondition};
use super::order::CycleError;
use super::schedule::Schedule;
use crate::ids::GroupId;
use crate::time::Rate;
use phalanx_ecs::World;
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// How often a group runs: [`every_frame`], [`fixed`], [`every_nth`] or [`manual`].
///
/// ```
/// use phalanx_schedule::{Engine, every_nth, fixed, manual};
///
/// let mut engine = Engine::new();
/// engine.group("Physics").pace(fixed(60.0))?;      // zero, one or several times a frame
/// engine.group("Thinking").pace(every_nth(10))?;   // in every tenth frame
/// engine.group("Saving").pace(manual())?;          // when asked for
/// assert!(engine.group("Physics").pace(fixed(-1.0)).is_err());
/// # Ok::<(), phalanx_schedule::PaceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace(pub(crate) Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    EveryFrame,
    Fixed(f64),
    EveryNth(u64),
    Manual,
}

/// Once in every frame: the pace of a group that was given none.
///
/// ```
/// use phalanx_schedule::{Engine, every_frame};
///
/// fn tick() {}
///
/// let mut engine = Engine::new();
/// engine.group("Ticking").pace(every_frame())?;
/// engine.add(tick)?.to("Ticking");
/// engine.run_frames(3)?;
/// assert_eq!(engine.schedule().info(tick)?.runs, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn every_frame() -> Pace {
    Pace(Kind::EveryFrame)
}

/// So many times a second, in steps of exactly that length: as often in a frame as time has passed.
///
/// At least once in eleven days, at most a million times a second; to a millionth of a hertz.
///
/// ```
/// use phalanx_schedule::{Engine, fixed};
///
/// fn tick() {}
///
/// let mut engine = Engine::new();
/// engine.group("Ticking").pace(fixed(144.0))?;
/// engine.add(tick)?.to("Ticking");
/// engine.run_frames(60)?;
/// assert_eq!(engine.schedule().info(tick)?.runs, 144);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fixed(hz: impl Into<f64>) -> Pace {
    Pace(Kind::Fixed(hz.into()))
}

/// In every n-th frame, the first of them included.
///
/// ```
/// use phalanx_schedule::{Engine, every_nth};
///
/// fn tick() {}
///
/// let mut engine = Engine::new();
/// engine.group("Ticking").pace(every_nth(2))?;
/// engine.add(tick)?.to("Ticking");
/// engine.run_frames(5)?;
/// assert_eq!(engine.schedule().info(tick)?.runs, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn every_nth(frames: u64) -> Pace {
    Pace(Kind::EveryNth(frames))
}

/// Only when asked for.
///
/// ```
/// use phalanx_schedule::{Engine, manual};
///
/// fn tick() {}
///
/// let mut engine = Engine::new();
/// engine.group("Ticking").pace(manual())?;
/// engine.add(tick)?.to("Ticking");
/// engine.run_frames(3)?;
/// assert_eq!(engine.schedule().info(tick)?.runs, 0);
/// engine.run_group("Ticking")?;
/// assert_eq!(engine.schedule().info(tick)?.runs, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manual() -> Pace {
    Pace(Kind::Manual)
}

/// A pace that is none.
///
/// ```
/// use phalanx_schedule::{Engine, fixed};
///
/// let error = Engine::new().group("Physics").pace(fixed(0.0)).err().unwrap();
/// assert!(error.to_string().starts_with("error[S007]: group `Physics` cannot run 0 times a second"));
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct PaceError {
    /// The group.
    pub group: String,
    /// What was asked for.
    pub pace: Pace,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for PaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, pace, caller } = self;
        let (file, line) = (caller.file(), caller.line());
        match pace.0 {
            Kind::Fixed(hz) => write!(
                f,
                "error[S007]: group `{group}` cannot run {hz} times a second\n  asked by: {file}:{line}\n  help: a fixed pace is from 0.000001 to 1000000 times a second; for once a frame there is `every_frame()`, for only when asked `manual()`"
            ),
            _ => write!(
                f,
                "error[S007]: group `{group}` cannot run in every 0th frame\n  asked by: {file}:{line}\n  help: `every_nth(1)` is every frame, `every_nth(2)` every other; for only when asked there is `manual()`"
            ),
        }
    }
}

impl fmt::Debug for PaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for PaceError {}

/// How often a group runs, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Beat {
    EveryFrame,
    Fixed(Rate),
    EveryNth(u64),
    Manual,
}

/// A group of a schedule, to say more about it; made by [`Schedule::group`] and [`Engine::group`](crate::Engine::group). The one of an engine has the world with
/// it: `W` is `&mut World`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, Res};
///
/// #[derive(Resource)] struct Playing(bool);
///
/// fn is_playing(playing: Res<Playing>) -> bool { playing.0 }
///
/// fn fall() { panic!("nobody plays") }
///
/// let mut engine = Engine::new();
/// engine.world_mut().insert_resource(Playing(false));
/// engine.add(fall)?.to("Physics");
/// engine.group("Physics").before("Update")?.only_if(is_playing)?;
/// engine.run_frames(3)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```
/// use phalanx_schedule::{Schedule, fixed};
///
/// let mut schedule = Schedule::new();
/// let physics = schedule.group("Physics").pace(fixed(60.0))?.id();
/// assert!(schedule.has_group("Physics") && schedule.group("Physics").id() == physics);
/// # Ok::<(), phalanx_schedule::PaceError>(())
/// ```
pub struct Group<'a, W = ()> {
    pub(crate) schedule: &'a mut Schedule,
    pub(crate) world: W,
    pub(crate) id: GroupId,
}

impl Group<'_> {
    /// Lets it run only when a condition holds, too. It is asked once for each run of the group, not for each system; with several, all must hold, and each is asked
    /// only if those before it do. Steps of a fixed pace that do not run are not made up for later.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, draw)?.to("Menu");
    /// schedule.group("Menu").only_if(&mut world, || false)?;
    /// schedule.run_group(&mut world, "Menu")?;
    /// assert_eq!(schedule.info(draw)?.runs, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConditionError`] if the condition would change something, or if two of its arguments get in each other's way.
    #[track_caller]
    pub fn only_if<M, C: IntoCondition<M>>(self, world: &mut World, condition: C) -> Result<Self, ConditionError> {
        const { C::ONLY_READS };
        self.schedule.add_group_condition(self.id, world, condition, Location::caller())?;
        Ok(self)
    }
}

impl Group<'_, &mut World> {
    /// Lets it run only when a condition holds, too. It is asked once for each run of the group, not for each system; with several, all must hold, and each is asked
    /// only if those before it do. Steps of a fixed pace that do not run are not made up for later.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    ///
    /// fn draw() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?.to("Menu");
    /// engine.group("Menu").only_if(|time: Time| time.elapsed().as_millis() > 20)?;
    /// engine.run_frames(3)?;                                        // of 16.7 ms
    /// assert_eq!(engine.schedule().info(draw)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConditionError`] if the condition would change something, or if two of its arguments get in each other's way.
    #[track_caller]
    pub fn only_if<M, C: IntoCondition<M>>(self, condition: C) -> Result<Self, ConditionError> {
        const { C::ONLY_READS };
        self.schedule.add_group_condition(self.id, self.world, condition, Location::caller())?;
        Ok(self)
    }
}

impl<W> Group<'_, W> {
    /// Which one it is.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// assert_ne!(schedule.group("Physics").id(), schedule.group("Drawing").id());
    /// ```
    pub fn id(&self) -> GroupId {
        self.id
    }

    /// Sets how often it runs.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, fixed};
    ///
    /// fn fall() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(30.0))?;
    /// engine.add(fall)?.to("Physics");
    /// engine.run_frames(60)?;
    /// assert_eq!(engine.schedule().info(fall)?.runs, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PaceError`] if it is no pace; then the group keeps the one it has.
    #[track_caller]
    pub fn pace(self, pace: Pace) -> Result<Self, PaceError> {
        let caller = Location::caller();
        let beat = match pace.0 {
            Kind::EveryFrame => Some(Beat::EveryFrame),
            Kind::Fixed(hz) => Rate::new(hz).map(Beat::Fixed),
            Kind::EveryNth(frames) => (frames > 0).then_some(Beat::EveryNth(frames)),
            Kind::Manual => Some(Beat::Manual),
        };
        let group = &mut self.schedule.groups[self.id.0 as usize];
        match beat {
            Some(beat) => {
                group.beat = beat;
                Ok(self)
            }
            None => Err(PaceError { group: group.name.clone(), pace, caller }),
        }
    }

    /// Lets it come before another group in a frame, which is made if it is not there.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.group("Physics").after("Input")?.before("Drawing")?;
    /// assert!(schedule.group("Drawing").before("Input").is_err(), "it would close a cycle");
    /// # Ok::<(), phalanx_schedule::CycleError>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle; the schedule is then unchanged.
    #[track_caller]
    pub fn before(self, then: &str) -> Result<Self, CycleError> {
        let then = self.schedule.group_id(then);
        self.schedule.add_group_edge(self.id, then, Location::caller())?;
        Ok(self)
    }

    /// Lets another group come before it in a frame; that is made if it is not there.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.group("Drawing").after("Physics")?;
    /// assert!(schedule.group("Physics").after("Drawing").is_err(), "it would close a cycle");
    /// # Ok::<(), phalanx_schedule::CycleError>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle; the schedule is then unchanged.
    #[track_caller]
    pub fn after(self, first: &str) -> Result<Self, CycleError> {
        let first = self.schedule.group_id(first);
        self.schedule.add_group_edge(first, self.id, Location::caller())?;
        Ok(self)
    }

    /// Lets it run no more, until it is enabled: neither by its pace nor when asked. Its systems keep what they remember; steps of a fixed pace that do not run are
    /// not made up for later.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn draw() { panic!("not to be run") }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?.to("Drawing");
    /// engine.group("Drawing").disable();
    /// engine.run_frames(3)?;
    /// let why = engine.schedule_mut().why_idle(draw)?.to_string();
    /// assert!(why.starts_with("its group `Drawing` is disabled"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is disabled")]
    pub fn disable(self) -> Self {
        self.schedule.groups[self.id.0 as usize].set_disabled(true);
        self
    }

    /// Lets it run again if it was disabled.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn draw() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?.to("Drawing");
    /// engine.group("Drawing").disable();
    /// engine.run_frames(3)?;
    /// engine.group("Drawing").enable();
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.schedule().info(draw)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is enabled")]
    pub fn enable(self) -> Self {
        self.schedule.groups[self.id.0 as usize].set_disabled(false);
        self
    }

    /// Lets it run only when asked.
    pub(crate) fn set_manual(self) {
        self.schedule.groups[self.id.0 as usize].beat = Beat::Manual;
    }
}

impl<W> fmt::Debug for Group<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({})", self.schedule.groups[self.id.0 as usize].name)
    }
}
