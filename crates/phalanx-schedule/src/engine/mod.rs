//! The engine: a world, its schedule and the time.
//!
//! ```text
//! frame ─► time passes (scaled, not while paused)
//!          groups in order:  every frame │ as many steps as are due, up to the bound │ every n-th
//!          what was queued is applied at the end of each group
//! ```

#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod engine;
mod stats;

pub use engine::Engine;
pub use stats::FrameStats;
