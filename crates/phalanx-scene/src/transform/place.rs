//! [`Transform`] and [`WorldTransform`].

use super::edits::follow_links;
use super::warnings::{Fault, Warnings};
use crate::inherit::{Inherited, note_end, note_part, note_value};
use glam::{Affine3A, Mat4, Quat, Vec3};
use phalanx_ecs::{Component, Trigger, World};

/// Where an entity is, how it is turned and how large it is: relative to its nearest ancestor that has a `Transform` too, or to the world if there is none.
///
/// A vector is scaled first, then turned, then moved. Where that leads in the world is in [`WorldTransform`], which comes along with it: where nothing is moved, until [`propagate`](super::propagate) has run.
///
/// ```
/// use glam::{Quat, Vec3};
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Transform, WorldTransform, propagate};
/// use std::f32::consts::FRAC_PI_2;
///
/// let mut world = World::new();
/// let arm = world.spawn(Transform::at(Vec3::new(10.0, 0.0, 0.0)).turned(Quat::from_rotation_z(FRAC_PI_2)));
/// let hand = world.spawn((Transform::at(Vec3::X), ChildOf(arm)));
/// propagate(&mut world);
/// let place = world.get::<WorldTransform>(hand).unwrap().translation();
/// assert!(place.distance(Vec3::new(10.0, 1.0, 0.0)) < 1e-5);
/// ```
#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(track, requires(WorldTransform), on_insert = part_comes, on_remove = goes)]
pub struct Transform {
    /// Where it is.
    pub translation: Vec3,
    /// How it is turned. Its length is to be 1, and nobody sees to that: after very many turns one upon the other, say [`normalize`](Quat::normalize).
    pub rotation: Quat,
    /// How large it is along its own axes.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Where its parent is, as that is turned, as large as that.
    ///
    /// ```
    /// use glam::{Affine3A, Vec3};
    /// use phalanx_scene::Transform;
    ///
    /// assert_eq!(Transform::IDENTITY.matrix(), Affine3A::IDENTITY);
    /// ```
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// At a place.
    ///
    /// ```
    /// use glam::Vec3;
    /// use phalanx_scene::Transform;
    ///
    /// assert_eq!(Transform::at(Vec3::X).translation, Vec3::X);
    /// ```
    #[doc(alias("from_xyz", "from_translation"))]
    #[must_use]
    pub const fn at(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// The same, turned like this.
    ///
    /// ```
    /// use glam::{Quat, Vec3};
    /// use phalanx_scene::Transform;
    ///
    /// let turn = Quat::from_rotation_x(1.0);
    /// assert_eq!(Transform::at(Vec3::X).turned(turn).rotation, turn);
    /// ```
    #[must_use]
    pub const fn turned(self, rotation: Quat) -> Self {
        Self { rotation, ..self }
    }

    /// The same, of this size.
    ///
    /// ```
    /// use glam::Vec3;
    /// use phalanx_scene::Transform;
    ///
    /// assert_eq!(Transform::at(Vec3::X).sized(Vec3::splat(2.0)).scale.y, 2.0);
    /// ```
    #[must_use]
    pub const fn sized(self, scale: Vec3) -> Self {
        Self { scale, ..self }
    }

    /// The matrix that scales, then turns, then moves.
    ///
    /// ```
    /// use glam::Vec3;
    /// use phalanx_scene::Transform;
    ///
    /// let twice_there = Transform::at(Vec3::X).sized(Vec3::splat(2.0));
    /// assert_eq!(twice_there.matrix().transform_point3(Vec3::Y), Vec3::new(1.0, 2.0, 0.0));
    /// ```
    #[inline]
    #[must_use]
    pub fn matrix(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Whether its [matrix](Self::matrix) has nothing but numbers. [`propagate`](super::propagate) warns of the first that has not; this finds all.
    ///
    /// ```
    /// use glam::Vec3;
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::Transform;
    ///
    /// let mut world = World::new();
    /// let all = world.spawn_batch([Transform::default(), Transform::at(Vec3::X / 0.0)]).to_vec();
    /// let odd: Vec<Entity> = world.read::<(Entity, &Transform)>().iter().filter(|(_, at)| !at.is_finite()).map(|(entity, _)| entity).collect();
    /// assert_eq!(odd, [all[1]]);
    /// ```
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.matrix().is_finite()
    }
}

/// Where an entity is in the world: what its [`Transform`] and those of its ancestors come to. [`propagate`](super::propagate) writes it; before, it is the origin.
///
/// ```
/// use glam::Vec3;
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Transform, WorldTransform, propagate};
///
/// let mut world = World::new();
/// let stone = world.spawn(Transform::at(Vec3::Y));
/// propagate(&mut world);
/// assert_eq!(world.get::<WorldTransform>(stone).unwrap().translation(), Vec3::Y);
/// ```
#[derive(Component, Clone, Copy, PartialEq, Debug, Default)]
#[component(on_insert = value_comes, on_remove = goes)]
#[doc(alias = "GlobalTransform")]
pub struct WorldTransform {
    affine: Affine3A,
}

impl WorldTransform {
    /// As an affine transformation.
    ///
    /// ```
    /// use glam::Affine3A;
    /// use phalanx_scene::WorldTransform;
    ///
    /// assert_eq!(WorldTransform::default().affine(), Affine3A::IDENTITY);
    /// ```
    #[must_use]
    pub fn affine(&self) -> Affine3A {
        self.affine
    }

    /// As a matrix of four rows and columns.
    ///
    /// ```
    /// use glam::Mat4;
    /// use phalanx_scene::WorldTransform;
    ///
    /// assert_eq!(WorldTransform::default().matrix(), Mat4::IDENTITY);
    /// ```
    #[must_use]
    pub fn matrix(&self) -> Mat4 {
        self.affine.into()
    }

    /// Where it is.
    ///
    /// ```
    /// use glam::Vec3;
    /// use phalanx_scene::WorldTransform;
    ///
    /// assert_eq!(WorldTransform::default().translation(), Vec3::ZERO);
    /// ```
    #[must_use]
    pub fn translation(&self) -> Vec3 {
        self.affine.translation.into()
    }
}

impl Inherited for WorldTransform {
    type Own = Transform;
    // By hooks of the types, which are called once for a whole batch.
    const NOTED_BY_HOOKS: bool = true;

    #[inline]
    fn under(above: Option<&Self>, own: &Transform) -> Self {
        Self::under_noting(above, own, &mut 0)
    }

    #[inline]
    fn under_noting(above: Option<&Self>, own: &Transform, odd: &mut u8) -> Self {
        let local = own.matrix();
        let affine = above.map_or(local, |above| above.affine * local);
        // No branch: it costs a walk next to nothing.
        let flat = u8::from(own.scale.cmpeq(Vec3::ZERO).any()) * Fault::ZeroScale.bit();
        if affine.is_finite() {
            *odd |= flat;
            return Self { affine };
        }
        // What is no number would spread to all below it. Of one that is none itself nothing else is told.
        *odd |= if local.is_finite() { Fault::OutOfBounds.bit() | flat } else { Fault::NotFinite.bit() };
        above.copied().unwrap_or_default()
    }

    #[cold]
    fn tell(world: &mut World, odd: u8) {
        Warnings::tell(world, odd);
    }
}

fn part_comes(trigger: &mut Trigger<'_>) {
    follow_links(trigger);
    note_part::<WorldTransform>(trigger);
}

fn value_comes(trigger: &mut Trigger<'_>) {
    note_value::<WorldTransform>(trigger);
}

fn goes(trigger: &mut Trigger<'_>) {
    note_end::<WorldTransform>(trigger);
}
