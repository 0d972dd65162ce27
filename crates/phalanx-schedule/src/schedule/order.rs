//! Edges between systems, and the cycles they may not close.

use super::reference::SystemRef;
use super::schedule::{DEFAULT_GROUP, Schedule};
use super::unknown::UnknownSystem;
use crate::graph::Edge;
use crate::ids::SystemId;
use crate::shown::shown;
use std::error::Error;
use std::fmt;
use std::panic::Location;

/// An order that cannot be kept: it would close a cycle.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// fn physics() {}
/// fn render() {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, physics)?;
/// schedule.add(&mut world, render)?.after(physics)?;
/// let error = schedule.order(render, physics).unwrap_err();
/// assert!(error.to_string().starts_with("error[S002]: this order would close a cycle of 2 systems in group `Update`\n  physics → render "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CycleError {
    /// What is ordered: systems or groups.
    pub what: &'static str,
    /// The group, if systems are ordered.
    pub group: Option<String>,
    /// The shortest cycle: who comes before whom, and who asked for it. The last one was refused.
    pub cycle: Vec<(String, String, &'static Location<'static>)>,
    /// What takes the first part of it back, if names say which that is.
    pub(super) undo: Option<String>,
}

impl fmt::Display for CycleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, group, cycle, undo } = self;
        let of_group = group.as_ref().map_or(String::new(), |group| format!(" in group `{}`", shown(group)));
        if let [(one, _, caller)] = &cycle[..] {
            writeln!(f, "error[S002]: `{}` cannot come before itself{of_group}", shown(one))?;
            writeln!(f, "  asked by: {}:{}", caller.file(), caller.line())?;
            return write!(f, "  help: name another one; the schedule is unchanged");
        }
        writeln!(f, "error[S002]: this order would close a cycle of {} {what}{of_group}", cycle.len())?;
        let arrow = |first: &str, then: &str| format!("{} → {}", shown(first), shown(then));
        let width = cycle.iter().map(|(first, then, _)| arrow(first, then).chars().count()).max().unwrap_or(0);
        // Of a long cycle the middle is not worth reading.
        let shown = |at: usize| cycle.len() <= 12 || at < 6 || at + 5 >= cycle.len();
        for (at, (first, then, caller)) in cycle.iter().enumerate() {
            let refused = if at + 1 == cycle.len() { "refused, " } else { "" };
            if shown(at) {
                let (arrow, file, line) = (arrow(first, then), caller.file(), caller.line());
                writeln!(f, "  {arrow:width$}    {refused}asked at {file}:{line}")?;
            } else if shown(at - 1) {
                writeln!(f, "  … {} more", (at..cycle.len()).take_while(|at| !shown(*at)).count())?;
            }
        }
        let lines = if cycle.len() <= 12 { "of these lines" } else { "of them" };
        write!(f, "  help: `a → b` says that `a` runs before `b`: delete one {lines}")?;
        match undo {
            Some(undo) => {
                write!(f, ", or take one back first: `schedule.{undo}`, in an engine `engine.schedule_mut().{undo}`")?;
            }
            None => write!(
                f,
                ", or take one back first with `unorder(…, …)?`, by the `id()` that `add` answered; with `named(…)` messages can say which is which"
            )?,
        }
        write!(f, "; the schedule is unchanged")
    }
}

impl CycleError {
    /// Logs the refusal: whoever drops the error finds it there.
    pub(super) fn logged(self) -> Self {
        tracing::warn!(target: "phalanx::schedule", "{self}");
        self
    }
}

impl fmt::Debug for CycleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for CycleError {}

/// An order that cannot be made.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{OrderError, Schedule};
///
/// fn physics() {}
/// fn render() {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, physics)?;
/// assert!(matches!(schedule.order(physics, render), Err(OrderError::Unknown(_))));
/// schedule.add(&mut world, render)?.after(physics)?;
/// assert!(matches!(schedule.order(render, physics), Err(OrderError::Cycle(error)) if error.cycle.len() == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderError {
    /// It would close a cycle.
    Cycle(CycleError),
    /// One of the two is not there.
    Unknown(UnknownSystem),
    /// The two are in different groups.
    OtherGroup {
        /// The first system and its group.
        first: (String, String),
        /// The second system and its group.
        then: (String, String),
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle(error) => error.fmt(f),
            Self::Unknown(error) => error.fmt(f),
            Self::OtherGroup { first, then, caller } => {
                // The one that somebody has named is meant.
                let (meant, stray) = if first.1 == DEFAULT_GROUP { (&then.1, &first.0) } else { (&first.1, &then.0) };
                let [one, its_group] = [&first.0, &first.1].map(|name| shown(name));
                let [other, other_group] = [&then.0, &then.1].map(|name| shown(name));
                write!(
                    f,
                    "error[S004]: `{}` and `{}` are in different groups\n  found: `{}` is in `{}`, `{}` in `{}`\n  asked by: {}:{}\n  help: systems are ordered within a group: put `{}` into {:?} too, and say `.to({:?})` before the two are ordered; or delete this order, and order the groups: `order_groups({:?}, {:?})?`",
                    one,
                    other,
                    one,
                    its_group,
                    other,
                    other_group,
                    caller.file(),
                    caller.line(),
                    shown(stray),
                    meant,
                    meant,
                    first.1,
                    then.1
                )
            }
        }
    }
}

impl fmt::Debug for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for OrderError {}

impl From<UnknownSystem> for OrderError {
    fn from(error: UnknownSystem) -> Self {
        Self::Unknown(error)
    }
}

