//! Systems that run once.

use super::into_system::IntoSystem;
use super::refusal::Refusal;
use super::system::System;
use phalanx_ecs::World;

/// Runs a function as a system, once, and applies what it queued.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::run_once;
///
/// #[derive(Component)] struct Health(i32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 0, -2].map(Health));
/// run_once(&mut world, |all: Query<(Entity, &Health)>, commands: &mut Commands| {
///     for (entity, health) in &all {
///         if health.0 <= 0 {
///             commands.despawn(entity);
///         }
///     }
/// })?;
/// assert_eq!(world.alive(), 1);
/// # Ok::<(), phalanx_schedule::Refusal>(())
/// ```
///
/// Who runs the same one often makes it a [`System`] first.
///
/// # Errors
/// [`Refusal`] if two arguments get in each other's way, if a resource is missing, or if what was queued cannot be done.
#[track_caller]
pub fn run_once<M, S: IntoSystem<M, In = ()>>(world: &mut World, system: S) -> Result<S::Out, Refusal> {
    const { S::CHECK };
    run_once_with(world, (), system)
}

/// Runs a function as a system, once, with an [input](crate::In), and applies what it queued.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{In, run_once_with};
///
/// fn spawn(In(count): In<usize>, commands: &mut Commands) {
///     commands.spawn_batch(vec![(); count]);
/// }
///
/// let mut world = World::new();
/// run_once_with(&mut world, 3, spawn)?;
/// assert_eq!(world.alive(), 3);
/// # Ok::<(), phalanx_schedule::Refusal>(())
/// ```
///
/// # Errors
/// As [`run_once`].
#[track_caller]
pub fn run_once_with<M, S: IntoSystem<M>>(world: &mut World, input: S::In, system: S) -> Result<S::Out, Refusal> {
    const { S::CHECK };
    System::new(world, system)?.run_with(world, input)
}
