//! The state of a queue while it is applied.

use super::error::CommandError;
use crate::entity::{Ids, Lane};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What happens when a queued command cannot be done.
///
/// [`Commands::set_policy`](crate::Commands::set_policy) chooses one.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Policy;
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// let mut commands = world.commands();
/// commands.set_policy(Policy::Stop);
/// commands.despawn(orc);
/// commands.despawn(orc);          // it is dead already
/// commands.spawn(());             // not reached
/// assert!(world.apply(&mut commands).is_err());
/// assert_eq!((world.alive(), commands.len()), (0, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The first error ends the application: the commands after it stay in the queue. A panic goes on at once.
    Stop,
    /// All commands are applied and all errors returned. A panic goes on afterwards.
    #[default]
    Collect,
    /// All commands are applied and errors are forgotten. A panic goes on afterwards.
    Ignore,
}

/// What is under way in a world, known to those who do it: a function that has the world to itself may put another one in its place, and who then comes to an end must
/// not take the other one for the first.
#[derive(Debug, Default)]
pub(crate) struct Underway {
    /// How many operations that call observers are under way, one inside the other.
    operations: AtomicUsize,
    /// The number of the application that is under way; 0 if there is none.
    application: AtomicU64,
    /// Applications that others were nested in when the world was taken away from these, the innermost first.
    left_behind: Mutex<Vec<Application>>,
}

// Only who has the world to himself, or had it when he began, reads and writes these.
impl Underway {
    /// How many operations are under way.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn operations(&self) -> usize {
        self.operations.load(Ordering::Relaxed)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn set_operations(&self, operations: usize) {
        self.operations.store(operations, Ordering::Relaxed);
    }

    /// Which application is under way.
    pub(crate) fn application(&self) -> u64 {
        self.application.load(Ordering::Relaxed)
    }

    pub(crate) fn set_application(&self, number: u64) {
        self.application.store(number, Ordering::Relaxed);
    }

    /// Keeps an application for its world, which is elsewhere.
    #[cold]
    pub(crate) fn leave_behind(&self, application: Application) {
        if application.active {
            self.left_behind.lock().unwrap_or_else(PoisonError::into_inner).push(application);
        }
    }

    /// The innermost of those that were left behind, if there is any.
    #[cold]
    pub(crate) fn take_left_behind(&self) -> Application {
        let mut left_behind = self.left_behind.lock().unwrap_or_else(PoisonError::into_inner);
        if left_behind.is_empty() { Application::default() } else { left_behind.remove(0) }
    }
}

/// Which application of a queue: the birth of its world, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ApplicationId {
    pub(crate) birth: u64,
    pub(crate) number: u64,
}

/// What commands need while they are applied: the ids of their queue, whose it is, and where errors go.
#[derive(Debug, Default)]
pub(crate) struct Application {
    pub(crate) id: ApplicationId,
    pub(crate) lane: Lane,
    pub(crate) queue: Option<Arc<str>>,
    pub(crate) policy: Policy,
    /// Whether a queue is applied at all.
    pub(crate) active: bool,
    pub(crate) errors: Vec<CommandError>,
    /// Whether no further command is to be applied.
    pub(crate) stopped: bool,
    /// Room for ids, kept so that it need not be made each time.
    pub(crate) ids: Vec<Ids>,
}

impl Application {
    /// Whether the next command of a queue is to be applied: nothing has stopped it, and nobody has put another world into the place of the one that it is for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn goes_on(&self, id: ApplicationId) -> bool {
        self.id == id && !self.stopped
    }

    /// Something could not be done.
    pub(crate) fn refuse(&mut self, error: CommandError) {
        match self.policy {
            Policy::Ignore => {}
            Policy::Collect => self.errors.push(error),
            Policy::Stop => {
                self.errors.push(error);
                self.stopped = true;
            }
        }
    }
}
