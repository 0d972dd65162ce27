//! The time of a scene: its pace, how fast it passes, whether it passes at all.

use super::id::SceneId;
use super::planning::planned_scene;
use super::refusal::NoSuchScene;
use super::scenes::{Scene, Scenes};
use phalanx_ecs::{PlanBuilder, PlanError, ResourceTicket, World};
use phalanx_schedule::{ArgumentError, Pace, PaceError, Param, Time, Turn};
use std::ops::Deref;
use std::panic::Location;
use std::time::Duration;

/// The time of the scene that a system runs for: an argument of systems. In all else it is a [`Time`], with the step of the scene's own pace.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{SceneTime, SceneWorld};
/// use phalanx_schedule::{Engine, fixed};
///
/// fn tick(time: SceneTime) {
///     assert_eq!(time.step(), 0.125);
/// }
///
/// let mut engine = Engine::new();
/// let level = engine.world_mut().create_scene("level")?;
/// level.set_pace(engine.world_mut(), fixed(8.0))??;
/// level.add(&mut engine, tick)?;
/// engine.run_frames(60)?;
/// assert_eq!(level.elapsed(engine.world())?.as_secs(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SceneTime(Time);

impl Deref for SceneTime {
    type Target = Time;
    fn deref(&self) -> &Time {
        &self.0
    }
}

impl Param for SceneTime {
    type State = (SceneId, ResourceTicket<Scenes>);
    type Item<'a> = Self;

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        let (scene, _) = plan.with_world(|world| planned_scene(world, "SceneTime")).map_err(PlanError::Refused)?;
        Ok((scene, plan.resource()?))
    }

    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self, ArgumentError> {
        let scenes = turn.claim().resource(&state.1)?;
        Ok(Self(scenes.get(state.0).map_or_else(Time::default, |scene| scene.time)))
    }
}

impl Param for SceneId {
    type State = Self;
    type Item<'a> = Self;

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self, PlanError> {
        let planned = plan.with_world(|world| planned_scene(world, "SceneId"));
        Ok(planned.map_err(PlanError::Refused)?.0)
    }

    fn take<'a>(state: &'a mut Self, _: &'a Turn<'a>) -> Result<Self, ArgumentError> {
        Ok(*state)
    }
}

/// # Time
impl SceneId {
    fn look<R>(
        self,
        world: &World,
        caller: &'static Location<'static>,
        look: impl FnOnce(&Scene) -> R,
    ) -> Result<R, NoSuchScene> {
        let found = world.get_resource::<Scenes>().and_then(|scenes| scenes.get(self));
        found.map(look).ok_or_else(|| NoSuchScene::of_id(world, self, caller))
    }

    fn change<R>(
        self,
        world: &mut World,
        caller: &'static Location<'static>,
        change: impl FnOnce(&mut Scene) -> R,
    ) -> Result<R, NoSuchScene> {
        if !self.is_there(world) {
            return Err(NoSuchScene::of_id(world, self, caller));
        }
        let mut scenes = world.init_resource::<Scenes>();
        Ok(change(scenes.get_mut(self).expect("it is there")))
    }

    /// Sets how often it is updated: [`every_frame`](phalanx_schedule::every_frame) at first, [`fixed`](phalanx_schedule::fixed),
    /// [`every_nth`](phalanx_schedule::every_nth), or [`manual`](phalanx_schedule::manual): only by [`SceneId::update`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::{Engine, fixed};
    /// # let mut engine = Engine::new();
    /// fn tick() {}
    ///
    /// let level = engine.world_mut().create_scene("level")?;
    /// let tick = level.add(&mut engine, tick)?.id();
    /// level.set_pace(engine.world_mut(), fixed(20.0))??;
    /// engine.run_frames(60)?;                          // a second
    /// assert_eq!(engine.schedule().info(tick)?.runs, 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone; [`PaceError`] inside if it is no pace: then it keeps the one it has.
    #[track_caller]
    pub fn set_pace(self, world: &mut World, pace: Pace) -> Result<Result<(), PaceError>, NoSuchScene> {
        self.name(world)?;
        let mut scenes = world.init_resource::<Scenes>();
        let scene = scenes.get_mut(self).expect("it is there");
        Ok(scene.clock.set_pace(&scene.name, pace))
    }

