//! Becoming a node and ceasing to be one, queued.

use super::kind::Node;
use crate::scene::SceneId;
use phalanx_ecs::prelude::*;
use std::borrow::Borrow;
use std::panic::Location;

/// Becoming a node and ceasing to be one, queued: for [`Commands`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{CommandNodes, Node, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let mut commands = world.commands();
/// let house = commands.spawn(Mesh(7));
/// commands.add_node::<Drawn>(level, house);
/// world.apply(&mut commands)?;
/// assert!(level.has_node::<Drawn>(&world, house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A system that serves a scene takes its [`SceneId`]; any other finds it by its name in the resource [`Scenes`](crate::Scenes):
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{CommandNodes, Node, SceneId, SceneWorld, Scenes};
/// use phalanx_schedule::{Engine, Res};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// fn build(scenes: Res<Scenes>, commands: &mut Commands) {
///     let Some(level) = scenes.find("level") else { return };
///     let house = commands.spawn(Mesh(7));
///     commands.add_node::<Drawn>(level, house);
/// }
///
/// fn plant(here: SceneId, commands: &mut Commands) {
///     let tree = commands.spawn(Mesh(8));
///     commands.add_node::<Drawn>(here, tree);
/// }
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// engine.add(build)?;
/// level.add(&mut engine, plant)?;
/// engine.run_frames(1)?;
/// assert_eq!(level.nodes::<Drawn>(engine.world()).len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CommandNodes {
    /// Makes an entity a node of a scene, when the queue is applied; see [`SceneId::add_node`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{CommandNodes, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// # let level = world.create_scene("level")?;
    /// let mut commands = world.commands();
    /// let nothing = commands.spawn(());
    /// commands.add_node::<Drawn>(level, nothing);
    /// let errors = world.apply(&mut commands).unwrap_err();
    /// assert!(errors.to_string().contains("error[N001]: entity 0v0 cannot become node `Drawn`"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn add_node<N: Node + 'static>(&mut self, scene: SceneId, entity: Entity);

    /// Makes entities nodes of a scene, when the queue is applied; see [`SceneId::add_nodes`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{CommandNodes, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// # let level = world.create_scene("level")?;
    /// let mut commands = world.commands();
    /// let houses = [7, 8].map(|mesh| commands.spawn(Mesh(mesh)));
    /// commands.add_nodes::<Drawn>(level, houses);
    /// world.apply(&mut commands)?;
    /// assert_eq!(level.nodes::<Drawn>(&world), houses);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn add_nodes<N: Node + 'static>(&mut self, scene: SceneId, entities: impl IntoIterator<Item: Borrow<Entity>>);

    /// Makes every entity that can be one a node of a scene, when the queue is applied; see [`SceneId::add_matching`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{CommandNodes, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// # let level = world.create_scene("level")?;
    /// let mut commands = world.commands();
    /// commands.spawn_batch((0..10).map(Mesh));
    /// commands.add_matching::<Drawn>(level);
    /// world.apply(&mut commands)?;
    /// assert_eq!(level.nodes::<Drawn>(&world).len(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn add_matching<N: Node + 'static>(&mut self, scene: SceneId);

    /// An entity ceases to be a node of a scene, when the queue is applied; see [`SceneId::remove_node`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{CommandNodes, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// # let level = world.create_scene("level")?;
    /// # let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// let mut commands = world.commands();
    /// commands.remove_node::<Drawn>(level, house);
    /// world.apply(&mut commands)?;
    /// assert!(!level.has_node::<Drawn>(&world, house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn remove_node<N: Node + 'static>(&mut self, scene: SceneId, entity: Entity);
}

impl CommandNodes for Commands {
    #[track_caller]
    fn add_node<N: Node + 'static>(&mut self, scene: SceneId, entity: Entity) {
        self.add_nodes::<N>(scene, [entity]);
    }

    #[track_caller]
    fn add_nodes<N: Node + 'static>(&mut self, scene: SceneId, entities: impl IntoIterator<Item: Borrow<Entity>>) {
        let entities: Vec<Entity> = entities.into_iter().map(|entity| *entity.borrow()).collect();
        let caller = Location::caller();
        self.run(move |world| scene.add_nodes_for::<N>(world, &entities, caller));
    }

    #[track_caller]
    fn add_matching<N: Node + 'static>(&mut self, scene: SceneId) {
        self.run(move |world| scene.add_matching::<N>(world));
    }

    #[track_caller]
    fn remove_node<N: Node + 'static>(&mut self, scene: SceneId, entity: Entity) {
        self.run(move |world| scene.remove_node::<N>(world, entity));
    }
}
