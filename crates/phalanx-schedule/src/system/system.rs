//! [`System`]: a function with what it keeps, made for one world.

use super::applied::Applied;
use super::into_system::{IntoSystem, Named};
use super::refusal::{Refusal, SystemError};
use crate::ids::SystemId;
use crate::time::Time;
use phalanx_ecs::{Lend, Plan, World};
use std::fmt;
use std::panic::Location;

/// Where a system runs: with the world alone, or beside others.
pub(crate) enum Place<'a> {
    Alone(&'a mut World),
    #[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "needs threads"))]
    Beside(&'a Lend<'a>),
}

/// What is known of a run beside its place.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) time: Time,
    pub(crate) system: SystemId,
}

/// A function with what its arguments keep. One that only reads, such as a condition, has nothing to apply.
pub(crate) trait AnySystem<In, Out>: Send {
    fn run(&mut self, place: &mut Place<'_>, moment: &Moment, input: In) -> Result<Out, Box<Refusal>>;
    fn has_changes(&self) -> bool {
        false
    }
    fn apply(&mut self, world: &mut World, applied: &mut Applied) {
        let _ = (world, applied);
    }
    /// What it wants of the world: one plan for each function in it.
    fn plans<'a>(&'a self, plans: &mut Vec<&'a Plan>);
    /// Whether it ever queues changes.
    fn defers(&self) -> bool {
        false
    }
    /// Whether it must run on the thread that calls `run`.
    fn is_main(&self) -> bool;
    /// Whether it reads events or what was removed.
    fn listens(&self) -> bool;
}

/// A function whose arguments say what it reads and writes, made for one world: to be run by hand, or by a schedule.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::System;
///
/// #[derive(Component)] struct Age(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 4].map(Age));
/// let mut grow_older = System::new(&mut world, |mut all: Query<&mut Age>| all.for_each(|age| age.0 += 1))?;
/// let mut sum = System::new(&mut world, |all: Query<&Age>| all.iter().map(|age| age.0).sum::<u32>())?;
/// grow_older.run(&mut world)?;
/// assert_eq!(sum.run(&mut world)?, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What it queues with `&mut Commands` is applied when it is done.
pub struct System<In = (), Out = ()> {
    name: String,
    caller: &'static Location<'static>,
    pub(crate) body: Box<dyn AnySystem<In, Out>>,
}

impl<In: 'static, Out: 'static> System<In, Out> {
    /// Makes a function a system.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::System;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([(), ()]);
    /// let mut count = System::new(&mut world, |all: Query<Entity>| all.count())?;
    /// assert_eq!(count.run(&mut world)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn new<M, S: IntoSystem<M, In = In, Out = Out>>(world: &mut World, function: S) -> Result<Self, SystemError> {
        const { S::CHECK };
        let name = function.name();
        Self::named(world, name, function)
    }

    /// Makes a function a system, with a name of its own.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::System;
    ///
    /// let mut world = World::new();
    /// assert_eq!(System::named(&mut world, "tick", || ()).unwrap().name(), "tick");
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn named<M, S: IntoSystem<M, In = In, Out = Out>>(
        world: &mut World,
        name: impl Into<String>,
        function: S,
    ) -> Result<Self, SystemError> {
        const { S::CHECK };
        let (name, caller) = (name.into(), Location::caller());
        let body = function.build(world, Named { name: &name, caller })?;
        Ok(Self { name, caller, body })
    }

    /// What it is called: after its function, unless it was given a name.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::System;
    ///
    /// fn draw() {}
    ///
    /// let mut world = World::new();
    /// assert_eq!(System::new(&mut world, draw)?.name(), "draw");
    /// assert_eq!(System::named(&mut world, "paint", draw)?.name(), "paint");
    /// # Ok::<(), phalanx_schedule::SystemError>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs it, with an input, and applies what it queued.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::{In, System};
    ///
    /// let mut world = World::new();
    /// let mut spawn = System::new(&mut world, |In(count): In<u32>, commands: &mut Commands| {
    ///     commands.spawn_batch((0..count).map(|_| ()));
    /// })?;
    /// spawn.run_with(&mut world, 3)?;
    /// assert_eq!(world.alive(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Refusal`] if a resource is missing, if the system was made for another world, or if what it queued cannot be done.
    pub fn run_with(&mut self, world: &mut World, input: In) -> Result<Out, Refusal> {
        let moment = Moment { time: Time::default(), system: SystemId::NONE };
        let out = self.body.run(&mut Place::Alone(world), &moment, input).map_err(|why| *why)?;
        let mut applied = Applied::default();
        self.body.apply(world, &mut applied);
        applied.finish()?;
        Ok(out)
    }
}

impl<Out: 'static> System<(), Out> {
    /// Runs it, and applies what it queued.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::System;
    ///
    /// let mut world = World::new();
    /// let mut spawn = System::new(&mut world, |commands: &mut Commands| {
    ///     commands.spawn(());
    /// })?;
    /// spawn.run(&mut world)?;
    /// spawn.run(&mut world)?;
    /// assert_eq!(world.alive(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`System::run_with`].
    pub fn run(&mut self, world: &mut World) -> Result<Out, Refusal> {
        self.run_with(world, ())
    }
}

impl<In, Out> fmt::Debug for System<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "System({}, made at {}:{})", self.name, self.caller.file(), self.caller.line())
    }
}
