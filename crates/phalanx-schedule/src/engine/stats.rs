//! How long frames take.

use std::collections::VecDeque;
use std::time::Duration;

/// How long the last frames took.
///
/// ```
/// use phalanx_schedule::Engine;
///
/// let mut engine = Engine::new();
/// engine.run_frames(3)?;
/// let stats = engine.stats();
/// assert_eq!((stats.frames(), stats.history().len()), (3, 3));
/// assert!(stats.last() <= stats.longest());
/// # Ok::<(), phalanx_schedule::Fault>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FrameStats {
    frames: u64,
    history: VecDeque<Duration>,
    total: Duration,
}

/// How many frames are remembered.
const HISTORY: usize = 1000;

impl FrameStats {
    pub(super) fn note(&mut self, took: Duration) {
        if self.history.capacity() == 0 {
            self.history.reserve_exact(HISTORY);
        }
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(took);
        self.frames += 1;
        self.total += took;
    }

    /// How many frames there were.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.run_frames(2000)?;
    /// assert_eq!(engine.stats().frames(), 2000);
    /// # Ok::<(), phalanx_schedule::Fault>(())
    /// ```
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// How long the last frame took.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| std::thread::sleep(Duration::from_millis(2)))?;
    /// engine.run_frames(3)?;
    /// assert!(engine.stats().last() >= Duration::from_millis(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn last(&self) -> Duration {
        self.history.back().copied().unwrap_or_default()
    }

    /// How long the longest of the frames took that are remembered.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| std::thread::sleep(Duration::from_millis(2)))?;
    /// engine.run_frames(3)?;
    /// assert!(engine.stats().longest() >= engine.stats().last());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn longest(&self) -> Duration {
        self.history.iter().max().copied().unwrap_or_default()
    }

    /// How long all frames together took.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| std::thread::sleep(Duration::from_millis(2)))?;
    /// engine.run_frames(3)?;
    /// assert!(engine.stats().total() >= Duration::from_millis(6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The last frames, at most 1000, oldest first.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let mut engine = Engine::new();
    /// engine.run_frames(2000)?;
    /// let stats = engine.stats();
    /// assert_eq!((stats.history().len(), stats.history().last()), (1000, Some(stats.last())));
    /// # Ok::<(), phalanx_schedule::Fault>(())
    /// ```
    pub fn history(&self) -> impl ExactSizeIterator<Item = Duration> {
        self.history.iter().copied()
    }

    /// Frames a second, as the last one was.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| std::thread::sleep(Duration::from_millis(2)))?;
    /// engine.run_frames(3)?;
    /// assert!(engine.stats().fps() > 0.0 && engine.stats().fps() <= 500.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fps(&self) -> f64 {
        per_second(1, self.last())
    }

    /// Frames a second, over the last second of frames that are remembered.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new();
    /// engine.add(|| std::thread::sleep(Duration::from_millis(2)))?;
    /// engine.run_frames(3)?;
    /// assert!(engine.stats().average_fps() > 0.0 && engine.stats().average_fps() <= 500.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn average_fps(&self) -> f64 {
        let (mut time, mut count) = (Duration::ZERO, 0);
        for took in self.history.iter().rev() {
            time += *took;
            count += 1;
            if time >= Duration::from_secs(1) {
                break;
            }
        }
        per_second(count, time)
    }
}

fn per_second(count: u32, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { f64::from(count) / time.as_secs_f64() }
}
