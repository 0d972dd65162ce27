//! Iterators along the links. None of them needs memory but [`Levels`], and none calls itself: trees may be as deep as there are entities.

use super::links::Hierarchy;
use phalanx_ecs::Entity;
use std::collections::VecDeque;
use std::iter::FusedIterator;

/// The children of an entity, in order; see [`Hierarchy::children`].
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Kinship};
/// # let mut world = World::new();
/// # let mother = world.spawn(());
/// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
/// assert!(world.children(mother).eq(twins));
/// ```
#[derive(Clone, Debug)]
pub struct Children<'a> {
    hierarchy: &'a Hierarchy,
    front: Option<Entity>,
    back: Option<Entity>,
    left: usize,
}

impl<'a> Children<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, front: Option<Entity>, back: Option<Entity>, left: usize) -> Self {
        Self { hierarchy, front, back, left }
    }
}

impl Iterator for Children<'_> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        self.left = self.left.checked_sub(1)?;
        let child = self.front?;
        self.front = self.hierarchy.link(child).next;
        Some(child)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Children<'_> {
    fn next_back(&mut self) -> Option<Entity> {
        self.left = self.left.checked_sub(1)?;
        let child = self.back?;
        self.back = self.hierarchy.link(child).previous;
        Some(child)
    }
}

impl ExactSizeIterator for Children<'_> {}
impl FusedIterator for Children<'_> {}

/// What is below an entity, depth first; see [`Hierarchy::descendants`].
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Kinship};
/// # let mut world = World::new();
/// # let mother = world.spawn(());
/// let child = world.spawn(ChildOf(mother));
/// let grandchild = world.spawn(ChildOf(child));
/// assert!(world.descendants(mother).eq([child, grandchild]));
/// ```
#[derive(Clone, Debug)]
pub struct Descendants<'a> {
    hierarchy: &'a Hierarchy,
    top: Entity,
    next: Option<Entity>,
}

impl<'a> Descendants<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, top: Entity) -> Self {
        Self { hierarchy, top, next: hierarchy.first_child(top) }
    }
}

impl Iterator for Descendants<'_> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        let entity = self.next?;
        let mut link = self.hierarchy.link(entity);
        self.next = link.first;
        // Where there is no child it goes on beside, or beside the next above that has somebody there.
        while self.next.is_none() {
            if link.next.is_some() {
                self.next = link.next;
                break;
            }
            match link.parent {
                Some(parent) if parent != self.top => link = self.hierarchy.link(parent),
                _ => break,
            }
        }
        Some(entity)
    }
}

impl FusedIterator for Descendants<'_> {}

/// What is below an entity, level by level; see [`Hierarchy::levels`].
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Kinship};
/// # let mut world = World::new();
/// # let mother = world.spawn(());
/// let child = world.spawn(ChildOf(mother));
/// let grandchild = world.spawn(ChildOf(child));
/// assert!(world.levels(mother).eq([(1, child), (2, grandchild)]));
/// ```
#[derive(Clone, Debug)]
pub struct Levels<'a> {
    hierarchy: &'a Hierarchy,
    waiting: VecDeque<(usize, Entity)>,
}

impl<'a> Levels<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, top: Entity) -> Self {
        Self { hierarchy, waiting: hierarchy.children(top).map(|child| (1, child)).collect() }
    }
}

impl Iterator for Levels<'_> {
    type Item = (usize, Entity);

    fn next(&mut self) -> Option<(usize, Entity)> {
        let (level, entity) = self.waiting.pop_front()?;
        self.waiting.extend(self.hierarchy.children(entity).map(|child| (level + 1, child)));
        Some((level, entity))
    }
}

impl FusedIterator for Levels<'_> {}

/// What is above an entity, nearest first; see [`Hierarchy::ancestors`].
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_scene::{ChildOf, Kinship};
/// # let mut world = World::new();
/// # let mother = world.spawn(());
/// let child = world.spawn(ChildOf(mother));
/// let grandchild = world.spawn(ChildOf(child));
/// assert!(world.ancestors(grandchild).eq([child, mother]));
/// ```
#[derive(Clone, Debug)]
pub struct Ancestors<'a> {
    hierarchy: &'a Hierarchy,
    entity: Entity,
}

impl<'a> Ancestors<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, entity: Entity) -> Self {
        Self { hierarchy, entity }
    }
}

impl Iterator for Ancestors<'_> {
    type Item = Entity;

    fn next(&mut self) -> Option<Entity> {
        self.entity = self.hierarchy.parent(self.entity)?;
        Some(self.entity)
    }
}

impl FusedIterator for Ancestors<'_> {}
