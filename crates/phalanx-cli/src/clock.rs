//! How long frames took.
//!
//! A thousand million frames can be run, so times are not kept one by one but counted by size: 16 sizes for each power of two of nanoseconds. A
//! percentile is exact to a sixteenth then, which is less than it changes from run to run.
//!
//! ```text
//! 19 ns = 1|0011 in binary: 4 digits behind the first choose among the sizes of 16..32 ns
//! ```

use std::time::Duration;

/// How many digits behind the first are kept.
const DIGITS: u32 = 4;
const SIZES: usize = (64 - DIGITS as usize + 1) << DIGITS;

/// The times of any number of frames, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) frames: u64,
    /// Of the shortest frame; zero if there was none.
    pub(crate) least: Duration,
    /// Of the longest frame; zero if there was none.
    pub(crate) most: Duration,
    /// How many frames were of each size.
    sizes: Box<[u64; SIZES]>,
}

impl Default for Clock {
    fn default() -> Self {
        let none = Duration::ZERO;
        Self { frames: 0, least: none, most: none, sizes: Box::new([0; SIZES]) }
    }
}

impl Clock {
    /// Keeps the time of a frame.
    pub(crate) fn add(&mut self, time: Duration) {
        self.least = if self.frames == 0 { time } else { self.least.min(time) };
        self.most = self.most.max(time);
        self.frames += 1;
        self.sizes[size(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))] += 1;
    }

    /// The time that 99 of 100 frames kept to, rounded up by at most a sixteenth; zero if there was no frame.
    pub(crate) fn p99(&self) -> Duration {
        self.kept_by(self.frames - self.frames / 100)
    }

    /// The time that half of the frames kept to, rounded up by at most a sixteenth; zero if there was no frame. A mean would tell more of the few frames in which the machine had
    /// something else to do.
    pub(crate) fn median(&self) -> Duration {
        self.kept_by(self.frames.div_ceil(2))
    }

    /// The time that so many frames kept to.
    fn kept_by(&self, wanted: u64) -> Duration {
        let mut seen = 0;
        let size = self.sizes.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        Duration::from_nanos(size.map_or(0, longest)).min(self.most)
    }
}

/// The size of a time in nanoseconds.
fn size(time: u64) -> usize {
    let digits = (u64::BITS - time.leading_zeros()).saturating_sub(DIGITS + 1);
    ((digits as usize) << DIGITS) + usize::try_from(time >> digits).expect("five digits at most")
}

/// The longest time of a size.
fn longest(size: usize) -> u64 {
    let digits = (size >> DIGITS).saturating_sub(1);
    let first = (size - (digits << DIGITS)) as u64;
    (first << digits) + ((1 << digits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_each_other_and_are_within_a_sixteenth() {
        for time in (0..5000).chain([1 << 40, (1 << 40) + 12345, u64::MAX - 1, u64::MAX]) {
            let longest_of_it = longest(size(time));
            assert!(longest_of_it >= time && longest_of_it - time <= time / 16, "{time}: {longest_of_it}");
            assert_eq!(size(longest_of_it), size(time), "{time}");
            if longest_of_it < u64::MAX {
                assert_eq!(size(longest_of_it + 1), size(time) + 1, "{time}");
            }
        }
        assert_eq!(size(u64::MAX), SIZES - 1);
    }

    #[test]
    fn one_frame_in_a_hundred_may_take_longer_than_p99() {
        let mut clock = Clock::default();
        assert_eq!(clock.p99(), Duration::ZERO);
        for frame in 0..200 {
            clock.add(Duration::from_micros(if frame % 100 == 7 { 900 } else { 100 }));
        }
        let p99 = clock.p99();
        assert!((Duration::from_micros(100)..Duration::from_micros(107)).contains(&p99), "{p99:?}");
        clock.add(Duration::from_micros(900));
        assert_eq!(clock.p99(), Duration::from_micros(900), "three in 201 are more than one in a hundred");
    }

    #[test]
    fn few_long_frames_do_not_move_the_median() {
        let mut clock = Clock::default();
        assert_eq!(clock.median(), Duration::ZERO);
        for milliseconds in [1, 9000, 1, 1, 9000] {
            clock.add(Duration::from_millis(milliseconds));
        }
        let median = clock.median();
        assert!((Duration::from_millis(1)..Duration::from_micros(1070)).contains(&median), "{median:?}");
    }

    #[test]
    fn least_and_most_are_those_of_the_frames() {
        let mut clock = Clock::default();
        for milliseconds in [3, 1, 8] {
            clock.add(Duration::from_millis(milliseconds));
        }
        let [least, most] = [1, 8].map(Duration::from_millis);
        assert_eq!((clock.least, clock.most, clock.frames), (least, most, 3));
        assert!(clock.least <= clock.median() && clock.median() <= clock.p99() && clock.p99() <= clock.most);
    }
}
