//! All scenes of a world.

use super::gates::{Gate, Gates};
use super::id::SceneId;
use super::pass::Members;
use crate::node::{KindId, Kinds};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, Described, Describer, Folder, Kind as Shape};
use phalanx_schedule::{Pacer, SystemId, Time};
use std::collections::{HashMap, VecDeque};

/// Where a scene's tags are; used again when the scene is gone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Slot(u32);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A scene as its world knows it.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) id: SceneId,
    pub(crate) name: String,
    pub(crate) slot: Slot,
    pub(super) active: bool,
    pub(crate) stage: Stage,
    pub(super) clock: Pacer,
    /// The time of the step that it takes in this pass, or took last.
    pub(super) time: Time,
    pub(super) steps_now: bool,
    /// Whether it has taken a step since all scenes had done so.
    pub(super) served: bool,
    /// Steps that were asked for beside those of its pace.
    pub(super) asked: u64,
    pub(super) systems: Vec<SceneSystem>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    There,
    /// It is being deleted: nobody becomes a node of it any more.
    Ends,
}

/// A system that serves a scene.
#[derive(Clone, Debug)]
pub(crate) struct SceneSystem {
    pub(super) id: SystemId,
    /// What it is called, without the scene.
    pub(super) name: String,
    /// Where it is said whether it may run.
    pub(super) gate: Gate,
    /// The roles it waits for, with their tags in this scene.
    pub(super) waits_for: Vec<(KindId, ComponentId)>,
    /// Whether all of them had a node at the start of the last pass; `None` before its first one.
    pub(super) awake: Option<bool>,
}

/// All scenes of a world: a resource, which the world makes with the first scene.
///
/// [`SceneWorld`](super::SceneWorld) asks the same of a world; this is for who has been lent parts of one, such as systems.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{SceneWorld, Scenes};
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let scenes = world.get_resource::<Scenes>().unwrap();
/// assert_eq!((scenes.find("level"), scenes.name(level)), (Some(level), Some("level")));
/// # Ok::<(), phalanx_scene::NameTaken>(())
/// ```
///
/// A system that runs before there is a scene takes it as an `Option`; others as it is:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{SceneWorld, Scenes};
/// use phalanx_schedule::{Res, run_once};
///
/// fn has_level(scenes: Option<Res<Scenes>>) -> bool {
///     scenes.is_some_and(|scenes| scenes.find("level").is_some())
/// }
///
/// let mut world = World::new();
/// assert!(!run_once(&mut world, has_level)?);
/// world.create_scene("level")?;
/// assert!(run_once(&mut world, has_level)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Taken away from the world, all scenes are forgotten, and their ids are given out anew. Systems that served them never run again.
#[derive(Resource, Clone, Default, Debug)]
pub struct Scenes {
    list: List,
    /// By name, for finding them; which of several is meant is never a question.
    by_name: Unfolded<HashMap<String, SceneId>>,
    /// By slot: whose tags are there.
    by_slot: Unfolded<Vec<Option<SceneId>>>,
    free_slots: Unfolded<Vec<Slot>>,
    pub(super) gates: Unfolded<Gates>,
    pub(crate) kinds: Unfolded<Kinds>,
    /// Of passes; taken out while one begins.
    pub(super) members: Unfolded<Option<Box<Members>>>,
    next: u32,
    /// The names of those that were deleted last, for messages.
    deleted: Unfolded<VecDeque<(SceneId, String)>>,
}

/// The names of so many deleted scenes are kept.
const DELETED: usize = 64;

/// Scenes in the order in which they were made, which is that of their ids.
#[derive(Clone, Default, Debug)]
struct List(Vec<Scene>);

impl List {
    fn find(&self, scene: SceneId) -> Option<usize> {
        self.0.binary_search_by_key(&scene, |scene| scene.id).ok()
    }
}

/// What is no part of the state of a world: it follows from the rest, or belongs to the process.
#[derive(Clone, Default, Debug)]
pub(crate) struct Unfolded<T>(T);

impl<T> std::ops::Deref for Unfolded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Unfolded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: 'static> Described for Unfolded<T> {
    fn describe(describer: &mut Describer) -> Shape {
        <()>::describe(describer)
    }

    fn fold_into(&self, _: &mut Folder) {}
}

impl Described for List {
    fn describe(describer: &mut Describer) -> Shape {
        <Vec<String>>::describe(describer)
    }

    fn fold_into(&self, folder: &mut Folder) {
        self.0.len().fold_into(folder);
        for scene in &self.0 {
            scene.name.fold_into(folder);
            (scene.id.number(), scene.active, scene.clock.is_paused()).fold_into(folder);
            let elapsed = scene.clock.elapsed();
            (elapsed.as_secs(), elapsed.subsec_nanos(), scene.clock.scale(), scene.time.count()).fold_into(folder);
        }
    }
}

