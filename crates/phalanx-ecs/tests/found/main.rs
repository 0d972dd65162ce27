//! Tests of faults found in the core; each moves to its module's tests once the fault is mended.

#[path = "../it/hostile.rs"]
mod hostile;

mod entity_mut_folding;
mod panic_payloads;
mod requirements_by_storage;
mod small;
