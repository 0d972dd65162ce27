//! [`Group`]: a group of systems, to say more about it.

use super::condition::{ConditionError, IntoCondition};
use super::order::CycleError;
use super::pace::{Pace, PaceError, beat_of};
use super::schedule::Schedule;
use crate::ids::GroupId;
use phalanx_ecs::World;
use std::fmt;
use std::panic::Location;

/// A group of a schedule, to say more about it; made by [`Schedule::group`] and [`Engine::group`](crate::Engine::group). The one of an engine has the world with
/// it: `W` is `&mut World`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, Res};
///
/// #[derive(Resource)] struct Playing(bool);
///
/// fn is_playing(playing: Res<Playing>) -> bool { playing.0 }
///
/// fn fall() { panic!("nobody plays") }
///
/// let mut engine = Engine::new();
/// engine.world_mut().insert_resource(Playing(false));
/// engine.add(fall)?.to("Physics");
/// engine.group("Physics").before("Update")?.only_if(is_playing)?;
/// engine.run_frames(3)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```
/// use phalanx_schedule::{Schedule, fixed};
///
/// let mut schedule = Schedule::new();
/// let physics = schedule.group("Physics").pace(fixed(60.0))?.id();
/// assert!(schedule.has_group("Physics") && schedule.group("Physics").id() == physics);
/// # Ok::<(), phalanx_schedule::PaceError>(())
/// ```
pub struct Group<'a, W = ()> {
    pub(crate) schedule: &'a mut Schedule,
    pub(crate) world: W,
    pub(crate) id: GroupId,
}

impl Group<'_> {
    /// Lets it run only when a condition holds, too. It is asked once for each run of the group, not for each system; with several, all must hold, and each is asked
    /// only if those before it do. Steps of a fixed pace that do not run are not made up for later.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn draw() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, draw)?.to("Menu");
    /// schedule.group("Menu").only_if(&mut world, || false)?;
    /// schedule.run_group(&mut world, "Menu")?;
    /// assert_eq!(schedule.info(draw)?.runs, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConditionError`] if the condition would change something, or if two of its arguments get in each other's way.
    #[track_caller]
    pub fn only_if<M, C: IntoCondition<M>>(self, world: &mut World, condition: C) -> Result<Self, ConditionError> {
        const { C::ONLY_READS };
        self.schedule.add_group_condition(self.id, world, condition, Location::caller())?;
        Ok(self)
    }
}

impl Group<'_, &mut World> {
    /// Lets it run only when a condition holds, too. It is asked once for each run of the group, not for each system; with several, all must hold, and each is asked
    /// only if those before it do. Steps of a fixed pace that do not run are not made up for later.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    ///
    /// fn draw() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?.to("Menu");
    /// engine.group("Menu").only_if(|time: Time| time.elapsed().as_millis() > 20)?;
    /// engine.run_frames(3)?;                                        // of 16.7 ms
    /// assert_eq!(engine.schedule().info(draw)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConditionError`] if the condition would change something, or if two of its arguments get in each other's way.
    #[track_caller]
    pub fn only_if<M, C: IntoCondition<M>>(self, condition: C) -> Result<Self, ConditionError> {
        const { C::ONLY_READS };
        self.schedule.add_group_condition(self.id, self.world, condition, Location::caller())?;
        Ok(self)
    }
}

impl<W> Group<'_, W> {
    /// Which one it is.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// assert_ne!(schedule.group("Physics").id(), schedule.group("Drawing").id());
    /// ```
    pub fn id(&self) -> GroupId {
        self.id
    }

    /// Sets how often it runs.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, fixed};
    ///
    /// fn fall() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(30.0))?;
    /// engine.add(fall)?.to("Physics");
    /// engine.run_frames(60)?;
    /// assert_eq!(engine.schedule().info(fall)?.runs, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A pace that is set later goes on from the time it is then: what it would have done before is not made up for.
    ///
    /// # Errors
    /// [`PaceError`] if it is no pace; then the group keeps the one it has.
    #[track_caller]
    pub fn pace(self, pace: Pace) -> Result<Self, PaceError> {
        let caller = Location::caller();
        let beat = beat_of(pace);
        let group = &mut self.schedule.groups[self.id.at as usize];
        match beat {
            Some(beat) => {
                // Steps of another pace say nothing about those of this one.
                if group.beat != beat {
                    (group.beat, group.steps) = (beat, None);
                }
                Ok(self)
            }
            None => Err(PaceError { group: group.name.clone(), pace, caller }),
        }
    }

    /// Lets it come before another group in a frame, which is made if it is not there.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.group("Physics").after("Input")?.before("Drawing")?;
    /// assert!(schedule.group("Drawing").before("Input").is_err(), "it would close a cycle");
    /// # Ok::<(), phalanx_schedule::CycleError>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle; the schedule is then unchanged.
    #[track_caller]
    pub fn before(self, then: &str) -> Result<Self, CycleError> {
        let then = self.schedule.group_id(then);
        self.schedule.add_group_edge(self.id, then, Location::caller())?;
        Ok(self)
    }

    /// Lets another group come before it in a frame; that is made if it is not there.
    ///
    /// ```
    /// use phalanx_schedule::Schedule;
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.group("Drawing").after("Physics")?;
    /// assert!(schedule.group("Physics").after("Drawing").is_err(), "it would close a cycle");
    /// # Ok::<(), phalanx_schedule::CycleError>(())
    /// ```
    ///
    /// # Errors
    /// [`CycleError`] if this would close a cycle; the schedule is then unchanged.
    #[track_caller]
    pub fn after(self, first: &str) -> Result<Self, CycleError> {
        let first = self.schedule.group_id(first);
        self.schedule.add_group_edge(first, self.id, Location::caller())?;
        Ok(self)
    }

    /// Lets it run no more, until it is enabled: neither by its pace nor when asked. Its systems keep what they remember; steps of a fixed pace that do not run are
    /// not made up for later.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn draw() { panic!("not to be run") }
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?.to("Drawing");
    /// engine.group("Drawing").disable();
    /// engine.run_frames(3)?;
    /// let why = engine.schedule_mut().why_idle(draw)?.to_string();
    /// assert!(why.starts_with("its group `Drawing` is disabled"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is disabled")]
    pub fn disable(self) -> Self {
        self.schedule.groups[self.id.at as usize].set_disabled(true);
        self
    }

    /// Lets it run again if it was disabled.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn draw() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add(draw)?.to("Drawing");
    /// engine.group("Drawing").disable();
    /// engine.run_frames(3)?;
    /// engine.group("Drawing").enable();
    /// engine.run_frames(2)?;
    /// assert_eq!(engine.schedule().info(draw)?.runs, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::return_self_not_must_use, reason = "it is enabled")]
    pub fn enable(self) -> Self {
        self.schedule.groups[self.id.at as usize].set_disabled(false);
        self
    }
}

impl<W> fmt::Debug for Group<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({})", self.schedule.groups[self.id.at as usize].name)
    }
}
