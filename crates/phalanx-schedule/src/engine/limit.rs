//! [`Limit`]: at most so many frames a second.
//!
//! ```text
//! limit 100/s   │ 0 │ 10 │ 20 │ … a frame of 500 ms … │ 520 │ 530 │ 540 │
//! frame          0    1    2                            3     4     5        counted anew from 520 on: what was missed is not made up for
//! ```

use super::stopper::Stopper;
use crate::time::{Rate, duration};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a sleep is at most: so soon a stop is seen.
const SLICE: Duration = Duration::from_millis(10);

/// When the next frame of a run is due.
#[derive(Debug, Default)]
pub(super) struct Limit {
    /// Since when frames are counted, in nanoseconds since the run began, and how many there were.
    from: u128,
    frames: u64,
}

impl Limit {
    /// A frame is over: when the next one begins. One that is a little late does not make the others late; after one that is later than a whole frame they are counted anew.
    fn next(&mut self, most: Rate, now: u128) -> u128 {
        self.frames += 1;
        if now > self.from + most.after(self.frames + 1) {
            *self = Self { from: now, frames: 0 };
        }
        self.from + most.after(self.frames)
    }

    /// Waits until the next frame is due, or somebody stops the run.
    pub(super) fn wait(&mut self, most: Rate, begun: Instant, stopper: &Stopper) {
        let due = duration(self.next(most, begun.elapsed().as_nanos()));
        while let Some(wait) = due.checked_sub(begun.elapsed()).filter(|wait| !wait.is_zero())
            && !stopper.is_stopped()
        {
            sleep(wait.min(SLICE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_is_late_is_made_up_for_and_a_stall_is_not() {
        let (mut limit, most) = (Limit::default(), Rate::new(100.0).unwrap());
        let mut next = |now: u128| limit.next(most, now * 1_000_000) / 1_000_000;
        assert_eq!([next(1), next(13), next(32), next(33)], [10, 20, 30, 40], "in time, or a little late");
        assert_eq!([next(540), next(541), next(551)], [540, 550, 560], "counted anew after a stall");
    }
}
