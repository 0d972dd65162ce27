//! A group as a row of steps.

use super::schedule::Schedule;
use crate::ids::{GroupId, SystemId};

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    Run(SystemId),
    /// What was queued so far is applied, in the order of the systems.
    Sync,
}

/// A group, ready to be run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compiled {
    pub(super) steps: Vec<Step>,
}

impl Schedule {
    /// The steps of a group: its systems in order, with a sync point where somebody asks for what is queued before, and at the end.
    pub(super) fn compile(&self, group: GroupId) -> Compiled {
        let members: Vec<u32> = self.groups[group.0 as usize].systems.iter().map(|id| id.0).collect();
        let order = self.edges.order(&members);
        let mut wants_applied: Vec<(u32, u32)> =
            self.edges.edges().filter(|edge| edge.applied).map(|edge| (edge.then, edge.first)).collect();
        wants_applied.sort_unstable();
        let mut steps = Vec::with_capacity(order.len() + 1);
        // Systems with something to apply, since the last sync point.
        let mut queued: Vec<u32> = Vec::new();
        for id in order {
            let from = wants_applied.partition_point(|(then, _)| *then < id);
            let wanted = wants_applied[from..].iter().take_while(|(then, _)| *then == id);
            if wanted.map(|(_, first)| first).any(|first| queued.contains(first)) {
                steps.push(Step::Sync);
                queued.clear();
            }
            steps.push(Step::Run(SystemId(id)));
            if self.node(SystemId(id)).body.defers() {
                queued.push(id);
            }
        }
        if !queued.is_empty() {
            steps.push(Step::Sync);
        }
        Compiled { steps }
    }
}
