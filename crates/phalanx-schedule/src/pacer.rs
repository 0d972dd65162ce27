//! [`Pacer`]: a clock of its own for whoever runs at a pace.

use crate::schedule::{Beat, Pace, PaceError, beat_of};
use crate::time::{Scale, Time, duration};
use std::panic::Location;
use std::time::Duration;

/// A clock that says how many steps of a pace are due: what an engine has for its groups, for layers that keep time themselves.
///
/// It can be paused, stepped and scaled. Steps of a fixed pace are exact, and those beyond a bound are given up.
///
/// ```
/// use phalanx_schedule::{Pacer, fixed};
/// use std::time::Duration;
///
/// let mut clock = Pacer::new("Physics", fixed(100.0))?;
/// clock.pass(Duration::from_millis(25));
/// assert_eq!(clock.begin_step().unwrap().elapsed(), Duration::from_millis(10));
/// assert_eq!(clock.begin_step().unwrap().elapsed(), Duration::from_millis(20));
/// assert!(clock.begin_step().is_none(), "the rest waits for more time to pass");
/// # Ok::<(), phalanx_schedule::PaceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pacer {
    beat: Beat,
    scale: Scale,
    paused: bool,
    /// Nanoseconds that have passed, scaled.
    now: u128,
    /// The last frame, scaled.
    passed: u128,
    frames: u64,
    /// Steps of a fixed pace that are over, and how many of them may be due at once.
    steps: u64,
    catch_up: u64,
    given_up: u64,
    /// Steps that were begun, of any pace.
    count: u64,
    due: u64,
}

/// So many steps may be due at once, unless something else is said.
const CATCH_UP: u64 = 8;

impl Pacer {
    /// A clock with a pace; `whose` it is, for messages.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame, fixed};
    ///
    /// assert!(Pacer::new("Drawing", every_frame()).is_ok());
    /// assert!(Pacer::new("Physics", fixed(-60.0)).is_err());
    /// ```
    ///
    /// # Errors
    /// [`PaceError`] if it is no pace, or one that somebody else is asked for ([`as_long_as`](crate::as_long_as)).
    #[track_caller]
    pub fn new(whose: &str, pace: Pace) -> Result<Self, PaceError> {
        let beat = checked(whose, pace, Location::caller())?;
        Ok(Self {
            beat,
            scale: Scale::default(),
            paused: false,
            now: 0,
            passed: 0,
            frames: 0,
            steps: 0,
            catch_up: CATCH_UP,
            given_up: 0,
            count: 0,
            due: 0,
        })
    }

