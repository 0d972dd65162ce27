//! Public behaviour of schedules and engines.

mod determinism;
mod engine;
mod faults;
mod groups;
mod order;
mod paces;
mod params;
mod several;
mod sync;
