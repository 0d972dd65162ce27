//! How entities become children: the links first, then what others see of them.
//!
//! Whoever is told of a new or a former parent may panic, or change anything: by then all links of the operation have been made, so nobody can stop it half way.

use super::child_of::{ChildOf, mark_parents, write_parent};
use super::follower::tell;
use super::kinship::Place;
use super::links::Hierarchy;
use super::refusal::{HierarchyError, obstacle};
use phalanx_ecs::{Entity, InsertError, World};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

/// Makes an entity the child of another, at a place.
#[track_caller]
pub(super) fn attach_at(world: &mut World, child: Entity, parent: Entity, place: Place) -> Result<(), HierarchyError> {
    world.entity(child)?;
    if let Some(obstacle) = obstacle(world, child, parent) {
        return Err(HierarchyError::of(obstacle, world));
    }
    let sibling = match place {
        Place::Before(sibling) | Place::After(sibling) => Some(sibling),
        Place::First | Place::Last => None,
    };
    if let Some(sibling) = sibling
        && (sibling == child || parent_of(world, sibling) != Some(parent))
    {
        world.entity(sibling)?;
        return Err(HierarchyError::NoSibling { child, sibling, parent, caller: Location::caller() });
    }
    let old = parent_of(world, child);
    if old == Some(parent) {
        place_at(&mut world.init_resource::<Hierarchy>(), child, parent, place);
    } else if old.is_none() || world.is_observed::<ChildOf>() {
        if place == Place::Last {
            return world.insert(child, ChildOf(parent)).map_err(insert_error);
        }
        let inserted = catch_unwind(AssertUnwindSafe(|| world.insert(child, ChildOf(parent))));
        // Who was told of it may have changed their minds: then it stays as they left it. If they panicked it takes its place all the same.
        let is_child = |entity: Entity| world.get::<ChildOf>(entity) == Some(&ChildOf(parent));
        if is_child(child) && sibling.is_none_or(is_child) {
            place_at(&mut world.init_resource::<Hierarchy>(), child, parent, place);
        }
        inserted.unwrap_or_else(|panic| resume_unwind(panic)).map_err(insert_error)?;
    } else {
        let mut hierarchy = world.init_resource::<Hierarchy>();
        let first = hierarchy.first_child(parent).is_none();
        place_at(&mut hierarchy, child, parent, place);
        let childless = old.filter(|old| hierarchy.first_child(*old).is_none());
        write_parent(world, child, parent);
        if !first && childless.is_none() {
            tell(world, &[child]);
            return Ok(());
        }
        let parents = childless.into_iter().chain(first.then_some(parent));
        let marked = catch_unwind(AssertUnwindSafe(|| mark_parents(world, parents)));
        tell(world, &[child]);
        marked.unwrap_or_else(|panic| resume_unwind(panic));
    }
    Ok(())
}

/// Makes entities the last children of another.
#[track_caller]
pub(super) fn attach_all(world: &mut World, children: &[Entity], parent: Entity) -> Result<(), HierarchyError> {
    world.entity(parent)?;
    // Who is above the parent, or the parent itself, cannot come below it; the others can, whatever their order.
    let mut above = HashSet::from([parent]);
    if let Some(hierarchy) = world.get_resource::<Hierarchy>() {
        above.extend(hierarchy.ancestors(parent));
    }
    for child in children {
        world.entity(*child)?;
        if above.contains(child)
            && let Some(obstacle) = obstacle(world, *child, parent)
        {
            return Err(HierarchyError::of(obstacle, world));
        }
    }
    if world.is_observed::<ChildOf>() {
        return world.insert_batch(children, children.iter().map(|_| ChildOf(parent))).map_err(insert_error);
    }
    // All take their places. Nobody is told yet, so nobody can come in between.
    let mut hierarchy = world.init_resource::<Hierarchy>();
    let (mut moved, mut new) = (Vec::new(), Vec::new());
    let mut changed: Vec<Entity> = hierarchy.first_child(parent).is_none().then_some(parent).into_iter().collect();
    for &child in children {
        let old = hierarchy.parent(child);
        place_at(&mut hierarchy, child, parent, Place::Last);
        let Some(old) = old else {
            new.push(child);
            continue;
        };
        if old != parent {
            moved.push(child);
            if hierarchy.first_child(old).is_none() {
                changed.push(old);
            }
        }
    }
    for child in &moved {
        write_parent(world, *child, parent);
    }
    // Those who were nobody's children get the component, all at once; the others have it.
    let inserted = catch_unwind(AssertUnwindSafe(|| {
        let inserted = world.insert_batch(&new, new.iter().map(|_| ChildOf(parent)));
        assert!(inserted.is_ok(), "all are alive and close no circle");
    }));
    let marked = catch_unwind(AssertUnwindSafe(|| mark_parents(world, changed)));
    tell(world, &moved);
    inserted.and(marked).unwrap_or_else(|panic| resume_unwind(panic));
    Ok(())
}

/// Gives an entity a place among the children of another.
#[inline]
fn place_at(hierarchy: &mut Hierarchy, child: Entity, parent: Entity, place: Place) {
    hierarchy.cut(child);
    let (previous, next) = match place {
        Place::First => (None, hierarchy.first_child(parent)),
        Place::Last => (hierarchy.last_child(parent), None),
        Place::Before(sibling) => (hierarchy.previous_sibling(sibling), Some(sibling)),
        Place::After(sibling) => (Some(sibling), hierarchy.next_sibling(sibling)),
    };
    hierarchy.tie(child, parent, previous, next);
}

#[inline]
fn parent_of(world: &World, entity: Entity) -> Option<Entity> {
    world.get_resource::<Hierarchy>().and_then(|hierarchy| hierarchy.parent(entity))
}

fn insert_error(error: InsertError) -> HierarchyError {
    match error {
        InsertError::Dead(dead) => HierarchyError::Dead(dead),
        other => HierarchyError::Insert(other),
    }
}
