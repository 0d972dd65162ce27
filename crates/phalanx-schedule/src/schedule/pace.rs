//! How often groups run.

use crate::shown::shown;
use crate::time::Rate;
use phalanx_ecs::World;
use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

/// How often a group runs: [`every_frame`], [`fixed`], [`every_nth`], [`manual`] or [`as_long_as`].
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

impl Pace {
    /// For [`as_long_as`]: when all whom the group serves have had their turn, so that events need not be kept for them any longer. It is asked at the end of
    /// frames, and if it says yes, not before the next one again. Other paces stay as they are.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{Engine, Reader, as_long_as};
    /// use std::time::Duration;
    ///
    /// #[derive(Event)] struct Hit(u32);
    /// #[derive(Resource)] struct Frames(u32);
    ///
    /// fn every_third(world: &mut World, _: Duration, runs: u64) -> bool {
    ///     let mut frames = world.resource_mut::<Frames>().unwrap();
    ///     frames.0 += u32::from(runs == 0);
    ///     runs == 0 && frames.0 % 3 == 0
    /// }
    ///
    /// fn has_run(world: &mut World) -> bool {
    ///     world.resource::<Frames>().unwrap().0 % 3 == 0
    /// }
    ///
    /// fn count(mut hits: Reader<Hit>) {
    ///     assert_eq!(hits.read().count(), 3);
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Frames(0));
    /// engine.group("Slow").pace(as_long_as(every_third).served_when(has_run))?;
    /// engine.add(count)?.to("Slow");
    /// for _ in 0..9 {
    ///     engine.world_mut().send(Hit(1));
    ///     engine.run_frames(1)?;
    /// }
    /// assert_eq!(engine.schedule().info(count)?.runs, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn served_when(self, is_served: fn(&mut World) -> bool) -> Self {
        match self.0 {
            Kind::AsLongAs(asked) => Self(Kind::AsLongAs(Asked { is_served: Some(is_served), ..asked })),
            _ => self,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    EveryFrame,
    Fixed(f64),
    EveryNth(u64),
    Manual,
    AsLongAs(Asked),
}

/// Who is asked whether a group runs once more in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) is_due: fn(&mut World, Duration, u64) -> bool,
    /// Whether all whom the group serves have had their turn; whoever was asked has, if there is none.
    pub(crate) is_served: Option<fn(&mut World) -> bool>,
    /// Who said so.
    pub(crate) caller: &'static Location<'static>,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        let same_end = match (self.is_served, other.is_served) {
            (Some(one), Some(other)) => std::ptr::fn_addr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same_end && std::ptr::fn_addr_eq(self.is_due, other.is_due)
    }
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
#[doc(alias = "FixedUpdate")]
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

/// As often in a frame as somebody wants: a function is asked before each run, with the time that the frame took and how often the group has run in it, until
/// it says no. For layers above that have clocks of their own.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, as_long_as};
/// use std::time::Duration;
///
/// #[derive(Resource)] struct Work(u32);
///
/// fn work(mut work: ResMut<Work>) {
///     work.0 -= 1;
/// }
///
/// fn is_left(world: &mut World, _: Duration, runs: u64) -> bool {
///     runs < 10 && world.resource::<Work>().is_ok_and(|work| work.0 > 0)
/// }
///
/// let mut engine = Engine::new();
/// engine.world_mut().insert_resource(Work(13));
/// engine.group("Working").pace(as_long_as(is_left))?;
/// engine.add(work)?.to("Working");
/// engine.run_frames(1)?;
/// assert_eq!(engine.world().resource::<Work>()?.0, 3);
/// engine.run_frames(1)?;
/// assert_eq!(engine.world().resource::<Work>()?.0, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A group that a condition keeps from running is not asked again in the frame. Who is asked has had its turn: events are not kept until it says yes, unless
/// [`Pace::served_when`] says when that is so.
///
/// If the function panics, that is a [`Fault`](crate::Fault), as it is where a condition of the group does.
#[track_caller]
pub fn as_long_as(is_due: fn(&mut World, Duration, u64) -> bool) -> Pace {
    Pace(Kind::AsLongAs(Asked { is_due, is_served: None, caller: Location::caller() }))
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
        let (group, file, line) = (shown(group), caller.file(), caller.line());
        match pace.0 {
            Kind::Fixed(hz) => write!(
                f,
                "error[S007]: group `{group}` cannot run {hz} times a second\n  asked by: {file}:{line}\n  help: a fixed pace is from 0.000001 to 1000000 times a second (a rate, not a length: `fixed(60.0)` is 60 steps a second); for once a frame there is `every_frame()`, for only when asked `manual()`"
            ),
            Kind::AsLongAs(_) => write!(
                f,
                "error[S007]: `{group}` keeps its own time, and cannot run as long as somebody else says\n  asked by: {file}:{line}\n  help: `as_long_as` is a pace for groups of an engine; here there are `every_frame()`, `fixed(60.0)`, `every_nth(2)` and `manual()`"
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
    AsLongAs(Asked),
}

/// How often, if it is a pace.
pub(crate) fn beat_of(pace: Pace) -> Option<Beat> {
    match pace.0 {
        Kind::EveryFrame => Some(Beat::EveryFrame),
        Kind::Fixed(hz) => Rate::new(hz).map(Beat::Fixed),
        Kind::EveryNth(frames) => (frames > 0).then_some(Beat::EveryNth(frames)),
        Kind::Manual => Some(Beat::Manual),
        Kind::AsLongAs(asked) => Some(Beat::AsLongAs(asked)),
    }
}
