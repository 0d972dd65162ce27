//! [`Kinship`]: parents and children, asked of a world and changed in it.

use super::child_of::ChildOf;
use super::links::Hierarchy;
use super::refusal::HierarchyError;
use super::walk::{Ancestors, Children, Descendants, Levels};
use super::{attach, trees};
use phalanx_ecs::{CloneError, Entity, NoSuchEntity, TransferError, World};
use std::borrow::Borrow;

/// A place among the children of a parent.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{ChildOf, Kinship, Place};
///
/// let mut world = World::new();
/// let mother = world.spawn(());
/// let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf(mother)));
/// world.attach_at(c, mother, Place::First)?;
/// world.attach_at(a, mother, Place::After(b))?;
/// assert!(world.children(mother).eq([c, b, a]));
/// # Ok::<(), phalanx_scene::HierarchyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Right before this child.
    Before(Entity),
    /// Right after this child.
    After(Entity),
}

/// Parents and children of a world.
///
/// Whatever ends an entity ends its descendants, and [`World::move_entity`] ends it in its world: [`Kinship::move_tree`] takes them along, [`Kinship::despawn_alone`] leaves them.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::Kinship;
///
/// let mut world = World::new();
/// let [mother, child] = [world.spawn(()), world.spawn(())];
/// world.attach(child, mother)?;
/// assert_eq!(world.parent(child), Some(mother));
/// # Ok::<(), phalanx_scene::HierarchyError>(())
/// ```
pub trait Kinship {
    /// Makes an entity the last child of another. If it had a parent it leaves it; its own children stay its own. Its [`Transform`](crate::Transform) stays what it was, and so it stands elsewhere in the world if the
    /// new parent does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::Kinship;
    /// # let mut world = World::new();
    /// let [old, new, child] = [(); 3].map(|()| world.spawn(()));
    /// world.attach(child, old)?;
    /// world.attach(child, new)?;
    /// assert_eq!(world.parent(child), Some(new));
    /// assert_eq!(world.children(old).len(), 0);
    /// # Ok::<(), phalanx_scene::HierarchyError>(())
    /// ```
    ///
    /// # Errors
    /// [`HierarchyError`] if one of them is not alive, or the entity would be its own ancestor; nothing changes.
    #[track_caller]
    fn attach(&mut self, child: Entity, parent: Entity) -> Result<(), HierarchyError> {
        self.attach_at(child, parent, Place::Last)
    }

    /// Makes an entity the child of another, at a place among its children; or moves it to that place, if it is one already.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship, Place};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let a = world.spawn(ChildOf(mother));
    /// let b = world.spawn(());
    /// world.attach_at(b, mother, Place::Before(a))?;
    /// assert!(world.children(mother).eq([b, a]));
    /// # Ok::<(), phalanx_scene::HierarchyError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kinship::attach`]; and if the place is beside who is no child of the parent.
    #[track_caller]
    fn attach_at(&mut self, child: Entity, parent: Entity, place: Place) -> Result<(), HierarchyError>;

    /// Makes entities the last children of another, in this order.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::Kinship;
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let brood = world.spawn_batch([(), (), ()]);
    /// world.attach_all(&brood, mother)?;
    /// assert!(world.children(mother).eq(brood));
    /// # Ok::<(), phalanx_scene::HierarchyError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kinship::attach`]; all or nothing.
    #[track_caller]
    fn attach_all(
        &mut self,
        children: impl IntoIterator<Item: Borrow<Entity>>,
        parent: Entity,
    ) -> Result<(), HierarchyError>;

    /// Makes an entity nobody's child; answers whether it was one. Its own children stay its own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// assert!(world.detach(child)?);
    /// assert!(!world.detach(child)?);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[track_caller]
    fn detach(&mut self, child: Entity) -> Result<bool, NoSuchEntity>;

    /// Makes all children of an entity nobody's; answers how many there were.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert_eq!(world.detach_children(mother)?, 2);
    /// assert_eq!(world.parent(twins[0]), None);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[track_caller]
    fn detach_children(&mut self, parent: Entity) -> Result<usize, NoSuchEntity>;

