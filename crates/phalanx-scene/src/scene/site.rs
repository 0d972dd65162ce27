//! [`Site`]: where nodes come and go, for as long as it is the same.

use super::id::SceneId;
use super::refusal::NoSuchScene;
use super::scenes::{Scenes, Slot, Stage};
use crate::here::Here;
use phalanx_ecs::World;
use std::panic::Location;

/// A scene, the place of its tags, and the world that it is in.
///
/// Observers are told of every step, and may delete the scene, whose tags the next one takes over, or put another world in the place of this one. So it is asked after each step
/// whether what is left to do is still to be done here.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    here: Here,
    scene: SceneId,
    pub(crate) slot: Slot,
}

impl Site {
    /// The place of a scene, whatever becomes of it.
    pub(super) fn of(world: &mut World, scene: SceneId) -> Option<Self> {
        let here = Here::of(world);
        let slot = world.get_resource::<Scenes>()?.get(scene)?.slot;
        Some(Self { here, scene, slot })
    }

    /// The place of a scene that takes nodes.
    pub(crate) fn open(
        world: &mut World,
        scene: SceneId,
        caller: &'static Location<'static>,
    ) -> Result<Self, NoSuchScene> {
        let site = Self::of(world, scene).filter(|site| site.is_open(world));
        site.ok_or_else(|| NoSuchScene::of_id(world, scene, caller))
    }

    /// Whether the tags are still those of the scene.
    pub(crate) fn is_there(self, world: &World) -> bool {
        let scenes = || world.get_resource::<Scenes>();
        self.here.is(world) && scenes().is_some_and(|scenes| scenes.in_slot(self.slot) == Some(self.scene))
    }

    /// Whether the scene still takes nodes.
    pub(crate) fn is_open(self, world: &World) -> bool {
        let scene = || world.get_resource::<Scenes>()?.get(self.scene);
        self.is_there(world) && scene().is_some_and(|scene| scene.stage == Stage::There)
    }
}
