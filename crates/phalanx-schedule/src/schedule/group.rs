//! Groups of systems, and how often they run.

use super::schedule::Schedule;
use crate::ids::GroupId;
use crate::time::Rate;
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
pub fn every_frame() -> Pace {
    Pace(Kind::EveryFrame)
}

/// So many times a second, in steps of exactly that length: as often in a frame as time has passed.
///
/// At least once in eleven days, at most a million times a second; to a millionth of a hertz.
pub fn fixed(hz: impl Into<f64>) -> Pace {
    Pace(Kind::Fixed(hz.into()))
}

/// In every n-th frame, the first of them included.
pub fn every_nth(frames: u64) -> Pace {
    Pace(Kind::EveryNth(frames))
}

/// Only when asked for.
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

/// A group of a schedule, to say more about it; made by [`Schedule::group`].
pub struct Group<'a> {
    pub(super) schedule: &'a mut Schedule,
    pub(super) id: GroupId,
}

impl Group<'_> {
    /// Which one it is.
    pub fn id(&self) -> GroupId {
        self.id
    }

    /// Sets how often it runs.
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
}

impl Group<'_> {
    /// Lets it run only when asked.
    pub(crate) fn set_manual(self) {
        self.schedule.groups[self.id.0 as usize].beat = Beat::Manual;
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({})", self.schedule.groups[self.id.0 as usize].name)
    }
}
