//! Public behaviour of schedules and engines.

mod determinism;
mod engine;
mod faults;
mod order;
mod paces;
mod params;
mod several;
mod sync;
