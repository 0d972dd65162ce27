//! What happens when a system fails.

use super::misnamed::UnknownGroup;
use super::schedule::Schedule;
use crate::system::Refusal;
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

/// What happens when a system returns an error, panics, or cannot run.
///
/// ```
/// use phalanx_schedule::{Engine, FaultPolicy};
///
/// fn load() -> Result<(), &'static str> {
///     Err("no such file")
/// }
///
/// let mut engine = Engine::new();
/// engine.add(load)?;
/// assert!(engine.run_frames(1).is_err());                       // it stops
/// engine.schedule_mut().set_policy(FaultPolicy::Disable);
/// engine.run_frames(9)?;                                        // it failed once more, and runs no longer
/// assert_eq!(engine.faults().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// assert!(schedule.run(&mut world).is_err());
    /// schedule.set_policy(FaultPolicy::Skip);
    /// assert!(schedule.run(&mut world).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
/// schedule.add(&mut world, load)?.named("load level").to("Loading");
/// let fault = schedule.run_group(&mut world, "Loading").unwrap_err();
/// assert_eq!((fault.system.as_str(), fault.group.as_str(), fault.run), ("load level", "Loading", 0));
/// assert!(fault.added.file().ends_with(".rs"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct FaultFacts {
    /// What the system is called.
    pub system: String,
    /// Whether it is a condition of the group, and no system in it.
    pub is_condition: bool,
    /// The condition of the system that failed, if it was not the system itself.
    pub condition: Option<String>,
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
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{FaultKind, Refusal, Schedule};
///
/// fn load() -> Result<(), &'static str> {
///     Err("no such file")
/// }
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, load)?;
/// let fault = schedule.run(&mut world).unwrap_err();
/// assert!(matches!(&fault.kind, FaultKind::Refused(Refusal::Returned(why)) if why.to_string() == "no such file"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[non_exhaustive]
pub enum FaultKind {
    /// It returned an error, a resource was missing, or what it queued could not be done.
    Refused(Refusal),
    /// It panicked.
    Panicked(Panic),
    /// No system ran: there is no group of this name. Policies and handlers are not asked; of the other facts there are [`group`](FaultFacts::group) and, as
    /// [`added`](FaultFacts::added), who asked.
    UnknownGroup(UnknownGroup),
}

/// What a system panicked with.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{FaultKind, Schedule};
///
/// fn paint() {
///     panic!("out of paint");
/// }
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, paint)?;
/// let fault = schedule.run(&mut world).unwrap_err();
/// let FaultKind::Panicked(panic) = &fault.kind else { unreachable!("it panicked") };
/// assert_eq!(panic.message(), "out of paint");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Panic {
    message: String,
    /// Locked so that faults can be shared between threads, as errors of `main` must be; a payload cannot.
    payload: Mutex<Box<dyn Any + Send>>,
}

impl Panic {
    /// What it said.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{FaultKind, Schedule};
    ///
    /// fn fail() {
    ///     std::panic::panic_any(7);
    /// }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, fail)?;
    /// let fault = schedule.run(&mut world).unwrap_err();
    /// assert!(matches!(&fault.kind, FaultKind::Panicked(panic) if panic.message() == "something that is no text"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What it was thrown with, for [`resume_unwind`](std::panic::resume_unwind).
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{FaultKind, Schedule};
    ///
    /// fn fail() {
    ///     std::panic::panic_any(7);
    /// }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, fail)?;
    /// let fault = schedule.run(&mut world).unwrap_err();
    /// let FaultKind::Panicked(panic) = fault.into_facts().kind else { unreachable!("it panicked") };
    /// assert_eq!(panic.into_payload().downcast_ref::<i32>(), Some(&7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.payload.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Box<dyn Any + Send>> for Panic {
    fn from(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&'static str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self { message: text.unwrap_or("something that is no text").to_owned(), payload: Mutex::new(payload) }
    }
}

impl Fault {
    /// What is known of it, to keep.
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
    /// let facts = schedule.run(&mut world).unwrap_err().into_facts();
    /// assert_eq!((facts.system.as_str(), facts.group.as_str(), facts.run), ("load", "Update", 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_facts(self) -> FaultFacts {
        *self.0
    }
}

impl From<UnknownGroup> for Fault {
    fn from(unknown: UnknownGroup) -> Self {
        Self(Box::new(FaultFacts {
            system: String::new(),
            is_condition: false,
            condition: None,
            group: unknown.wanted.clone(),
            run: 0,
            added: unknown.caller,
            kind: FaultKind::UnknownGroup(unknown),
        }))
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
        let FaultFacts { system, is_condition, condition, group, run, kind, added } = &*self.0;
        if let FaultKind::UnknownGroup(unknown) = kind {
            return fmt::Display::fmt(unknown, f);
        }
        let role = if *is_condition { "condition" } else { "system" };
        write!(f, "error[S006]: ")?;
        if let Some(condition) = condition {
            write!(f, "condition `{condition}` of ")?;
        }
        writeln!(f, "{role} `{system}` of group `{group}` failed")?;
        let what = match kind {
            FaultKind::Refused(Refusal::Returned(why)) => format!("it returned: {why}"),
            // Conditions are made as systems are.
            FaultKind::Refused(why) if *is_condition || condition.is_some() => {
                why.to_string().replacen(": system `", ": condition `", 1)
            }
            FaultKind::Refused(why) => why.to_string(),
            FaultKind::Panicked(panic) => format!("it panicked: {}", panic.message),
            FaultKind::UnknownGroup(unknown) => unknown.to_string(),
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
            Self::Panicked(panic) => write!(f, "Panicked({})", panic.message),
            Self::UnknownGroup(unknown) => write!(f, "UnknownGroup({unknown})"),
        }
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panic({:?})", self.message)
    }
}

impl Error for Fault {}
