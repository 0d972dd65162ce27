//! What happens when a system fails.

use super::misnamed::UnknownGroup;
use super::order::OrderError;
use super::panicked::Panic;
use super::schedule::Schedule;
use crate::shown::shown;
use crate::system::Refusal;
use phalanx_ecs::{CommandErrors, CommandFault};
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
    /// Whether it ended the run; a handler that is asked does not know yet.
    pub stopped: bool,
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
    /// It panicked, or a change that it had queued did.
    Panicked(Panic),
    /// No system ran: there is no group of this name. Policies and handlers are not asked; of the other facts there are [`group`](FaultFacts::group) and, as
    /// [`added`](FaultFacts::added), who asked.
    UnknownGroup(UnknownGroup),
    /// No system ran: two that are ordered are in different groups, because one was put into another group after that. Policies and handlers are not asked; of the
    /// other facts there are [`group`](FaultFacts::group), [`run`](FaultFacts::run) and, as [`added`](FaultFacts::added), who asked for the order.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultKind, OrderError};
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(physics)?;
    /// engine.add(render)?.after(physics)?.to("Drawing");
    /// let fault = engine.run_frames(1).unwrap_err();
    /// assert!(matches!(&fault.kind, FaultKind::LostOrder(OrderError::OtherGroup { .. })));
    ///
    /// // Mended: the order is taken back, and the groups are ordered.
    /// engine.schedule_mut().unorder(physics, render)?;
    /// engine.order_groups("Update", "Drawing")?;
    /// engine.run_frames(1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    LostOrder(OrderError),
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
            stopped: true,
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
        let FaultFacts { system, is_condition, condition, group, run, kind, added, stopped } = &*self.0;
        let (system, group, condition) = (shown(system), shown(group), condition.as_deref().map(shown));
        let role = if *is_condition { "condition" } else { "system" };
        let what = match kind {
            // No system failed.
            FaultKind::UnknownGroup(unknown) => return fmt::Display::fmt(unknown, f),
            FaultKind::LostOrder(order) => return fmt::Display::fmt(order, f),
            FaultKind::Refused(Refusal::Returned(why)) => format!("it returned: {why}"),
            // Conditions are made as systems are.
            FaultKind::Refused(why) if *is_condition || condition.is_some() => {
                why.to_string().replacen(": system `", ": condition `", 1)
            }
            FaultKind::Refused(why) => why.to_string(),
            FaultKind::Panicked(panic) if panic.is_queued() => {
                format!("a command that it queued panicked when it was applied: {}", panic.message())
            }
            FaultKind::Panicked(panic) => format!("it panicked: {}", panic.message()),
        };
        write!(f, "error[S006]: ")?;
        if let Some(condition) = condition {
            write!(f, "condition `{condition}` of ")?;
        }
        writeln!(f, "{role} `{system}` of group `{group}` failed")?;
        writeln!(f, "  found: {}", what.replace('\n', "\n    "))?;
        writeln!(f, "  in: run {} of the group", run.saturating_add(1))?;
        write!(f, "  added by: {}:{}", added.file(), added.line())?;
        match kind {
            _ if !stopped => Ok(()),
            FaultKind::Refused(Refusal::Commands(why)) => match ended_by_other(why) {
                Some(other) => write!(
                    f,
                    "\n  help: `{0}` had queued that before. If `{system}` found the entity in a query, add it with `.after_applied({0})?`, or put `ApplyQueued` between the two; if it has kept the handle, ask `query.contains(entity)` first; if it does not matter, `commands.set_policy(Policy::Ignore)`",
                    shown(other)
                ),
                None => Ok(()),
            },
            // What says itself how it is mended.
            FaultKind::Refused(why) if !matches!(why, Refusal::Returned(_)) => Ok(()),
            _ if *is_condition => write!(
                f,
                "\n  help: if the run is to go on all the same, without this group: `schedule.set_policy(FaultPolicy::Skip)`, in an engine `engine.schedule_mut().set_policy(FaultPolicy::Skip)`"
            ),
            _ => write!(
                f,
                "\n  help: if the run is to go on all the same: `add(…)?.on_fault(FaultPolicy::Skip)` for this system, `set_policy(FaultPolicy::Skip)` of the schedule for all; `Disable` instead of `Skip` lets it run no more"
            ),
        }
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
            Self::UnknownGroup(unknown) => write!(f, "UnknownGroup({unknown})"),
            Self::LostOrder(order) => write!(f, "LostOrder({order})"),
        }
    }
}

impl Error for Fault {}

/// The queue of another system that despawned what a command was about.
fn ended_by_other(errors: &CommandErrors) -> Option<&str> {
    errors.errors.iter().find_map(|error| match &error.fault {
        CommandFault::Dead { death: Some(death), .. } if death.queue != error.queue => death.queue.as_deref(),
        _ => None,
    })
}
