//! [`Schedule`]: the systems of a world, in groups.

use super::adding::NewSystem;
use super::compile::Compiled;
use super::condition::Condition;
use super::cost::Cost;
use super::fault::Judge;
use super::groups::Gate;
use super::pace::Beat;
#[cfg(feature = "parallel")]
use super::parallel::Threads;
use super::reference::SystemRef;
use super::unknown::UnknownSystem;
use crate::graph::{Edge, Graph};
use crate::ids::{GroupId, SystemId};
use crate::panics::Panics;
use crate::system::{AnySystem, IntoSystem, Named, Outcome, SystemError};
use phalanx_ecs::World;
use std::any::{TypeId, type_name};
use std::fmt;
use std::panic::Location;
#[cfg(feature = "parallel")]
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The systems of a world, in groups and in order.
///
/// Systems of a group run in the order of their edges; where no edge says otherwise, in the order in which they were added. So a run is always the same.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::Schedule;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// fn draw(bodies: Query<&Position>) {
///     bodies.iter().for_each(|position| assert_eq!(position.0, 1.5));
/// }
///
/// fn integrate(mut bodies: Query<(&mut Position, &Velocity)>) {
///     bodies.for_each(|(position, velocity)| position.0 += velocity.0);
/// }
///
/// let (mut schedule, mut world) = (Schedule::new(), World::new());
/// schedule.add(&mut world, draw)?;
/// schedule.add(&mut world, integrate)?.before(draw)?;
/// world.spawn((Position(0.0), Velocity(1.5)));
/// schedule.run(&mut world)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Schedule {
    /// By place; what is removed leaves a hole, which the next one fills.
    pub(super) systems: Vec<Option<Node>>,
    pub(super) holes: Vec<Hole>,
    /// Those that are there, in the order in which they were added.
    ids: Vec<SystemId>,
    /// How many were ever added.
    added: u32,
    pub(super) mark: Mark,
    /// By place, as systems are.
    pub(super) groups: Vec<Members>,
    pub(super) group_holes: Vec<u32>,
    /// Those that are there, in the order in which they were made.
    pub(super) group_ids: Vec<GroupId>,
    /// How many were ever made.
    pub(super) groups_made: u32,
    pub(super) edges: Graph,
    /// Edges between systems that are no longer in one group.
    pub(super) lost: Vec<Edge>,
    pub(super) group_edges: Graph,
    /// The groups in the order in which they run, if that is known.
    pub(super) group_order: Option<Vec<GroupId>>,
    pub(super) judge: Judge,
    /// Whether every run is timed.
    pub(super) time_every: bool,
    /// The state of what draws orders, if they are drawn.
    pub(super) shuffled: Option<u64>,
    #[cfg(feature = "parallel")]
    pub(super) threads: Threads,
    #[cfg(feature = "parallel")]
    pub(super) pool: Option<Arc<rayon::ThreadPool>>,
}

/// What tells the ids of a schedule from those of all others.
pub(super) struct Mark(pub(super) u32);

impl Default for Mark {
    fn default() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}

/// The place of a system that was removed. What it was called is known until another one is there.
pub(super) struct Hole {
    at: u32,
    pub(super) number: u32,
    pub(super) name: String,
}

/// A system of a schedule.
#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) caller: &'static Location<'static>,
    pub(super) function: TypeId,
    /// The function with its path.
    pub(super) path: &'static str,
    pub(super) group: GroupId,
    pub(super) enabled: bool,
    /// Why it sleeps, if it does.
    pub(super) asleep: Option<String>,
    /// Who says what a failure of it means, if that is not what the schedule says.
    pub(super) judge: Option<Box<Judge>>,
    /// Whether it ever queues changes.
    pub(super) defers: bool,
    /// Whether it or one of its conditions must run on the thread that calls `run`.
    pub(super) main: bool,
    /// Whether it reads events.
    pub(super) listens: bool,
    /// Locked while it runs beside others.
    pub(super) runner: Mutex<Runner>,
}

