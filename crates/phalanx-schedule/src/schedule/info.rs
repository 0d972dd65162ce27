//! What is known of a system.

use super::histogram::Histogram;
use super::reference::SystemRef;
use super::schedule::Schedule;
use super::unknown::UnknownSystem;
use crate::ids::SystemId;
use std::panic::Location;
use std::sync::PoisonError;
use std::time::Duration;

impl Schedule {
    /// What is known of a system.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, draw)?;
    /// schedule.run(&mut world)?;
    /// let info = schedule.info(draw)?;
    /// assert_eq!((info.name, info.group, info.runs, info.enabled), ("draw", "Update", 1, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn info<M>(&self, system: impl SystemRef<M>) -> Result<SystemInfo<'_>, UnknownSystem> {
        let id = self.find_kind(&system.kind(), Location::caller())?;
        let node = self.node(id);
        let runner = node.runner.lock().unwrap_or_else(PoisonError::into_inner);
        let (timed, [last, mean, longest]) = runner.cost.timing();
        Ok(SystemInfo {
            id,
            name: &node.name,
            group: &self.groups[node.group.at as usize].name,
            enabled: node.enabled,
            group_enabled: self.groups[node.group.at as usize].is_enabled(),
            asleep: node.asleep.as_deref(),
            runs: runner.runs,
            timed,
            last,
            mean,
            longest,
            histogram: runner.cost.histogram(),
            caller: node.caller,
        })
    }
}

/// What is known of a system; see [`Schedule::info`].
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
/// use std::time::Duration;
///
/// fn dream() { std::thread::sleep(Duration::from_millis(2)) }
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, dream)?;
/// schedule.run(&mut world)?;
/// let info = schedule.info(dream)?;
/// assert!(info.timed == 1 && info.mean >= Duration::from_millis(2) && info.longest >= info.mean);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SystemInfo<'a> {
    /// Which one it is.
    pub id: SystemId,
    /// What it is called.
    pub name: &'a str,
    /// The name of its group.
    pub group: &'a str,
    /// Whether it may run, as far as it is concerned.
    pub enabled: bool,
    /// Whether its group may run.
    pub group_enabled: bool,
    /// Why it sleeps, if it does.
    pub asleep: Option<&'a str>,
    /// How many times it ran.
    pub runs: u64,
    /// How many of its runs were timed.
    pub timed: u64,
    /// How long the last of those took.
    pub last: Duration,
    /// How long they took on average.
    pub mean: Duration,
    /// How long the longest took.
    pub longest: Duration,
    /// How often they took how long.
    pub histogram: Histogram,
    /// Who added it.
    pub caller: &'static Location<'static>,
}
