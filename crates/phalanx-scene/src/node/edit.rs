//! Becoming a node and ceasing to be one.

use super::crowd::{join, join_where, leave};
use super::kind::Node;
use super::kinds::{Contradiction, KindId, learn, make_tag};
use super::refusal::NodeError;
use crate::scene::{SceneId, Scenes, Site};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, WithDyn};
use std::borrow::Borrow;
use std::panic::Location;

/// A role in a scene, ready for changes.
struct Role {
    kind: KindId,
    tag: ComponentId,
    site: Site,
}

fn role<N: Node + 'static>(
    scene: SceneId,
    world: &mut World,
    caller: &'static Location<'static>,
) -> Result<Role, NodeError> {
    let site = Site::open(world, scene, caller)?;
    let kind = learn::<N>(world).map_err(|Contradiction { node, component }| NodeError::Contradiction {
        node,
        component,
        caller,
    })?;
    Ok(Role { kind, tag: make_tag(world, kind, site.slot), site })
}

/// Tags living entities that have what the tag depends on; answers how many did not have it.
fn tag_all(world: &mut World, entities: &[Entity], tag: ComponentId, site: Site) -> usize {
    let mut new: Vec<Entity> = entities.iter().copied().filter(|entity| !world.is_on_dyn(*entity, tag)).collect();
    new.sort();
    new.dedup();
    join(world, &new, tag, site)
}