    /// Despawns an entity without its descendants: its children become nobody's.
    ///
    /// If an observer of that panics the entity goes all the same, and the panic goes on afterwards. If one puts another world in place of this one, nobody there is touched: the entity stays,
    /// without its children, in the world that was put away.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// world.despawn_alone(mother)?;
    /// assert!(world.is_alive(child) && world.parent(child).is_none());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[track_caller]
    fn despawn_alone(&mut self, entity: Entity) -> Result<(), NoSuchEntity>;

    /// Copies an entity and all its descendants; answers the copy of the entity, which is a child of the same parent, as the last.
    ///
    /// Each is copied in turn, beside its original, and then put below its copied parent. Observers are told of both, and what they change stands: below a copy that they have ended nothing is
    /// copied. If one of them panics, or a `Clone`, all copies go again, and the panic goes on afterwards; but for the copy of an entity that is nobody's child, if it was that of which they were
    /// told: it stays alone, as with [`World::clone_entity`]. If one of them puts another world in place of this one, nobody there is touched: the copy is in the world that was put away, as far as
    /// it had come.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// #[derive(Component, Clone, PartialEq, Debug)] struct Part(u32);
    ///
    /// let tank = world.spawn(Part(1));
    /// let turret = world.spawn((Part(2), ChildOf(tank)));
    /// world.spawn((Part(3), ChildOf(turret)));
    /// let copy = world.clone_tree(tank)?;
    /// let parts = world.descendants(copy).map(|part| world.get::<Part>(part).unwrap().0);
    /// assert!(parts.eq([2, 3]));
    /// # Ok::<(), phalanx_ecs::CloneError>(())
    /// ```
    ///
    /// # Errors
    /// [`CloneError`] if one of them cannot be copied, as [`World::clone_entity`] says; then there is no copy of any.
    #[track_caller]
    fn clone_tree(&mut self, entity: Entity) -> Result<Entity, CloneError>;

    /// Moves an entity and all its descendants to another world, where they are each other's parents and children as before, in the same order; answers what the entity is called there. It has no
    /// parent there.
    ///
    /// [`World::move_entity`] moves an entity alone: what is below it stays behind, and so ends.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// #[derive(Component, PartialEq, Debug)] struct Part(u32);
    ///
    /// let (mut here, mut there) = (World::new(), World::new());
    /// let tank = here.spawn(Part(1));
    /// let turret = here.spawn((Part(2), ChildOf(tank)));
    /// here.spawn((Part(3), ChildOf(turret)));
    /// let moved = here.move_tree(tank, &mut there)?;
    /// let parts = there.descendants(moved).map(|part| there.get::<Part>(part).unwrap().0);
    /// assert!(parts.eq([2, 3]));
    /// assert_eq!(here.alive(), 0);
    /// # Ok::<(), phalanx_ecs::TransferError>(())
    /// ```
    ///
    /// Relations are left behind, as by [`World::move_entity`], also those among who moves. Who stays and would end with one that moves ends; who moves ends with nobody. Observers of both
    /// worlds are told of one entity after the other, and what they change stands: who has ended, or has another parent by the time it would move, does not. If one of them panics, the others
    /// move all the same.
    ///
    /// # Errors
    /// [`TransferError`] if one of them cannot move. Nothing has changed if the entity is not alive, one of them has a [`Uuid`](phalanx_ecs::Uuid) that somebody has there, or there is no room for
    /// all. Anything else shows only when it is an entity's turn; those that had moved come back then, to their places, but as new entities, without what never moves: their roles in scenes, their
    /// relations, and whose [instances](crate::InstanceOf) they were. Relations with which any of the tree would end with others are gone, too.
    #[track_caller]
    fn move_tree(&mut self, entity: Entity, other: &mut World) -> Result<Entity, TransferError>;

    /// Who is whose child. Empty if there never was one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::Kinship;
    /// let mut world = World::new();
    /// let stone = world.spawn(());
    /// assert_eq!(world.hierarchy().children(stone).len(), 0);
    /// ```
    fn hierarchy(&self) -> &Hierarchy;

