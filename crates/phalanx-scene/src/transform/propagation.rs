//! [`propagate`]: from transforms to places in the world, where something has changed.

use super::place::WorldTransform;
use crate::inherit::inherit;
use phalanx_ecs::World;

/// Brings all [`WorldTransform`]s up to date: of what has changed since it last ran, and of what is below that; answers for how many.
///
/// Changed is a [`Transform`](super::Transform) that was written, has come, or has another parent than before. It makes no difference how often it runs in between: what comes out is the same, bit for bit.
///
/// ```
/// use glam::Vec3;
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Transform, WorldTransform, propagate};
///
/// let mut world = World::new();
/// let arm = world.spawn(Transform::at(Vec3::Y));
/// let hand = world.spawn((Transform::at(Vec3::X), ChildOf(arm)));
/// assert_eq!(propagate(&mut world), 2);
/// assert_eq!(propagate(&mut world), 0, "nothing has changed");
/// world.get_mut::<Transform>(arm).unwrap().translation.y = 5.0;
/// assert_eq!(propagate(&mut world), 2);
/// assert_eq!(world.get::<WorldTransform>(hand).unwrap().translation(), Vec3::new(1.0, 5.0, 0.0));
/// ```
///
/// In an engine it is a system of its own, in the group that needs it:
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::propagate;
/// # use phalanx_schedule::Engine;
/// # let mut engine = Engine::new();
/// fn place_all(world: &mut World) {
///     propagate(world);
/// }
///
/// engine.add(place_all)?.to("Drawing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Groups run in the order in which they were made, that of scenes with the first system that a scene is given. Where systems of scenes move things, say that they come first: `engine.order_groups("Scenes", "Drawing")?`.
///
/// A place that is not finite does not come about: who has it, by a transform of its own that is not a number (H004) or by sizes and distances that multiply beyond what a number
/// can hold (H006), is where its parent is, or at the origin if nobody is above it, and what is below it follows. So it is until one of them changes.
/// A size of zero is one like any other (H005): all there is below shrinks to a point, a line or a plane. Once in a world a warning is logged of each, with
/// [`tracing`](https://docs.rs/tracing): of the first, in the order of queries, when the first pass comes upon one. All others that are not
/// finite, then and later, are found by [`Transform::is_finite`](super::Transform::is_finite). [How warnings are seen](crate::errors#warnings).
///
/// ```
/// # use glam::Vec3;
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Transform, Transforms, WorldTransform, propagate};
/// # let mut world = World::new();
/// let sun = world.spawn(Transform::at(Vec3::X).sized(Vec3::splat(1e30)));
/// let moon = world.spawn((Transform::default().sized(Vec3::splat(1e30)), ChildOf(sun)));
/// propagate(&mut world);
/// assert_eq!(world.get::<WorldTransform>(moon), world.get::<WorldTransform>(sun), "1e60 is too much");
/// world.scale(moon, Vec3::splat(1e-30))?;
/// propagate(&mut world);
/// assert!((world.get::<WorldTransform>(moon).unwrap().matrix().x_axis.x / 1e30 - 1.0).abs() < 1e-5);
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
pub fn propagate(world: &mut World) -> usize {
    inherit::<WorldTransform>(world)
}
