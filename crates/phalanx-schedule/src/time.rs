//! [`Time`] as systems see it, and exact steps.

use std::fmt;
use std::time::Duration;

/// The time as a system sees it: an argument of a system.
///
/// A group with a fixed pace has a time of its own, that goes by whole steps; others have that of the frame.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, Time, fixed};
///
/// #[derive(Component)] struct Height(f32);
///
/// fn fall(time: Time, mut all: Query<&mut Height>) {
///     all.for_each(|height| height.0 -= 9.81 * time.step());
/// }
///
/// let mut engine = Engine::new();
/// engine.group("Physics").pace(fixed(100.0))?;
/// engine.add(fall)?.to("Physics");
/// let stone = engine.world_mut().spawn(Height(10.0));
/// engine.run_frames(60)?;                     // 60 frames of 1/60 s
/// assert!((engine.world().get::<Height>(stone).unwrap().0 - (10.0 - 9.81)).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    pub(crate) step: Duration,
    pub(crate) step_seconds: f64,
    pub(crate) elapsed: Duration,
    pub(crate) count: u64,
}

impl Time {
    /// How much time this run stands for, in seconds.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time| assert_eq!(time.step(), 0.5))?;
    /// engine.run_frame(Duration::from_millis(500))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("delta", "delta_secs"))]
    #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
    pub fn step(self) -> f32 {
        self.step_seconds as f32
    }

    /// How much time this run stands for, in seconds, without rounding to `f32`.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time, fixed};
    ///
    /// let mut engine = Engine::new();
    /// engine.group("Physics").pace(fixed(60.0))?;
    /// engine.add(|time: Time| assert_eq!(time.step_f64(), 1.0 / 60.0))?.to("Physics");
    /// engine.run_frames(3)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_f64(self) -> f64 {
        self.step_seconds
    }

    /// How much time this run stands for, to the nanosecond below.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time| assert_eq!(time.step_duration(), Duration::from_millis(20)))?;
    /// engine.run_frame(Duration::from_millis(20))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_duration(self) -> Duration {
        self.step
    }

    /// How much time has passed up to the end of this run, to the nanosecond below. There is no drift: after n steps of 1/60 s it is n/60 s.
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Time};
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time| assert_eq!(time.elapsed(), (time.count() as u32 + 1) * Duration::from_millis(20)))?;
    /// for _ in 0..3 {
    ///     engine.run_frame(Duration::from_millis(20))?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elapsed(self) -> Duration {
        self.elapsed
    }

    /// How many runs of the group there were before this one. A system that was held back or disabled meanwhile does not see its own count here: that is for a [`Local`](crate::Local).
    ///
    /// ```
    /// use phalanx_schedule::{Engine, Local, Time};
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|time: Time, mut runs: Local<u64>| {
    ///     assert_eq!(time.count(), *runs);
    ///     *runs += 1;
    /// })?;
    /// engine.run_frames(3)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count(self) -> u64 {
        self.count
    }
}

/// How many times a second, as an exact ratio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rate {
    /// Steps …
    steps: u64,
    /// … in so many seconds.
    seconds: u64,
}

/// Faster than this a step is less than a microsecond, which is no pace but a mistake.
const FASTEST: f64 = 1_000_000.0;
/// Slower than this is once in eleven days.
const SLOWEST: f64 = 0.000_001;

impl Rate {
    /// From times a second, to a millionth.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bounds")]
    pub(crate) fn new(hz: f64) -> Option<Self> {
        if !(SLOWEST..=FASTEST).contains(&hz) {
            return None;
        }
        let (steps, seconds) = ((hz * 1_000_000.0).round() as u64, 1_000_000);
        let divisor = gcd(steps, seconds);
        Some(Self { steps: steps / divisor, seconds: seconds / divisor })
    }

    /// When so many steps are over, in nanoseconds, rounded down.
    pub(crate) fn after(self, count: u64) -> u128 {
        u128::from(count) * u128::from(self.seconds) * 1_000_000_000 / u128::from(self.steps)
    }