    /// Lets its time stand still, and its systems rest, until it is [played](SceneId::play) or [stepped](SceneId::step). Events are not kept for systems that rest: their readers
    /// are told how many they missed.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// fn tick() {}
    ///
    /// let level = engine.world_mut().create_scene("level")?;
    /// let tick = level.add(&mut engine, tick)?.id();
    /// level.pause(engine.world_mut())?;
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.schedule().info(tick)?.runs, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn pause(self, world: &mut World) -> Result<(), NoSuchScene> {
        self.change(world, Location::caller(), |scene| scene.clock.pause())
    }

    /// Lets its time pass again.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// level.pause(&mut world)?;
    /// assert!(level.is_paused(&world)?);
    /// level.play(&mut world)?;
    /// assert!(!level.is_paused(&world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn play(self, world: &mut World) -> Result<(), NoSuchScene> {
        self.change(world, Location::caller(), |scene| scene.clock.play())
    }

    /// Whether it is paused.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// assert!(!world.create_scene("level")?.is_paused(&world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn is_paused(self, world: &World) -> Result<bool, NoSuchScene> {
        self.look(world, Location::caller(), |scene| scene.clock.is_paused())
    }

    /// Sets how much of the time that passes passes in this scene, 1 at first: 0.5 is half as fast. What is less than nothing, or no number, is 0.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{SceneTime, SceneWorld};
    /// # use phalanx_schedule::Engine;
    /// # use std::time::Duration;
    /// # let mut engine = Engine::new();
    /// let level = engine.world_mut().create_scene("level")?;
    /// level.set_time_scale(engine.world_mut(), 0.5)?;
    /// level.add(&mut engine, |time: SceneTime| assert_eq!(time.step(), 1.0))?;
    /// engine.run_frame(Duration::from_secs(2))?;
    /// assert_eq!(level.elapsed(engine.world())?, Duration::from_secs(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn set_time_scale(self, world: &mut World, scale: f64) -> Result<(), NoSuchScene> {
        self.change(world, Location::caller(), |scene| scene.clock.set_scale(scale))
    }

    /// How much time has passed in this scene.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// assert!(world.create_scene("level")?.elapsed(&world)?.is_zero());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn elapsed(self, world: &World) -> Result<Duration, NoSuchScene> {
        self.look(world, Location::caller(), |scene| scene.clock.elapsed())
    }

    /// Lets it take so many steps in the next frame, beside those of its pace; also while it is paused.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # use phalanx_schedule::Engine;
    /// # let mut engine = Engine::new();
    /// fn tick() {}
    ///
    /// let level = engine.world_mut().create_scene("level")?;
    /// let tick = level.add(&mut engine, tick)?.id();
    /// level.pause(engine.world_mut())?;
    /// level.step(engine.world_mut(), 2)?;
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.schedule().info(tick)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn step(self, world: &mut World, steps: u64) -> Result<(), NoSuchScene> {
        self.change(world, Location::caller(), |scene| scene.asked = scene.asked.saturating_add(steps))
    }

    /// Takes it out of play: its systems do not run and its time does not pass, until it is activated again. Its nodes stay.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// level.deactivate(&mut world)?;
    /// assert!(!level.is_active(&world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn deactivate(self, world: &mut World) -> Result<(), NoSuchScene> {
        self.change(world, Location::caller(), |scene| scene.active = false)
    }

    /// Brings it into play again.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// level.deactivate(&mut world)?;
    /// level.activate(&mut world)?;
    /// assert!(level.is_active(&world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn activate(self, world: &mut World) -> Result<(), NoSuchScene> {
        self.change(world, Location::caller(), |scene| scene.active = true)
    }

    /// Whether it is in play.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::SceneWorld;
    /// # let mut world = World::new();
    /// assert!(world.create_scene("level")?.is_active(&world)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn is_active(self, world: &World) -> Result<bool, NoSuchScene> {
        self.look(world, Location::caller(), |scene| scene.active)
    }
}
