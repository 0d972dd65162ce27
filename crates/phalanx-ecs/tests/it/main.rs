//! Public behaviour of the core; the files mirror its modules.

mod allocated;
mod hostile;

mod bulk;
mod checksum;
mod claims;
mod claims_random;
mod commands;
mod commands_fold;
mod commands_random;
mod deaths;
mod dependencies;
mod dynamic;
mod entity_mut;
mod events;
mod faults;
mod immutable;
mod lanes;
mod lazy;
mod leaks;
mod memory;
mod names;
mod observers;
mod over_time;
mod panic_payloads;
#[cfg(feature = "parallel")]
mod parallel;
mod query_explain;
mod query_iter;
mod query_pairs;
mod query_read;
mod removed;
mod requirements;
mod resources;
mod scale;
mod schema;
mod shared;
mod shared_faults;
mod shared_random;
mod spawned;
mod toggles;
mod tracking;
mod transfer;
mod widths;
mod world_edit;
mod world_spawn;