impl Schedule {
    /// Lets one system come before another. An edge that is there already is left as it is.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn render() {}
    /// fn physics() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, render)?;
    /// schedule.add(&mut world, physics)?;
    /// schedule.order(physics, render)?;
    /// assert_eq!(schedule.in_order("Update"), [schedule.find(physics)?, schedule.find(render)?]);
    /// assert!(schedule.order(render, physics).is_err(), "not both");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OrderError`] if this would close a cycle, if one of the two is not there, or if they are in different groups. The schedule is then unchanged.
    #[track_caller]
    pub fn order<M, N>(&mut self, first: impl SystemRef<M>, then: impl SystemRef<N>) -> Result<(), OrderError> {
        let caller = Location::caller();
        let (first, then) = (self.find_kind(&first.kind(), caller)?, self.find_kind(&then.kind(), caller)?);
        self.add_edge(first, then, false, caller)
    }

    /// Takes back that one system comes before another; answers whether that had been said.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn render() {}
    /// fn physics() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, physics)?;
    /// schedule.add(&mut world, render)?.after(physics)?;
    /// assert!(schedule.unorder(physics, render)?);
    /// assert!(!schedule.unorder(physics, render)?, "it is gone");
    /// schedule.order(render, physics)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if one of the two is not there, or is there more than once.
    #[track_caller]
    pub fn unorder<M, N>(&mut self, first: impl SystemRef<M>, then: impl SystemRef<N>) -> Result<bool, UnknownSystem> {
        let caller = Location::caller();
        let (first, then) = (self.find_kind(&first.kind(), caller)?, self.find_kind(&then.kind(), caller)?);
        let lost = self.lost.len();
        self.lost.retain(|edge| (edge.first, edge.then) != (first.number, then.number));
        let found = self.edges.remove(first.number, then.number);
        if found {
            let group = self.node(first).group;
            self.groups[group.at as usize].compiled = None;
        }
        Ok(found || self.lost.len() < lost)
    }

    pub(super) fn add_edge(
        &mut self,
        first: SystemId,
        then: SystemId,
        applied: bool,
        caller: &'static Location<'static>,
    ) -> Result<(), OrderError> {
        let (a, b) = (self.node(first), self.node(then));
        if a.group != b.group {
            return Err(self.apart(first, then, caller));
        }
        let group = a.group;
        match self.edges.add(Edge { first: first.number, then: then.number, applied, caller }) {
            Ok(()) => {
                self.groups[group.at as usize].compiled = None;
                Ok(())
            }
            Err(cycle) => {
                let called = |id: u32| self.called(self.numbered(id));
                let taken_back = |edge: &Edge| {
                    Some(format!("unorder({}, {})?", called(edge.first).typed?, called(edge.then).typed?))
                };
                let shown = |edge: &Edge| (called(edge.first).shown, called(edge.then).shown, edge.caller);
                let refused = CycleError {
                    what: "systems",
                    group: Some(self.groups[group.at as usize].name.clone()),
                    undo: cycle.first().and_then(taken_back),
                    cycle: cycle.iter().map(shown).collect(),
                };
                Err(OrderError::Cycle(refused.logged()))
            }
        }
    }

    /// Two systems that are in different groups.
    #[cold]
    pub(super) fn apart(&self, first: SystemId, then: SystemId, caller: &'static Location<'static>) -> OrderError {
        let side = |id| (self.called(id).shown, self.groups[self.node(id).group.at as usize].name.clone());
        OrderError::OtherGroup { first: side(first), then: side(then), caller }
    }

    /// All of these edges, or none.
    pub(super) fn add_edges(
        &mut self,
        edges: &[(SystemId, SystemId)],
        applied: bool,
        caller: &'static Location<'static>,
    ) -> Result<(), OrderError> {
        let mut made = Vec::new();
        for (first, then) in edges {
            let known =
                self.edges.from(first.number).iter().find(|edge| edge.then == then.number).map(|edge| edge.applied);
            if let Err(error) = self.add_edge(*first, *then, applied, caller) {
                for (first, then, known) in made {
                    match known {
                        None => {
                            self.edges.remove(first, then);
                        }
                        Some(applied) => self.edges.set_applied(first, then, applied),
                    }
                }
                return Err(error);
            }
            made.push((first.number, then.number, known));
        }
        Ok(())
    }

    pub(super) fn add_group_edge(
        &mut self,
        first: crate::GroupId,
        then: crate::GroupId,
        caller: &'static Location<'static>,
    ) -> Result<(), CycleError> {
        let edge = Edge { first: first.number, then: then.number, applied: false, caller };
        match self.group_edges.add(edge) {
            Ok(()) => {
                self.group_order = None;
                Ok(())
            }
            Err(cycle) => {
                let name = |number: u32| self.group_numbered(number).name.clone();
                let undo = |edge: &Edge| format!("unorder_groups({:?}, {:?})", name(edge.first), name(edge.then));
                let undo = cycle.first().map(undo);
                let cycle = cycle.iter().map(|edge| (name(edge.first), name(edge.then), edge.caller)).collect();
                Err(CycleError { what: "groups", group: None, cycle, undo }.logged())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ecs::prelude::*;

    #[test]
    fn an_edge_that_was_there_is_as_strong_as_before_when_others_cannot_be_made() {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        let spawn = |commands: &mut Commands| {
            commands.spawn(());
        };
        let ids: Vec<SystemId> = (0..3).map(|_| schedule.add(&mut world, spawn).unwrap().id()).collect();
        schedule.chain(&ids).unwrap();
        assert_eq!(schedule.stages("Update").len(), 1);
        let caller = Location::caller();
        assert!(schedule.add_edges(&[(ids[0], ids[1]), (ids[2], ids[0])], true, caller).is_err());
        assert_eq!(schedule.stages("Update").len(), 1);
        schedule.add_edges(&[(ids[0], ids[1])], true, caller).unwrap();
        assert_eq!(schedule.stages("Update").len(), 2);
    }
}
