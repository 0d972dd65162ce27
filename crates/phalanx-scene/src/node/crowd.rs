//! Where roles are many: entities whose tags say by bits, not by tables, which roles they have.
//!
//! ```text
//! few sets of roles    {Mesh, Drawn@0}: table 3      {Mesh, Drawn@0, Drawn@1}: table 4       a table for each set in use
//! beyond a bound       {Mesh, Drawn@0, Drawn@1, …, Crowded}: table 9                         one for all, with every role they could have
//!                        Drawn@0 off   { rows 1, 4 }                                         and a bit for each that they do not
//! ```
//!
//! Sets of roles in use are counted, up to a bound. When there are more, everybody who has a role goes into the crowd, and from then on whoever gets one. So tables do not
//! multiply with the combinations of roles, whatever they are; and a walk over a role visits few tables, and in them passes over 64 rows at a time of which none has it.

use super::kinds::{Kind, KindId};
use super::left::NodeLeft;
use crate::here::Here;
use crate::panics::Panics;
use crate::scene::{Scenes, Site};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo, DynQuery, DynValue, TableView};

/// Marks entities of the crowd.
#[derive(Component, Clone, Copy)]
#[component(hidden, left_out_of(moves))]
struct Crowded;

/// Gives a role to living entities that can have it and do not; answers how many got it. A panic of an observer goes on when all have it.
pub(super) fn join(world: &mut World, entities: &[Entity], tag: ComponentId, site: Site) -> usize {
    let (mut joined, mut panics) = (0, Panics::default());
    if !has_begun(world) {
        if fits(world, entities, |roles| with(roles, tag)) {
            match entities[..] {
                [] => {}
                [one] => world.insert_dyn(one, tag, DynValue::bytes(&[])).expect("it has what the tag depends on"),
                _ => _ = world.insert_batch_dyn(entities, tag, &[]).expect("they have what the tag depends on"),
            }
            return entities.len();
        }
        panics.catch(|| begin(world));
    }
    for entity in entities {
        // One by one: observers of what came before may have ended the scene, or have put another world here.
        if !site.is_open(world) {
            break;
        }
        if !world.has_dyn(*entity, tag) {
            panics.catch(|| enter(world, *entity));
        }
        if site.is_open(world) {
            // Refused if they have ended this one, or have taken from it what the role needs: then it does not get it.
            panics.catch(|| joined += usize::from(world.switch_dyn(*entity, tag, true) == Ok(false)));
        }
    }
    panics.resume();
    joined
}

/// Gives a role to all entities that can have it and do not; answers how many got it.
pub(super) fn join_where(world: &mut World, kind: KindId, tag: ComponentId, site: Site) -> usize {
    let Some(scenes) = world.get_resource::<Scenes>() else { return 0 };
    let kind = scenes.kinds.get(kind);
    let mut query = kind.query(DynQuery::builder());
    if !has_begun(world) {
        // Counted before anybody is told: observers may end nodes.
        let had = kind.query(DynQuery::builder().with(tag)).count(world);
        let new = query.count(world) - had;
        // That some entities of a table may not match makes a set more than there will be, at worst.
        let sets = world.tables().filter(|table| !table.is_empty()).map(|table| with(roles_in(table), tag)).collect();
        if world.init_resource::<Scenes>().kinds.renew_sets(sets) {
            world.insert_where_dyn(&mut query, tag, &[]).expect("the query asks for what the tag depends on");
            if site.is_there(world) {
                sweep(world);
            }
            return new;
        }
        begin(world);
        if !site.is_open(world) {
            return 0;
        }
    }
    let all = query.entities(world);
    let new: Vec<Entity> = all.into_iter().filter(|entity| !world.is_on_dyn(*entity, tag)).collect();
    join(world, &new, tag, site)
}

/// Takes a role from entities, of which some may have ended; answers how many had it. A panic of an observer goes on when all have lost it.
pub(crate) fn leave(world: &mut World, entities: &[Entity], tag: ComponentId, site: Site) -> usize {
    let entities: Vec<Entity> = entities.iter().copied().filter(|entity| world.is_alive(*entity)).collect();
    let (mut left, mut panics) = (0, Panics::default());
    if !has_begun(world) {
        if fits(world, &entities, |roles| without(roles, tag)) {
            return world.remove_batch_dyn(&entities, tag).expect("alive, and a tag");
        }
        panics.catch(|| begin(world));
    }
    for entity in entities {
        // Observers of what came before may have ended this one, or the scene, or have put another world here.
        if !site.is_there(world) {
            break;
        }
        if world.is_on_dyn(entity, tag) {
            left += 1;
            let gone = world.get_resource::<Scenes>().and_then(|scenes| NodeLeft::of(scenes, tag, entity));
            // Before it is switched off: then another world may be here.
            if let Some(gone) = gone {
                world.send(gone);
            }
            panics.catch(|| _ = world.switch_dyn(entity, tag, false));
        }
    }
    panics.resume();
    left
}

