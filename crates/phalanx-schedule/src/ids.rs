//! Which system, which group.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A system of a schedule. It stays the same until the system is removed, and is never used again; no other schedule knows it.
///
/// ```
/// use phalanx_schedule::Schedule;
///
/// let mut schedule = Schedule::new();
/// let mut world = phalanx_ecs::World::new();
/// let greet = schedule.add(&mut world, || println!("hello"))?.id();
/// assert!(schedule.contains(greet));
/// schedule.remove(greet)?;
/// assert!(!schedule.contains(greet));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SystemId {
    /// Which of all schedules of the process.
    pub(crate) schedule: u32,
    /// The how-manieth that was added: that says which came first, and is never given again.
    pub(crate) number: u32,
    /// Where it is kept: a place that is given again when it is free.
    pub(crate) at: u32,
}

impl SystemId {
    /// Who runs outside of any schedule.
    pub(crate) const NONE: Self = Self { schedule: u32::MAX, number: u32::MAX, at: u32::MAX };
}

impl Hash for SystemId {
    /// Without the schedule: how many others a process has made shall not be seen in results.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.number, self.at).hash(state);
    }
}

impl fmt::Debug for SystemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            f.write_str("system outside of schedules")
        } else {
            write!(f, "system #{}", self.number)
        }
    }
}

/// A group of systems in a schedule. It stays the same until the group is removed, and is never used again.
///
/// ```
/// use phalanx_schedule::Schedule;
///
/// let mut schedule = Schedule::new();
/// assert_eq!(schedule.group("Physics").id(), schedule.group("Physics").id());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId {
    /// The how-manieth that was made: that says which came first, and is never given again.
    pub(crate) number: u32,
    /// Where it is kept: a place that is given again when it is free.
    pub(crate) at: u32,
}

impl fmt::Debug for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group #{}", self.number)
    }
}
