//! A group is run.

use super::compile::Step;
use super::fault::{Fault, FaultKind, FaultPolicy};
use super::schedule::{DEFAULT_GROUP, Node, Schedule};
use crate::ids::{GroupId, SystemId};
use crate::system::{Moment, Place, Refusal};
use crate::time::Time;
use phalanx_ecs::World;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Schedule {
    /// Runs all systems of the group `Update` once, and applies what they queued.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to [stop](FaultPolicy::Stop).
    pub fn run(&mut self, world: &mut World) -> Result<(), Fault> {
        self.run_group(world, DEFAULT_GROUP)
    }

    /// Runs all systems of a group once, and applies what they queued. A group that is not there is empty.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to [stop](FaultPolicy::Stop).
    pub fn run_group(&mut self, world: &mut World, group: &str) -> Result<(), Fault> {
        let id = self.group_id(group);
        let mut faults = Vec::new();
        let time = Time { count: self.groups[id.0 as usize].runs, ..Time::default() };
        self.run_at(world, id, time, &mut faults)
    }

    /// Runs the systems of a group. Faults that do not stop it are noted.
    pub(crate) fn run_at(
        &mut self,
        world: &mut World,
        group: GroupId,
        time: Time,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Fault> {
        let at = group.0 as usize;
        let compiled = match self.groups[at].compiled.take() {
            Some(compiled) => compiled,
            None => self.compile(group),
        };
        let mut done = 0;
        let mut ended = Ok(());
        // A panic leaves this loop; it goes on behind the one that panicked. Catching once for all costs nothing where nobody panics.
        while done < compiled.steps.len() && ended.is_ok() {
            let (steps, systems) = (&compiled.steps, &mut self.systems);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                while let Some(step) = steps.get(done) {
                    match *step {
                        Step::Run(id) => {
                            let node = systems[id.0 as usize].as_mut().expect("compiled anew when it is removed");
                            run_one(node, world, Moment { time, system: id }).map_err(|why| (id, why))?;
                        }
                        Step::Sync => sync(&steps[..done], systems, world)?,
                    }
                    done += 1;
                }
                Ok(())
            }));
            let (id, kind) = match caught {
                Ok(Ok(())) => break,
                Ok(Err((id, why))) => (id, FaultKind::Refused(*why)),
                Err(panic) => (self.culprit(compiled.steps[done], &compiled.steps[..done]), FaultKind::Panicked(panic)),
            };
            ended = self.judge(id, group, kind, faults);
            // At a sync point others may have something to apply still.
            if let Step::Run(_) = compiled.steps[done] {
                done += 1;
            }
        }
        if ended.is_err() {
            // What others queued is theirs.
            let caught = catch_unwind(AssertUnwindSafe(|| sync(&compiled.steps, &mut self.systems, world)));
            drop(caught);
        }
        let group = &mut self.groups[at];
        group.runs += 1;
        group.compiled = Some(compiled);
        ended
    }

    /// Whose fault a panic is: that of the system that ran, or of the first that still has something to apply.
    fn culprit(&self, step: Step, before: &[Step]) -> SystemId {
        match step {
            Step::Run(id) => id,
            Step::Sync => {
                let ran = before.iter().filter_map(|step| if let Step::Run(id) = step { Some(*id) } else { None });
                ran.clone().find(|id| self.node(*id).body.has_changes()).or_else(|| ran.last()).expect("systems queue")
            }
        }
    }

    /// Decides by the policy what a fault means.
    fn judge(&mut self, id: SystemId, group: GroupId, kind: FaultKind, faults: &mut Vec<Fault>) -> Result<(), Fault> {
        let (group, policy) = (&self.groups[group.0 as usize], self.policy);
        let node = self.systems[id.0 as usize].as_mut().expect("it ran just now");
        let fault = Fault {
            system: node.name.clone(),
            group: group.name.clone(),
            run: group.runs,
            kind,
            added: node.caller,
        };
        match node.policy.unwrap_or(policy) {
            FaultPolicy::Stop => return Err(fault),
            FaultPolicy::Skip => {}
            FaultPolicy::Disable => node.enabled = false,
        }
        faults.push(fault);
        Ok(())
    }
}

/// Runs a system, if it is its turn.
#[inline(always)]
fn run_one(node: &mut Node, world: &mut World, moment: Moment) -> Result<(), Box<Refusal>> {
    if !node.enabled || node.asleep.is_some() {
        return Ok(());
    }
    for condition in &mut node.conditions {
        if !condition.body.run(&mut Place::Alone(world), moment, ())? {
            return Ok(());
        }
    }
    node.runs += 1;
    node.body.run(&mut Place::Alone(world), moment, ())
}

/// Applies what the systems queued that ran before, in their order.
fn sync(
    before: &[Step],
    systems: &mut [Option<Node>],
    world: &mut World,
) -> Result<(), (SystemId, Box<Refusal>)> {
    for step in before {
        if let Step::Run(id) = step
            && let Some(node) = &mut systems[id.0 as usize]
            && node.body.has_changes()
        {
            node.body.apply(world).map_err(|why| (*id, Box::new(Refusal::Commands(why))))?;
        }
    }
    Ok(())
}
