//! Which system, which group.

use std::fmt;

/// A system of a schedule. It stays the same until the system is removed, and is never used again.
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemId(pub(crate) u32);

impl SystemId {
    /// Who runs outside of any schedule.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

impl fmt::Debug for SystemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE { f.write_str("system outside of schedules") } else { write!(f, "system #{}", self.0) }
    }
}

/// A group of systems in a schedule.
///
/// ```
/// use phalanx_schedule::Schedule;
///
/// let mut schedule = Schedule::new();
/// assert_eq!(schedule.group("Physics").id(), schedule.group("Physics").id());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub(crate) u32);

impl fmt::Debug for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group #{}", self.0)
    }
}
