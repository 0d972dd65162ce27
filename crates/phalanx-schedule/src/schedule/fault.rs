//! What happens when a system fails.

use super::schedule::Schedule;
use crate::system::Refusal;
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// What happens when a system returns an error, panics, or cannot run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultPolicy {
    /// The run ends, and answers the [`Fault`]. What others queued before is applied.
    #[default]
    Stop,
    /// The system is passed over this time; the fault is [noted](crate::Engine::faults).
    Skip,
    /// The system is disabled; the fault is [noted](crate::Engine::faults).
    Disable,
}

type Handler = Box<dyn FnMut(&Fault) -> FaultPolicy + Send>;

/// Who says what a failure means.
pub(super) enum Judge {
    Policy(FaultPolicy),
    /// In a lock only so that schedules can be shared; nobody waits for it.
    Handler(Mutex<Handler>),
}

impl Judge {
    pub(super) fn handler(handler: impl FnMut(&Fault) -> FaultPolicy + Send + 'static) -> Self {
        Self::Handler(Mutex::new(Box::new(handler)))
    }

    pub(super) fn decide(&mut self, fault: &Fault) -> FaultPolicy {
        match self {
            Self::Policy(policy) => *policy,
            Self::Handler(handler) => handler.get_mut().unwrap_or_else(PoisonError::into_inner)(fault),
        }
    }
}

impl Default for Judge {
    fn default() -> Self {
        Self::Policy(FaultPolicy::default())
    }
}

impl Schedule {
    /// What happens when a system fails that has no policy of its own.
    pub fn set_policy(&mut self, policy: FaultPolicy) {
        self.judge = Judge::Policy(policy);
    }

    /// Asks a function what is to happen when a system fails that has no policy of its own.
    ///
    /// It is called at the end of the stage in which systems failed, for one after another in the order of the stage: so always in the same order, whoever ran side
    /// by side. If it panics, that goes on to who runs the schedule, which can be run again.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{FaultPolicy, Schedule};
    ///
    /// fn load() -> Result<(), &'static str> {
    ///     Err("no such file")
    /// }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, load)?;
    /// let mut failed = 0;
    /// schedule.handle_faults(move |fault| {
    ///     failed += 1;
    ///     println!("{fault}");
    ///     if failed < 3 { FaultPolicy::Skip } else { FaultPolicy::Stop }
    /// });
    /// assert!(schedule.run(&mut world).is_ok() && schedule.run(&mut world).is_ok());
    /// assert!(schedule.run(&mut world).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handle_faults(&mut self, handler: impl FnMut(&Fault) -> FaultPolicy + Send + 'static) {
        self.judge = Judge::handler(handler);
    }
}

/// A system failed.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// fn load() -> Result<(), &'static str> {
///     Err("no such file")
/// }
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, load)?;
/// let fault = schedule.run(&mut world).unwrap_err();
/// assert!(fault.to_string().starts_with("error[S006]: system `load` of group `Update` failed\n  found: it returned: no such file"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Fault(pub(super) Box<FaultFacts>);

/// What is known of a [`Fault`].
#[derive(Debug)]
#[non_exhaustive]
pub struct FaultFacts {
    /// What the system is called.
    pub system: String,
    /// Whether it is a condition of the group, and no system in it.
    pub is_condition: bool,
    /// The group it is in.
    pub group: String,
    /// How often the group had run before.
    pub run: u64,
    /// What it was.
    pub kind: FaultKind,
    /// Who added the system.
    pub added: &'static Location<'static>,
}

/// How a system failed.
#[non_exhaustive]
pub enum FaultKind {
    /// It returned an error, a resource was missing, or what it queued could not be done.
    Refused(Refusal),
    /// It panicked.
    Panicked(Panic),
}

impl FaultKind {
    pub(super) fn panicked(payload: Box<dyn Any + Send>) -> Self {
        Self::Panicked(Panic(Mutex::new(payload)))
    }
}

/// A panic of a system.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{FaultKind, Schedule};
///
/// fn fall() { panic!("too deep") }
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, fall)?;
/// let fault = schedule.run(&mut world).unwrap_err();
/// let FaultKind::Panicked(panic) = &fault.kind else { unreachable!() };
/// assert_eq!(panic.message(), "too deep");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Panic(
    /// In a lock only so that faults can be shared: so they fit where any error does.
    Mutex<Box<dyn Any + Send>>,
);

impl Panic {
    /// What it said.
    pub fn message(&self) -> String {
        let payload = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = payload.downcast_ref::<&'static str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref().cloned()).unwrap_or_else(|| "something that is no text".into())
    }

    /// What it carries, as [`catch_unwind`](std::panic::catch_unwind) answers it: to look into, or to [go on](std::panic::resume_unwind) with.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{FaultKind, Schedule};
    ///
    /// fn fall() { std::panic::panic_any(7_u8) }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, fall)?;
    /// let FaultKind::Panicked(panic) = schedule.run(&mut world).unwrap_err().into_kind() else { unreachable!() };
    /// assert_eq!(panic.into_payload().downcast_ref(), Some(&7_u8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panic({:?})", self.message())
    }
}

impl Fault {
    /// How the system failed, to have it for oneself.
    pub fn into_kind(self) -> FaultKind {
        self.0.kind
    }
}

impl Deref for Fault {
    type Target = FaultFacts;
    fn deref(&self) -> &FaultFacts {
        &self.0
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FaultFacts { system, is_condition, group, run, kind, added } = &*self.0;
        let role = if *is_condition { "condition" } else { "system" };
        writeln!(f, "error[S006]: {role} `{system}` of group `{group}` failed")?;
        let what = match kind {
            FaultKind::Refused(Refusal::Returned(why)) => format!("it returned: {why}"),
            FaultKind::Refused(why) => why.to_string(),
            FaultKind::Panicked(panic) => format!("it panicked: {}", panic.message()),
        };
        writeln!(f, "  found: {}", what.replace('\n', "\n    "))?;
        writeln!(f, "  in: run {run} of the group")?;
        write!(f, "  added by: {}:{}", added.file(), added.line())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "Refused({why})"),
            Self::Panicked(panic) => write!(f, "Panicked({})", panic.message()),
        }
    }
}

impl Error for Fault {}
