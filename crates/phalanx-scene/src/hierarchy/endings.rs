//! Who ends with whom: all at once, however long the row is.
//!
//! ```text
//! port ends ─► ship, docked at it ─► mast, child of ship ─► flag, tied to mast ─► …
//!    hook         └─────────────── one list, and one despawn ──────────────────┘
//! ```
//!
//! Descendants end with their ancestors, and sources of some relations with their targets. Each of these ways alone would only see as far as the next link of another kind, and the hooks that
//! follow from a despawn would call each other once for each: so the first of them works out who ends by any way, and ends them together.

use super::links::Hierarchy;
use phalanx_ecs::{Entity, Resource, World};
use std::any::TypeId;
use std::collections::HashSet;

/// The ways other than descent in which entities of a world end with others. It follows from what the world knows, and is no part of what it holds.
#[derive(Resource, Default)]
#[resource(no_checksum)]
pub(crate) struct Endings(Vec<Way>);

/// A way in which entities end with others.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// Whose it is.
    pub(crate) kind: TypeId,
    /// What that is called: ways are gone in the order of their names, so it makes no difference which one a world knew first.
    pub(crate) name: &'static str,
    /// Adds to a list those who end with any of it from a place on, those that it adds among them; nothing ties them to these any more.
    pub(crate) take: fn(&mut World, &mut Vec<Entity>, usize),
    /// Lets entities end with nobody any more.
    pub(crate) spare: fn(&mut World, &[Entity]),
}

impl Endings {
    /// Makes a way known.
    pub(crate) fn add(&mut self, way: Way) {
        if self.0.iter().all(|known| known.kind != way.kind) {
            let at = self.0.partition_point(|known| known.name <= way.name);
            self.0.insert(at, way);
        }
    }

    /// The ways that a world knows.
    pub(super) fn of(world: &World) -> Vec<Way> {
        world.get_resource::<Self>().map(|endings| endings.0.clone()).unwrap_or_default()
    }
}

/// Despawns entities, their descendants, and whoever else ends with any of these. They may be named several times.
pub(crate) fn end_all(world: &mut World, entities: Vec<Entity>) {
    end(world, entities, true);
}

/// Despawns entities that are alive, none of them below another, each named once, with whoever ends with them.
pub(super) fn end_trees(world: &mut World, tops: Vec<Entity>) {
    end(world, tops, false);
}

fn end(world: &mut World, starts: Vec<Entity>, mut repeated: bool) {
    if starts.is_empty() {
        return;
    }
    let ways = Endings::of(world);
    let mut ending = starts;
    // Each with what is below it: the order in which they are despawned, and told of.
    let at = world
        .get_resource::<Hierarchy>()
        .and_then(|hierarchy| ending.iter().position(|start| hierarchy.first_child(*start).is_some()));
    if let Some(at) = at {
        let rest = ending.split_off(at);
        let mut hierarchy = world.init_resource::<Hierarchy>();
        for start in rest {
            ending.push(start);
            hierarchy.take_descendants(start, &mut ending);
        }
    }
    // How far of the list each way has been gone. Links are cut as they are followed, so each is followed once.
    let (mut gone, mut below) = (vec![0; ways.len()], ending.len());
    loop {
        let before = ending.len();
        for (way, gone) in ways.iter().zip(&mut gone) {
            (way.take)(world, &mut ending, *gone);
            *gone = ending.len();
        }
        if ending.len() == before {
            break;
        }
        repeated = true;
        if let Some(mut hierarchy) = world.get_resource_mut::<Hierarchy>() {
            for at in below..ending.len() {
                let entity = ending[at];
                hierarchy.take_descendants(entity, &mut ending);
            }
        }
        below = ending.len();
    }
    if repeated {
        // Several ways may lead to the same one.
        let mut known = HashSet::new();
        ending.retain(|entity| world.is_alive(*entity) && known.insert(*entity));
    }
    let ended = world.despawn_batch(ending);
    assert!(ended.is_ok(), "all were alive, and each is named once");
}