/// Deletes tables that became empty, if they are many: whole tables move with each role, and leave one behind.
fn sweep(world: &mut World) {
    let stats = world.stats();
    if stats.empty_tables > 64 && stats.empty_tables > stats.tables / 2 {
        world.reclaim();
    }
}

/// Whether whoever has a role is in the crowd.
fn has_begun(world: &World) -> bool {
    world.get_resource::<Scenes>().is_some_and(|scenes| scenes.kinds.crowded)
}

/// The tags of the roles that the entities of a table have.
fn roles_in(table: TableView<'_>) -> Vec<ComponentId> {
    let Some(scenes) = table.world().get_resource::<Scenes>() else { return Vec::new() };
    table.components().map(ComponentInfo::id).filter(|id| scenes.kinds.role(*id).is_some()).collect()
}

fn with(mut roles: Vec<ComponentId>, tag: ComponentId) -> Vec<ComponentId> {
    if let Err(at) = roles.binary_search(&tag) {
        roles.insert(at, tag);
    }
    roles
}

fn without(mut roles: Vec<ComponentId>, tag: ComponentId) -> Vec<ComponentId> {
    if let Ok(at) = roles.binary_search(&tag) {
        roles.remove(at);
    }
    roles
}

/// Whether entities, after a change of their roles, are of sets that have a table each; notes the sets if there are not too many.
fn fits(world: &mut World, entities: &[Entity], change: impl Fn(Vec<ComponentId>) -> Vec<ComponentId>) -> bool {
    let (mut last, mut new) = (None, Vec::new());
    for entity in entities {
        let table = world.entity(*entity).expect("alive").table();
        // Those that come together are often alike.
        if last != Some(table) {
            last = Some(table);
            new.push(change(roles_in(table)));
        }
    }
    if world.init_resource::<Scenes>().kinds.note_sets(&new) {
        return true;
    }
    // Many of those that were noted may not be in use any more.
    sweep(world);
    new.extend(world.tables().filter(|table| !table.is_empty()).map(roles_in));
    world.init_resource::<Scenes>().kinds.renew_sets(new)
}

/// From now on, whoever has a role is in the crowd.
fn begin(world: &mut World) {
    let here = Here::of(world);
    world.init_resource::<Scenes>().kinds.begin_crowd();
    let with_roles = world.tables().filter(|table| !roles_in(*table).is_empty());
    let entities: Vec<Entity> = with_roles.flat_map(TableView::entities).collect();
    for entity in entities {
        enter(world, entity);
        if !here.is(world) {
            return;
        }
    }
    // A table for each set is not needed any more, and who walks would still look into it.
    world.reclaim();
}

/// Puts an entity into the crowd: it gets all tags that it can have, and those that it had not are off. One that has ended stays where it is.
fn enter(world: &mut World, entity: Entity) {
    let here = Here::of(world);
    // An observer may have taken all scenes away.
    let Some(scenes) = world.get_resource::<Scenes>() else { return };
    let kinds = scenes.kinds.ids().filter(|kind| scenes.kinds.get(*kind).fits(world, entity));
    let tags = kinds.flat_map(|kind| scenes.kinds.tags_of_kind(kind));
    let mut new: Vec<ComponentId> = tags.filter(|tag| !world.has_dyn(entity, *tag)).collect();
    // In this order each is quickly looked up among those before.
    new.sort();
    // In one move: steps on the way would be tables of their own, others for each entity.
    let mut tags = BundleBuilder::new();
    for tag in &new {
        tags.add_dyn(*tag, DynValue::bytes(&[]));
    }
    if !world.has::<Crowded>(entity) {
        tags.add(Crowded);
    }
    let mut panics = Panics::default();
    // Refused if it has ended. What panics is told of tags that are there: they have to be switched off all the same.
    panics.catch(|| _ = world.insert_bundle_dyn(entity, tags));
    for tag in new {
        if !here.is(world) {
            break;
        }
        // Refused if an observer has ended the entity, or has taken the tag with what it depends on: then it is off in any case.
        panics.catch(|| _ = world.switch_dyn(entity, tag, false));
    }
    panics.resume();
}

/// A role has come to a scene for the first time: those of the crowd that can have it get its tag, switched off, all at once. So they stay together. Nobody is told: nobody can have
/// heard of the tag.
pub(super) fn extend(world: &mut World, kind: &Kind, tag: ComponentId) {
    if !has_begun(world) {
        return;
    }
    let crowded = world.register::<Crowded>();
    let mut query = kind.query(DynQuery::builder().with(crowded));
    let entities = query.entities(world);
    world.insert_where_dyn(&mut query, tag, &[]).expect("the query asks for what the tag depends on");
    for entity in entities {
        world.switch_dyn(entity, tag, false).expect("it came just now");
    }
    // Where they were is empty now, and would be walked past.
    world.reclaim();
}
