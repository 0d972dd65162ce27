//! Public behaviour of schedules and engines.

#[path = "../../../phalanx-ecs/tests/it/allocated.rs"]
#[allow(dead_code, reason = "the tests of the core ask for more")]
mod allocated;
#[cfg(feature = "parallel")]
mod determinism;
mod engine;
mod events;
mod faults;
mod groups;
mod main_thread;
mod memory;
mod mending;
mod names;
mod order;
mod paces;
mod panics;
mod params;
#[cfg(feature = "parallel")]
mod pools;
mod several;
mod sync;
mod times;
mod ways;