impl Scenes {
    /// The scene of this name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{SceneWorld, Scenes};
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// assert_eq!(world.get_resource::<Scenes>().unwrap().find("level"), Some(level));
    /// # Ok::<(), phalanx_scene::NameTaken>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<SceneId> {
        self.by_name.get(name).copied()
    }

    /// What a scene is called; `None` if it is gone.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{SceneWorld, Scenes};
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// assert_eq!(world.get_resource::<Scenes>().unwrap().name(level), Some("level"));
    /// # Ok::<(), phalanx_scene::NameTaken>(())
    /// ```
    pub fn name(&self, scene: SceneId) -> Option<&str> {
        self.get(scene).map(|scene| &*scene.name)
    }

    /// All scenes, in the order in which they were made.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{SceneWorld, Scenes};
    /// # let mut world = World::new();
    /// let both = [world.create_scene("level")?, world.create_scene("menu")?];
    /// assert!(world.get_resource::<Scenes>().unwrap().ids().eq(both));
    /// # Ok::<(), phalanx_scene::NameTaken>(())
    /// ```
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SceneId> + '_ {
        self.list.0.iter().map(|scene| scene.id)
    }

    /// How many sets of roles entities can have with a table for each, 256 at first. When more are in use, all entities with roles share tables, with a bit for each role they could
    /// have: walking over them takes up to twice as long, and there are no more tables, whatever the combinations.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld, Scenes};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// world.resource_mut::<Scenes>()?.set_most_role_sets(0);
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// assert_eq!(level.nodes::<Drawn>(&world), [house]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// It is looked at when a role comes or goes. Entities that share tables go on doing so.
    pub fn set_most_role_sets(&mut self, sets: usize) {
        self.kinds.set_most_sets(sets);
    }

    pub(crate) fn get(&self, scene: SceneId) -> Option<&Scene> {
        self.list.find(scene).map(|at| &self.list.0[at])
    }

    pub(super) fn get_mut(&mut self, scene: SceneId) -> Option<&mut Scene> {
        self.list.find(scene).map(|at| &mut self.list.0[at])
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Scene> {
        self.list.0.iter_mut()
    }

    /// All scenes, and the gates of their systems.
    pub(super) fn with_gates(&mut self) -> (impl Iterator<Item = &mut Scene>, &mut Gates) {
        (self.list.0.iter_mut(), &mut self.gates.0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Scene> {
        self.list.0.iter()
    }

    /// The scene whose tags are there.
    pub(crate) fn in_slot(&self, slot: Slot) -> Option<SceneId> {
        self.by_slot.get(slot.index()).copied().flatten()
    }

    /// Another scene, with a name that no other has.
    pub(super) fn add(&mut self, name: &str, clock: Pacer) -> SceneId {
        let id = SceneId::new(self.next);
        self.next = self.next.checked_add(1).expect("fewer than 2³² scenes");
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.by_slot.push(None);
            Slot(u32::try_from(self.by_slot.len() - 1).expect("fewer than 2³² scenes"))
        });
        self.by_slot[slot.index()] = Some(id);
        self.by_name.insert(name.to_owned(), id);
        let scene = Scene {
            id,
            name: name.to_owned(),
            slot,
            active: true,
            stage: Stage::There,
            clock,
            time: Time::default(),
            steps_now: false,
            served: false,
            asked: 0,
            systems: Vec::new(),
        };
        self.list.0.push(scene);
        id
    }

    /// Gives a scene a name that no other has.
    pub(super) fn rename(&mut self, scene: SceneId, name: &str) {
        let Some(renamed) = self.get_mut(scene) else { return };
        let before = std::mem::replace(&mut renamed.name, name.to_owned());
        self.by_name.remove(&before);
        self.by_name.insert(name.to_owned(), scene);
    }

    /// Forgets a scene. The gates of its systems stay taken: they are given back when the systems are gone.
    pub(super) fn remove(&mut self, scene: SceneId) -> Option<Scene> {
        let scene = self.list.0.remove(self.list.find(scene)?);
        self.by_name.remove(&scene.name);
        for system in &scene.systems {
            self.gates.set(system.gate, false);
        }
        self.by_slot[scene.slot.index()] = None;
        self.free_slots.push(scene.slot);
        if self.deleted.len() == DELETED {
            self.deleted.pop_front();
        }
        self.deleted.push_back((scene.id, scene.name.clone()));
        Some(scene)
    }

    /// What a scene was called that was deleted not long ago.
    pub(super) fn deleted_name(&self, scene: SceneId) -> Option<&str> {
        self.deleted.iter().find(|(id, _)| *id == scene).map(|(_, name)| &**name)
    }

    /// Whether this scene is or was one of these.
    pub(super) fn has_had(&self, scene: SceneId) -> bool {
        scene.number() < self.next
    }
}
