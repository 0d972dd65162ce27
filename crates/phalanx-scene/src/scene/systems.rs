//! Systems that serve scenes.

use super::gates::Gate;
use super::id::SceneId;
use super::leftovers::sweep;
use super::pass::{GROUP, all_had_their_turn, begin_pass};
use super::planning::Planned;
use super::refusal::{NoSuchScene, SceneSystemError};
use super::scenes::{SceneSystem, Scenes};
use crate::here::Here;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, WithDyn};
use phalanx_schedule::{
    Engine, Idle, IntoSystem, NewSystem, Outcome, Refusal, Res, SystemId, SystemRef, as_long_as, run_once,
};
use std::fmt;

/// What keeps a system of a scene from running, if anything does; see [`SceneId::explain`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Doing, Node, Nodes, SceneWorld};
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
/// let why = level.explain(&mut engine, draw)?;
/// assert_eq!(why.to_string(), "it waits for a node `Drawn` in scene `level`");
/// assert_eq!(why, Doing::Waits { scene: "level".into(), nodes: vec!["Drawn"] });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Doing {
    /// It runs whenever its scene is updated.
    Runs,
    /// It waits until there is a node of each of these types.
    Waits {
        /// The scene.
        scene: String,
        /// The types of which there is none.
        nodes: Vec<&'static str>,
    },
    /// Its scene is paused.
    Paused {
        /// The scene.
        scene: String,
    },
    /// Its scene is not active.
    Inactive {
        /// The scene.
        scene: String,
    },
    /// The time of its scene stands still: its scale is zero.
    Still {
        /// The scene.
        scene: String,
    },
    /// Its scene is updated only when asked.
    Manual {
        /// The scene.
        scene: String,
    },
    /// It was put into another group than that of the systems of scenes, which is where it is known when they run.
    Elsewhere {
        /// The group.
        group: String,
    },
    /// Something that has nothing to do with its scene.
    Idle(Idle),
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs => f.write_str("it runs"),
            Self::Waits { scene, nodes } => {
                write!(f, "it waits for a node `{}` in scene `{scene}`", nodes.join("` and a node `"))
            }
            Self::Paused { scene } => write!(f, "its scene `{scene}` is paused; `play` lets it go on"),
            Self::Inactive { scene } => write!(f, "its scene `{scene}` is not active; `activate` brings it into play"),
            Self::Still { scene } => {
                write!(f, "time stands still in its scene `{scene}`; `set_time_scale` with more than 0 lets it pass")
            }
            Self::Manual { scene } => {
                write!(f, "its scene `{scene}` runs only when asked: `scene.update(&mut engine)`")
            }
            Self::Elsewhere { group } => write!(
                f,
                "it is in group `{group}`, and systems of scenes run in group `{GROUP}`; leave out `.to({group:?})`"
            ),
            Self::Idle(idle) => idle.fmt(f),
        }
    }
}

