//! Public behaviour of schedules and engines.

mod determinism;
mod engine;
mod faults;
mod groups;
mod main_thread;
mod mending;
mod order;
mod paces;
mod params;
mod several;
mod sync;
mod times;
