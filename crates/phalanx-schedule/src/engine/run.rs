//! Frames: by the clock on the wall, or as fast as it goes.

use super::engine::{Engine, KEPT};
use super::limit::Limit;
use crate::ids::GroupId;
use crate::schedule::{Beat, END, Fault, START};
use crate::time::{Rate, Time, duration};
use std::panic::Location;
use std::time::{Duration, Instant};

/// How long a frame is in which nothing runs: a run that is paused does not keep a core busy.
const PAUSED: Duration = Duration::from_millis(1);

impl Engine {
    /// Runs at most so many frames a second; `None` is as many as it goes, as at first. What is no rate counts as `None`.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Res, Stopper, Time};
    /// use std::time::{Duration, Instant};
    ///
    /// let mut engine = Engine::new();
    /// engine.set_frame_limit(Some(100.0));
    /// engine.add(|time: Time, stopper: Res<Stopper>| {
    ///     if time.count() == 2 {
    ///         stopper.stop();
    ///     }
    /// })?;
    /// let begun = Instant::now();
    /// engine.run()?;
    /// assert!(begun.elapsed() >= Duration::from_millis(20));       // three frames, 10 ms from one to the next
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// After a frame that took long the next one begins at once, and those after it keep their distance: what was missed is not made up for.
    pub fn set_frame_limit(&mut self, hz: Option<f64>) {
        self.most = hz.and_then(Rate::new);
    }

    /// Runs frames by the clock on the wall until somebody [stops](crate::Stopper) it, or a system fails whose policy is to stop; then what belongs to the
    /// [end](Engine::finish) runs.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Res, Stopper, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time, stopper: Res<Stopper>| {
    ///     if time.elapsed() >= Duration::from_millis(5) {
    ///         stopper.stop();
    ///     }
    /// })?;
    /// engine.run()?;
    /// assert!(engine.elapsed() >= Duration::from_millis(5) && engine.frame_count() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// If the end fails too after a fault, its fault is among the [`faults`](Engine::faults).
    ///
    /// A stop that was asked for before ends it at once: no frame runs, and neither start nor end if there was no frame before. A stop ends one run.
    ///
    /// # Errors
    /// The [`Fault`] that ended it.
    pub fn run(&mut self) -> Result<(), Fault> {
        let begun = Instant::now();
        let (mut now, mut limit, mut result) = (0, Limit::default(), Ok(()));
        let mut began = self.started;
        while result.is_ok() && !self.stopper.is_stopped() {
            let before = std::mem::replace(&mut now, begun.elapsed().as_nanos());
            let stands_still = self.paused && self.single == 0;
            result = self.advance(now - before);
            began = true;
            if let Some(most) = self.most {
                limit.wait(most, begun, &self.stopper);
            } else if stands_still {
                std::thread::sleep(PAUSED);
            }
        }
        // Who was stopped before the first frame has nothing to end.
        if !began {
            self.stopper.take();
            return result;
        }
        match (result, self.finish()) {
            (Ok(()), end) => end,
            (Err(fault), end) => {
                self.faults.extend(end.err());
                Err(fault)
            }
        }
    }

