//! A group as a row of stages.
//!
//! ```text
//! stage   [ move, steer, draw ]     ─► sync: what move and steer queued is applied, in this order
//! stage   [ count, ApplyQueued ]    ─► sync, unless the point is held back
//! stage   [ draw ]                  ─► the end
//!
//! waits   move ◄── draw          who must be done before: an edge says so, or they get in each other's way and it was added earlier
//! ```

use super::fault::Fault;
use super::pace::Beat;
use super::schedule::Schedule;
use crate::ids::{GroupId, SystemId};
use phalanx_ecs::{Plan, World};

/// A group, ready to be run.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) stages: Vec<Stage>,
    /// Whether one of its systems reads events.
    pub(super) listens: bool,
}

/// Systems that run with nothing applied in between.
#[derive(Debug, Default)]
pub(super) struct Stage {
    /// In order.
    pub(super) systems: Vec<SystemId>,
    /// Those of them that queue changes, to be applied at the end of the stage.
    pub(super) deferring: Vec<SystemId>,
    /// The point that ends it, if that is one which can be held back.
    pub(super) point: Option<SystemId>,
    /// What is known for running side by side.
    #[cfg(feature = "parallel")]
    pub(super) beside: super::parallel::Beside,
}

impl Schedule {
    /// The systems of a group, in the order in which they run.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn render() {}
    /// fn physics() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let render = schedule.add(&mut world, render)?.id();
    /// let physics = schedule.add(&mut world, physics)?.id();
    /// assert_eq!(schedule.in_order("Update"), [render, physics], "as they were added");
    /// schedule.order(physics, render)?;
    /// assert_eq!(schedule.in_order("Update"), [physics, render]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_order(&self, group: &str) -> Vec<SystemId> {
        let Some(group) = self.find_group(group) else { return Vec::new() };
        let members: Vec<u32> = self.groups[group.at as usize].systems.iter().map(|id| id.number).collect();
        self.edges.order(&members).into_iter().map(|number| self.numbered(number)).collect()
    }

    /// The systems of a group, in the order in which they run, cut where what was queued is applied; it is at the end, too.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{ApplyQueued, Schedule};
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let spawn = schedule.add(&mut world, |commands: &mut Commands| { commands.spawn(()); })?.id();
    /// let point = schedule.add(&mut world, ApplyQueued)?.id();
    /// let count = schedule.add(&mut world, |all: Query<Entity>| assert_eq!(all.count(), 1))?.id();
    /// assert_eq!(schedule.stages("Update"), [vec![spawn, point], vec![count]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stages(&self, group: &str) -> Vec<Vec<SystemId>> {
        let Some(id) = self.find_group(group) else { return Vec::new() };
        let stages = self.compile(id).stages.into_iter().map(|stage| stage.systems);
        stages.filter(|systems| !systems.is_empty()).collect()
    }

    /// The stages of a group: its systems in order, cut where somebody asks for what was queued before.
    pub(super) fn compile(&self, group: GroupId) -> Compiled {
        let members: Vec<u32> = self.groups[group.at as usize].systems.iter().map(|id| id.number).collect();
        let mut wants_applied: Vec<(u32, u32)> =
            self.edges.edges().filter(|edge| edge.applied).map(|edge| (edge.then, edge.first)).collect();
        wants_applied.sort_unstable();
        let mut stages = Vec::new();
        let mut stage = Stage::default();
        // Those whose changes may still wait, whether or not points before are held back.
        let mut waiting = Vec::new();
        for number in self.edges.order(&members) {
            let from = wants_applied.partition_point(|(then, _)| *then < number);
            let mut wanted = wants_applied[from..].iter().take_while(|(then, _)| *then == number);
            if wanted.any(|(_, first)| waiting.contains(first)) {
                stages.push(std::mem::take(&mut stage));
                waiting.clear();
            }
            let id = self.numbered(number);
            stage.systems.push(id);
            let node = self.node(id);
            if node.defers {
                stage.deferring.push(id);
                waiting.push(number);
            }
            if node.is_point() {
                stage.point = Some(id);
                stages.push(std::mem::take(&mut stage));
            }
        }
        stages.push(stage);
        Compiled { stages, listens: self.listens(group) }
    }

    fn listens(&self, group: GroupId) -> bool {
        self.groups[group.at as usize].systems.iter().any(|id| self.node(*id).listens)
    }

    /// Whether all groups whose systems read events have had their turn since this was last so: then old events can go. Groups that only run by hand do not count.
    pub(crate) fn all_served(&mut self, world: &mut World, faults: &mut Vec<Fault>) -> Result<bool, Fault> {
        for at in 0..self.group_ids.len() {
            let id = self.group_ids[at];
            let group = &self.groups[id.at as usize];
            let waits = match group.beat {
                Beat::Manual => false,
                Beat::AsLongAs(asked) if asked.is_served.is_some() => {
                    group.is_enabled() && !self.is_served(world, id, asked, faults)?
                }
                _ => !group.served,
            };
            let group = &self.groups[id.at as usize];
            if waits && group.compiled.as_ref().map_or_else(|| self.listens(id), |compiled| compiled.listens) {
                return Ok(false);
            }
        }
        self.groups.iter_mut().for_each(|group| group.served = false);
        Ok(true)
    }

    /// What a system and its conditions want of the world.
    pub(super) fn plans(&mut self, id: SystemId) -> Vec<Plan> {
        let runner = self.runner_mut(id);
        let mut plans = Vec::new();
        runner.body.plans(&mut plans);
        runner.conditions.iter().for_each(|condition| condition.body.plans(&mut plans));
        plans.into_iter().cloned().collect()
    }
}
