//! [`Histogram`]: how often something took how long.

use std::fmt;
use std::time::Duration;

/// How many buckets there are; the last one has no end, and begins at four and a half minutes.
const BUCKETS: usize = 40;

/// How often something took how long, in buckets of which each is twice as wide as the one before.
///
/// ```text
/// bucket   0      1      2         3         …   11             …   39
/// ns       0      1      2 … 3     4 … 7         1024 … 2047        more than 2³⁸
/// ```
///
/// See [`SystemInfo::histogram`](crate::SystemInfo::histogram).
///
/// ```
/// use phalanx_schedule::Engine;
/// use std::time::Duration;
///
/// fn wait() { std::thread::sleep(Duration::from_millis(2)) }
///
/// let mut engine = Engine::new();
/// engine.time_every_run(true);
/// engine.add(wait)?;
/// engine.run_frames(5)?;
/// let histogram = engine.schedule().info(wait)?.histogram;
/// assert_eq!(histogram.count(), 5);
/// assert!(histogram.quantile(0.0) >= Duration::from_millis(2));
/// println!("{histogram}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram([u64; BUCKETS]);

impl Default for Histogram {
    fn default() -> Self {
        Self([0; BUCKETS])
    }
}

/// Where a bucket begins, in nanoseconds.
fn begin(bucket: usize) -> u64 {
    if bucket == 0 { 0 } else { 1 << (bucket - 1) }
}

impl Histogram {
    #[inline]
    pub(super) fn note(&mut self, nanos: u64) {
        let bucket = (u64::BITS - nanos.leading_zeros()) as usize;
        self.0[bucket.min(BUCKETS - 1)] += 1;
    }

    /// How many were timed.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// let id = schedule.add(&mut world, || ())?.id();
    /// assert_eq!(schedule.info(id)?.histogram.count(), 0);
    /// schedule.run(&mut world)?;
    /// assert_eq!(schedule.info(id)?.histogram.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The buckets from the first that has something to the last that has: where each begins, and how many are in it. It ends where the next begins, at twice that.
    ///
    /// ```
    /// use phalanx_schedule::Histogram;
    ///
    /// assert_eq!(Histogram::default().buckets().count(), 0);
    /// ```
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        let first = self.0.iter().position(|count| *count > 0).unwrap_or(BUCKETS);
        let last = self.0.iter().rposition(|count| *count > 0).map_or(first, |last| last + 1);
        (first..last).map(|bucket| (Duration::from_nanos(begin(bucket)), self.0[bucket]))
    }

    /// The time that this share of them did not exceed, rounded up to the end of its bucket: the median for 0.5, and more than nearly all took for 0.99. Zero if
    /// nothing was timed.
    ///
    /// ```
    /// use phalanx_schedule::Histogram;
    /// use std::time::Duration;
    ///
    /// assert_eq!(Histogram::default().quantile(0.99), Duration::ZERO);
    /// ```
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    pub fn quantile(&self, share: f64) -> Duration {
        let mut left = ((self.count() as f64 * share.clamp(0.0, 1.0)).ceil() as u64).max(1);
        for (bucket, count) in self.0.iter().enumerate() {
            if left <= *count {
                return Duration::from_nanos(begin(bucket + 1));
            }
            left -= count;
        }
        Duration::ZERO
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.iter().copied().max().unwrap_or(0).max(1);
        for (at, (begin, count)) in self.buckets().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            let bar = "█".repeat(usize::try_from(u128::from(count) * 40 / u128::from(most)).expect("at most 40"));
            write!(f, "from {:>12} {count:>10} {bar}", format!("{begin:?}"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.buckets()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        for nanos in times {
            histogram.note(*nanos);
        }
        histogram
    }

    #[test]
    fn each_time_is_in_the_bucket_that_holds_it() {
        let histogram = of(&[0, 1, 2, 3, 4, 1023, 1024, u64::MAX]);
        assert_eq!(histogram.count(), 8);
        let begins: Vec<(u64, u64)> = histogram
            .buckets()
            .filter(|(_, count)| *count > 0)
            .map(|(begin, count)| (u64::try_from(begin.as_nanos()).unwrap(), count))
            .collect();
        assert_eq!(begins, [(0, 1), (1, 1), (2, 2), (4, 1), (512, 1), (1024, 1), (1 << 38, 1)]);
        assert_eq!(of(&[600, 3000]).buckets().map(|(_, count)| count).collect::<Vec<_>>(), [1, 0, 1]);
    }

    #[test]
    fn a_quantile_is_the_end_of_the_bucket_in_which_the_share_is_reached() {
        let histogram = of(&[10, 10, 10, 10, 10, 10, 10, 10, 10, 1000]);
        let nanos = |share| histogram.quantile(share).as_nanos();
        assert_eq!([nanos(0.0), nanos(0.5), nanos(0.9), nanos(0.91), nanos(1.0)], [16, 16, 16, 1024, 1024]);
        assert_eq!((nanos(-1.0), nanos(7.0), nanos(f64::NAN)), (16, 1024, 16));
    }

    #[test]
    fn it_shows_itself_in_bars() {
        let text = of(&[1000, 1000, 3000]).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(
            lines[0].starts_with("from        512ns          2 ████") && lines[1].ends_with("         0 "),
            "{text}"
        );
        assert_eq!(lines[0].matches('█').count(), 2 * lines[2].matches('█').count());
    }
}
