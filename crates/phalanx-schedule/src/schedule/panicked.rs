//! [`Panic`]: what a system panicked with.

use crate::panics::Panics;
use std::any::Any;
use std::fmt;
use std::sync::{Mutex, PoisonError};

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
    queued: bool,
    /// Locked so that faults can be shared between threads, as errors of `main` must be; a payload cannot.
    payload: Mutex<Panics>,
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

    /// Whether it was not the system itself, but a change that it had queued: when that was applied.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{FaultKind, Schedule};
    ///
    /// fn paint(commands: &mut Commands) {
    ///     commands.run(|world: &mut World| assert!(world.alive() > 9, "out of paint"));
    /// }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, paint)?;
    /// let fault = schedule.run(&mut world).unwrap_err();
    /// assert!(matches!(&fault.kind, FaultKind::Panicked(panic) if panic.is_queued()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_queued(&self) -> bool {
        self.queued
    }

    /// The same, of a change that was queued.
    pub(super) fn queued(self) -> Self {
        Self { queued: true, ..self }
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
        let mut payload = self.payload.into_inner().unwrap_or_else(PoisonError::into_inner);
        payload.take().expect("it was thrown with something")
    }
}

impl From<Box<dyn Any + Send>> for Panic {
    fn from(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&'static str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self {
            message: text.unwrap_or("something that is no text").to_owned(),
            queued: false,
            payload: Mutex::new(payload.into()),
        }
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panic({:?})", self.message)
    }
}