/// What of a system changes when it runs.
pub(super) struct Runner {
    pub(super) body: Box<dyn AnySystem<(), ()>>,
    pub(super) conditions: Vec<Condition>,
    pub(super) runs: u64,
    pub(super) cost: Cost,
    /// Which condition did not hold last time, if one did not.
    pub(super) held_by: Option<usize>,
    /// The condition that is being asked; it stays here if it fails.
    pub(super) asked: Option<usize>,
}

/// A group of a schedule.
pub(super) struct Members {
    pub(super) name: String,
    pub(super) beat: Beat,
    pub(super) systems: Vec<SystemId>,
    pub(super) compiled: Option<Compiled>,
    /// How many times it ran.
    pub(super) runs: u64,
    /// How many steps of a fixed pace are over or given up; `None` until the pace was looked at: only the engine knows what time it is.
    pub(super) steps: Option<u64>,
    /// Whether nothing keeps it from running: it is enabled, and there are no conditions.
    pub(super) open: bool,
    pub(super) gate: Mutex<Gate>,
    /// Whether it has had its turn since old events were let go.
    pub(super) served: bool,
}

/// The group of systems that nobody put into another.
pub(super) const DEFAULT_GROUP: &str = "Update";

impl Schedule {
    /// A schedule without systems.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// assert!(Schedule::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a system, to the group `Update`; what is answered puts it elsewhere, orders it and sets its conditions.
    ///
    /// The same function may be added several times: each is a system of its own.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn greet() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let first = schedule.add(&mut world, greet)?.id();
    /// let second = schedule.add(&mut world, greet)?.id();
    /// assert!(first != second && schedule.len() == 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn add<'a, M, S>(&'a mut self, world: &'a mut World, system: S) -> Result<NewSystem<'a>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        let id = self.add_system(world, system, Location::caller())?;
        Ok(NewSystem { schedule: self, world, id })
    }

    pub(super) fn add_system<M, S>(
        &mut self,
        world: &mut World,
        system: S,
        caller: &'static Location<'static>,
    ) -> Result<SystemId, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        let name = system.name();
        let body = system.build_checked(world, Named { name: &name, caller })?;
        let group = self.group_id(DEFAULT_GROUP);
        let node = Node {
            name,
            caller,
            function: TypeId::of::<S>(),
            path: type_name::<S>(),
            group,
            enabled: true,
            asleep: None,
            judge: None,
            defers: body.defers(),
            main: body.is_main(),
            listens: body.listens(),
            runner: Mutex::new(Runner {
                body,
                conditions: Vec::new(),
                runs: 0,
                cost: Cost::new(self.time_every),
                held_by: None,
                asked: None,
            }),
        };
        let id = self.keep(node);
        let members = &mut self.groups[group.at as usize];
        members.systems.push(id);
        members.compiled = None;
        Ok(id)
    }

    /// Gives a system a place and a number.
    fn keep(&mut self, node: Node) -> SystemId {
        let at = self.holes.pop().map(|hole| hole.at).unwrap_or_else(|| {
            self.systems.push(None);
            u32::try_from(self.systems.len() - 1).expect("less than four billion systems")
        });
        self.systems[at as usize] = Some(node);
        let id = SystemId { schedule: self.mark.0, number: self.added, at };
        self.added = self.added.checked_add(1).expect("less than four billion systems were ever added");
        self.ids.push(id);
        id
    }

    /// Removes a system and all its edges.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, draw)?;
    /// schedule.remove(draw)?;
    /// assert!(schedule.find(draw).is_err() && schedule.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn remove<M>(&mut self, system: impl SystemRef<M>) -> Result<(), UnknownSystem> {
        let id = self.find_kind(&system.kind(), Location::caller())?;
        let node = self.take_out(id);
        Node::drop_each([node], Panics::default());
        Ok(())
    }

    /// Takes a system and all its edges out. Who drops it does so when nothing else is to be done: its drop may panic.
    pub(super) fn take_out(&mut self, id: SystemId) -> Node {
        let mut node = self.systems[id.at as usize].take().expect("it was looked up");
        self.holes.push(Hole { at: id.at, number: id.number, name: std::mem::take(&mut node.name) });
        self.ids.retain(|other| *other != id);
        let group = &mut self.groups[node.group.at as usize];
        group.systems.retain(|other| *other != id);
        group.compiled = None;
        self.edges.forget(id.number);
        self.lost.retain(|edge| edge.first != id.number && edge.then != id.number);
        node
    }

    /// Whether there is such a system.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let draw = schedule.add(&mut world, || ())?.id();
    /// assert!(schedule.contains(draw));
    /// schedule.remove(draw)?;
    /// assert!(!schedule.contains(draw));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(&self, id: SystemId) -> bool {
        self.ids.binary_search(&id).is_ok()
    }

    /// How many systems there are.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, || ())?;
    /// schedule.add(&mut world, || ())?.to("Late");
    /// assert_eq!(schedule.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// assert!(schedule.is_empty());
    /// schedule.add(&mut world, || ())?;
    /// assert!(!schedule.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn node(&self, id: SystemId) -> &Node {
        self.systems[id.at as usize].as_ref().expect("it was looked up")
    }

    pub(super) fn node_mut(&mut self, id: SystemId) -> &mut Node {
        self.systems[id.at as usize].as_mut().expect("it was looked up")
    }

    pub(super) fn runner_mut(&mut self, id: SystemId) -> &mut Runner {
        self.node_mut(id).runner_mut()
    }

    /// In the order in which they were added.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (SystemId, &Node)> {
        self.ids.iter().map(|id| (*id, self.node(*id)))
    }

    /// The system of a number, which is there.
    pub(super) fn numbered(&self, number: u32) -> SystemId {
        self.ids
            [self.ids.binary_search_by_key(&number, |id| id.number).expect("edges are between systems that are there")]
    }
}

