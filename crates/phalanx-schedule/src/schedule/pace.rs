//! How often groups run.

use crate::shown::shown;
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
        let (group, file, line) = (shown(group), caller.file(), caller.line());
        match pace.0 {
            Kind::Fixed(hz) => write!(
                f,
                "error[S007]: group `{group}` cannot run {hz} times a second\n  asked by: {file}:{line}\n  help: a fixed pace is from 0.000001 to 1000000 times a second (a rate, not a length: `fixed(60.0)` is 60 steps a second); for once a frame there is `every_frame()`, for only when asked `manual()`"
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
