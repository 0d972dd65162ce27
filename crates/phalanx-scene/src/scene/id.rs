//! [`SceneId`]: which scene; who is in it, and how it ends.

use super::refusal::{NameTaken, NoSuchScene};
use super::scenes::{Scenes, Stage};
use crate::hierarchy::{Hierarchy, Kinship};
use crate::node::{leave, tagged};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, Described};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::Location;

/// A scene of a world. The ids of those that were deleted are not used again.
///
/// Made by [`SceneWorld::create_scene`](super::SceneWorld::create_scene). In a system of a scene it is an argument: the scene that the system runs for.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{SceneId, SceneWorld};
/// use phalanx_schedule::Engine;
///
/// #[derive(Resource, Default)] struct Log(Vec<SceneId>);
///
/// fn note(scene: SceneId, mut log: ResMut<Log>) {
///     log.0.push(scene);
/// }
///
/// let mut engine = Engine::new();
/// engine.world_mut().insert_resource(Log::default());
/// let both = ["level", "menu"].map(|name| engine.world_mut().create_scene(name).unwrap());
/// for scene in both {
///     scene.add(&mut engine, note)?;
/// }
/// engine.run_frames(1)?;
/// assert_eq!(engine.world().resource::<Log>()?.0, both);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Described)]
pub struct SceneId(u32);

/// What becomes of entities that are nodes of a scene that goes, and of no other.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Leaving, Node, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let house = world.spawn(Mesh(7));
/// level.add_node::<Drawn>(&mut world, house)?;
/// level.clear(&mut world, Leaving::Keep)?;
/// assert!(world.is_alive(house) && !level.has_node::<Drawn>(&world, house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// They are despawned.
    Despawn,
    /// They live on, without the role.
    Keep,
}

impl SceneId {
    pub(super) fn new(number: u32) -> Self {
        Self(number)
    }

    pub(super) fn number(self) -> u32 {
        self.0
    }

