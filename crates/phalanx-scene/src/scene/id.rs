//! [`SceneId`]: which scene; its name, and who is in it.

use super::refusal::{NameTaken, NoSuchScene};
use super::scenes::Scenes;
use crate::hierarchy::Hierarchy;
use crate::node::tagged;
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
///
/// It is a number, never given twice in one world and the same in each run of a program: so that of another world names the scene of its number here, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Described)]
pub struct SceneId(u32);

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

    /// The tags of its nodes, of all types.
    pub(super) fn tags(self, world: &World) -> Vec<ComponentId> {
        let Some(scenes) = world.get_resource::<Scenes>() else { return Vec::new() };
        let Some(scene) = scenes.get(self) else { return Vec::new() };
        scenes.kinds.tags_of(scene.slot).map(|(_, tag)| tag).collect()
    }
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
