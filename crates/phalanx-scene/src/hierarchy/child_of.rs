//! [`ChildOf`] and [`Parent`], and what they do by themselves when they come and go: they keep the links.
//!
//! ```text
//! ChildOf  comes      tied to its parent, as the last; the parent becomes a `Parent` if it is its first
//!          replaced   cut from the old parent
//!          goes       cut; a parent without children is no `Parent` any more
//! Parent   its entity ends   the children are cut, and end with it, with all that is below them and whoever ends with these
//!          goes otherwise    the children are nobody's any more
//! ```
//!
//! While that happens nothing else can come or go: what has to is deferred, and done before the operation returns.

use super::endings::end_trees;
use super::follower::tell_after;
use super::links::Hierarchy;
use super::refusal::obstacle_for_all;
use phalanx_ecs::{Act, Check, Component, Entity, Owned, Trigger, Wish, World};
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Makes an entity the child of another: the last one, after those that are there.
///
/// Insert it to attach an entity or to give it another parent, remove it to detach it; or use [`Kinship`](super::Kinship). A circle, or a parent that is not alive, is refused,
/// by whatever route. Copies of an entity are children of the same parent. To another world an entity moves alone: it has no parent there, and its descendants end here;
/// [`Kinship::move_tree`](super::Kinship::move_tree) takes them along.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Kinship};
///
/// let mut world = World::new();
/// let mother = world.spawn(());
/// let child = world.spawn(ChildOf(mother));
/// assert_eq!(world.parent(child), Some(mother));
/// assert!(world.insert(mother, ChildOf(child)).is_err(), "a circle");
/// world.remove::<ChildOf>(child)?;
/// assert_eq!(world.parent(child), None);
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
#[component(
    check,
    immutable,
    left_out_of(moves),
    on_insert = tie,
    on_replace = cut,
    on_remove = cut,
    validate = validate
)]
pub struct ChildOf(
    /// The parent.
    pub Entity,
);

/// An entity that has children. It comes with the first and goes with the last of them; who removes it detaches them all.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Kinship, Parent};
///
/// let mut world = World::new();
/// let mother = world.spawn(());
/// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
/// assert!(world.has::<Parent>(mother));
/// world.remove::<Parent>(mother)?;
/// assert!(!world.has::<ChildOf>(twins[0]) && world.is_alive(twins[0]));
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
///
/// It is a tag in tables: who becomes a parent, or is none any more, moves to another table, which changes the [order](struct@phalanx_ecs::Query#order) in which queries walk.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[component(left_out_of(clones, moves), on_despawn = end_descendants, on_remove = let_children_go)]
pub struct Parent;

/// Only this module writes into a [`ChildOf`]: with its links.
#[derive(Debug)]
pub struct LinkKey(());

impl Owned for ChildOf {
    type Key = LinkKey;
}

/// Gives a child, whose links have been changed, its new parent.
pub(super) fn write_parent(world: &mut World, child: Entity, parent: Entity) {
    if let Some(child_of) = world.get_mut_owned::<ChildOf>(child, &LinkKey(())) {
        child_of.0 = parent;
    }
}

impl Check for ChildOf {
    fn check(world: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>> {
        let wishes: Vec<_> = wishes.iter().map(|wish| (wish.entity, wish.value.0)).collect();
        match obstacle_for_all(world, &wishes) {
            Some(obstacle) => Err(obstacle.in_words(world)),
            None => Ok(()),
        }
    }
}

fn tie(trigger: &mut Trigger<'_>) {
    tell_after(trigger);
    let mut new_parents = Vec::new();
    for &child in trigger.entities() {
        let Some(&ChildOf(parent)) = trigger.world().get(child) else { continue };
        let mut hierarchy = trigger.init_resource::<Hierarchy>();
        if hierarchy.first_child(parent).is_none() {
            new_parents.push(parent);
        }
        hierarchy.tie_last(child, parent);
    }
    if !new_parents.is_empty() {
        trigger.defer(move |world| mark_parents(world, new_parents));
    }
}

fn cut(trigger: &mut Trigger<'_>) {
    if trigger.act() == Some(Act::Remove) {
        tell_after(trigger);
    }
    let mut childless = Vec::new();
    for &child in trigger.entities() {
        let Some(mut hierarchy) = trigger.get_resource_mut::<Hierarchy>() else { return };
        if let Some(parent) = hierarchy.cut(child)
            && hierarchy.first_child(parent).is_none()
        {
            childless.push(parent);
        }
    }
    childless.retain(|parent| trigger.world().has::<Parent>(*parent));
    if !childless.is_empty() {
        trigger.defer(move |world| mark_parents(world, childless));
    }
}

/// Makes entities [`Parent`]s if they have children, and nothing of the kind if they have none. A panic of who observes one does not keep the others from it.
pub(super) fn mark_parents(world: &mut World, entities: impl IntoIterator<Item = Entity>) {
    let mut panic = None;
    for entity in entities {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| mark_parent(world, entity))) {
            panic.get_or_insert(payload);
        }
    }
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
}

