//! Whole trees: copied, left without their top, and moved to another world.
//!
//! Entities come and go one by one, and observers are told of each: what they do to the rest of the tree stands. Who has ended by then is not copied and does not move, and nobody is attached to
//! who is no longer there.

use super::child_of::ChildOf;
use super::endings::Endings;
use super::kinship::{Kinship, Place};
use crate::here::Here;
use phalanx_ecs::{CloneError, Entity, NoSuchEntity, SpawnError, TransferError, Uuid, World};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What is below an entity, depth first, each with its parent.
fn below(world: &World, top: Entity) -> Vec<(Entity, Entity)> {
    world.descendants(top).filter_map(|entity| Some((entity, world.parent(entity)?))).collect()
}

/// Copies an entity and all its descendants.
#[track_caller]
pub(super) fn clone(world: &mut World, top: Entity) -> Result<Entity, CloneError> {
    let below = below(world, top);
    let mut made = Made { here: Here::of(world), all: Vec::with_capacity(below.len() + 1) };
    let copy = made.copy(world, top)?;
    let mut copies = HashMap::from([(top, copy)]);
    for (entity, parent) in below {
        if !made.here.is(world) {
            break;
        }
        let Some(&parent) = copies.get(&parent).filter(|parent| world.is_alive(**parent)) else { continue };
        if !world.is_alive(entity) {
            continue;
        }
        // A copy is at first a sibling of its original.
        let cloned = made.copy(world, entity)?;
        copies.insert(entity, cloned);
        if made.here.is(world) && world.is_alive(cloned) {
            made.put_below(world, cloned, parent, entity);
        }
    }
    Ok(copy)
}

/// The copies of a tree that there are so far.
struct Made {
    here: Here,
    all: Vec<Entity>,
}

impl Made {
    /// Copies one more. If it cannot be copied, or somebody panics, no copy of any stays.
    #[track_caller]
    fn copy(&mut self, world: &mut World, entity: Entity) -> Result<Entity, CloneError> {
        let (version, is_child) = (world.hierarchy().version(), world.has::<ChildOf>(entity));
        let mut cloned = catch_unwind(AssertUnwindSafe(|| world.clone_entity(entity)));
        if let Ok(Err(_)) = cloned {
            // Asked again from here: the answer names who asked.
            cloned = Ok(world.clone_entity(entity));
        }
        match cloned {
            Ok(Ok(copy)) => {
                self.all.push(copy);
                Ok(copy)
            }
            Ok(Err(error)) => {
                self.end(world);
                Err(error)
            }
            Err(panic) => {
                // A child is tied before anybody is told of it, so it is the first that was since. If its values could not be cloned there is nobody.
                if is_child && self.here.is(world) {
                    let tied = world.hierarchy().changed_since(version).and_then(<[Entity]>::first);
                    self.all.extend(tied);
                }
                self.end(world);
                resume_unwind(panic)
            }
        }
    }

    /// Makes a copy the child of a copy.
    fn put_below(&self, world: &mut World, copy: Entity, parent: Entity, of: Entity) {
        let original = world.parent(of);
        let put = catch_unwind(AssertUnwindSafe(|| {
            // Refused if an observer has ended its parent, or has put that below it: then it stays as they left it, unless that is beside its original.
            if world.attach(copy, parent).is_err() && world.parent(copy) == original {
                let ended = world.despawn(copy);
                debug_assert!(ended.is_ok(), "it was alive");
            }
        }));
        if let Err(panic) = put {
            self.end(world);
            resume_unwind(panic);
        }
    }

    /// Despawns them. What panics in that must not hide why.
    fn end(&self, world: &mut World) {
        if self.here.is(world) {
            let made: Vec<Entity> = self.all.iter().copied().filter(|copy| world.is_alive(*copy)).collect();
            let _ = catch_unwind(AssertUnwindSafe(|| world.despawn_batch(made)));
        }
    }
}

/// Despawns an entity and leaves its descendants.
#[track_caller]
pub(super) fn despawn_top(world: &mut World, top: Entity) -> Result<(), NoSuchEntity> {
    world.entity(top)?;
    let here = Here::of(world);
    let detached = catch_unwind(AssertUnwindSafe(|| world.detach_children(top)));
    if let Err(panic) = detached {
        // By then nobody was its child any more: it goes, as it was to.
        if here.is(world) {
            let _ = catch_unwind(AssertUnwindSafe(|| world.despawn(top)));
        }
        resume_unwind(panic);
    }
    // Whoever is called that in another world is somebody else.
    if here.is(world) { world.despawn(top) } else { Ok(()) }
}

