//! Several systems at once: to be added, and to be put into a row.

use super::adding::NewSystem;
use super::condition::{ConditionError, IntoCondition};
use super::fault::{Fault, FaultPolicy, Judge};
use super::order::OrderError;
use super::reference::SystemRef;
use super::schedule::{Node, Schedule};
use super::tuples::{IntoSystems, SystemRefs};
use crate::ids::SystemId;
use crate::panics::Panics;
use crate::system::SystemError;
use phalanx_ecs::World;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

impl Schedule {
    /// Adds several systems at once, to the group `Update`; what is answered says more about all of them.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn physics() {}
    /// fn sound() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add_all(&mut world, (physics, sound, || ()))?.to("Physics");
    /// assert_eq!((schedule.len(), schedule.info(sound)?.group), (3, "Physics"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two arguments of one of them get in each other's way; then none is added.
    #[track_caller]
    pub fn add_all<'a, M, S: IntoSystems<M>>(
        &'a mut self,
        world: &'a mut World,
        systems: S,
    ) -> Result<NewSystems<'a>, SystemError> {
        const { S::CHECK };
        let mut ids = Vec::new();
        if let Err(error) = systems.add_to(self, world, Location::caller(), &mut ids) {
            let mut nodes = Vec::new();
            for id in ids {
                nodes.push(self.take_out(id));
            }
            Node::drop_each(nodes, Panics::default());
            return Err(error);
        }
        Ok(NewSystems { schedule: self, world, ids })
    }

    /// Puts systems into a row: each comes before the next. Edges that are there already are left as they are.
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
    /// schedule.add_all(&mut world, (render, sound, physics))?;
    /// schedule.chain((physics, sound, render))?;
    /// assert!(schedule.order(render, physics).is_err(), "it would close a cycle");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OrderError`] as [`Schedule::order`], for the first edge that cannot be made. The schedule is then unchanged.
    #[track_caller]
    pub fn chain<M>(&mut self, systems: impl SystemRefs<M>) -> Result<(), OrderError> {
        let caller = Location::caller();
        let mut ids = Vec::new();
        for kind in systems.kinds() {
            ids.push(self.find_kind(&kind, caller)?);
        }
        self.chain_ids(&ids, caller)
    }

    fn chain_ids(&mut self, ids: &[SystemId], caller: &'static Location<'static>) -> Result<(), OrderError> {
        let edges: Vec<_> = ids.windows(2).map(|pair| (pair[0], pair[1])).collect();
        self.add_edges(&edges, false, caller)
    }
}

/// Systems that were just added together; made by [`Schedule::add_all`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{ApplyQueued, Engine, fixed};
///
/// fn spawn(commands: &mut Commands) { commands.spawn(()); }
/// fn count(all: Query<Entity>) { assert!(all.count() > 0); }
///
/// let mut engine = Engine::new();
/// engine.group("Physics").pace(fixed(60.0))?;
/// engine.add_all((spawn, ApplyQueued, count))?.chain()?.to("Physics");
/// engine.run_frames(2)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NewSystems<'a> {
    schedule: &'a mut Schedule,
    world: &'a mut World,
    ids: Vec<SystemId>,
}