/// # Nodes
impl SceneId {
    /// Makes an entity a node of this scene; answers whether it was none.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::{Node, SceneWorld};
    ///
    /// #[derive(Component)] struct Mesh(u32);
    /// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    ///
    /// let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let house = world.spawn(Mesh(7));
    /// assert!(level.add_node::<Drawn>(&mut world, house)?);
    /// assert!(!level.add_node::<Drawn>(&mut world, house)?, "it is one already");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NodeError`] if the scene is gone, the entity is not alive, or it lacks what the node needs or has what it must be without.
    #[track_caller]
    pub fn add_node<N: Node + 'static>(self, world: &mut World, entity: Entity) -> Result<bool, NodeError> {
        Ok(self.add_nodes::<N>(world, [entity])? > 0)
    }

    /// Makes entities nodes of this scene; answers how many were none. It is all or nothing.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::{Node, SceneWorld};
    ///
    /// #[derive(Component)] struct Mesh(u32);
    /// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    ///
    /// let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let houses = world.spawn_batch([Mesh(7), Mesh(8)]);
    /// assert_eq!(level.add_nodes::<Drawn>(&mut world, &houses)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`SceneId::add_node`], for the first of them; then none becomes a node.
    #[track_caller]
    pub fn add_nodes<N: Node + 'static>(
        self,
        world: &mut World,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
    ) -> Result<usize, NodeError> {
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        self.add_nodes_for::<N>(world, &entities, Location::caller())
    }

    /// The same for who queued it.
    #[track_caller]
    pub(super) fn add_nodes_for<N: Node + 'static>(
        self,
        world: &mut World,
        entities: &[Entity],
        caller: &'static Location<'static>,
    ) -> Result<usize, NodeError> {
        let Role { kind, tag, site } = role::<N>(self, world, caller)?;
        let scenes = world.get_resource::<Scenes>().expect("it has this scene");
        let kind = scenes.kinds.get(kind);
        for entity in entities {
            world.entity(*entity)?;
            NodeError::of(world, *entity, kind, caller)?;
        }
        Ok(tag_all(world, entities, tag, site))
    }

    /// Makes every entity that can be one a node of this scene, whole tables at once; answers how many were none.
    ///
    /// It speaks of those that there are: who comes later, or can be one only later, is no node until it is added, too; and who ceases to be one is not added again.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::{Node, SceneWorld};
    ///
    /// #[derive(Component)] struct Mesh(u32);
    /// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    ///
    /// let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// world.spawn_batch((0..1000).map(Mesh));
    /// world.spawn(());
    /// assert_eq!(level.add_matching::<Drawn>(&mut world)?, 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NodeError`] if the scene is gone.
    #[track_caller]
    pub fn add_matching<N: Node + 'static>(self, world: &mut World) -> Result<usize, NodeError> {
        let Role { kind, tag, site } = role::<N>(self, world, Location::caller())?;
        Ok(join_where(world, kind, tag, site))
    }

    /// An entity ceases to be a node of this scene; answers whether it was one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// assert!(level.remove_node::<Drawn>(&mut world, house)?);
    /// assert!(!level.remove_node::<Drawn>(&mut world, house)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NodeError`] if the scene is gone or the entity is not alive.
    #[track_caller]
    pub fn remove_node<N: Node + 'static>(self, world: &mut World, entity: Entity) -> Result<bool, NodeError> {
        Ok(self.remove_nodes::<N>(world, [entity])? > 0)
    }

    /// Entities cease to be nodes of this scene; answers how many were.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let houses = world.spawn_batch([Mesh(7), Mesh(8), Mesh(9)]);
    /// level.add_nodes::<Drawn>(&mut world, houses.iter().take(2))?;
    /// assert_eq!(level.remove_nodes::<Drawn>(&mut world, &houses)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NodeError`] if the scene is gone or one of the entities is not alive; then all stay what they are.
    #[track_caller]
    pub fn remove_nodes<N: Node + 'static>(
        self,
        world: &mut World,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
    ) -> Result<usize, NodeError> {
        let site = Site::open(world, self, Location::caller())?;
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        for entity in &entities {
            world.entity(*entity)?;
        }
        let scenes = world.get_resource::<Scenes>().expect("it has this scene");
        let Some(tag) = scenes.kinds.find::<N>().and_then(|kind| scenes.kinds.tag(kind, site.slot)) else {
            return Ok(0);
        };
        Ok(leave(world, &entities, tag, site))
    }

    /// Whether an entity is a node of this scene.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let (level, menu) = (world.create_scene("level")?, world.create_scene("menu")?);
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// assert!(level.has_node::<Drawn>(&world, house) && !menu.has_node::<Drawn>(&world, house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_node<N: Node + 'static>(self, world: &World, entity: Entity) -> bool {
        self.tag_of::<N>(world).is_some_and(|tag| world.is_on_dyn(entity, tag))
    }

    /// The nodes of a type in this scene, in [walking order](struct@phalanx_ecs::Query#order).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// assert_eq!(level.nodes::<Drawn>(&world), [house]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nodes<N: Node + 'static>(self, world: &World) -> Vec<Entity> {
        self.tag_of::<N>(world).map_or_else(Vec::new, |tag| tagged(world, tag))
    }

    /// A query for the nodes of a type in this scene, to be used again and again: what a system has as [`Nodes`](super::Nodes).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w mut Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// let mut all_drawn = level.prepare::<Drawn>(&mut world)?;
    /// all_drawn.on(&mut world).for_each(|drawn| drawn.mesh.0 += 1);
    /// assert_eq!(world.get::<Mesh>(house).unwrap().0, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// It belongs to the scene for as long as that is there. When it is deleted the query yields nothing, until another scene may take its place.
    ///
    /// # Errors
    /// [`NodeError`] if the scene is gone.
    #[track_caller]
    pub fn prepare<N: Node + 'static>(self, world: &mut World) -> Result<Prepared<N, WithDyn>, NodeError> {
        let Role { tag, .. } = role::<N>(self, world, Location::caller())?;
        Ok(Prepared::with_dyn(world, tag).expect("a tag, which is in tables"))
    }

    /// An entity that is a node here becomes the same in another scene, and stays it here; answers whether it was none there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let (level, map) = (world.create_scene("level")?, world.create_scene("map")?);
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// level.copy_nodes(&mut world, [house], map)?;
    /// assert!(level.has_node::<Drawn>(&world, house) && map.has_node::<Drawn>(&world, house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// All roles that the entities have here are meant; answers how many were new there.
    ///
    /// # Errors
    /// [`NodeError`] if one of the scenes is gone or one of the entities is not alive; then nothing changes.
    #[track_caller]
    pub fn copy_nodes(
        self,
        world: &mut World,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        to: Self,
    ) -> Result<usize, NodeError> {
        let caller = Location::caller();
        let (from, there) = (Site::open(world, self, caller)?, Site::open(world, to, caller)?);
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        for entity in &entities {
            world.entity(*entity)?;
        }
        let scenes = world.get_resource::<Scenes>().expect("it has these scenes");
        let roles: Vec<(KindId, ComponentId)> = scenes.kinds.tags_of(from.slot).collect();
        let mut new = 0;
        for (kind, tag) in roles {
            // Observers of the role before may have ended one of the scenes, and another may have its tags by now.
            if !from.is_there(world) || !there.is_open(world) {
                break;
            }
            let is_node = |entity: &&Entity| world.is_on_dyn(**entity, tag);
            let nodes: Vec<Entity> = entities.iter().filter(is_node).copied().collect();
            if !nodes.is_empty() {
                let tag = make_tag(world, kind, there.slot);
                new += tag_all(world, &nodes, tag, there);
            }
        }
        Ok(new)
    }

    /// Entities that are nodes here become the same in another scene, and cease to be it here; answers how many roles they had here.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let (level, map) = (world.create_scene("level")?, world.create_scene("map")?);
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// level.move_nodes(&mut world, [house], map)?;
    /// assert!(!level.has_node::<Drawn>(&world, house) && map.has_node::<Drawn>(&world, house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// If an observer ends one of the scenes meanwhile, or puts another world in the place of this one, those that still have a role here keep it.
    ///
    /// # Errors
    /// As [`SceneId::copy_nodes`].
    #[track_caller]
    pub fn move_nodes(
        self,
        world: &mut World,
        entities: impl IntoIterator<Item: Borrow<Entity>>,
        to: Self,
    ) -> Result<usize, NodeError> {
        let caller = Location::caller();
        let (from, there) = (Site::open(world, self, caller)?, Site::open(world, to, caller)?);
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        self.copy_nodes(world, &entities, to)?;
        if self == to {
            return Ok(0);
        }
        let is_there = |world: &World| from.is_there(world) && there.is_there(world);
        let scenes = world.get_resource::<Scenes>().filter(|_| is_there(world));
        let tags = scenes.map_or_else(Vec::new, |scenes| scenes.kinds.tags_of(from.slot).map(|(_, tag)| tag).collect());
        let mut left = 0;
        for tag in tags {
            // As when they are copied. Where they should go is gone with the scene there: then they stay.
            if !is_there(world) {
                break;
            }
            left += leave(world, &entities, tag, from);
        }
        Ok(left)
    }

    fn tag_of<N: Node + 'static>(self, world: &World) -> Option<ComponentId> {
        let scenes = world.get_resource::<Scenes>()?;
        scenes.kinds.tag(scenes.kinds.find::<N>()?, scenes.get(self)?.slot)
    }
}

/// Those that have a tag, in walking order.
pub(crate) fn tagged(world: &World, tag: ComponentId) -> Vec<Entity> {
    Prepared::<Entity, WithDyn>::with_dyn(world, tag).expect("a tag").on_shared(world).iter().collect()
}
