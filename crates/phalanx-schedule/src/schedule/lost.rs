//! Orders between systems of which one was put into another group afterwards.
//!
//! `add(b)?.before(a)?.to("Physics")`: at `before` the two are in one group, and after `to` they are not. `to` cannot answer an error, and whoever asked for the order did not mean
//! that it is forgotten: so it is kept, and the next run of either group is refused with what `before` would have said. An order comes back if its systems meet again.

use super::fault::{Fault, FaultFacts, FaultKind};
use super::schedule::Schedule;
use crate::graph::Edge;
use crate::ids::{GroupId, SystemId};

impl Schedule {
    /// Puts a system into another group. Its edges are lost, until the systems at their other ends are there, too.
    pub(super) fn move_system(&mut self, id: SystemId, group: &str) {
        let new = self.group_id(group);
        let old = std::mem::replace(&mut self.node_mut(id).group, new);
        if old == new {
            return;
        }
        let edges = self.edges.forget(id.number);
        self.lost.extend(edges);
        let old = &mut self.groups[old.at as usize];
        old.systems.retain(|other| *other != id);
        old.compiled = None;
        let new = &mut self.groups[new.at as usize];
        // In the order in which systems were added, whenever they were put here.
        let at = new.systems.partition_point(|other| *other < id);
        new.systems.insert(at, id);
        new.compiled = None;
        for edge in std::mem::take(&mut self.lost) {
            let [first, then] = self.groups_of(edge);
            if first != then || self.edges.add(edge).is_err() {
                self.lost.push(edge);
            }
        }
    }

    fn groups_of(&self, edge: Edge) -> [GroupId; 2] {
        [edge.first, edge.then].map(|number| self.node(self.numbered(number)).group)
    }

    /// Refuses to run a group of which an order was lost.
    #[cold]
    pub(super) fn refuse_lost(&self, group: GroupId) -> Result<(), Fault> {
        let Some(edge) = self.lost.iter().find(|edge| self.groups_of(**edge).contains(&group)) else { return Ok(()) };
        let members = &self.groups[group.at as usize];
        Err(Fault(Box::new(FaultFacts {
            system: String::new(),
            is_condition: false,
            condition: None,
            group: members.name.clone(),
            run: members.runs,
            kind: FaultKind::LostOrder(self.apart(self.numbered(edge.first), self.numbered(edge.then), edge.caller)),
            added: edge.caller,
            stopped: true,
        })))
    }
}
