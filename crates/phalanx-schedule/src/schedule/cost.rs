//! What systems cost, by samples.

use super::histogram::Histogram;
use super::schedule::Schedule;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Reading the clock twice takes about so many nanoseconds.
const CLOCK: u64 = 60;
/// How many runs are timed at first.
const FIRST: u64 = 4;

/// How long a system takes. Most runs are not timed: of a system that takes nanoseconds one in a thousand, of one that takes longer more, of one that takes ten
/// microseconds each: so that asking the clock stays under a hundredth of the time.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    /// How many runs until the next one is timed.
    until: u32,
    /// Whether every run is timed.
    every: bool,
    /// A mean in which what is older counts less.
    mean: u64,
    /// Apart from what every run looks at; `None` until a run was timed.
    timed: Option<Box<Timed>>,
}

/// What is known of the runs that were timed.
#[derive(Clone, Debug, Default)]
struct Timed {
    samples: u64,
    last: u64,
    longest: u64,
    total: u64,
    histogram: Histogram,
}

impl Schedule {
    /// Lets every run of every system be timed, instead of as many as cost less than a hundredth of the time; `false` is as at first.
    ///
    /// ```
    /// use phalanx_ecs::World;
    /// use phalanx_schedule::Schedule;
    ///
    /// fn nothing() {}
    ///
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(&mut world, nothing)?;
    /// schedule.time_every_run(true);
    /// for _ in 0..1000 {
    ///     schedule.run(&mut world)?;
    /// }
    /// assert_eq!(schedule.info(nothing)?.timed, 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time_every_run(&mut self, every: bool) {
        self.time_every = every;
        for node in self.systems.iter_mut().flatten() {
            node.runner_mut().cost.set_every(every);
        }
    }
}

/// How many nanoseconds pass between two looks at the clock, which are no part of what is timed.
fn of_the_clock() -> u64 {
    static LEAST: OnceLock<u64> = OnceLock::new();
    *LEAST.get_or_init(|| {
        let looks = (0..64).map(|_| Instant::now().elapsed().as_nanos());
        looks.min().and_then(|least| u64::try_from(least).ok()).unwrap_or(0)
    })
}

impl Cost {
    pub(super) fn new(every: bool) -> Self {
        Self { every, ..Self::default() }
    }

    /// Runs something, and times it if it is time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        if self.until > 0 {
            self.until -= 1;
            return run();
        }
        let begun = Instant::now();
        let result = run();
        self.note(begun.elapsed());
        result
    }

    #[inline(never)]
    fn note(&mut self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX).saturating_sub(of_the_clock());
        let timed = self.timed.get_or_insert_default();
        timed.last = nanos;
        timed.longest = timed.longest.max(nanos);
        timed.total = timed.total.saturating_add(nanos);
        timed.histogram.note(nanos);
        // The first run finds nothing in the caches, and says little.
        self.mean = if timed.samples < 2 { nanos } else { self.mean - self.mean / 8 + nanos / 8 };
        timed.samples += 1;
        let every = if self.every || timed.samples < FIRST { 0 } else { CLOCK * 128 / (self.mean + 1) };
        self.until = u32::try_from(every).unwrap_or(u32::MAX).min(10_000);
    }

    /// Lets every run be timed, or only some.
    pub(super) fn set_every(&mut self, every: bool) {
        self.every = every;
        self.until = 0;
    }

    /// What a run takes about, in nanoseconds; `None` if none was timed.
    pub(super) fn estimate(&self) -> Option<u64> {
        self.timed.is_some().then_some(self.mean)
    }

    /// How many runs were timed, and the last, mean and longest of them.
    pub(super) fn timing(&self) -> (u64, [Duration; 3]) {
        let Some(timed) = &self.timed else { return Default::default() };
        let mean = timed.total.checked_div(timed.samples).unwrap_or(0);
        (timed.samples, [timed.last, mean, timed.longest].map(Duration::from_nanos))
    }

    pub(super) fn histogram(&self) -> Histogram {
        self.timed.as_ref().map(|timed| timed.histogram.clone()).unwrap_or_default()
    }
}