    /// What it is called.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// assert_eq!(level.name(&world)?, "level");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn name(self, world: &World) -> Result<&str, NoSuchScene> {
        let caller = Location::caller();
        let name = world.get_resource::<Scenes>().and_then(|scenes| scenes.name(self));
        name.ok_or_else(|| NoSuchScene::of_id(world, self, caller))
    }

    /// Whether it is there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// assert!(level.is_there(&world));
    /// level.delete(&mut world)?;
    /// assert!(!level.is_there(&world));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_there(self, world: &World) -> bool {
        world.get_resource::<Scenes>().is_some_and(|scenes| scenes.get(self).is_some())
    }

    /// All entities that are nodes of this scene, of whatever type, each once.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Component)] struct Mass(f32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # #[derive(Node)] struct Body<'w> { mass: &'w Mass }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let rock = world.spawn((Mesh(7), Mass(2.0)));
    /// level.add_node::<Drawn>(&mut world, rock)?;
    /// level.add_node::<Body>(&mut world, rock)?;
    /// assert_eq!(level.members(&world), [rock]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn members(self, world: &World) -> Vec<Entity> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        for tag in self.tags(world) {
            all.extend(tagged(world, tag).into_iter().filter(|entity| seen.insert(*entity)));
        }
        all
    }

    /// How deep the [hierarchy](Hierarchy) goes among its nodes: 0 if all of them are roots; `None` if it has no nodes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let tank = world.spawn(Mesh(1));
    /// let turret = world.spawn((Mesh(2), ChildOf(tank)));
    /// world.spawn((Mesh(3), ChildOf(turret)));
    /// assert_eq!(level.deepest_level(&world), None);
    /// level.add_nodes::<Drawn>(&mut world, [tank, turret])?;
    /// assert_eq!(level.deepest_level(&world), Some(1));
    /// level.add_matching::<Drawn>(&mut world)?;
    /// assert_eq!(level.deepest_level(&world), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deepest_level(self, world: &World) -> Option<usize> {
        let hierarchy = world.get_resource::<Hierarchy>();
        let parent = |entity| hierarchy.and_then(|hierarchy| hierarchy.parent(entity));
        // Each entity is climbed from once, however many are below it.
        let (mut known, mut path) = (HashMap::<Entity, usize>::new(), Vec::new());
        let depths = self.members(world).into_iter().map(|entity| {
            let mut here = Some(entity);
            let mut depth = None;
            while let Some(entity) = here {
                if let Some(known) = known.get(&entity) {
                    depth = Some(*known);
                    break;
                }
                path.push(entity);
                here = parent(entity);
            }
            while let Some(entity) = path.pop() {
                let here = depth.map_or(0, |above| above + 1);
                known.insert(entity, here);
                depth = Some(here);
            }
            depth.unwrap_or(0)
        });
        depths.max()
    }

    /// Gives it another name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// world.create_scene("menu")?;
    /// assert!(level.rename(&mut world, "menu")?.is_err(), "another has it");
    /// level.rename(&mut world, "level 1")??;
    /// assert_eq!(world.find_scene("level 1"), Some(level));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone; [`NameTaken`] inside if another scene has the name.
    #[track_caller]
    pub fn rename(self, world: &mut World, name: &str) -> Result<Result<(), NameTaken>, NoSuchScene> {
        let caller = Location::caller();
        self.name(world)?;
        let mut scenes = world.init_resource::<Scenes>();
        match scenes.find(name) {
            Some(scene) if scene != self => Ok(Err(NameTaken { scene, name: name.to_owned(), caller })),
            _ => {
                scenes.rename(self, name);
                Ok(Ok(()))
            }
        }
    }

    /// All its nodes cease to be nodes; answers how many entities were. Those that are nodes of no other scene are despawned, or live on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Leaving, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let (level, map) = (world.create_scene("level")?, world.create_scene("map")?);
    /// let (house, tower) = (world.spawn(Mesh(7)), world.spawn(Mesh(8)));
    /// level.add_nodes::<Drawn>(&mut world, [house, tower])?;
    /// map.add_node::<Drawn>(&mut world, tower)?;
    /// assert_eq!(level.clear(&mut world, Leaving::Despawn)?, 2);
    /// assert!(!world.is_alive(house) && map.has_node::<Drawn>(&world, tower));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Whoever is despawned takes descendants along, but for those that are nodes of another scene: they are [detached](Kinship::detach), with all below them.
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn clear(self, world: &mut World, leaving: Leaving) -> Result<usize, NoSuchScene> {
        self.name(world)?;
        let members = self.members(world);
        if leaving == Leaving::Despawn {
            let own = self.tags(world);
            let only_here: Vec<Entity> =
                members.iter().copied().filter(|entity| !is_elsewhere(world, *entity, &own)).collect();
            for entity in stays_of(world, &only_here, &own) {
                // An observer may have ended it meanwhile.
                let _ = world.detach(entity);
            }
            // Some may end with others of them: descendants do.
            let _ = world.despawn_batch(only_here);
        }
        // Asked for only now: observers may have made nodes of others.
        for tag in self.tags(world) {
            // An observer may have ended the scene, and another may have its tags by now.
            if !self.is_there(world) {
                break;
            }
            let left = tagged(world, tag);
            leave(world, &left, tag);
        }
        Ok(members.len())
    }

    /// Deletes it. Entities that are nodes of no other scene are despawned, as [`SceneId::clear`] does; its systems never run again, and are removed from the
    /// engine with the next change of a scene's systems, or by [`SceneId::delete_from`].
    ///
    /// A system can do this to the scene that it runs for, in a command or with `&mut World`.
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
    /// level.delete(&mut world)?;
    /// assert!(!level.is_there(&world) && !world.is_alive(house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// To keep the entities, [clear](SceneId::clear) it first with [`Leaving::Keep`]. While it is being deleted nobody becomes a node of it: observers of what ends are refused
    /// as if it were gone.
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn delete(self, world: &mut World) -> Result<(), NoSuchScene> {
        self.name(world)?;
        if let Some(scene) = world.init_resource::<Scenes>().get_mut(self) {
            scene.stage = Stage::Ends;
        }
        self.clear(world, Leaving::Despawn)?;
        let removed = world.init_resource::<Scenes>().remove(self);
        if let Some(scene) = removed {
            super::systems::leave_to_remove(world, &scene);
        }
        Ok(())
    }

    /// The tags of its nodes, of all types.
    pub(super) fn tags(self, world: &World) -> Vec<ComponentId> {
        let Some(scenes) = world.get_resource::<Scenes>() else { return Vec::new() };
        let Some(scene) = scenes.get(self) else { return Vec::new() };
        scenes.kinds.tags_of(scene.slot).map(|(_, tag)| tag).collect()
    }
}

/// Whether a living entity is a node of another scene than the one with these tags.
fn is_elsewhere(world: &World, entity: Entity, own: &[ComponentId]) -> bool {
    let (Some(scenes), Ok(entity_ref)) = (world.get_resource::<Scenes>(), world.entity(entity)) else { return false };
    let is_role_elsewhere = |tag| scenes.kinds.role(tag).is_some() && !own.contains(&tag);
    entity_ref.components().any(|info| is_role_elsewhere(info.id()) && world.is_on_dyn(entity, info.id()))
}

/// Of the descendants of entities that are to end, those next to what ends that are nodes of another scene than the one with these tags.
fn stays_of(world: &World, ends: &[Entity], own: &[ComponentId]) -> Vec<Entity> {
    let Some(hierarchy) = world.get_resource::<Hierarchy>() else { return Vec::new() };
    if world.get_resource::<Scenes>().is_none_or(|scenes| scenes.ids().len() < 2) {
        return Vec::new();
    }
    let (mut stays, mut seen, mut waiting) = (Vec::new(), HashSet::new(), Vec::new());
    for entity in ends {
        waiting.push(*entity);
        while let Some(entity) = waiting.pop() {
            if seen.insert(entity) {
                for child in hierarchy.children(entity) {
                    if is_elsewhere(world, child, own) { stays.push(child) } else { waiting.push(child) }
                }
            }
        }
    }
    stays
}

impl fmt::Display for SceneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scene {}", self.0)
    }
}

impl fmt::Debug for SceneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
