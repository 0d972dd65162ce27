//! The engine: a world, its schedule and the time.
//!
//! ```text
//! start ─► what runs once
//! frame ─► time passes (scaled, not while paused)
//!          groups in order:  every frame │ as many steps as are due, up to the bound │ every n-th
//!          what was queued is applied at the end of each group
//! end   ─► what runs once, also after a fault or when somebody stops it
//! ```

mod adding;
mod clock;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod engine;
mod limit;
mod run;
mod stats;
mod stopper;

pub use engine::Engine;
pub use stats::FrameStats;
pub use stopper::Stopper;