    /// How many whole steps there are in so many nanoseconds.
    pub(crate) fn steps_in(self, nanos: u128) -> u64 {
        // What is too much for the product is too much for the answer, too.
        let steps = nanos.saturating_mul(u128::from(self.steps));
        let whole = steps / (u128::from(self.seconds) * 1_000_000_000);
        // What `after` rounds down is over a nanosecond early.
        let whole = u64::try_from(whole).unwrap_or(u64::MAX - 1);
        if self.after(whole + 1) <= nanos { whole + 1 } else { whole }
    }

    /// A step in seconds.
    #[expect(clippy::cast_precision_loss, reason = "rounded on purpose")]
    pub(crate) fn step(self) -> f64 {
        self.seconds as f64 / self.steps as f64
    }
}

impl fmt::Display for Rate {
    #[expect(clippy::cast_precision_loss, reason = "for the eye")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Hz", self.steps as f64 / self.seconds as f64)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How much of the time that passes passes for somebody.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    factor: f64,
    /// What rounding left over, in nanoseconds.
    rest: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { factor: 1.0, rest: 0.0 }
    }
}

impl Scale {
    /// More than this is no scale but a mistake.
    const MOST: f64 = 1_000_000.0;

    pub(crate) fn get(self) -> f64 {
        self.factor
    }

    pub(crate) fn set(&mut self, factor: f64) {
        self.factor = if factor.is_finite() && factor > 0.0 { factor.min(Self::MOST) } else { 0.0 };
    }

    /// Nanoseconds of its own for those that passed. What rounding leaves over is carried on.
    pub(crate) fn pass(&mut self, passed: u128) -> u128 {
        // Exact where nothing is scaled.
        #[expect(clippy::float_cmp, reason = "just that value")]
        if self.factor == 1.0 { passed } else { self.scaled(passed) }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "positive, and rounded on purpose"
    )]
    #[inline(never)]
    fn scaled(&mut self, passed: u128) -> u128 {
        let exact = passed as f64 * self.factor + self.rest;
        let whole = exact.round().max(0.0);
        self.rest = exact - whole;
        whole as u128
    }
}

/// A duration of so many nanoseconds.
pub(crate) fn duration(nanos: u128) -> Duration {
    // Five hundred years fit here, and are divided sooner.
    if let Ok(nanos) = u64::try_from(nanos) {
        return Duration::from_nanos(nanos);
    }
    let Ok(seconds) = u64::try_from(nanos / 1_000_000_000) else { return Duration::MAX };
    Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).expect("less than a second"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_exact_ratios_and_do_not_drift() {
        let rate = Rate::new(60.0).unwrap();
        assert_eq!(rate.after(60), 1_000_000_000);
        assert_eq!(rate.after(10_000_020), 166_667_000_000_000, "after more than ten million steps");
        assert_eq!(rate.after(1), 16_666_666);
        let odd = Rate::new(59.94).unwrap();
        assert_eq!(odd.after(5_994), 100_000_000_000);
    }

    #[test]
    fn as_many_steps_are_over_as_have_ended() {
        for hz in [60.0, 59.94, 144.0, 1000.0, 0.5, 1_000_000.0, 7.3] {
            let rate = Rate::new(hz).unwrap();
            for count in [1, 2, 3, 59, 60, 61, 1_000_003] {
                let end = rate.after(count);
                assert_eq!((rate.steps_in(end), rate.steps_in(end - 1)), (count, count - 1), "{hz} Hz, step {count}");
            }
        }
    }

    #[test]
    fn times_without_end_are_as_much_as_fits() {
        for hz in [0.000_001, 60.0, 999_999.999_999] {
            let rate = Rate::new(hz).unwrap();
            for nanos in [Duration::MAX.as_nanos(), u128::MAX] {
                let steps = rate.steps_in(nanos);
                assert!(rate.after(steps) <= nanos && (steps == u64::MAX || rate.after(steps + 1) > nanos), "{hz}");
            }
        }
        assert_eq!(duration(u128::MAX), Duration::MAX);
        assert_eq!(duration(Duration::MAX.as_nanos()), Duration::MAX);
    }

    #[test]
    fn rates_that_are_none_are_refused() {
        for hz in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9, 1e-9, -0.0] {
            assert_eq!(Rate::new(hz), None, "{hz}");
        }
    }
}