impl Node {
    /// Drops systems, each with its conditions and its handler; the first panic, of these drops and those before, goes on at the end.
    pub(super) fn drop_each(nodes: impl IntoIterator<Item = Self>, mut panics: Panics) {
        for Self { runner, judge, .. } in nodes {
            let Runner { body, conditions, .. } = runner.into_inner().unwrap_or_else(PoisonError::into_inner);
            panics.catch(|| drop(body));
            for condition in conditions {
                panics.catch(|| drop(condition));
            }
            panics.catch(|| drop(judge));
        }
        panics.resume();
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (systems, groups) = (self.len(), self.group_ids.len());
        let [systems_end, groups_end] = [systems, groups].map(|count| if count == 1 { "" } else { "s" });
        write!(f, "Schedule({systems} system{systems_end} in {groups} group{groups_end})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_removed_systems_are_used_again_and_their_ids_are_not() {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        let first = schedule.add(&mut world, || ()).unwrap().id();
        let stays = schedule.add(&mut world, || ()).unwrap().id();
        let mut gone = first;
        for _ in 0..1000 {
            schedule.remove(gone).unwrap();
            let new = schedule.add(&mut world, || ()).unwrap().id();
            assert!(schedule.contains(new) && !schedule.contains(gone) && gone < new);
            assert!(schedule.find(gone).unwrap_err().to_string().starts_with("error[S003]: there is no system #"));
            schedule.order(new, stays).unwrap();
            schedule.unorder(new, stays).unwrap();
            gone = new;
        }
        assert_eq!((schedule.systems.len(), schedule.len()), (2, 2));
        // In the order in which they were added, wherever they are kept.
        assert_eq!(schedule.in_order("Update"), [stays, gone]);
        assert_eq!(schedule.nodes().map(|(id, _)| id).collect::<Vec<_>>(), [stays, gone]);
        schedule.order(gone, stays).unwrap();
        assert_eq!(schedule.in_order("Update"), [gone, stays]);
        schedule.run(&mut world).unwrap();
        assert_eq!(schedule.info(gone).unwrap().runs, 1);
    }
}
