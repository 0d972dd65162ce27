//! What a schedule decides, in words.

use super::info::SystemInfo;
use super::pace::Beat;
use super::reference::SystemRef;
use super::schedule::Schedule;
use super::unknown::UnknownSystem;
use crate::ids::SystemId;
use crate::shown::shown;
use phalanx_ecs::{Conflict, Plan};
use std::fmt;
use std::panic::Location;
use std::sync::PoisonError;
use std::time::Duration;

/// Two systems that get in each other's way and whose order nobody asked for: it is that in which they were added.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::Schedule;
///
/// #[derive(Component)] struct Health(u32);
///
/// fn heal(mut all: Query<&mut Health>) {}
/// fn hurt(mut all: Query<&mut Health>) {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, heal)?;
/// schedule.add(&mut world, hurt)?;
/// let ambiguity = &schedule.ambiguities("Update")[0];
/// assert_eq!((ambiguity.first, ambiguity.then), (schedule.find(heal)?, schedule.find(hurt)?));
/// assert!(ambiguity.to_string().starts_with("`heal` runs before `hurt` because it was added first"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ambiguity {
    /// Who runs first.
    pub first: SystemId,
    /// Who runs then.
    pub then: SystemId,
    /// Why they cannot run side by side.
    pub why: Conflict,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` runs before `{}` because it was added first; {}",
            shown(&self.why.first),
            shown(&self.why.second),
            self.why
        )
    }
}

/// Why a system did not run when its group did, if so.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::{Idle, Schedule};
///
/// fn draw() {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, draw)?;
/// schedule.disable(draw)?;
/// assert_eq!(schedule.why_idle(draw)?, Idle::Disabled);
/// assert_eq!(schedule.why_idle(draw)?.to_string(), "it is disabled; `enable` lets it run again");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Idle {
    /// It ran, or will.
    No,
    /// It is disabled.
    Disabled,
    /// It sleeps, for this reason.
    Asleep(String),
    /// This condition did not hold.
    Condition(String),
    /// Its group is disabled.
    GroupDisabled(String),
    /// A condition of its group did not hold, or failed.
    GroupCondition {
        /// The group.
        group: String,
        /// The condition.
        condition: String,
    },
    /// Its group has not run yet.
    GroupNeverRan {
        /// The group.
        group: String,
        /// Whether it runs only when asked.
        manual: bool,
    },
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::No => f.write_str("it runs"),
            Self::Disabled => f.write_str("it is disabled; `enable` lets it run again"),
            Self::Asleep(why) => write!(f, "it sleeps, because {why}"),
            Self::Condition(name) => write!(f, "its condition `{}` did not hold", shown(name)),
            Self::GroupDisabled(group) => {
                write!(f, "its group `{}` is disabled; `group({group:?}).enable()` lets it run again", shown(group))
            }
            Self::GroupCondition { group, condition } => {
                write!(f, "the condition `{}` of its group `{}` did not hold", shown(condition), shown(group))
            }
            Self::GroupNeverRan { group, manual: true } => {
                write!(f, "its group `{}` runs only when asked: `run_group({group:?})`", shown(group))
            }
            Self::GroupNeverRan { group, .. } => write!(f, "its group `{}` has not run yet", shown(group)),
        }
    }
}

impl Schedule {
    /// What is known of all systems, in the order in which they were added.
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
    /// schedule.add(&mut world, render)?.to("Late");
    /// schedule.run(&mut world)?;
    /// let runs: Vec<_> = schedule.systems().map(|system| (system.name, system.group, system.runs)).collect();
    /// assert_eq!(runs, [("physics", "Update", 1), ("render", "Late", 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn systems(&self) -> impl Iterator<Item = SystemInfo<'_>> {
        self.nodes().map(|(id, _)| self.info(id).expect("it is there"))
    }

    /// Why two systems cannot run side by side, if they cannot.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Schedule;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut all: Query<&mut Health>) {}
    /// fn draw(all: Query<&Health>) {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, heal)?;
    /// schedule.add(&mut world, draw)?;
    /// let why = schedule.conflict(heal, draw)?.unwrap();
    /// assert!(why.to_string().starts_with("`heal` and `draw` cannot have the world at once\n  component `Health`: written by"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if one of the two is not there, or is there more than once.
    #[track_caller]
    pub fn conflict<M, N>(
        &mut self,
        first: impl SystemRef<M>,
        second: impl SystemRef<N>,
    ) -> Result<Option<Conflict>, UnknownSystem> {
        let caller = Location::caller();
        let (first, second) = (self.find_kind(&first.kind(), caller)?, self.find_kind(&second.kind(), caller)?);
        let (first, second) = (self.plans(first), self.plans(second));
        Ok(conflict(&first, &second))
    }

    /// The pairs of systems in a group that get in each other's way and whose order is only that in which they were added. The result of a run does not depend on
    /// chance all the same; but who reads it may not have meant it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Schedule;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut all: Query<&mut Health>) {}
    /// fn hurt(mut all: Query<&mut Health>) {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, heal)?;
    /// schedule.add(&mut world, hurt)?;
    /// assert_eq!(schedule.ambiguities("Update").len(), 1);
    /// schedule.order(hurt, heal)?;
    /// assert!(schedule.ambiguities("Update").is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ambiguities(&mut self, group: &str) -> Vec<Ambiguity> {
        let order = self.in_order(group);
        let plans: Vec<Vec<Plan>> = order.iter().map(|id| self.plans(*id)).collect();
        let mut found = Vec::new();
        for (at, first) in order.iter().enumerate() {
            let reached = self.edges.reached_from(first.number);
            for (other, then) in order.iter().enumerate().skip(at + 1) {
                if !reached.contains(&then.number)
                    && let Some(why) = conflict(&plans[at], &plans[other])
                {
                    found.push(Ambiguity { first: *first, then: *then, why });
                }
            }
        }
        found
    }

    /// Why a system did not run when its group did last, if so. In an engine: `engine.schedule_mut().why_idle(draw)?`.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::{Idle, Schedule};
    ///
    /// fn never() -> bool { false }
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, draw)?.run_if(never)?;
    /// schedule.run(&mut world)?;
    /// assert_eq!(schedule.why_idle(draw)?.to_string(), "its condition `never` did not hold");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn why_idle<M>(&mut self, system: impl SystemRef<M>) -> Result<Idle, UnknownSystem> {
        let id = self.find_kind(&system.kind(), Location::caller())?;
        let node = self.node(id);
        let group = &self.groups[node.group.at as usize];
        let gate = group.gate.lock().unwrap_or_else(PoisonError::into_inner);
        if !node.enabled {
            return Ok(Idle::Disabled);
        }
        if let Some(why) = &node.asleep {
            return Ok(Idle::Asleep(why.clone()));
        }
        if gate.disabled {
            return Ok(Idle::GroupDisabled(group.name.clone()));
        }
        if let Some(at) = gate.held_by {
            let condition = gate.conditions[at].0.name.clone();
            return Ok(Idle::GroupCondition { group: group.name.clone(), condition });
        }
        if group.runs == 0 {
            return Ok(Idle::GroupNeverRan { group: group.name.clone(), manual: group.beat == Beat::Manual });
        }
        drop(gate);
        let runner = self.runner_mut(id);
        Ok(runner.held_by.map_or(Idle::No, |at| Idle::Condition(runner.conditions[at].name.clone())))
    }

    /// The systems of a group that wait for each other longest, with what each takes: with any number of threads the group cannot be faster.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    /// use std::time::Duration;
    ///
    /// fn physics() { std::thread::sleep(Duration::from_millis(2)) }
    /// fn sound() {}
    /// fn render() { std::thread::sleep(Duration::from_millis(2)) }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, physics)?;
    /// schedule.add(&mut world, sound)?;
    /// schedule.add(&mut world, render)?.after(physics)?;
    /// schedule.run(&mut world)?;
    /// let path: Vec<_> = schedule.critical_path("Update").into_iter().map(|(system, _)| system).collect();
    /// assert_eq!(path, [schedule.find(physics)?, schedule.find(render)?]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn critical_path(&mut self, group: &str) -> Vec<(SystemId, Duration)> {
        let order = self.in_order(group);
        let waits = self.waits(&order);
        let costs: Vec<u64> = order.iter().map(|id| self.runner_mut(*id).cost.estimate().unwrap_or(0)).collect();
        let mut done = costs.clone();
        let mut came_from = vec![None; order.len()];
        for at in 0..order.len() {
            for then in &waits.then[at] {
                let then = *then as usize;
                if done[at] + costs[then] > done[then] {
                    done[then] = done[at] + costs[then];
                    came_from[then] = Some(at);
                }
            }
        }
        let mut path = Vec::new();
        let mut next = (0..order.len()).max_by_key(|at| (done[*at], std::cmp::Reverse(*at)));
        while let Some(at) = next {
            path.push((order[at], Duration::from_nanos(costs[at])));
            next = came_from[at];
        }
        path.reverse();
        path
    }
}

fn conflict(first: &[Plan], second: &[Plan]) -> Option<Conflict> {
    first.iter().find_map(|plan| second.iter().find_map(|other| plan.conflicts_with(other)))
}
