//! Making and finding scenes.

use super::id::SceneId;
use super::refusal::NameTaken;
use super::scenes::Scenes;
use crate::node::Node;
use phalanx_ecs::{Entity, World};
use phalanx_schedule::{Pacer, every_frame};
use std::panic::Location;

/// Scenes of a world: made by name, and found.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::SceneWorld;
///
/// let mut world = World::new();
/// let (level, menu) = (world.create_scene("level")?, world.create_scene("menu")?);
/// assert_eq!((world.find_scene("menu"), world.scenes()), (Some(menu), vec![level, menu]));
/// # Ok::<(), phalanx_scene::NameTaken>(())
/// ```
pub trait SceneWorld {
    /// Makes a scene: active, running in every frame, without nodes and systems.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// assert!(world.create_scene("level").is_err());
    /// # Ok::<(), phalanx_scene::NameTaken>(())
    /// ```
    ///
    /// # Errors
    /// [`NameTaken`] if another scene has the name.
    #[track_caller]
    fn create_scene(&mut self, name: &str) -> Result<SceneId, NameTaken>;

    /// The scene of this name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// assert_eq!(world.find_scene("level"), None);
    /// let level = world.create_scene("level")?;
    /// assert_eq!(world.find_scene("level"), Some(level));
    /// # Ok::<(), phalanx_scene::NameTaken>(())
    /// ```
    fn find_scene(&self, name: &str) -> Option<SceneId>;

    /// All scenes, in the order in which they were made.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// assert_eq!(world.scenes(), [level]);
    /// # Ok::<(), phalanx_scene::NameTaken>(())
    /// ```
    fn scenes(&self) -> Vec<SceneId>;

    /// What an entity is, and where: scenes with the [names](crate::Node::NAME) of nodes, in the order of scenes.
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
    /// assert_eq!(world.roles_of(house), [(level, "Drawn")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn roles_of(&self, entity: Entity) -> Vec<(SceneId, &'static str)>;

    /// All nodes of a type, in all scenes: scene by scene, in [walking order](struct@phalanx_ecs::Query#order).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let (level, map) = (world.create_scene("level")?, world.create_scene("map")?);
    /// let house = world.spawn(Mesh(7));
    /// for scene in [map, level] {
    ///     scene.add_node::<Drawn>(&mut world, house)?;
    /// }
    /// assert_eq!(world.nodes_of::<Drawn>(), [(level, house), (map, house)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn nodes_of<N: Node + 'static>(&self) -> Vec<(SceneId, Entity)>;
}

impl SceneWorld for World {
    fn create_scene(&mut self, name: &str) -> Result<SceneId, NameTaken> {
        let caller = Location::caller();
        let mut scenes = self.init_resource::<Scenes>();
        if let Some(scene) = scenes.find(name) {
            return Err(NameTaken { scene, name: name.to_owned(), caller });
        }
        let clock = Pacer::new(name, every_frame()).expect("a pace");
        Ok(scenes.add(name, clock))
    }

    fn find_scene(&self, name: &str) -> Option<SceneId> {
        self.get_resource::<Scenes>()?.find(name)
    }

    fn scenes(&self) -> Vec<SceneId> {
        self.get_resource::<Scenes>().map_or_else(Vec::new, |scenes| scenes.ids().collect())
    }

    fn roles_of(&self, entity: Entity) -> Vec<(SceneId, &'static str)> {
        let (Some(scenes), Ok(entity_ref)) = (self.get_resource::<Scenes>(), self.entity(entity)) else {
            return Vec::new();
        };
        let roles = entity_ref.components().filter_map(|info| {
            let (kind, slot) = scenes.kinds.role(info.id())?;
            let scene = scenes.in_slot(slot).filter(|_| self.is_on_dyn(entity, info.id()))?;
            Some((scene, kind))
        });
        let mut roles: Vec<_> = roles.collect();
        roles.sort();
        roles.into_iter().map(|(scene, kind)| (scene, scenes.kinds.get(kind).name)).collect()
    }

    fn nodes_of<N: Node + 'static>(&self) -> Vec<(SceneId, Entity)> {
        let of = |scene: SceneId| scene.nodes::<N>(self).into_iter().map(move |node| (scene, node));
        self.scenes().into_iter().flat_map(of).collect()
    }
}
