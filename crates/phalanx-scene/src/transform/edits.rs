//! [`Transforms`]: moving, turning and scaling entities.

use super::place::{Transform, WorldTransform};
use super::warnings::{Fault, Warnings};
use crate::hierarchy::Follower;
use crate::inherit::{inherit_now, value_of};
use glam::{Quat, Vec3};
use phalanx_ecs::{Entity, LookupError, Resource, Trigger, World};
use std::borrow::Borrow;

/// When [`WorldTransform`]s follow what [`Transforms`] changes, and other parents: a resource.
///
/// ```
/// use glam::Vec3;
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Transform, TransformMode, Transforms, WorldTransform};
///
/// let mut world = World::new();
/// world.insert_resource(TransformMode::Immediate);
/// let arm = world.spawn(Transform::default());
/// let hand = world.spawn((Transform::at(Vec3::X), ChildOf(arm)));
/// world.translate(arm, Vec3::Y)?;
/// assert_eq!(world.get::<WorldTransform>(hand).unwrap().translation(), Vec3::new(1.0, 1.0, 0.0));
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[resource(no_checksum)]
pub enum TransformMode {
    /// When [`propagate`](super::propagate) runs next: all at once, each once. So it is if there is no such resource.
    #[default]
    Deferred,
    /// Before the call returns, of the entity and all its descendants; also where an entity gets another parent or loses its own, by whatever call. A [`Transform`] that
    /// is changed by other means (a query, `get_mut`, an insert) waits for [`propagate`](super::propagate) all the same. Calls for many entities work out each place once.
    Immediate,
}

/// Moves, turns and scales entities of a world.
///
/// Each has a form for many entities, which answers for each of them.
///
/// ```
/// use glam::{Quat, Vec3};
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Transform, Transforms};
///
/// let mut world = World::new();
/// let [wheel, stone] = [world.spawn(Transform::default()), world.spawn(())];
/// world.translate(wheel, Vec3::X)?;
/// world.translate(wheel, Vec3::X)?;
/// world.rotate(wheel, Quat::from_rotation_z(1.0))?;
/// world.scale(wheel, Vec3::splat(3.0))?;
/// assert_eq!(world.get::<Transform>(wheel).unwrap().translation, Vec3::new(2.0, 0.0, 0.0));
///
/// let done = world.translate_all([wheel, stone], Vec3::Y);
/// assert!(done[0].is_ok() && done[1].is_err());
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
pub trait Transforms {
    /// Changes the transform of an entity in any way.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let wheel = world.spawn(Transform::default());
    /// world.edit_transform(wheel, |transform| transform.scale *= 2.0)?;
    /// assert_eq!(world.get::<Transform>(wheel).unwrap().scale, Vec3::splat(2.0));
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// [`LookupError`] if the entity is not alive or has no [`Transform`].
    #[track_caller]
    fn edit_transform(&mut self, entity: Entity, edit: impl FnOnce(&mut Transform)) -> Result<(), LookupError>;

    /// Changes the transforms of many entities; answers for each whether it could.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let wheels = world.spawn_batch([Transform::default(); 4]);
    /// let done = world.edit_transforms(&wheels, |transform| transform.scale *= 2.0);
    /// assert!(done.iter().all(|done| done.is_ok()));
    /// ```
    #[track_caller]
    fn edit_transforms(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        edit: impl FnMut(&mut Transform),
    ) -> Vec<Result<(), LookupError>>;

    /// Adds to where an entity is.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let wheel = world.spawn(Transform::at(Vec3::X));
    /// world.translate(wheel, Vec3::Y)?;
    /// assert_eq!(world.get::<Transform>(wheel).unwrap().translation, Vec3::new(1.0, 1.0, 0.0));
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Transforms::edit_transform`].
    #[track_caller]
    fn translate(&mut self, entity: Entity, by: Vec3) -> Result<(), LookupError> {
        self.edit_transform(entity, |transform| transform.translation += by)
    }

    /// [`Transforms::translate`] for many.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let wheels = world.spawn_batch([Transform::default(); 4]);
    /// world.translate_all(&wheels, Vec3::Y);
    /// assert!(world.query::<&Transform>().iter().all(|transform| transform.translation == Vec3::Y));
    /// ```
    #[track_caller]
    fn translate_all(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        by: Vec3,
    ) -> Vec<Result<(), LookupError>> {
        self.edit_transforms(entities, |transform| transform.translation += by)
    }