/// Makes an entity a [`Parent`] if it has children, and nothing of the kind if it has none. If it has ended before anybody could, its descendants end now.
fn mark_parent(world: &mut World, entity: Entity) {
    let children = world.get_resource::<Hierarchy>().and_then(|hierarchy| hierarchy.first_child(entity)).is_some();
    if !world.is_alive(entity) {
        if children {
            let mut ending = Vec::new();
            world.init_resource::<Hierarchy>().take_children(entity, &mut ending);
            end(world, ending);
        }
        return;
    }
    if world.has::<Parent>(entity) != children {
        let marked = if children { world.insert(entity, Parent) } else { world.remove::<Parent>(entity).map(drop) };
        assert!(marked.is_ok(), "a tag can come to who is alive, and go");
    }
}

fn end_descendants(trigger: &mut Trigger<'_>) {
    let mut children = Vec::new();
    for &parent in trigger.entities() {
        let Some(mut hierarchy) = trigger.get_resource_mut::<Hierarchy>() else { return };
        hierarchy.take_children(parent, &mut children);
    }
    if !children.is_empty() {
        trigger.defer(move |world| end(world, children));
    }
}

/// Despawns children who were cut from parents that have ended, with all that is below them.
fn end(world: &mut World, mut children: Vec<Entity>) {
    // Some may have gone with the same operation, or have been given another parent since.
    let hierarchy = world.get_resource::<Hierarchy>();
    children
        .retain(|child| world.is_alive(*child) && hierarchy.is_none_or(|hierarchy| hierarchy.parent(*child).is_none()));
    end_trees(world, children);
}

fn let_children_go(trigger: &mut Trigger<'_>) {
    let mut orphans = Vec::new();
    for &parent in trigger.entities() {
        let Some(hierarchy) = trigger.world().get_resource::<Hierarchy>() else { return };
        orphans.extend(hierarchy.children(parent).map(|child| (child, parent)));
    }
    if !orphans.is_empty() {
        trigger.defer(move |world| {
            // Some may have been given another parent since; and who has lost the tag may have got other children.
            let is_theirs =
                |(child, parent): &(Entity, Entity)| world.get::<ChildOf>(*child) == Some(&ChildOf(*parent));
            let children: Vec<Entity> =
                orphans.iter().filter(|orphan| is_theirs(orphan)).map(|(child, _)| *child).collect();
            let detached = world.remove_batch::<ChildOf>(children);
            assert!(detached.is_ok(), "all are alive");
            mark_parents(world, orphans.into_iter().map(|(_, parent)| parent));
        });
    }
}

/// Compares the links with the components.
fn validate(world: &World) -> Result<(), String> {
    let Some(hierarchy) = world.get_resource::<Hierarchy>() else {
        let is_lost = |entity: &Entity| world.has::<ChildOf>(*entity) || world.has::<Parent>(*entity);
        return match world.entities().find(is_lost) {
            Some(lost) => Err(format!("{lost} is a child or a `Parent`, but the resource `Hierarchy` was taken out")),
            None => Ok(()),
        };
    };
    hierarchy.validate()?;
    let mut tied = 0;
    for (child, parent) in hierarchy.all_children() {
        tied += 1;
        if world.get::<ChildOf>(child) != Some(&ChildOf(parent)) {
            return Err(format!("{child} is tied to {parent}, but no `ChildOf` of it"));
        }
        if !world.has::<Parent>(parent) {
            return Err(format!("{parent} has children and is no `Parent`"));
        }
    }
    let children = world.entities().filter(|entity| world.has::<ChildOf>(*entity)).count();
    if children != tied {
        return Err(format!("{children} children, but {tied} of them are tied"));
    }
    // Each is below somebody who is nobody's child.
    let roots = hierarchy.all_parents().filter(|parent| hierarchy.parent(*parent).is_none());
    let below: usize = roots.map(|root| hierarchy.descendants(root).count()).sum();
    if below == tied { Ok(()) } else { Err(format!("{} children are their own ancestors", tied - below)) }
}