impl NewSystems<'_> {
    /// Which ones they are, in the order in which they were named.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn sound() {}
    ///
    /// let mut engine = Engine::new();
    /// let ids = engine.add_all((physics, sound))?.ids();
    /// assert_eq!(ids, [engine.schedule().find(physics)?, engine.schedule().find(sound)?]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ids(&self) -> Vec<SystemId> {
        self.ids.clone()
    }

    /// Puts them into a row: each comes before the next.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn sound() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((physics, sound))?.chain()?;
    /// assert!(engine.schedule_mut().order(sound, physics).is_err(), "it would close a cycle");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OrderError`] if that cannot be; they stay, without these edges.
    #[track_caller]
    pub fn chain(self) -> Result<Self, OrderError> {
        self.schedule.chain_ids(&self.ids, Location::caller())?;
        Ok(self)
    }

    /// Puts them into a group, which is made if there is none of this name. Edges among them stay; what was said of others before ([`after`](NewSystems::after), [`before`](NewSystems::before)) must
    /// be said after this: systems are ordered within groups, and a run would be [refused](crate::FaultKind::LostOrder).
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn collision() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((physics, collision))?.chain()?.to("Physics");
    /// let schedule = engine.schedule_mut();
    /// assert_eq!(schedule.info(collision)?.group, "Physics");
    /// assert!(schedule.unorder(physics, collision)?, "they are still in a row");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "they are put there")]
    pub fn to(self, group: &str) -> Self {
        for id in &self.ids {
            self.schedule.move_system(*id, group);
        }
        self
    }

    /// Lets another system come before all of them. That one must have been added already.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn sound() {}
    /// fn render() {}
    /// fn physics() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(physics)?;
    /// engine.add_all((sound, render))?.after(physics)?;
    /// assert!(engine.schedule_mut().unorder(physics, sound)? && engine.schedule_mut().unorder(physics, render)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`NewSystem::after`]; then none of them has this edge.
    #[track_caller]
    pub fn after<M>(self, first: impl SystemRef<M>) -> Result<Self, OrderError> {
        let caller = Location::caller();
        let first = self.schedule.find_kind(&first.kind(), caller)?;
        let edges: Vec<_> = self.ids.iter().map(|id| (first, *id)).collect();
        self.schedule.add_edges(&edges, false, caller)?;
        Ok(self)
    }

    /// Lets another system come before all of them, and what that queued be applied in between. That one must have been added already.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// fn spawn(commands: &mut Commands) { commands.spawn(()); }
    /// fn count(all: Query<Entity>) { assert_eq!(all.count(), 1) }
    /// fn look(world: &World) { assert_eq!(world.alive(), 1) }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(spawn)?;
    /// engine.add_all((count, look))?.after_applied(spawn)?;
    /// engine.run_frames(1)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`NewSystem::after`]; then none of them has this edge.
    #[track_caller]
    pub fn after_applied<M>(self, first: impl SystemRef<M>) -> Result<Self, OrderError> {
        let caller = Location::caller();
        let first = self.schedule.find_kind(&first.kind(), caller)?;
        let edges: Vec<_> = self.ids.iter().map(|id| (first, *id)).collect();
        self.schedule.add_edges(&edges, true, caller)?;
        Ok(self)
    }

    /// Lets all of them come before another system. That one must have been added already.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn sound() {}
    /// fn render() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(render)?;
    /// engine.add_all((physics, sound))?.before(render)?;
    /// let schedule = engine.schedule();
    /// assert_eq!(schedule.in_order("Update").last(), Some(&schedule.find(render)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`NewSystem::before`]; then none of them has this edge.
    #[track_caller]
    pub fn before<M>(self, then: impl SystemRef<M>) -> Result<Self, OrderError> {
        let caller = Location::caller();
        let then = self.schedule.find_kind(&then.kind(), caller)?;
        let edges: Vec<_> = self.ids.iter().map(|id| (*id, then)).collect();
        self.schedule.add_edges(&edges, false, caller)?;
        Ok(self)
    }

    /// What happens when one of them fails.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// fn load() -> Result<(), &'static str> {
    ///     Err("no such file")
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((load, load))?.on_fault(FaultPolicy::Disable);
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.faults().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is set")]
    pub fn on_fault(self, policy: FaultPolicy) -> Self {
        for id in &self.ids {
            self.schedule.node_mut(*id).judge = Some(Box::new(Judge::Policy(policy)));
        }
        self
    }

    /// Asks a function what is to happen when one of them fails: the same one for all of them; see [`Schedule::handle_faults`].
    ///
    /// ```
    /// use phalanx_schedule::{Engine, FaultPolicy};
    ///
    /// fn load() -> Result<(), &'static str> {
    ///     Err("no such file")
    /// }
    ///
    /// let mut engine = Engine::new();
    /// let mut failed = 0;
    /// engine.add_all((load, load))?.handle_faults(move |_| {
    ///     failed += 1;
    ///     if failed < 3 { FaultPolicy::Skip } else { FaultPolicy::Stop }
    /// });
    /// engine.run_frames(1)?;
    /// assert!(engine.run_frames(1).is_err());
    /// assert_eq!(engine.faults().len(), 3, "two of the first frame, and one that did not stop the second");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is set")]
    pub fn handle_faults(self, handler: impl FnMut(&Fault) -> FaultPolicy + Send + 'static) -> Self {
        let shared = Arc::new(Mutex::new(handler));
        for id in &self.ids {
            let shared = shared.clone();
            let ask = move |fault: &Fault| shared.lock().unwrap_or_else(PoisonError::into_inner)(fault);
            self.schedule.node_mut(*id).judge = Some(Box::new(Judge::handler(ask)));
        }
        self
    }

    /// Lets each of them run only when a condition holds, too; each asks for itself, see [`NewSystem::run_if`]. A group can be asked once for all of its systems.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    ///
    /// fn howl() {}
    /// fn hunt() {}
    /// fn is_late(time: Time) -> bool { time.elapsed().as_millis() > 20 }
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((howl, hunt))?.run_if(is_late)?;
    /// engine.run_frames(3)?;                                        // of 16.7 ms
    /// assert_eq!((engine.schedule().info(howl)?.runs, engine.schedule().info(hunt)?.runs), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConditionError`] if the condition would change something, or if two of its arguments get in each other's way; then none of them has it.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "as for one system")]
    pub fn run_if<M, C: IntoCondition<M> + Clone>(self, condition: C) -> Result<Self, ConditionError> {
        const { C::ONLY_READS };
        let caller = Location::caller();
        for id in self.ids.clone() {
            let one = NewSystem { schedule: &mut *self.schedule, world: &mut *self.world, id };
            one.run_if_at(condition.clone(), caller)?;
        }
        Ok(self)
    }
}

impl fmt::Debug for NewSystems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.ids.iter().map(|id| &*self.schedule.node(*id).name).collect();
        write!(f, "NewSystems({})", names.join(", "))
    }
}