    /// [`Hierarchy::parent`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// assert_eq!(world.parent(child), Some(mother));
    /// ```
    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.hierarchy().parent(entity)
    }

    /// [`Hierarchy::children`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert!(world.children(mother).eq(twins));
    /// ```
    fn children(&self, entity: Entity) -> Children<'_> {
        self.hierarchy().children(entity)
    }

    /// [`Hierarchy::descendants`]
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
    fn descendants(&self, entity: Entity) -> Descendants<'_> {
        self.hierarchy().descendants(entity)
    }

    /// [`Hierarchy::levels`]
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
    fn levels(&self, entity: Entity) -> Levels<'_> {
        self.hierarchy().levels(entity)
    }

    /// [`Hierarchy::ancestors`]
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
    fn ancestors(&self, entity: Entity) -> Ancestors<'_> {
        self.hierarchy().ancestors(entity)
    }

    /// [`Hierarchy::siblings`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert!(world.siblings(twins[0]).eq([twins[1]]));
    /// ```
    fn siblings(&self, entity: Entity) -> impl DoubleEndedIterator<Item = Entity> + '_ {
        self.hierarchy().siblings(entity)
    }

    /// [`Hierarchy::first_child`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert_eq!(world.first_child(mother), Some(twins[0]));
    /// ```
    fn first_child(&self, entity: Entity) -> Option<Entity> {
        self.hierarchy().first_child(entity)
    }

    /// [`Hierarchy::last_child`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert_eq!(world.last_child(mother), Some(twins[1]));
    /// ```
    fn last_child(&self, entity: Entity) -> Option<Entity> {
        self.hierarchy().last_child(entity)
    }

    /// [`Hierarchy::previous_sibling`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert_eq!(world.previous_sibling(twins[1]), Some(twins[0]));
    /// ```
    fn previous_sibling(&self, entity: Entity) -> Option<Entity> {
        self.hierarchy().previous_sibling(entity)
    }

    /// [`Hierarchy::next_sibling`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let twins = world.spawn_batch([ChildOf(mother), ChildOf(mother)]);
    /// assert_eq!(world.next_sibling(twins[0]), Some(twins[1]));
    /// ```
    fn next_sibling(&self, entity: Entity) -> Option<Entity> {
        self.hierarchy().next_sibling(entity)
    }

    /// [`Hierarchy::root`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// assert_eq!(world.root(child), mother);
    /// ```
    fn root(&self, entity: Entity) -> Entity {
        self.hierarchy().root(entity)
    }

    /// [`Hierarchy::depth`]
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Kinship};
    /// # let mut world = World::new();
    /// # let mother = world.spawn(());
    /// let child = world.spawn(ChildOf(mother));
    /// assert_eq!(world.depth(child), 1);
    /// ```
    fn depth(&self, entity: Entity) -> usize {
        self.hierarchy().depth(entity)
    }
}

static EMPTY: Hierarchy = Hierarchy::EMPTY;

impl Kinship for World {
    #[track_caller]
    fn attach_at(&mut self, child: Entity, parent: Entity, place: Place) -> Result<(), HierarchyError> {
        attach::attach_at(self, child, parent, place)
    }

    #[track_caller]
    fn attach_all(
        &mut self,
        children: impl IntoIterator<Item: Borrow<Entity>>,
        parent: Entity,
    ) -> Result<(), HierarchyError> {
        let children: Vec<Entity> = children.into_iter().map(|child| *child.borrow()).collect();
        attach::attach_all(self, &children, parent)
    }

    #[track_caller]
    fn detach(&mut self, child: Entity) -> Result<bool, NoSuchEntity> {
        self.entity(child)?;
        Ok(self.remove::<ChildOf>(child).is_ok_and(|removed| removed > 0))
    }

    #[track_caller]
    fn detach_children(&mut self, parent: Entity) -> Result<usize, NoSuchEntity> {
        self.entity(parent)?;
        let children: Vec<Entity> = self.children(parent).collect();
        let detached = self.remove_batch::<ChildOf>(&children);
        Ok(detached.unwrap_or_else(|error| unreachable!("children are alive: {error}")))
    }

    #[track_caller]
    fn despawn_alone(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        trees::despawn_top(self, entity)
    }

    #[track_caller]
    fn clone_tree(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        trees::clone(self, entity)
    }

    #[track_caller]
    fn move_tree(&mut self, entity: Entity, other: &mut World) -> Result<Entity, TransferError> {
        trees::move_to(self, entity, other)
    }

    fn hierarchy(&self) -> &Hierarchy {
        self.get_resource::<Hierarchy>().unwrap_or(&EMPTY)
    }
}
