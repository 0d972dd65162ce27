//! Passes: which scenes take a step, and which of their systems have nodes to serve.

use super::id::SceneId;
use super::refusal::NoSuchScene;
use super::scenes::{Scene, Scenes};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, WithDyn};
use phalanx_schedule::{Engine, Fault, SystemId};
use std::time::Duration;

/// The group of all systems of all scenes.
pub(super) const GROUP: &str = "Scenes";

/// A system of a scene has nodes to serve, after it had none. An event, which the world sends at the start of an update. As other events it is let go after the frame that follows; who reads it more seldom, outside of
/// systems, says so first: [`World::keep_events`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, Nodes, SceneWorld, SystemWoke};
/// use phalanx_schedule::Engine;
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// fn draw(nodes: Nodes<Drawn>) {}
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// level.add(&mut engine, draw)?;
/// let house = engine.world_mut().spawn(Mesh(7));
/// level.add_node::<Drawn>(engine.world_mut(), house)?;
/// engine.run_frames(1)?;
/// let woke = engine.world().events::<SystemWoke>().get(0).unwrap();
/// assert_eq!((woke.scene, &*woke.name), (level, "draw"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Event, Clone, PartialEq, Eq, Debug)]
#[event(no_checksum)]
#[non_exhaustive]
pub struct SystemWoke {
    /// The scene that it serves.
    pub scene: SceneId,
    /// The system.
    pub system: SystemId,
    /// What its function is called.
    pub name: String,
}

/// A system of a scene has no nodes to serve any more, or had none when it was added. An event, which the world sends at the start of an update, and keeps as long as [`SystemWoke`]. Systems of a scene that is deleted
/// do not fall asleep.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Node, Nodes, SceneWorld, SystemSlept};
/// use phalanx_schedule::Engine;
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// fn draw(nodes: Nodes<Drawn>) {}
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// level.add(&mut engine, draw)?;
/// engine.run_frames(1)?;
/// assert_eq!(engine.world().events::<SystemSlept>().get(0).unwrap().name, "draw");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Event, Clone, PartialEq, Eq, Debug)]
#[event(no_checksum)]
#[non_exhaustive]
pub struct SystemSlept {
    /// The scene that it serves.
    pub scene: SceneId,
    /// The system.
    pub system: SystemId,
    /// What its function is called.
    pub name: String,
}

/// What is kept from pass to pass, and belongs to no scene.
#[derive(Default)]
pub(super) struct Members {
    /// Queries for nodes, in the order of their tags.
    by_tag: Vec<OfTag>,
    /// The number of the pass.
    pass: u64,
    /// Whether systems are awake: of all scenes that take a step, in order.
    awake: Vec<bool>,
}

struct OfTag {
    tag: ComponentId,
    query: Prepared<Entity, WithDyn>,
    /// In which pass it was asked last, and whether there was a node.
    asked: u64,
    has: bool,
}

impl Members {
    /// Whether somebody has a tag.
    fn has(&mut self, world: &World, tag: ComponentId) -> bool {
        let at = self.by_tag.binary_search_by_key(&tag, |of_tag| of_tag.tag).unwrap_or_else(|at| {
            let query = Prepared::with_dyn(world, tag).expect("a tag of this world");
            self.by_tag.insert(at, OfTag { tag, query, asked: 0, has: false });
            at
        });
        let of_tag = &mut self.by_tag[at];
        if of_tag.asked != self.pass {
            (of_tag.asked, of_tag.has) = (self.pass, of_tag.query.on_shared(world).first().is_some());
        }
        of_tag.has
    }
}

impl Clone for Members {
    /// None: another world makes its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for Members {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.by_tag.iter().map(|of_tag| of_tag.tag)).finish()
    }
}

/// Begins another pass of a frame, if a scene has a step due: the pace of the group.
pub(super) fn begin_pass(world: &mut World, passed: Duration, passes: u64) -> bool {
    let Some(mut scenes) = world.get_resource_mut::<Scenes>() else { return false };
    // Who runs the group by hand runs no scene that has no step due.
    scenes.gates.close_all();
    let mut any = false;
    for scene in scenes.iter_mut() {
        if passes == 0 && scene.active {
            scene.clock.pass(passed);
            scene.clock.ask(std::mem::take(&mut scene.asked));
        }
        let step = if scene.active { scene.clock.begin_step() } else { None };
        scene.steps_now = step.is_some();
        if let Some(time) = step {
            (scene.time, scene.served, any) = (time, true, true);
        }
    }
    if any {
        let members = scenes.members.take();
        open_gates(world, members);
    }
    any
}

