//! For which scene a system is being planned: arguments that belong to a scene ask here.

use super::id::SceneId;
use super::scenes::{Scenes, Slot};
use crate::node::KindId;
use phalanx_ecs::ComponentId;
use phalanx_ecs::prelude::*;
use std::sync::{Arc, Weak};

/// The scene, and what its system waits for.
#[derive(Resource)]
#[resource(no_checksum)]
struct Planning {
    scene: SceneId,
    waits_for: Vec<(KindId, ComponentId)>,
    /// Gone when the planning has ended by a panic.
    goes_on: Weak<()>,
}

/// The scene that is planned for; or what is said where there is none, with the argument that asked.
pub(crate) fn planned_scene(world: &World, argument: &str) -> Result<(SceneId, Slot), Box<str>> {
    let planning = world.get_resource::<Planning>().filter(|planning| planning.goes_on.strong_count() > 0);
    let scene = planning.and_then(|planning| world.get_resource::<Scenes>()?.get(planning.scene));
    scene.map(|scene| (scene.id, scene.slot)).ok_or_else(|| {
        format!(
            "error[N005]: `{argument}` is an argument of systems that serve a scene, and this one serves none\n  help: scene.add(&mut engine, system)"
        )
        .into()
    })
}

/// Notes that the system that is planned waits for nodes.
pub(crate) fn note_wait(world: &mut World, kind: KindId, tag: ComponentId) {
    if let Some(mut planning) = world.get_resource_mut::<Planning>()
        && !planning.waits_for.contains(&(kind, tag))
    {
        planning.waits_for.push((kind, tag));
    }
}

/// While it is there, systems are planned for a scene.
#[must_use = "the planning ends with `end`"]
pub(super) struct Planned {
    /// What was planned for before: a system may be planned while another is.
    before: Option<Planning>,
    _goes_on: Arc<()>,
}

impl Planned {
    pub(super) fn begin(world: &mut World, scene: SceneId) -> Self {
        let goes_on = Arc::new(());
        let planning = Planning { scene, waits_for: Vec::new(), goes_on: Arc::downgrade(&goes_on) };
        Self { before: world.insert_resource(planning), _goes_on: goes_on }
    }

    /// Answers what the system that was planned waits for.
    pub(super) fn end(self, world: &mut World) -> Vec<(KindId, ComponentId)> {
        let planning = match self.before {
            Some(before) => world.insert_resource(before),
            None => world.remove_resource::<Planning>(),
        };
        planning.map_or_else(Vec::new, |planning| planning.waits_for)
    }
}
