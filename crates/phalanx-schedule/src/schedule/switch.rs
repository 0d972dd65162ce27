//! Systems that may not run: disabled, or asleep.

use super::reference::SystemRef;
use super::schedule::Schedule;
use super::unknown::UnknownSystem;
use std::panic::Location;

impl Schedule {
    /// Lets a system run again that was disabled.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, draw)?;
    /// schedule.disable(draw)?;
    /// schedule.run(&mut world)?;
    /// schedule.enable(draw)?;
    /// schedule.run(&mut world)?;
    /// assert_eq!(schedule.info(draw)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn enable<M>(&mut self, system: impl SystemRef<M>) -> Result<(), UnknownSystem> {
        let id = self.find_kind(&system.kind(), Location::caller())?;
        self.node_mut(id).enabled = true;
        Ok(())
    }

    /// Lets a system run no more, until it is enabled; it keeps its place and what it remembers.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn fail() { panic!("not to be run") }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, fail)?;
    /// schedule.disable(fail)?;
    /// schedule.run(&mut world)?;
    /// assert_eq!(schedule.info(fail)?.runs, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn disable<M>(&mut self, system: impl SystemRef<M>) -> Result<(), UnknownSystem> {
        let id = self.find_kind(&system.kind(), Location::caller())?;
        self.node_mut(id).enabled = false;
        Ok(())
    }

    /// Puts a system to sleep, with a reason to show, or wakes it: for layers above that know when a system has nothing to do.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn render() { panic!("not to be run") }
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, render)?;
    /// schedule.sleep(render, Some("the scene has no render nodes"))?;
    /// schedule.run(&mut world)?;
    /// assert_eq!(schedule.info(render)?.asleep, Some("the scene has no render nodes"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownSystem`] if there is none, or more than one.
    #[track_caller]
    pub fn sleep<M>(&mut self, system: impl SystemRef<M>, because: Option<&str>) -> Result<(), UnknownSystem> {
        let id = self.find_kind(&system.kind(), Location::caller())?;
        self.node_mut(id).asleep = because.map(Into::into);
        Ok(())
    }
}