/// Whether all scenes whose time passes have taken a step since the last time that this was so: then their systems have read what they had to read.
pub(super) fn all_had_their_turn(world: &mut World) -> bool {
    let Some(mut scenes) = world.get_resource_mut::<Scenes>() else { return true };
    let waits = |scene: &Scene| !scene.served && scene.active && scene.clock.steps_by_itself();
    if scenes.iter().any(waits) {
        return false;
    }
    scenes.iter_mut().for_each(|scene| scene.served = false);
    true
}

/// Opens the gates, which are all closed, of those systems that run in this pass, and tells who woke and who fell asleep.
fn open_gates(world: &mut World, members: Option<Box<Members>>) {
    // Only the box moves, and comes back below.
    let mut members = members.unwrap_or_default();
    members.pass += 1;
    members.awake.clear();
    let scenes = world.get_resource::<Scenes>().expect("there are scenes");
    for scene in scenes.iter().filter(|scene| scene.steps_now) {
        for system in &scene.systems {
            let awake = system.waits_for.iter().all(|(_, tag)| members.has(world, *tag));
            members.awake.push(awake);
        }
    }
    let (mut woke, mut slept) = (Vec::new(), Vec::new());
    let mut scenes = world.get_resource_mut::<Scenes>().expect("there are scenes");
    let (list, gates) = scenes.with_gates();
    let mut all_awake = members.awake.iter();
    for scene in list.filter(|scene| scene.steps_now) {
        for (system, &awake) in scene.systems.iter_mut().zip(&mut all_awake) {
            gates.set(system.gate, awake);
            if system.awake != Some(awake) {
                system.awake = Some(awake);
                // What waits for nothing never sleeps, and so never wakes.
                if !system.waits_for.is_empty() {
                    let who = (scene.id, system.id, system.name.clone());
                    if awake { woke.push(who) } else { slept.push(who) }
                }
            }
        }
    }
    *scenes.members = Some(members);
    for (scene, system, name) in slept {
        world.send(SystemSlept { scene, system, name });
    }
    for (scene, system, name) in woke {
        world.send(SystemWoke { scene, system, name });
    }
}

impl SceneId {
    /// Updates this scene now, and no other: one step, whatever its pace and whether it is paused.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::{Engine, manual};
    /// # let mut engine = Engine::new();
    /// fn save() {}
    ///
    /// let saving = engine.world_mut().create_scene("saving")?;
    /// saving.set_pace(engine.world_mut(), manual())??;
    /// let save = saving.add(&mut engine, save)?.id();
    /// engine.run_frames(5)?;
    /// saving.update(&mut engine)??;
    /// assert_eq!(engine.schedule().info(save)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone; [`Fault`] inside if a system fails whose policy is to stop. A scene that is not active, or has no systems, is not updated.
    #[track_caller]
    pub fn update(self, engine: &mut Engine) -> Result<Result<(), Fault>, NoSuchScene> {
        self.name(engine.world())?;
        let mut scenes = engine.world_mut().init_resource::<Scenes>();
        for scene in scenes.iter_mut() {
            scene.steps_now = false;
            if scene.id == self && scene.active {
                scene.clock.ask(1);
                let step = scene.clock.begin_step();
                scene.steps_now = step.is_some();
                scene.time = step.unwrap_or(scene.time);
            }
        }
        let steps = scenes.get(self).is_some_and(|scene| scene.steps_now);
        scenes.gates.close_all();
        if !steps || !engine.schedule().has_group(GROUP) {
            return Ok(Ok(()));
        }
        let members = engine.world_mut().init_resource::<Scenes>().members.take();
        open_gates(engine.world_mut(), members);
        let run = engine.run_group(GROUP);
        // A system may have taken all scenes away.
        if let Some(mut scenes) = engine.world_mut().get_resource_mut::<Scenes>() {
            scenes.gates.close_all();
        }
        Ok(run)
    }
}
