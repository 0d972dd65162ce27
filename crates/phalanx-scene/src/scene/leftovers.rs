//! Systems that outlive their scene: a world does not know its schedule, so they are removed when somebody next comes with an engine.

use super::gates::Gate;
use super::scenes::{Scene, Scenes};
use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, SystemId};

/// Systems of scenes that were deleted, to be removed from their schedule.
#[derive(Resource, Default)]
#[resource(no_checksum)]
struct Leftovers(Vec<Leftover>);

struct Leftover {
    system: SystemId,
    gate: Gate,
}

pub(super) fn leave_to_remove(world: &mut World, scene: &Scene) {
    let mut leftovers = world.init_resource::<Leftovers>();
    leftovers.0.extend(scene.systems.iter().map(|system| Leftover { system: system.id, gate: system.gate }));
}

/// Removes them now.
pub(super) fn sweep(engine: &mut Engine) {
    let Some(leftovers) = engine.world_mut().remove_resource::<Leftovers>() else { return };
    for Leftover { system, gate } in leftovers.0 {
        // Somebody may have removed it by hand.
        let _ = engine.schedule_mut().remove(system);
        if let Some(mut scenes) = engine.world_mut().get_resource_mut::<Scenes>() {
            scenes.gates.give_back(gate);
        }
    }
}