/// Moves an entity and all its descendants to another world.
#[track_caller]
pub(super) fn move_to(world: &mut World, top: Entity, other: &mut World) -> Result<Entity, TransferError> {
    let below = below(world, top);
    if below.is_empty() {
        return world.move_entity(top, other);
    }
    let members: Vec<Entity> = std::iter::once(top).chain(below.iter().map(|(entity, _)| *entity)).collect();
    // What can be known before anybody moves: then asking for the one that cannot gives the answer.
    let is_taken = |entity: &Entity| world.get::<Uuid>(*entity).is_some_and(|uuid| other.by_uuid(uuid).is_some());
    if let Some(refused) = members.iter().copied().find(is_taken) {
        return world.move_entity(refused, other);
    }
    // Asking for as many new ones gives the answer where there is no room.
    if members.len() > other.room()
        && let Err(SpawnError::Full(full)) = other.try_spawn_batch(std::iter::repeat_n((), members.len()))
    {
        return Err(TransferError::Full(full));
    }
    // Who leaves ends here, and others with it; not those that are to leave, too, by whatever way round.
    let ways = Endings::of(world);
    let from = if ways.is_empty() { None } else { Seat::of(world, top) };
    for way in &ways {
        (way.spare)(world, &members);
    }
    if from.is_some() {
        let detached = world.detach(top);
        debug_assert!(detached.is_ok(), "it is alive");
    }
    // From the leaves upwards: an entity that leaves would take with it what is still below.
    let (mut arrived, mut panic) = (HashMap::with_capacity(members.len()), None);
    let all = below.iter().rev().map(|(entity, parent)| (*entity, Some(*parent))).chain([(top, None)]);
    for (entity, parent) in all {
        // Who was told of one that left may have ended another, or put it elsewhere.
        if parent.is_some() && world.parent(entity) != parent {
            continue;
        }
        let mut moved = catch_unwind(AssertUnwindSafe(|| world.move_entity(entity, other)));
        if let Ok(Err(_)) = moved {
            // Asked again from here: the answer names who asked.
            moved = Ok(world.move_entity(entity, other));
        }
        match moved {
            Ok(Ok(new)) => drop(arrived.insert(entity, new)),
            Ok(Err(error)) => {
                bring_back(world, other, &below, &arrived);
                if let Some(seat) = from {
                    seat.give_to(world, top);
                }
                return panic.map_or(Err(error), |payload| resume_unwind(payload));
            }
            // It has moved, and nobody knows what it is called there.
            Err(payload) => drop(panic.get_or_insert(payload)),
        }
    }
    let tied = catch_unwind(AssertUnwindSafe(|| attach_again(other, &below, &arrived)));
    if let Some(payload) = panic.or(tied.err()) {
        resume_unwind(payload);
    }
    Ok(arrived[&top])
}

/// Where a child is among its siblings.
struct Seat {
    parent: Entity,
    next: Option<Entity>,
}

impl Seat {
    fn of(world: &World, child: Entity) -> Option<Self> {
        Some(Self { parent: world.parent(child)?, next: world.next_sibling(child) })
    }

    /// Seats a child there, if everybody is still there.
    fn give_to(self, world: &mut World, child: Entity) {
        let next = self.next.filter(|next| world.parent(*next) == Some(self.parent));
        if world.is_alive(child) && world.is_alive(self.parent) && world.parent(child).is_none() {
            let _ = world.attach_at(child, self.parent, next.map_or(Place::Last, Place::Before));
        }
    }
}

/// Makes those who have come children of those who were their parents elsewhere, in the same order.
fn attach_again(world: &mut World, below: &[(Entity, Entity)], now: &HashMap<Entity, Entity>) {
    let known = |entity: &Entity| now.get(entity).copied().filter(|entity| world.is_alive(*entity));
    // Who has found a parent since keeps it.
    let pairs: Vec<(Entity, Entity)> = below
        .iter()
        .filter_map(|(child, parent)| Some((known(child)?, known(parent)?)))
        .filter(|(child, _)| !world.has::<ChildOf>(*child))
        .collect();
    let children = pairs.iter().map(|(child, _)| child);
    if world.insert_batch(children, pairs.iter().map(|(_, parent)| ChildOf(*parent))).is_err() {
        // Somebody was told of them and has made a parent the child of its child: the others do not suffer from that.
        for (child, parent) in pairs {
            let _ = world.attach(child, parent);
        }
    }
}

/// Brings those back who have moved, because somebody else cannot. They have new names here, and take their places again.
fn bring_back(world: &mut World, other: &mut World, below: &[(Entity, Entity)], arrived: &HashMap<Entity, Entity>) {
    let mut now: HashMap<Entity, Entity> = HashMap::with_capacity(below.len());
    for (entity, _) in below {
        if let Some(back) = arrived.get(entity).and_then(|there| other.move_entity(*there, world).ok()) {
            now.insert(*entity, back);
        }
    }
    for (entity, parent) in below {
        let to = now.get(parent).copied().unwrap_or(*parent);
        let is_there = || (world.parent(*entity) == Some(to)).then_some(*entity);
        // Each becomes the last one in turn, so their order is what it was. Refused only if somebody was told of it and has ended one of them, or has put them elsewhere.
        if let Some(child) = now.get(entity).copied().or_else(is_there) {
            let _ = world.attach(child, to);
        }
    }
}
