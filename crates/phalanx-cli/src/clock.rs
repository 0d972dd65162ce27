//! How long frames took.

use std::time::{Duration, Instant};

/// The times of any number of frames, in a few words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) frames: u64,
    pub(crate) total: Duration,
    /// Of the shortest frame; zero if there was none.
    pub(crate) least: Duration,
    /// Of the longest frame; zero if there was none.
    pub(crate) most: Duration,
}

impl Clock {
    /// Runs one frame and keeps its time.
    pub(crate) fn time(&mut self, frame: impl FnOnce()) {
        let start = Instant::now();
        frame();
        self.add(start.elapsed());
    }

    fn add(&mut self, time: Duration) {
        self.least = if self.frames == 0 { time } else { self.least.min(time) };
        self.most = self.most.max(time);
        self.total += time;
        self.frames += 1;
    }

    /// The mean; zero if there was no frame.
    pub(crate) fn mean(&self) -> Duration {
        let nanoseconds = self.total.as_nanos().checked_div(u128::from(self.frames)).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_least_and_most_are_those_of_the_frames() {
        let mut clock = Clock::default();
        assert_eq!(clock.mean(), Duration::ZERO);
        for milliseconds in [3, 1, 8] {
            clock.add(Duration::from_millis(milliseconds));
        }
        let [least, mean, most] = [1, 4, 8].map(Duration::from_millis);
        assert_eq!((clock.least, clock.mean(), clock.most, clock.frames), (least, mean, most, 3));
    }
}
