//! [`NewSystem`]: a system that was just added, to say more about it.

use super::condition::{Condition, ConditionError, IntoCondition};
use super::fault::{Fault, FaultPolicy, Judge};
use super::order::OrderError;
use super::reference::SystemRef;
use super::schedule::Schedule;
use crate::ids::SystemId;
use phalanx_ecs::World;
use std::fmt;
use std::panic::Location;

/// A system that was just added: into which group it goes, what comes before and after it, and when it runs.
///
/// ```
/// use phalanx_ecs::World;
/// use phalanx_schedule::Schedule;
///
/// fn physics() {}
/// fn sound() {}
/// fn render() {}
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, render)?;
/// schedule.add(&mut world, physics)?.before(render)?;
/// schedule.add(&mut world, sound)?.after(physics)?.before(render)?;
/// assert_eq!(schedule.in_order("Update"), [schedule.find(physics)?, schedule.find(sound)?, schedule.find(render)?]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NewSystem<'a> {
    pub(crate) schedule: &'a mut Schedule,
    pub(crate) world: &'a mut World,
    pub(crate) id: SystemId,
}

impl NewSystem<'_> {
    /// Which one it is.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let first = schedule.add(&mut world, || ())?.id();
    /// let then = schedule.add(&mut world, || ())?.id();
    /// schedule.order(then, first)?;
    /// assert_eq!(schedule.in_order("Update"), [then, first]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn id(&self) -> SystemId {
        self.id
    }

    /// Gives it a name: to be found by, and for messages.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn spark() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let left = schedule.add(&mut world, spark)?.named("left spark").id();
    /// schedule.add(&mut world, spark)?.named("right spark");
    /// assert_eq!(schedule.find("left spark")?, left);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "the name is given")]
    pub fn named(self, name: impl Into<String>) -> Self {
        self.schedule.node_mut(self.id).name = name.into();
        self
    }

    /// Puts it into a group, which is made if there is none of this name. Say so before it is ordered: systems are ordered within groups, and if another
    /// system is left behind that it was ordered with, a run is [refused](crate::FaultKind::LostOrder).
    ///
    /// A misspelled name makes another group, without a word, because groups may be named in any order; [`Schedule::empty_groups`] finds the one that was meant:
    /// `assert!(engine.schedule().empty_groups().is_empty())` once everything is added.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, physics)?.to("Physics");
    /// schedule.add(&mut world, render)?;
    /// assert_eq!((schedule.info(physics)?.group, schedule.info(render)?.group), ("Physics", "Update"));
    ///
    /// schedule.add(&mut world, || ())?.to("Physics").after(physics)?;  // not `.after(physics)?.to("Physics")`
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is put there")]
    pub fn to(self, group: &str) -> Self {
        self.schedule.move_system(self.id, group);
        self
    }

    /// Lets another system come before it. That one must have been added already; for one that is added later, say [`before`](NewSystem::before) there, or
    /// [`Schedule::order`] when both are there.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn render() {}
    /// fn physics() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let physics = schedule.add(&mut world, physics)?.id();
    /// let render = schedule.add(&mut world, render)?.after(physics)?.id();
    /// assert_eq!(schedule.in_order("Update"), [physics, render]);
    /// assert!(schedule.order(render, physics).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OrderError`] if this would close a cycle, if the other is not there, or if it is in another group. The system stays, without this edge.
    #[track_caller]
    pub fn after<M>(self, first: impl SystemRef<M>) -> Result<Self, OrderError> {
        let caller = Location::caller();
        let first = self.schedule.find_kind(&first.kind(), caller)?;
        self.schedule.add_edge(first, self.id, false, caller)?;
        Ok(self)
    }

    /// Lets another system come before it, and what that queued be applied in between. That one must have been added already.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn spawn(commands: &mut Commands) {
    ///     commands.spawn(());
    /// }
    /// fn count(world: &World) {
    ///     assert_eq!(world.alive(), 1);
    /// }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, spawn)?;
    /// schedule.add(&mut world, count)?.after_applied(spawn)?;
    /// schedule.run(&mut world)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`NewSystem::after`].
    #[track_caller]
    pub fn after_applied<M>(self, first: impl SystemRef<M>) -> Result<Self, OrderError> {
        let caller = Location::caller();
        let first = self.schedule.find_kind(&first.kind(), caller)?;
        self.schedule.add_edge(first, self.id, true, caller)?;
        Ok(self)
    }

    /// Lets it come before another system. That one must have been added already; for one that is added later, say [`after`](NewSystem::after) there, or
    /// [`Schedule::order`] when both are there.
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
    /// let physics = schedule.add(&mut world, physics)?.before(render)?.id();
    /// assert_eq!(schedule.in_order("Update"), [physics, render]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`NewSystem::after`].
    #[track_caller]
    pub fn before<M>(self, then: impl SystemRef<M>) -> Result<Self, OrderError> {
        let caller = Location::caller();
        let then = self.schedule.find_kind(&then.kind(), caller)?;
        self.schedule.add_edge(self.id, then, false, caller)?;
        Ok(self)
    }

    /// What happens when it fails.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// fn load() -> Result<(), &'static str> {
    ///     Err("no such file")
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(load)?.on_fault(FaultPolicy::Disable);
    /// engine.run_frames(3)?;
    /// assert_eq!((engine.faults().len(), engine.schedule().info(load)?.enabled), (1, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is set")]
    pub fn on_fault(self, policy: FaultPolicy) -> Self {
        self.schedule.node_mut(self.id).judge = Some(Box::new(Judge::Policy(policy)));
        self
    }

    /// Asks a function what is to happen when it fails; see [`Schedule::handle_faults`].
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// fn load() -> Result<(), &'static str> {
    ///     Err("no such file")
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(load)?.handle_faults(|fault| {
    ///     assert_eq!(fault.system, "load");
    ///     FaultPolicy::Disable
    /// });
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.faults().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is set")]
    pub fn handle_faults(self, handler: impl FnMut(&Fault) -> FaultPolicy + Send + 'static) -> Self {
        self.schedule.node_mut(self.id).judge = Some(Box::new(Judge::handler(handler)));
        self
    }

    /// Lets it run only when a condition holds, too. It is asked just before the system would run; with several, all must hold, and each is asked only if those
    /// before it do.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{Engine, Res};
    ///
    /// #[derive(Resource)] struct Night(bool);
    ///
    /// fn is_night(night: Res<Night>) -> bool {
    ///     night.0
    /// }
    /// fn howl() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Night(false));
    /// engine.add(howl)?.run_if(is_night)?;
    /// engine.run_frames(2)?;
    /// engine.world_mut().insert_resource(Night(true));
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.schedule().info(howl)?.runs, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConditionError`] if the condition would change something, or if two of its arguments get in each other's way.
    #[track_caller]
    pub fn run_if<M, C: IntoCondition<M>>(self, condition: C) -> Result<Self, ConditionError> {
        const { C::ONLY_READS };
        self.run_if_at(condition, Location::caller())
    }

    pub(super) fn run_if_at<M>(
        self,
        condition: impl IntoCondition<M>,
        caller: &'static Location<'static>,
    ) -> Result<Self, ConditionError> {
        let condition = Condition::new(condition, self.world, caller)?;
        let node = self.schedule.node_mut(self.id);
        node.main |= condition.body.is_main();
        node.listens |= condition.body.listens();
        self.schedule.runner_mut(self.id).conditions.push(condition);
        let group = self.schedule.node(self.id).group;
        self.schedule.groups[group.at as usize].compiled = None;
        Ok(self)
    }
}

impl fmt::Debug for NewSystem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewSystem({})", self.schedule.node(self.id).name)
    }
}