    /// Gives it another pace, from now on: what it would have done before is not made up for.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame, fixed};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Physics", every_frame())?;
    /// clock.pass(Duration::from_secs(5));
    /// clock.set_pace("Physics", fixed(2.0))?;
    /// clock.pass(Duration::from_millis(500));
    /// assert!(clock.begin_step().is_some() && clock.begin_step().is_none());
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pacer::new`]; then it keeps the one it has.
    #[track_caller]
    pub fn set_pace(&mut self, whose: &str, pace: Pace) -> Result<(), PaceError> {
        let beat = checked(whose, pace, Location::caller())?;
        if beat != self.beat {
            (self.beat, self.due) = (beat, 0);
            if let Beat::Fixed(rate) = beat {
                self.steps = rate.steps_in(self.now);
            }
        }
        Ok(())
    }

    /// Time passes: from here on it is known what is due. What was due before and was not begun is forgotten.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_nth};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Thinking", every_nth(2))?;
    /// let due: Vec<bool> = (0..4).map(|_| { clock.pass(Duration::from_millis(16)); clock.begin_step().is_some() }).collect();
    /// assert_eq!(due, [true, false, true, false]);
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn pass(&mut self, passed: Duration) {
        self.due = 0;
        if self.paused {
            return;
        }
        self.passed = self.scale.pass(passed.as_nanos());
        self.now = self.now.saturating_add(self.passed).min(Duration::MAX.as_nanos());
        self.due = match self.beat {
            Beat::EveryFrame => 1,
            Beat::EveryNth(frames) => u64::from(self.frames.is_multiple_of(frames)),
            Beat::Fixed(rate) => {
                let due = rate.steps_in(self.now).saturating_sub(self.steps);
                let most = due.min(self.catch_up);
                self.steps += due - most;
                self.given_up = self.given_up.saturating_add(due - most);
                most
            }
            Beat::Manual | Beat::AsLongAs(_) => 0,
        };
        self.frames += 1;
    }

    /// Lets so many more steps be due now, whatever the pace and whether it is paused. Of other paces than fixed ones they take no time.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, fixed};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Physics", fixed(50.0))?;
    /// clock.pause();
    /// clock.ask(1);
    /// assert_eq!(clock.begin_step().unwrap().elapsed(), Duration::from_millis(20));
    /// assert!(clock.begin_step().is_none());
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn ask(&mut self, steps: u64) {
        match self.beat {
            Beat::Fixed(rate) => {
                let end = self.steps.saturating_add(self.due).saturating_add(steps);
                self.now = self.now.max(rate.after(end)).min(Duration::MAX.as_nanos());
            }
            _ if self.due == 0 => self.passed = 0,
            _ => {}
        }
        self.due = self.due.saturating_add(steps);
    }

    /// Begins the next step that is due, and answers its time.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Drawing", every_frame())?;
    /// assert!(clock.begin_step().is_none());
    /// clock.pass(Duration::from_millis(16));
    /// assert_eq!(clock.begin_step().unwrap().step_duration(), Duration::from_millis(16));
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn begin_step(&mut self) -> Option<Time> {
        self.due = self.due.checked_sub(1)?;
        let count = self.count;
        self.count = self.count.saturating_add(1);
        Some(match self.beat {
            Beat::Fixed(rate) => {
                let begin = rate.after(self.steps);
                // At the end of time there are no further steps.
                self.steps = self.steps.saturating_add(1);
                let end = rate.after(self.steps);
                let step = duration(end - begin);
                Time { step, step_seconds: rate.step(), elapsed: duration(end), count }
            }
            _ => {
                let step = duration(self.passed);
                Time { step, step_seconds: step.as_secs_f64(), elapsed: duration(self.now), count }
            }
        })
    }

    /// Lets time stand still: nothing is due but what is [asked for](Pacer::ask).
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Drawing", every_frame())?;
    /// clock.pause();
    /// clock.pass(Duration::from_secs(1));
    /// assert!(clock.is_paused() && clock.begin_step().is_none() && clock.elapsed() == Duration::ZERO);
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Lets time pass again.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Drawing", every_frame())?;
    /// clock.pause();
    /// clock.play();
    /// clock.pass(Duration::from_secs(1));
    /// assert_eq!(clock.elapsed(), Duration::from_secs(1));
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn play(&mut self) {
        self.paused = false;
    }

    /// Whether time stands still.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, manual};
    ///
    /// assert!(!Pacer::new("Saving", manual())?.is_paused());
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether steps will be due by themselves as time passes: it is neither paused nor scaled to nothing, and its pace is not [`manual`](crate::manual).
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame, manual};
    ///
    /// let mut clock = Pacer::new("Drawing", every_frame())?;
    /// assert!(clock.steps_by_itself() && !Pacer::new("Saving", manual())?.steps_by_itself());
    /// clock.pause();
    /// assert!(!clock.steps_by_itself());
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn steps_by_itself(&self) -> bool {
        let passes = self.scale.get() > 0.0 || !matches!(self.beat, Beat::Fixed(_));
        passes && !self.paused && self.beat != Beat::Manual
    }

    /// How much of the time that passes passes here, 1 at first: 0.5 is half as fast. What is less than nothing, or no number, is 0; no scale is above a
    /// million.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Drawing", every_frame())?;
    /// clock.set_scale(0.25);
    /// clock.pass(Duration::from_secs(2));
    /// assert_eq!((clock.scale(), clock.elapsed()), (0.25, Duration::from_millis(500)));
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn set_scale(&mut self, scale: f64) {
        self.scale.set(scale);
    }

    /// How much of the time that passes passes here.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, every_frame};
    ///
    /// assert_eq!(Pacer::new("Drawing", every_frame())?.scale(), 1.0);
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn scale(&self) -> f64 {
        self.scale.get()
    }

    /// How many steps of a fixed pace may be due at once, 8 at first; at least one. Steps beyond are given up.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, fixed};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Physics", fixed(10.0))?;
    /// clock.set_catch_up(2);
    /// clock.pass(Duration::from_secs(1));
    /// assert_eq!(std::iter::from_fn(|| clock.begin_step()).count(), 2);
    /// assert_eq!(clock.given_up(), 8);
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn set_catch_up(&mut self, steps: u64) {
        self.catch_up = steps.max(1);
    }

    /// How many steps were given up so far.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, fixed};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Physics", fixed(60.0))?;
    /// clock.pass(Duration::from_secs(1));
    /// assert_eq!(clock.given_up(), 52);
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// How much time has passed here.
    ///
    /// ```
    /// use phalanx_schedule::{Pacer, manual};
    /// use std::time::Duration;
    ///
    /// let mut clock = Pacer::new("Saving", manual())?;
    /// clock.pass(Duration::from_secs(3));
    /// assert_eq!(clock.elapsed(), Duration::from_secs(3));
    /// # Ok::<(), phalanx_schedule::PaceError>(())
    /// ```
    pub fn elapsed(&self) -> Duration {
        duration(self.now)
    }
}

fn checked(whose: &str, pace: Pace, caller: &'static Location<'static>) -> Result<Beat, PaceError> {
    match beat_of(pace) {
        Some(Beat::AsLongAs(_)) | None => Err(PaceError { group: whose.to_owned(), pace, caller }),
        Some(beat) => Ok(beat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::schedule::{every_frame, every_nth, fixed};
    use phalanx_ecs::prelude::*;

    #[derive(Resource, Default)]
    struct Steps(Vec<Time>);

    fn note(time: Time, mut steps: ResMut<'_, Steps>) {
        steps.0.push(time);
    }

    #[test]
    fn a_pacer_steps_as_a_group_of_an_engine_does() {
        for pace in [every_frame(), every_nth(3), fixed(60.0), fixed(144.0), fixed(7.5)] {
            for scale in [1.0, 0.3, 2.5] {
                let mut engine = Engine::new();
                engine.world_mut().insert_resource(Steps::default());
                engine.group("Steps").pace(pace).unwrap();
                engine.add(note).unwrap().to("Steps");
                engine.set_time_scale(scale);
                let mut pacer = Pacer::new("Steps", pace).unwrap();
                pacer.set_scale(scale);
                let mut steps = Vec::new();
                for frame in 0..200_u64 {
                    let passed = Duration::from_micros(1_000 + frame * frame * 37 % 90_000);
                    engine.run_frame(passed).unwrap();
                    pacer.pass(passed);
                    steps.extend(std::iter::from_fn(|| pacer.begin_step()));
                }
                assert_eq!(engine.world().resource::<Steps>().unwrap().0, steps, "{pace:?}, scaled by {scale}");
                assert_eq!((engine.elapsed(), engine.given_up()), (pacer.elapsed(), pacer.given_up()));
            }
        }
    }
}
