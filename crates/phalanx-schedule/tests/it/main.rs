//! Public behaviour of schedules and engines.

#[path = "../../../phalanx-ecs/tests/it/allocated.rs"]
#[allow(dead_code, reason = "the tests of the core ask for more")]
mod allocated;
mod determinism;
mod engine;
mod events;
mod faults;
mod groups;
mod main_thread;
mod memory;
mod mending;
mod order;
mod paces;
mod params;
mod several;
mod sync;
mod times;
