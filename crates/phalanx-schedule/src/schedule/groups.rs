//! The groups of a schedule: which there are, in which order, and what keeps one from running.

use super::condition::{Condition, ConditionError, IntoCondition};
use super::fault::{Fault, FaultFacts, FaultKind, FaultPolicy};
use super::group::Group;
use super::order::CycleError;
use super::pace::{Asked, Beat};
use super::schedule::{Members, Node, Schedule};
use crate::ids::{GroupId, SystemId};
use crate::panics::Panics;
use crate::system::{Moment, Place};
use crate::time::Time;
use phalanx_ecs::World;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The groups of what an engine runs once. They run when they are asked for.
pub(crate) const START: &str = "Start";
pub(crate) const END: &str = "End";

/// What keeps a group from running. It is asked once for each run of the group.
#[derive(Debug, Default)]
pub(super) struct Gate {
    pub(super) disabled: bool,
    /// All must hold. With who asked for each.
    pub(super) conditions: Vec<(Condition, &'static Location<'static>)>,
    /// Which condition did not hold last time, if one did not.
    pub(super) held_by: Option<usize>,
}

impl Members {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            beat: if [START, END].contains(&name) { Beat::Manual } else { Beat::EveryFrame },
            systems: Vec::new(),
            compiled: None,
            runs: 0,
            steps: None,
            open: true,
            gate: Mutex::default(),
            served: false,
        }
    }

    pub(super) fn gate_mut(&mut self) -> &mut Gate {
        self.gate.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_disabled(&mut self, disabled: bool) {
        let gate = self.gate_mut();
        gate.disabled = disabled;
        self.open = !disabled && gate.conditions.is_empty();
    }

    /// Whether it may run.
    pub(super) fn is_enabled(&self) -> bool {
        self.open || !self.gate.lock().unwrap_or_else(PoisonError::into_inner).disabled
    }
}