/// Whether a system that a scene's gate guards may run in this pass: the first of its conditions.
fn its_scene_lets_it_run(gate: Gate) -> impl Fn(Res<'_, Scenes>) -> bool + Clone + Send + Sync + 'static {
    move |scenes| scenes.gates.is_open(gate)
}

/// Whether there is a node.
pub(super) fn has_any(world: &World, tag: ComponentId) -> bool {
    let members = Prepared::<Entity, WithDyn>::with_dyn(world, tag);
    members.is_ok_and(|mut members| members.on_shared(world).first().is_some())
}

/// # Systems
impl SceneId {
    #[track_caller]
    fn must_be_there(self, world: &World) -> Result<(), NoSuchScene> {
        self.name(world).map(|_| ())
    }

    /// Adds a system that serves this scene: its [`Nodes`](crate::Nodes) are those of the scene, and it runs when the scene is updated and has such nodes.
    ///
    /// A function can serve several scenes: each has a system of its own, with its own `Local`s and commands.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::{Node, Nodes, SceneWorld};
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Component)] struct Age(u32);
    /// #[derive(Node)] struct Living<'w> { age: &'w mut Age }
    ///
    /// fn grow(mut nodes: Nodes<Living>) {
    ///     nodes.for_each(|node| node.age.0 += 1);
    /// }
    ///
    /// let mut engine = Engine::new();
    /// let level = engine.world_mut().create_scene("level")?;
    /// let grow = level.add(&mut engine, grow)?.id();
    /// engine.run_frames(5)?;
    /// assert_eq!(engine.schedule().info(grow)?.runs, 0, "nobody lives");
    /// let cat = engine.world_mut().spawn(Age(0));
    /// level.add_node::<Living>(engine.world_mut(), cat)?;
    /// engine.run_frames(5)?;
    /// assert_eq!(engine.world().get::<Age>(cat).unwrap().0, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// All systems of all scenes are in the group `Scenes` of the engine, named `scene/system`; they are ordered by `before`, `after` and their kind, as all systems are, or by
    /// [`SceneId::order`], which knows who is meant where a function serves several scenes.
    ///
    /// # Errors
    /// [`SceneSystemError`] if the scene is gone, or two arguments of the system get in each other's way.
    #[track_caller]
    pub fn add<M, S>(self, engine: &mut Engine, system: S) -> Result<NewSystem<'_>, SceneSystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        sweep(engine);
        let scene = self.name(engine.world())?.to_owned();
        let name = system.name();
        let planned = Planned::begin(engine.world_mut(), self);
        let added = engine.add(system).map(|system| system.id());
        let waits_for = planned.end(engine.world_mut());
        let id = added?;
        engine.group(GROUP).pace(as_long_as(begin_pass).served_when(all_had_their_turn)).expect("a pace");
        let mut scenes = engine.world_mut().init_resource::<Scenes>();
        let gate = scenes.gates.take();
        let entry = SceneSystem { id, name: name.clone(), gate, waits_for, awake: None };
        scenes.get_mut(self).expect("it is there").systems.push(entry);
        let system = engine.system(id).expect("added just now");
        Ok(system
            .named(format!("{scene}/{name}"))
            .to(GROUP)
            .run_if(its_scene_lets_it_run(gate))
            .expect("it only reads"))
    }

    /// Runs a function as a system of this scene once, whatever its pace and whether it has nodes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, Nodes, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// assert_eq!(level.run_once(&mut world, |nodes: Nodes<Drawn>| nodes.count())??, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone; [`Refusal`] inside as [`run_once`] does.
    #[track_caller]
    pub fn run_once<M, S: IntoSystem<M, In = ()>>(
        self,
        world: &mut World,
        system: S,
    ) -> Result<Result<S::Out, Refusal>, NoSuchScene> {
        self.must_be_there(world)?;
        let planned = Planned::begin(world, self);
        let result = run_once(world, system);
        planned.end(world);
        Ok(result)
    }

    /// Lets one of its systems run before another.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_scene::SceneWorld;
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let mut engine = Engine::new();
    /// let level = engine.world_mut().create_scene("level")?;
    /// level.add(&mut engine, render)?;
    /// level.add(&mut engine, physics)?;
    /// level.order(&mut engine, physics, render)?;
    /// assert!(level.order(&mut engine, render, physics).is_err(), "it would close a cycle");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneSystemError`] if the scene is gone, one of them is no system of it, or the order would close a cycle; then nothing changes.
    #[track_caller]
    pub fn order<M, L>(
        self,
        engine: &mut Engine,
        first: impl SystemRef<M>,
        then: impl SystemRef<L>,
    ) -> Result<(), SceneSystemError> {
        let (first, then) = (self.find(engine, first)?, self.find(engine, then)?);
        Ok(engine.schedule_mut().order(first, then)?)
    }

    /// The system of this scene that is meant: by function, by id, or by name, with or without that of the scene.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// fn draw() {}
    ///
    /// let [level, menu] = ["level", "menu"].map(|name| engine.world_mut().create_scene(name).unwrap());
    /// let here = level.add(&mut engine, draw)?.id();
    /// let there = menu.add(&mut engine, draw)?.id();
    /// assert_eq!((level.find(&engine, draw)?, menu.find(&engine, draw)?), (here, there));
    /// assert_eq!((level.find(&engine, "draw")?, level.find(&engine, "level/draw")?), (here, here));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneSystemError`] if the scene is gone, or none of its systems is meant, or more than one.
    #[track_caller]
    pub fn find<M>(self, engine: &Engine, system: impl SystemRef<M>) -> Result<SystemId, SceneSystemError> {
        Ok(engine.schedule().find_among(&self.systems(engine.world())?, system)?)
    }

    /// Its systems, in the order in which they were added.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// let level = engine.world_mut().create_scene("level")?;
    /// let draw = level.add(&mut engine, || ())?.id();
    /// assert_eq!(level.systems(engine.world())?, [draw]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn systems(self, world: &World) -> Result<Vec<SystemId>, NoSuchScene> {
        self.must_be_there(world)?;
        let scene = world.get_resource::<Scenes>().and_then(|scenes| scenes.get(self)).expect("it is there");
        Ok(scene.systems.iter().map(|system| system.id).collect())
    }

    /// Removes a system, waiting or not.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// fn draw() {}
    ///
    /// let level = engine.world_mut().create_scene("level")?;
    /// level.add(&mut engine, draw)?;
    /// level.remove(&mut engine, draw)?;
    /// assert!(level.systems(engine.world())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`SceneId::find`].
    #[track_caller]
    pub fn remove<M>(self, engine: &mut Engine, system: impl SystemRef<M>) -> Result<(), SceneSystemError> {
        let id = self.find(engine, system)?;
        engine.schedule_mut().remove(id)?;
        let mut scenes = engine.world_mut().init_resource::<Scenes>();
        let scene = scenes.get_mut(self).expect("it has the system");
        let at = scene.systems.iter().position(|system| system.id == id).expect("found just now");
        let gate = scene.systems.remove(at).gate;
        scenes.gates.give_back(gate);
        Ok(())
    }

    /// [Deletes](SceneId::delete) it, and removes its systems from the engine at once.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// let level = engine.world_mut().create_scene("level")?;
    /// level.add(&mut engine, || ())?;
    /// level.delete_from(&mut engine)?;
    /// assert!(engine.schedule().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn delete_from(self, engine: &mut Engine) -> Result<(), NoSuchScene> {
        let here = Here::of(engine.world_mut());
        self.delete(engine.world_mut())?;
        // What another world has to remove may be in another engine.
        if here.is(engine.world()) {
            sweep(engine);
        }
        Ok(())
    }

    /// What keeps one of its systems from running, if anything does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Doing, SceneWorld};
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// fn draw() {}
    ///
    /// let level = engine.world_mut().create_scene("level")?;
    /// level.add(&mut engine, draw)?;
    /// assert_eq!(level.explain(&mut engine, draw)?, Doing::Runs);
    /// level.pause(engine.world_mut())?;
    /// assert_eq!(level.explain(&mut engine, draw)?.to_string(), "its scene `level` is paused; `play` lets it go on");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`SceneId::find`].
    #[track_caller]
    pub fn explain<M>(self, engine: &mut Engine, system: impl SystemRef<M>) -> Result<Doing, SceneSystemError> {
        let id = self.find(engine, system)?;
        let world = engine.world();
        let scenes = world.get_resource::<Scenes>().expect("it has this scene");
        let scene = scenes.get(self).expect("it is there");
        let name = scene.name.clone();
        if !scene.active {
            return Ok(Doing::Inactive { scene: name });
        }
        let waits_for = scene.systems.iter().find(|system| system.id == id).map_or(&[][..], |system| &system.waits_for);
        let absent = waits_for.iter().filter(|(_, tag)| !has_any(world, *tag));
        let nodes: Vec<&'static str> = absent.map(|(kind, _)| scenes.kinds.get(*kind).name).collect();
        if !nodes.is_empty() {
            return Ok(Doing::Waits { scene: name, nodes });
        }
        if scene.clock.is_paused() {
            return Ok(Doing::Paused { scene: name });
        }
        if !scene.clock.steps_by_itself() {
            // Who waits to be asked does so however fast time passes.
            let mut passing = scene.clock.clone();
            passing.set_scale(1.0);
            let still = passing.steps_by_itself();
            return Ok(if still { Doing::Still { scene: name } } else { Doing::Manual { scene: name } });
        }
        let group = engine.schedule().info(id)?.group;
        if group != GROUP {
            return Ok(Doing::Elsewhere { group: group.to_owned() });
        }
        Ok(match engine.schedule_mut().why_idle(id)? {
            Idle::No | Idle::GroupNeverRan { .. } => Doing::Runs,
            // The last pass may have been one of other scenes.
            Idle::Condition(condition) if condition == its_scene_lets_it_run(Gate::default()).name() => Doing::Runs,
            idle => Doing::Idle(idle),
        })
    }
}
