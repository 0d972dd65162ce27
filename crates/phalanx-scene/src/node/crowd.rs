//! Where roles are many: entities whose tags say by bits, not by tables, which roles they have.
//!
//! ```text
//! few sets of roles    {Mesh, Drawn@0}: table 3      {Mesh, Drawn@0, Drawn@1}: table 4       a table for each set in use
//! beyond a bound       {Mesh, Drawn@0, Drawn@1, …, Crowded}: table 9                         one for all, with every role they could have
//!                        Drawn@0 off   { rows 1, 4 }                                         and a bit for each that they do not
//! ```
//!
//! Sets of roles in use are counted, up to a bound; who comes with another one goes into the crowd, and stays there. So tables do not multiply with the
//! combinations of roles, whatever they are; and a walk over a role of the crowd passes over 64 that do not have it at a time.

use super::edit::NodeLeft;
use super::kinds::Kind;
use crate::scene::Scenes;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo, DynQuery, DynValue};

/// Marks entities of the crowd.
#[derive(Component, Clone, Copy)]
#[component(hidden, left_out_of(moves))]
struct Crowded;

/// Gives a role to living entities that can have it and do not.
pub(super) fn join(world: &mut World, entities: &[Entity], tag: ComponentId) {
    let mut apart = Vec::new();
    for entity in entities {
        if world.has::<Crowded>(*entity) || !fits(world, *entity, tag) {
            crowd(world, *entity);
            world.switch_dyn(*entity, tag, true).expect("it has all tags that it can have");
        } else {
            apart.push(*entity);
        }
    }
    match apart[..] {
        [] => {}
        [one] => world.insert_dyn(one, tag, DynValue::bytes(&[])).expect("it has what the tag depends on"),
        _ => _ = world.insert_batch_dyn(&apart, tag, &[]).expect("they have what the tag depends on"),
    }
}

/// Takes a role from living entities; answers how many had it.
pub(crate) fn leave(world: &mut World, entities: &[Entity], tag: ComponentId) -> usize {
    let mut apart = Vec::new();
    let mut left = 0;
    for entity in entities {
        if !world.is_on_dyn(*entity, tag) {
            continue;
        }
        if !world.has::<Crowded>(*entity) {
            apart.push(*entity);
            continue;
        }
        let gone = world.get_resource::<Scenes>().and_then(|scenes| {
            let (kind, slot) = scenes.kinds.role(tag)?;
            Some(NodeLeft { scene: scenes.in_slot(slot)?, node: scenes.kinds.get(kind).name, entity: *entity })
        });
        world.switch_dyn(*entity, tag, false).expect("it is there");
        if let Some(gone) = gone {
            world.send(gone);
        }
        left += 1;
    }
    left + world.remove_batch_dyn(&apart, tag).expect("alive, and a tag")
}

/// Whether an entity with one more role is one of a set that has a table of its own; notes the set if there are not too many.
fn fits(world: &mut World, entity: Entity, tag: ComponentId) -> bool {
    let Some(scenes) = world.get_resource::<Scenes>() else { return false };
    let components = world.entity(entity).expect("alive").components();
    let mut roles: Vec<ComponentId> =
        components.map(ComponentInfo::id).filter(|id| scenes.kinds.role(*id).is_some()).collect();
    roles.push(tag);
    roles.sort();
    roles.dedup();
    scenes.kinds.knows_set(&roles) || world.init_resource::<Scenes>().kinds.note_set(roles)
}

/// Puts an entity into the crowd: it gets all tags that it can have, and those that it had not are off.
fn crowd(world: &mut World, entity: Entity) {
    let scenes = world.get_resource::<Scenes>().expect("there are roles");
    let lacks = |tag: &ComponentId| world.get_dyn(entity, *tag).is_none();
    let kinds = scenes.kinds.ids().filter(|kind| scenes.kinds.get(*kind).fits(world, entity));
    let new: Vec<ComponentId> = kinds.flat_map(|kind| scenes.kinds.tags_of_kind(kind)).filter(lacks).collect();
    // In one move: steps on the way would be tables of their own, others for each entity.
    let mut tags = BundleBuilder::new();
    for tag in &new {
        tags.add_dyn(*tag, DynValue::bytes(&[]));
    }
    if !world.has::<Crowded>(entity) {
        tags.add(Crowded);
    }
    world.insert_bundle_dyn(entity, tags).expect("it can have them");
    for tag in new {
        world.switch_dyn(entity, tag, false).expect("it came just now");
    }
}

/// A role has come to a scene for the first time: those of the crowd that can have it get its tag, switched off, all at once. So they stay together.
pub(super) fn extend(world: &mut World, kind: &Kind, tag: ComponentId) {
    if world.read_filtered::<Entity, With<Crowded>>().first().is_none() {
        return;
    }
    let crowded = world.register::<Crowded>();
    let mut query = kind.query(DynQuery::builder().with(crowded));
    let entities = query.entities(world);
    world.insert_where_dyn(&mut query, tag, &[]).expect("the query asks for what the tag depends on");
    for entity in entities {
        world.switch_dyn(entity, tag, false).expect("it came just now");
    }
}

/// Whether bulk changes of tables will do: nobody is in the crowd, and there is room for more sets of roles.
pub(super) fn is_roomy(world: &World) -> bool {
    let few = world.get_resource::<Scenes>().is_some_and(|scenes| scenes.kinds.is_roomy());
    few && world.read_filtered::<Entity, With<Crowded>>().first().is_none()
}