impl Schedule {
    /// The group of this name; it is made if there is none.
    ///
    /// Two names belong to engines: what is put into `Start` and `End`, by [`Engine::add_start`](crate::Engine::add_start) or in any other way, runs before the first frame and
    /// after the last. These groups have the pace [`manual`](crate::manual); one with another pace runs by that as well.
    ///
    /// ```
    /// use phalanx_schedule::{Schedule, every_nth};
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.group("Thinking").pace(every_nth(10))?;
    /// assert!(schedule.has_group("Thinking"));
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn group(&mut self, name: &str) -> Group<'_> {
        let id = self.group_id(name);
        Group { schedule: self, world: (), id }
    }

    pub(crate) fn group_id(&mut self, name: &str) -> GroupId {
        self.find_group(name).unwrap_or_else(|| self.make_group(name))
    }

    #[cold]
    fn make_group(&mut self, name: &str) -> GroupId {
        let members = Members::new(name);
        let at = self.group_holes.pop().unwrap_or_else(|| {
            self.groups.push(Members::new(""));
            u32::try_from(self.groups.len() - 1).expect("less than four billion groups")
        });
        self.groups[at as usize] = members;
        let id = GroupId { number: self.groups_made, at };
        self.groups_made = self.groups_made.checked_add(1).expect("less than four billion groups were ever made");
        self.group_ids.push(id);
        self.group_order = None;
        id
    }

    /// Those that are there, in the order in which they were made.
    pub(super) fn members(&self) -> impl Iterator<Item = &Members> {
        self.group_ids.iter().map(|id| &self.groups[id.at as usize])
    }

    /// The group of a number, which is there.
    pub(super) fn group_numbered(&self, number: u32) -> &Members {
        let at = self.group_ids.binary_search_by_key(&number, |id| id.number);
        &self.groups[self.group_ids[at.expect("edges are between groups that are there")].at as usize]
    }

    pub(super) fn find_group(&self, name: &str) -> Option<GroupId> {
        self.group_ids.iter().copied().find(|id| self.groups[id.at as usize].name == name)
    }

    /// Whether there is a group of this name.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// assert!(!schedule.has_group("Physics"));
    /// schedule.group("Physics");
    /// assert!(schedule.has_group("Physics"));
    /// ```
    pub fn has_group(&self, name: &str) -> bool {
        self.find_group(name).is_some()
    }

    /// Removes a group with all its systems, conditions and edges; answers whether there was one. A group that is made anew under this name knows nothing of it.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, || ())?.to("Menu");
    /// assert!(schedule.remove_group("Menu") && !schedule.remove_group("Menu"));
    /// assert!(schedule.is_empty() && !schedule.has_group("Menu"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove_group(&mut self, name: &str) -> bool {
        let Some(group) = self.find_group(name) else { return false };
        let mut nodes = Vec::new();
        for id in self.groups[group.at as usize].systems.clone() {
            nodes.push(self.take_out(id));
        }
        self.group_edges.forget(group.number);
        self.group_order = None;
        self.group_ids.retain(|other| *other != group);
        let old = std::mem::replace(&mut self.groups[group.at as usize], Members::new(""));
        self.group_holes.push(group.at);
        // Now that nothing of it is left: drops may panic.
        let (mut panics, gate) = (Panics::default(), old.gate.into_inner().unwrap_or_else(PoisonError::into_inner));
        for condition in gate.conditions {
            panics.catch(|| drop(condition));
        }
        Node::drop_each(nodes, panics);
        true
    }

    /// Lets one group come before another in a frame; they are made if they are not there ([`Schedule::empty_groups`] finds misspelled ones). Without it groups run in the order in
    /// which they were made.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.order_groups("Input", "Physics")?;
    /// schedule.order_groups("Physics", "Drawing")?;
    /// assert!(schedule.order_groups("Drawing", "Input").is_err(), "a cycle");
    /// # Ok::<(), phalanx_schedule::CycleError>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle; the schedule is then unchanged.
    #[track_caller]
    pub fn order_groups(&mut self, first: &str, then: &str) -> Result<(), CycleError> {
        let caller = Location::caller();
        // What is refused makes no group.
        if first == then {
            let cycle = vec![(first.to_owned(), then.to_owned(), caller)];
            return Err(CycleError { what: "groups", group: None, cycle, undo: None }.logged());
        }
        let (first, then) = (self.group_id(first), self.group_id(then));
        self.add_group_edge(first, then, caller)
    }

    /// Takes back that one group comes before another; answers whether that had been said.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.order_groups("Physics", "Update")?;
    /// assert!(schedule.unorder_groups("Physics", "Update") && !schedule.unorder_groups("Physics", "Update"));
    /// # Ok::<(), phalanx_schedule::CycleError>(())
    /// ```
    pub fn unorder_groups(&mut self, first: &str, then: &str) -> bool {
        let (Some(first), Some(then)) = (self.find_group(first), self.find_group(then)) else { return false };
        self.group_order = None;
        self.group_edges.remove(first.number, then.number)
    }

    /// The groups in the order in which they run.
    pub(crate) fn groups_in_order(&mut self) -> &[GroupId] {
        let Self { group_ids, group_edges, group_order, .. } = self;
        group_order.get_or_insert_with(|| {
            let numbers: Vec<u32> = group_ids.iter().map(|id| id.number).collect();
            let order = group_edges.order(&numbers);
            order.iter().map(|number| group_ids[numbers.partition_point(|other| other < number)]).collect()
        })
    }

    /// How often a group runs, how often it did, and how many steps of a fixed pace are over.
    pub(crate) fn beat(&self, group: GroupId) -> (Beat, u64, Option<u64>) {
        let group = &self.groups[group.at as usize];
        (group.beat, group.runs, group.steps)
    }

    pub(crate) fn set_steps(&mut self, group: GroupId, steps: u64) {
        self.groups[group.at as usize].steps = Some(steps);
    }

    pub(super) fn add_group_condition<M>(
        &mut self,
        group: GroupId,
        world: &mut World,
        condition: impl IntoCondition<M>,
        caller: &'static Location<'static>,
    ) -> Result<(), ConditionError> {
        let condition = Condition::new(condition, world, caller)?;
        let group = &mut self.groups[group.at as usize];
        group.gate_mut().conditions.push((condition, caller));
        group.open = false;
        Ok(())
    }

    /// Whether a group that is not simply open runs this time.
    #[cold]
    pub(super) fn passes_gate(
        &mut self,
        world: &mut World,
        group: GroupId,
        time: Time,
        faults: &mut Vec<Fault>,
    ) -> Result<bool, Fault> {
        let gate = self.groups[group.at as usize].gate_mut();
        if gate.disabled {
            return Ok(false);
        }
        let moment = Moment { time, system: SystemId::NONE };
        for (at, (condition, caller)) in gate.conditions.iter_mut().enumerate() {
            gate.held_by = Some(at);
            let answer = catch_unwind(AssertUnwindSafe(|| condition.body.run(&mut Place::Alone(world), &moment, ())));
            let kind = match answer {
                Ok(Ok(true)) => continue,
                Ok(Ok(false)) => return Ok(false),
                Ok(Err(why)) => FaultKind::Refused(*why),
                Err(panic) => FaultKind::Panicked(panic.into()),
            };
            let (name, caller) = (condition.name.clone(), *caller);
            self.note_gate_fault(group, name, kind, caller, faults)?;
            return Ok(false);
        }
        gate.held_by = None;
        Ok(true)
    }

    /// Asks whether a group runs once more in this frame.
    pub(crate) fn is_asked_for(
        &mut self,
        world: &mut World,
        group: GroupId,
        asked: Asked,
        (passed, runs): (Duration, u64),
        faults: &mut Vec<Fault>,
    ) -> Result<bool, Fault> {
        // Who says no has had its turn, unless somebody says when that is so: events do not wait for it.
        self.groups[group.at as usize].served |= asked.is_served.is_none();
        if !self.groups[group.at as usize].is_enabled() {
            return Ok(false);
        }
        match catch_unwind(AssertUnwindSafe(|| (asked.is_due)(world, passed, runs))) {
            Ok(once_more) => Ok(once_more),
            Err(panic) => {
                let kind = FaultKind::Panicked(panic.into());
                self.note_gate_fault(group, "as_long_as".into(), kind, asked.caller, faults)?;
                Ok(false)
            }
        }
    }

    /// Whether a group whose pace says so itself has served who was to be served; if that cannot be said, it has not.
    pub(super) fn is_served(
        &mut self,
        world: &mut World,
        group: GroupId,
        asked: Asked,
        faults: &mut Vec<Fault>,
    ) -> Result<bool, Fault> {
        let Some(is_served) = asked.is_served else { return Ok(true) };
        match catch_unwind(AssertUnwindSafe(|| is_served(world))) {
            Ok(served) => Ok(served),
            Err(panic) => {
                let kind = FaultKind::Panicked(panic.into());
                self.note_gate_fault(group, "served_when".into(), kind, asked.caller, faults)?;
                Ok(false)
            }
        }
    }

    /// What was to say whether a group runs has failed: judges it, and notes it if it stops nothing.
    fn note_gate_fault(
        &mut self,
        group: GroupId,
        name: String,
        kind: FaultKind,
        added: &'static Location<'static>,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Fault> {
        let group = &mut self.groups[group.at as usize];
        let mut fault = Fault(Box::new(FaultFacts {
            system: name,
            is_condition: true,
            condition: None,
            group: group.name.clone(),
            run: group.runs,
            kind,
            added,
            stopped: false,
        }));
        let mut panics = Panics::default();
        match panics.catch(|| self.judge.decide(&fault)) {
            Some(FaultPolicy::Stop) => {
                fault.0.stopped = true;
                return Err(fault);
            }
            Some(FaultPolicy::Disable) => group.set_disabled(true),
            Some(FaultPolicy::Skip) | None => {}
        }
        faults.push(fault);
        panics.resume();
        Ok(())
    }
}
