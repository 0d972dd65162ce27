//! Whole trees.

use super::child_of::ChildOf;
use super::kinship::Kinship;
use phalanx_ecs::{CloneError, Entity, World};
use std::collections::HashMap;

/// Copies an entity and all its descendants.
#[track_caller]
pub(super) fn clone(world: &mut World, top: Entity) -> Result<Entity, CloneError> {
    let below: Vec<(Entity, Entity)> =
        world.descendants(top).filter_map(|entity| Some((entity, world.parent(entity)?))).collect();
    let copy = world.clone_entity(top)?;
    let mut copies = HashMap::from([(top, copy)]);
    for (entity, parent) in below {
        // A copy is at first a sibling of its original.
        let cloned = match world.clone_entity(entity) {
            Ok(cloned) => cloned,
            Err(error) => {
                let ended = world.despawn(copy);
                debug_assert!(ended.is_ok(), "it has just come");
                return Err(error);
            }
        };
        let attached = world.attach(cloned, copies[&parent]);
        assert!(attached.is_ok(), "a copy without children closes no circle");
        debug_assert_eq!(world.get::<ChildOf>(cloned), Some(&ChildOf(copies[&parent])));
        copies.insert(entity, cloned);
    }
    Ok(copy)
}
