//! [`Stopper`]: ends a running engine.

use phalanx_ecs::Resource;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Ends a running engine after the frame it is in: from a system, from another thread, or when the user presses Ctrl-C. It is a resource of the world of each
/// engine, and clones end the same engine. If the engine is not running, it ends its next run at once: nothing that was asked for is lost. A stop ends one
/// run, and is used up then.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Engine, Res, Stopper, Time};
///
/// let mut engine = Engine::new();
/// engine.add(|time: Time, stopper: Res<Stopper>| {
///     if time.count() == 4 {
///         stopper.stop();
///     }
/// })?;
/// engine.run()?;
/// assert_eq!(engine.frame_count(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Resource)]
#[resource(no_checksum)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// Ends the engine after the frame it is in, or its next run before the first one.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let engine = Engine::new();
    /// let stopper = engine.stopper();
    /// std::thread::spawn(move || stopper.stop()).join().unwrap();
    /// assert!(engine.stopper().is_stopped());
    /// ```
    pub fn stop(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether the end was asked for.
    ///
    /// ```
    /// use phalanx_schedule::Engine;
    ///
    /// let engine = Engine::new();
    /// let stopper = engine.stopper();
    /// assert!(!stopper.is_stopped());
    /// stopper.stop();
    /// assert!(stopper.is_stopped());
    /// ```
    pub fn is_stopped(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Whether the end was asked for; that is used up now.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Relaxed)
    }
}
