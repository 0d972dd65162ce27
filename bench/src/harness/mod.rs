//! How things are measured: cases, rounds and statistics.
//!
//! ```text
//! row simple_iter    build, check      all worlds of the row live side by side
//!                      round 0: raw  bevy hecs  …
//!                      round 1: raw  …    hecs bevy      the order rotates and turns
//!                      …                                 ratios are taken within a round
//!                    build again, in another order, and so on
//! ```
//!
//! A noisy neighbour hits a whole round, so the median over rounds of a ratio within the round says
//! more than a ratio of two medians.

pub mod allocator;
pub mod case;
pub mod digest;
pub mod rounds;
pub mod statistics;

pub use case::{Case, Cases};
pub use digest::Digest;
