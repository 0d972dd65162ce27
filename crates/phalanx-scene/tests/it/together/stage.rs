//! The naive scenes: their clocks, and their systems in the order in which they were added.

use super::systems::{Sums, What};
use phalanx_scene::SceneId;
use phalanx_schedule::{Pace, SystemId, every_frame, every_nth, fixed, manual};

/// How often a scene steps. Fixed paces are such that whole milliseconds come out even.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beat {
    EveryFrame,
    EveryNth(u64),
    /// A step in so many milliseconds.
    Fixed(u64),
    Manual,
}

impl Beat {
    pub const ALL: [Self; 7] = [
        Self::EveryFrame,
        Self::EveryFrame,
        Self::EveryNth(2),
        Self::EveryNth(3),
        Self::Fixed(20),
        Self::Fixed(4),
        Self::Manual,
    ];

    pub fn pace(self) -> Pace {
        match self {
            Self::EveryFrame => every_frame(),
            Self::EveryNth(frames) => every_nth(frames),
            Self::Fixed(20) => fixed(50.0),
            Self::Fixed(_) => fixed(250.0),
            Self::Manual => manual(),
        }
    }
}

/// So many steps are made up for at most.
const CATCH_UP: u64 = 8;

#[derive(Debug)]
pub struct Clock {
    beat: Beat,
    pub paused: bool,
    /// How fast time passes.
    pub scale: u64,
    /// Milliseconds that have passed.
    pub now: u64,
    frames: u64,
    /// Steps of a fixed pace that are over.
    steps: u64,
    due: u64,
    /// Steps that were begun.
    pub count: u64,
}

impl Clock {
    pub fn set_beat(&mut self, beat: Beat) {
        if beat != self.beat {
            (self.beat, self.due) = (beat, 0);
            if let Beat::Fixed(every) = beat {
                self.steps = self.now / every;
            }
        }
    }

    pub fn pass(&mut self, millis: u64) {
        self.due = 0;
        if self.paused {
            return;
        }
        self.now += millis * self.scale;
        self.due = match self.beat {
            Beat::EveryFrame => 1,
            Beat::EveryNth(frames) => u64::from(self.frames.is_multiple_of(frames)),
            Beat::Fixed(every) => {
                let due = (self.now / every).saturating_sub(self.steps);
                self.steps += due.saturating_sub(CATCH_UP);
                due.min(CATCH_UP)
            }
            Beat::Manual => 0,
        };
        self.frames += 1;
    }

    pub fn ask(&mut self, steps: u64) {
        if let Beat::Fixed(every) = self.beat {
            self.now = self.now.max((self.steps + self.due + steps) * every);
        }
        self.due += steps;
    }

    pub fn begin_step(&mut self) -> bool {
        let begins = self.due > 0;
        self.due -= u64::from(begins);
        self.count += u64::from(begins);
        if let Beat::Fixed(_) = self.beat {
            self.steps += u64::from(begins);
        }
        begins
    }

    /// Whether no step comes although it is neither paused nor waits to be asked.
    pub fn stands_still(&self) -> bool {
        self.scale == 0 && matches!(self.beat, Beat::Fixed(_))
    }

    pub fn is_manual(&self) -> bool {
        self.beat == Beat::Manual
    }
}

#[derive(Debug)]
pub struct Scene {
    pub id: SceneId,
    pub name: String,
    pub active: bool,
    pub clock: Clock,
    pub asked: u64,
}

#[derive(Debug)]
pub struct System {
    pub id: SystemId,
    pub scene: SceneId,
    pub what: What,
    pub runs: u64,
    /// Whether it was awake when its scene last took a step.
    pub awake: Option<bool>,
}

#[derive(Default)]
pub struct Stage {
    pub scenes: Vec<Scene>,
    pub systems: Vec<System>,
    pub sums: Sums,
    /// Runs of all systems, also of those that are no more.
    pub runs: u64,
    /// Systems that woke or fell asleep since that was last compared.
    pub told: Vec<(SceneId, SystemId, bool)>,
    /// Scenes that are no more.
    pub gone: Vec<SceneId>,
}

impl Stage {
    pub fn created(&mut self, id: SceneId, name: String) {
        let clock =
            Clock { beat: Beat::EveryFrame, paused: false, scale: 1, now: 0, frames: 0, steps: 0, due: 0, count: 0 };
        self.scenes.push(Scene { id, name, active: true, clock, asked: 0 });
    }

    pub fn deleted(&mut self, id: SceneId) {
        self.scenes.retain(|scene| scene.id != id);
        self.systems.retain(|system| system.scene != id);
        self.gone.push(id);
    }

    pub fn is_there(&self, id: SceneId) -> bool {
        self.scenes.iter().any(|scene| scene.id == id)
    }

    pub fn scene(&self, id: SceneId) -> &Scene {
        self.scenes.iter().find(|scene| scene.id == id).expect("it is there")
    }

    pub fn scene_mut(&mut self, id: SceneId) -> &mut Scene {
        self.scenes.iter_mut().find(|scene| scene.id == id).expect("it is there")
    }
}