    /// Turns an entity further, about the axes of its parent: the new rotation comes after the old one.
    ///
    /// ```
    /// # use glam::{Quat, Vec3};
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let (first, then) = (Quat::from_rotation_x(1.0), Quat::from_rotation_y(1.0));
    /// let wheel = world.spawn(Transform::default().turned(first));
    /// world.rotate(wheel, then)?;
    /// assert_eq!(world.get::<Transform>(wheel).unwrap().rotation, then * first);
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Transforms::edit_transform`].
    #[track_caller]
    fn rotate(&mut self, entity: Entity, by: Quat) -> Result<(), LookupError> {
        self.edit_transform(entity, |transform| transform.rotation = by * transform.rotation)
    }

    /// [`Transforms::rotate`] for many.
    ///
    /// ```
    /// # use glam::Quat;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let (wheels, turn) = (world.spawn_batch([Transform::default(); 4]), Quat::from_rotation_x(1.0));
    /// world.rotate_all(&wheels, turn);
    /// assert!(world.query::<&Transform>().iter().all(|transform| transform.rotation == turn));
    /// ```
    #[track_caller]
    fn rotate_all(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        by: Quat,
    ) -> Vec<Result<(), LookupError>> {
        self.edit_transforms(entities, |transform| transform.rotation = by * transform.rotation)
    }

    /// Makes an entity so many times as large, along its own axes.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let wheel = world.spawn(Transform::default().sized(Vec3::splat(2.0)));
    /// world.scale(wheel, Vec3::splat(3.0))?;
    /// assert_eq!(world.get::<Transform>(wheel).unwrap().scale, Vec3::splat(6.0));
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Transforms::edit_transform`].
    #[track_caller]
    fn scale(&mut self, entity: Entity, by: Vec3) -> Result<(), LookupError> {
        self.edit_transform(entity, |transform| transform.scale *= by)
    }

    /// [`Transforms::scale`] for many.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Transform, Transforms};
    /// # let mut world = World::new();
    /// let wheels = world.spawn_batch([Transform::default(); 4]);
    /// world.scale_all(&wheels, Vec3::splat(2.0));
    /// assert!(world.query::<&Transform>().iter().all(|transform| transform.scale.x == 2.0));
    /// ```
    #[track_caller]
    fn scale_all(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        by: Vec3,
    ) -> Vec<Result<(), LookupError>> {
        self.edit_transforms(entities, |transform| transform.scale *= by)
    }

    /// Where an entity is in the world, worked out now from its transform and those of its ancestors, whatever [`propagate`](super::propagate) has seen. Of places that
    /// are not finite it answers what `propagate` would write, without a warning.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Transform, Transforms};
    /// # let mut world = World::new();
    /// let arm = world.spawn(Transform::at(Vec3::Y));
    /// let hand = world.spawn((Transform::at(Vec3::X), ChildOf(arm)));
    /// assert_eq!(world.place_of(hand)?.translation(), Vec3::new(1.0, 1.0, 0.0));
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Transforms::edit_transform`].
    #[track_caller]
    fn place_of(&self, entity: Entity) -> Result<WorldTransform, LookupError>;
}

impl Transforms for World {
    #[track_caller]
    fn edit_transform(&mut self, entity: Entity, edit: impl FnOnce(&mut Transform)) -> Result<(), LookupError> {
        edit(self.lookup_mut::<Transform>(entity)?);
        if is_immediate(self) {
            place_now(self, &[entity]);
        }
        Ok(())
    }

    #[track_caller]
    fn edit_transforms(
        &mut self,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        mut edit: impl FnMut(&mut Transform),
    ) -> Vec<Result<(), LookupError>> {
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        let mut done = Vec::with_capacity(entities.len());
        for entity in &entities {
            // Not in a closure: an error tells who asked.
            done.push(match self.lookup_mut::<Transform>(*entity) {
                Ok(transform) => {
                    edit(transform);
                    Ok(())
                }
                Err(error) => Err(error),
            });
        }
        if is_immediate(self) {
            // Once for all: what is below several of them is placed with the topmost.
            let mut edited = entities;
            let mut done = done.iter();
            edited.retain(|_| done.next().is_some_and(Result::is_ok));
            place_now(self, &edited);
        }
        done
    }

    #[track_caller]
    fn place_of(&self, entity: Entity) -> Result<WorldTransform, LookupError> {
        self.lookup::<Transform>(entity)?;
        Ok(value_of(self, entity))
    }
}

fn is_immediate(world: &World) -> bool {
    world.get_resource::<TransformMode>() == Some(&TransformMode::Immediate)
}

/// Brings the places of entities and of all below them up to date.
fn place_now(world: &mut World, entities: &[Entity]) {
    let mut warnings = Warnings::of(world);
    for entity in entities {
        warnings.look_at_edited(world, *entity);
    }
    if Fault::OutOfBounds.is_in(inherit_now::<WorldTransform>(world, entities)) {
        warnings.look_for_lost_below(world, entities);
    }
    warnings.log(world);
}

/// From now on, places follow new parents at once whenever all is done at once.
pub(super) fn follow_links(trigger: &mut Trigger<'_>) {
    if trigger.world().get_resource::<Follower>().is_none() {
        trigger.init_resource::<Follower>().set(is_immediate, place_now);
    }
}
