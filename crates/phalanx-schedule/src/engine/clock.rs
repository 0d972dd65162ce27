//! How time passes in an engine: pause, single steps, scale, the bound on catching up.

use super::engine::Engine;
use crate::time::duration;
use std::time::Duration;

impl Engine {
    /// Stops the time: frames go by in which no group runs, until it [plays](Engine::play) again. Nothing is lost.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn tick() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(tick)?;
    /// engine.pause();
    /// engine.run_frames(3)?;
    /// assert_eq!((engine.schedule().info(tick)?.runs, engine.elapsed().as_nanos()), (0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Lets time pass again.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn tick() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(tick)?;
    /// engine.pause();
    /// engine.run_frames(3)?;
    /// engine.play();
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.schedule().info(tick)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self) {
        self.paused = false;
        self.single = 0;
    }

    /// Whether time stands still.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.pause();
    /// assert!(engine.is_paused());
    /// engine.play();
    /// assert!(!engine.is_paused());
    /// ```
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Lets one frame run although the engine is paused.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn tick() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(tick)?;
    /// engine.pause();
    /// engine.step();
    /// engine.run_frames(5)?;
    /// assert_eq!(engine.schedule().info(tick)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step(&mut self) {
        self.single += 1;
    }

    /// How fast time passes in the world: 1 at first, 0.5 is slow motion. What is negative, infinite or not a number counts as 0, and more than a million as a million.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.set_time_scale(0.5);
    /// engine.run_frame(Duration::from_secs(2))?;
    /// assert_eq!(engine.elapsed(), Duration::from_secs(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_time_scale(&mut self, scale: f64) {
        self.scale.set(scale);
    }

    /// How many steps of a fixed pace a group may run in one frame, 8 at first; at least one. Steps beyond are given up: the group falls behind instead of
    /// making the next frame later still.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, fixed};
    /// use std::time::Duration;
    ///
    /// fn fall() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(10.0))?;
    /// engine.add(fall)?.to("Physics");
    /// engine.set_catch_up(2);
    /// engine.run_frame(Duration::from_secs(1))?;                   // ten steps are due
    /// assert_eq!((engine.schedule().info(fall)?.runs, engine.given_up()), (2, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_catch_up(&mut self, steps: u64) {
        self.catch_up = steps.max(1);
    }

    /// How many steps were given up so far, of all groups.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, fixed};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(60.0))?;
    /// engine.run_frame(Duration::from_millis(50))?;
    /// assert_eq!(engine.given_up(), 0);
    /// engine.run_frame(Duration::from_secs(1))?;                   // 60 steps are due, and 8 run
    /// assert_eq!(engine.given_up(), 52);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// How much time has passed in the world.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.run_frames(60)?;
    /// assert_eq!(engine.elapsed(), Duration::from_secs(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elapsed(&self) -> Duration {
        duration(self.now)
    }

    /// How many frames have run.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.frame_count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frame_count(&self) -> u64 {
        self.frame
    }
}
