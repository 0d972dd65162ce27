//! What is said of transforms that lead nowhere: once in a world, of the first of each kind.

use super::place::{Transform, WorldTransform};
use crate::hierarchy::Kinship;
use phalanx_ecs::{Entity, Name, Resource, With, World};
use std::fmt;

/// What is wrong with a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    NotFinite,
    ZeroScale,
    /// It is finite, and what it comes to in the world is not.
    OutOfBounds,
}

impl Fault {
    /// How a pass notes it ([`Inherited::under_noting`](crate::Inherited::under_noting)).
    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Whether a pass has noted it.
    pub(super) const fn is_in(self, odd: u8) -> bool {
        odd & self.bit() != 0
    }

    #[inline]
    fn of(transform: &Transform) -> Option<Self> {
        let Transform { translation, rotation, scale } = transform;
        let size = translation.length_squared() + rotation.length_squared() + scale.length_squared();
        // Nearly all are far from where numbers end, and so is their matrix; what is no number is below nothing.
        if size < 1e12 && scale.cmpne(glam::Vec3::ZERO).all() { None } else { Self::of_odd(transform) }
    }

    #[cold]
    fn of_odd(transform: &Transform) -> Option<Self> {
        if !transform.is_finite() {
            Some(Self::NotFinite)
        } else if transform.scale.cmpeq(glam::Vec3::ZERO).any() {
            Some(Self::ZeroScale)
        } else {
            None
        }
    }
}

/// What has been said already.
#[derive(Resource, Clone, Copy, Default)]
#[resource(no_checksum)]
struct Said {
    not_finite: bool,
    zero_scale: bool,
    out_of_bounds: bool,
}

/// After an edit no more entities are looked at for one whose place was lost.
const LOOKED_AT: usize = 1000;

/// The first of each kind that has not been spoken of.
pub(super) struct Warnings {
    said: Said,
    found: [Option<Warning>; 3],
}

struct Warning {
    fault: Fault,
    entity: Entity,
    transform: Transform,
}

impl Warnings {
    pub(super) fn of(world: &World) -> Self {
        Self { said: world.get_resource::<Said>().copied().unwrap_or_default(), found: [None, None, None] }
    }

    /// Looks at a transform that was edited, if somebody is placed by it.
    #[inline]
    pub(super) fn look_at_edited(&mut self, world: &World, entity: Entity) {
        if let Some(transform) = world.get::<Transform>(entity).filter(|_| world.has::<WorldTransform>(entity)) {
            self.look_at(entity, transform);
        }
    }

    /// Speaks of what a pass has noted: of the first of each kind in the order of queries, on whatever thread it was seen.
    #[cold]
    pub(super) fn tell(world: &mut World, odd: u8) {
        let mut warnings = Self::of(world);
        let Said { not_finite, zero_scale, .. } = warnings.said;
        if Fault::NotFinite.is_in(odd) && !not_finite || Fault::ZeroScale.is_in(odd) && !zero_scale {
            let mut all = world.query_filtered::<(Entity, &Transform), With<WorldTransform>>();
            all.for_each(|(entity, transform)| warnings.look_at(entity, transform));
        }
        if Fault::OutOfBounds.is_in(odd) {
            warnings.look_for_lost(world);
        }
        warnings.log(world);
    }

    #[inline]
    fn look_at(&mut self, entity: Entity, transform: &Transform) {
        if let Some(fault) = Fault::of(transform) {
            self.note(Warning { fault, entity, transform: *transform });
        }
    }

    #[cold]
    fn note(&mut self, warning: Warning) {
        let (said, at) = match warning.fault {
            Fault::NotFinite => (&mut self.said.not_finite, 0),
            Fault::ZeroScale => (&mut self.said.zero_scale, 1),
            Fault::OutOfBounds => (&mut self.said.out_of_bounds, 2),
        };
        if !std::mem::replace(said, true) {
            self.found[at] = Some(warning);
        }
    }

    /// Looks for a place that was lost on the way from a transform that is sound: the first in the order of queries, on whatever thread it was seen.
    fn look_for_lost(&mut self, world: &mut World) {
        if !self.said.out_of_bounds {
            let all: Vec<Entity> = world.query_filtered::<Entity, With<Transform>>().iter().collect();
            self.note_lost(world, all.into_iter());
        }
    }

    /// The same among some entities and those below them, as far as is looked. An edit must not cost more than what it places.
    #[cold]
    pub(super) fn look_for_lost_below(&mut self, world: &World, entities: &[Entity]) {
        if !self.said.out_of_bounds {
            let all = entities.iter().flat_map(|entity| [*entity].into_iter().chain(world.descendants(*entity)));
            self.note_lost(world, all.take(LOOKED_AT));
        }
    }

    fn note_lost(&mut self, world: &World, mut entities: impl Iterator<Item = Entity>) {
        let lost = entities.find_map(|entity| {
            let transform = world.get::<Transform>(entity).filter(|_| world.has::<WorldTransform>(entity))?;
            let placed = |above: &Entity| world.has::<Transform>(*above) && world.has::<WorldTransform>(*above);
            let above = world.ancestors(entity).find(placed);
            let above = above.and_then(|above| world.get::<WorldTransform>(above)).copied().unwrap_or_default();
            let local = transform.matrix();
            let is_lost = local.is_finite() && !(above.affine() * local).is_finite();
            is_lost.then_some(Warning { fault: Fault::OutOfBounds, entity, transform: *transform })
        });
        if let Some(lost) = lost {
            self.note(lost);
        }
    }

    pub(super) fn log(self, world: &mut World) {
        for warning in self.found.into_iter().flatten() {
            world.insert_resource(self.said);
            let name = world.get::<Name>(warning.entity);
            let whom = name.map_or_else(String::new, |name| format!(" {:?}", name.as_str()));
            tracing::warn!(target: "phalanx::scene", "{}", Worded { warning: &warning, whom: &whom });
        }
    }
}

struct Worded<'a> {
    warning: &'a Warning,
    whom: &'a str,
}

impl fmt::Display for Worded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Warning { fault, entity, transform } = self.warning;
        let Transform { translation, rotation, scale } = transform;
        let whom = self.whom;
        match fault {
            Fault::NotFinite => write!(
                f,
                "warning[H004]: the transform of entity {entity}{whom} is not finite\n  found: translation {translation}, rotation {rotation}, scale {scale}\n  so: it is where its parent is, until that changes\n  help: look for a division by zero where it is written; said once for a world"
            ),
            Fault::OutOfBounds => write!(
                f,
                "warning[H006]: the place of entity {entity}{whom} in the world is not finite, though its transform is\n  found: translation {translation}, rotation {rotation}, scale {scale}, below ancestors that are too large or too far away for it\n  so: it is where its parent is, until that changes\n  help: look for sizes that multiply from one to the next; said once for a world"
            ),
            Fault::ZeroScale => write!(
                f,
                "warning[H005]: the transform of entity {entity}{whom} has a size of zero\n  found: scale {scale}\n  so: what it shows, and all below it, is flat or a point, and nothing leads back from there\n  help: hide it by another component, or keep a small size; said once for a world"
            ),
        }
    }
}
