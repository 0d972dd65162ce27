//! [`NodeLeft`]: who has ceased to be a node.

use crate::scene::{SceneId, Scenes};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, Trigger};

/// An entity has ceased to be a node: it was taken out of the scene, lost what the node needs, or ended. An event, which the world sends, and lets go as others ([`World::keep_events`](phalanx_ecs::World::keep_events)).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, NodeLeft, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let house = world.spawn(Mesh(7));
/// level.add_node::<Drawn>(&mut world, house)?;
/// world.despawn(house)?;
/// let left = world.events::<NodeLeft>().get(0).unwrap();
/// assert_eq!((left.scene, left.node, left.entity), (level, "Drawn", house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Event, Clone, Copy, PartialEq, Eq, Debug)]
#[event(no_checksum)]
#[non_exhaustive]
pub struct NodeLeft {
    /// Where it was a node.
    pub scene: SceneId,
    /// Which one, by its [name](super::Node::NAME).
    pub node: &'static str,
    /// The entity.
    pub entity: Entity,
}

impl NodeLeft {
    /// What is said when an entity loses a tag, if it is that of a scene that is there.
    pub(super) fn of(scenes: &Scenes, tag: ComponentId, entity: Entity) -> Option<Self> {
        let (kind, slot) = scenes.kinds.role(tag)?;
        Some(Self { scene: scenes.in_slot(slot)?, node: scenes.kinds.get(kind).name, entity })
    }
}

/// Sends a [`NodeLeft`] for a tag that is about to go.
pub(super) fn tell_of_leaving(trigger: &mut Trigger<'_>, tag: ComponentId) {
    let (entity, world) = (trigger.entity(), trigger.world());
    let gone = world.get_resource::<Scenes>().and_then(|scenes| NodeLeft::of(scenes, tag, entity));
    if let Some(gone) = gone
        && world.is_on_dyn(entity, tag)
    {
        trigger.send(gone);
    }
}
