//! What is put into an engine: systems, groups, plugins.

use super::engine::Engine;
use crate::schedule::{CycleError, END, Group, IntoSystems, NewSystem, NewSystems, START, SystemRef, UnknownSystem};
use crate::system::{IntoSystem, Outcome, SystemError};
use phalanx_ecs::World;

impl Engine {
    /// Adds a system; see [`Schedule::add`](crate::Schedule::add).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut wounded: Query<&mut Health>) {
    ///     wounded.for_each(|health| health.0 += 1);
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(heal)?;
    /// let orc = engine.world_mut().spawn(Health(5));
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.world().get::<Health>(orc).unwrap().0, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two of its arguments get in each other's way.
    #[track_caller]
    pub fn add<M, S>(&mut self, system: S) -> Result<NewSystem<'_>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        self.schedule.add(&mut self.world, system)
    }

    /// A system that was added before, to say more about it.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((render, physics))?;
    /// engine.system(render)?.after(physics)?;
    /// assert_eq!(engine.schedule().in_order("Update")[1], engine.schedule().find(render)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn system<M>(&mut self, system: impl SystemRef<M>) -> Result<NewSystem<'_>, UnknownSystem> {
        let id = self.schedule.find(system)?;
        Ok(NewSystem { schedule: &mut self.schedule, world: &mut self.world, id })
    }

    /// Adds several systems at once; see [`Schedule::add_all`](crate::Schedule::add_all).
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn physics() {}
    /// fn render() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_all((physics, render))?.chain()?;
    /// assert!(engine.schedule_mut().order(render, physics).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] if two arguments of one of them get in each other's way; then none is added.
    #[track_caller]
    pub fn add_all<M, S: IntoSystems<M>>(&mut self, systems: S) -> Result<NewSystems<'_>, SystemError> {
        const { S::CHECK };
        self.schedule.add_all(&mut self.world, systems)
    }

    /// Adds a system that runs once, before the first frame. It is in the group `Start`. If one of them fails and its policy is to stop, no frame runs, and the next one that is asked
    /// for begins with all of them again.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.add_start(|commands: &mut Commands| {
    ///     commands.spawn(());
    /// })?;
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.world().alive(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::add`].
    #[track_caller]
    pub fn add_start<M, S>(&mut self, system: S) -> Result<NewSystem<'_>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        Ok(self.schedule.add(&mut self.world, system)?.to(START))
    }

    /// Adds a system that runs once, at the [end](Engine::finish): also when a run ends with a fault, or because somebody [stops](crate::Stopper) it. It is in the group
    /// `End`.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Resource)] struct Saved(bool);
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Saved(false));
    /// engine.add_end(|mut saved: ResMut<Saved>| saved.0 = true)?;
    /// engine.run_frames(3)?;
    /// assert!(!engine.world().get_resource::<Saved>().unwrap().0);
    /// engine.finish()?;
    /// assert!(engine.world().get_resource::<Saved>().unwrap().0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::add`].
    #[track_caller]
    pub fn add_end<M, S>(&mut self, system: S) -> Result<NewSystem<'_>, SystemError>
    where
        S: IntoSystem<M, In = (), Out: Outcome> + 'static,
    {
        const { S::CHECK };
        Ok(self.schedule.add(&mut self.world, system)?.to(END))
    }

    /// Adds what a plugin brings: systems, groups, resources.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, SystemError};
    ///
    /// fn physics(engine: &mut Engine) -> Result<(), SystemError> {
    ///     engine.add(|| ())?.named("integrate").to("Physics");
    ///     Ok(())
    /// }
    ///
    /// let mut engine = Engine::new();
    /// engine.add_plugin(physics)?;
    /// assert!(engine.schedule().find("integrate").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What the plugin answers.
    pub fn add_plugin<E>(&mut self, plugin: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<&mut Self, E> {
        plugin(self)?;
        Ok(self)
    }

    /// The group of this name; it is made if there is none. [`Schedule::empty_groups`](crate::Schedule::empty_groups) finds misspelled ones.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, every_nth};
    ///
    /// fn think() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Thinking").pace(every_nth(10))?;
    /// engine.add(think)?.to("Thinking");
    /// engine.run_frames(20)?;
    /// assert_eq!(engine.schedule().info(think)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(&mut self, name: &str) -> Group<'_, &mut World> {
        let id = self.schedule.group_id(name);
        Group { schedule: &mut self.schedule, world: &mut self.world, id }
    }

    /// Lets one group come before another; see [`Schedule::order_groups`](crate::Schedule::order_groups).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_schedule::Engine;
    ///
    /// #[derive(Resource)] struct Log(Vec<&'static str>);
    ///
    /// let mut engine = Engine::new();
    /// engine.world_mut().insert_resource(Log(Vec::new()));
    /// engine.add(|mut log: ResMut<Log>| log.0.push("draw"))?.to("Drawing");
    /// engine.add(|mut log: ResMut<Log>| log.0.push("move"))?.to("Physics");
    /// engine.order_groups("Physics", "Drawing")?;
    /// engine.run_frames(1)?;
    /// assert_eq!(engine.world().get_resource::<Log>().unwrap().0, ["move", "draw"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle.
    #[track_caller]
    pub fn order_groups(&mut self, first: &str, then: &str) -> Result<(), CycleError> {
        self.schedule.order_groups(first, then)
    }
}