    /// Runs what belongs to the end. The next frame is a first one again, and a stop that was asked for is used up.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// fn save() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.add_end(save)?;
    /// engine.run_frames(3)?;
    /// engine.finish()?;
    /// assert_eq!(engine.schedule().info(save)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.started = false;
        let result = self.run_once(END);
        self.stopper.take();
        result
    }

    /// Runs a group that runs once, if there is one.
    fn run_once(&mut self, group: &str) -> Result<(), Fault> {
        if self.schedule.has_group(group) { self.run_group(group) } else { Ok(()) }
    }

    /// Runs frames one after another, as fast as it goes, each of which stands for 1/60 s. The clock on the wall has no say, so the result is always the same. Answers how many
    /// ran: fewer, if somebody [stops](crate::Stopper) it, before or between them. What belongs to the [end](Engine::finish) is left to you.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, fixed};
    ///
    /// fn fall() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(100.0))?;
    /// engine.add(fall)?.to("Physics");
    /// engine.run_frames(60)?;                                       // a second
    /// assert_eq!((engine.frame_count(), engine.schedule().info(fall)?.runs), (60, 100));
    ///
    /// engine.stopper().stop();
    /// assert_eq!(engine.run_frames(60)?, 0, "stopped before the first");
    /// assert_eq!(engine.run_frames(60)?, 60, "a stop ends one run");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A stop that is asked for in the last of the frames ends none of them: it ends the next run.
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop; the frames after it do not run.
    pub fn run_frames(&mut self, count: u64) -> Result<u64, Fault> {
        for ran in 0..count {
            if self.stopper.take() {
                return Ok(ran);
            }
            let before = self.counted;
            let passed = self.rate.after(before + 1) - self.rate.after(before);
            self.counted += 1;
            self.advance(passed)?;
        }
        Ok(count)
    }

    /// Runs one frame, that stands for this much time; also if somebody [stopped](crate::Stopper::is_stopped) the engine: who runs frames one by one decides.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time| assert_eq!(time.step(), 0.25))?;
    /// engine.run_frame(Duration::from_millis(250))?;
    /// assert_eq!(engine.elapsed(), Duration::from_millis(250));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop; the rest of the frame does not run.
    #[doc(alias("update", "tick"))]
    pub fn run_frame(&mut self, passed: Duration) -> Result<(), Fault> {
        self.advance(passed.as_nanos())
    }

    fn advance(&mut self, passed: u128) -> Result<(), Fault> {
        if !self.started {
            self.run_once(START)?;
            self.started = true;
        }
        let begun = Instant::now();
        let runs = !self.paused || self.single > 0;
        self.single = self.single.saturating_sub(u64::from(self.paused));
        let result = if runs {
            let passed = self.scale.pass(passed);
            self.now = self.now.saturating_add(passed).min(Duration::MAX.as_nanos());
            let result = self.run_groups(passed);
            self.frame += 1;
            let served = self.schedule.all_served(&mut self.world, &mut self.faults);
            if let Ok(true) = served {
                self.world.update_events();
            }
            result.and(served.map(|_| ()))
        } else {
            Ok(())
        };
        self.drop_faults(2 * KEPT);
        self.stats.note(begun.elapsed());
        result
    }

    fn run_groups(&mut self, passed: u128) -> Result<(), Fault> {
        let mut at = 0;
        while let Some(group) = self.schedule.groups_in_order().get(at).copied() {
            self.run_group_due(group, passed)?;
            at += 1;
        }
        Ok(())
    }

    fn run_group_due(&mut self, group: GroupId, passed: u128) -> Result<(), Fault> {
        let (beat, runs, steps) = self.schedule.beat(group);
        let frame_time = Time {
            step: duration(passed),
            step_seconds: duration(passed).as_secs_f64(),
            elapsed: duration(self.now),
            count: runs,
        };
        match beat {
            Beat::EveryFrame => self.schedule.run_at(&mut self.world, group, frame_time, &mut self.faults),
            Beat::EveryNth(frames) if self.frame.is_multiple_of(frames) => {
                self.schedule.run_at(&mut self.world, group, frame_time, &mut self.faults)
            }
            Beat::EveryNth(_) | Beat::Manual => Ok(()),
            Beat::AsLongAs(asked) => {
                let ran = |engine: &Self| engine.schedule.beat(group).1;
                loop {
                    let before = ran(self);
                    let frame = (duration(passed), before - runs);
                    if !self.schedule.is_asked_for(&mut self.world, group, asked, frame, &mut self.faults)? {
                        return Ok(());
                    }
                    let time = Time { count: before, ..frame_time };
                    self.schedule.run_at(&mut self.world, group, time, &mut self.faults)?;
                    // What keeps it from running is not asked again in this frame.
                    if ran(self) == before {
                        return Ok(());
                    }
                }
            }
            Beat::Fixed(rate) => {
                // A pace that is new is in step with the time from this frame on: what was over before is not made up for.
                let steps = steps.unwrap_or_else(|| rate.steps_in(self.now.saturating_sub(passed)));
                self.schedule.set_steps(group, steps);
                let due = rate.steps_in(self.now);
                let first = due.saturating_sub(self.catch_up).max(steps);
                self.given_up = self.given_up.saturating_add(first - steps);
                for step in first..due {
                    let time = Time {
                        step: duration(rate.after(step + 1) - rate.after(step)),
                        step_seconds: rate.step(),
                        elapsed: duration(rate.after(step + 1)),
                        count: self.schedule.beat(group).1,
                    };
                    self.schedule.set_steps(group, step + 1);
                    self.schedule.run_at(&mut self.world, group, time, &mut self.faults)?;
                }
                Ok(())
            }
        }
    }

    /// Runs a group now, whatever its pace; the time it sees is that of the frame, with a step of zero.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, manual};
    ///
    /// fn save() {}
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Saving").pace(manual())?;
    /// engine.add(save)?.to("Saving");
    /// engine.run_frames(3)?;
    /// assert_eq!(engine.schedule().info(save)?.runs, 0);
    /// engine.run_group("Saving")?;
    /// assert_eq!(engine.schedule().info(save)?.runs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] if a system fails whose policy is to stop, or if there is no such group.
    #[track_caller]
    pub fn run_group(&mut self, group: &str) -> Result<(), Fault> {
        let id = self.schedule.known_group(group, Location::caller())?;
        let time = Time { elapsed: duration(self.now), count: self.schedule.beat(id).1, ..Time::default() };
        let result = self.schedule.run_at(&mut self.world, id, time, &mut self.faults);
        self.drop_faults(2 * KEPT);
        result
    }
}
