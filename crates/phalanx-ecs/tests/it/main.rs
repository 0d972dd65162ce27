//! Public behaviour of the core; the files mirror its modules.

mod hostile;

mod bulk;
mod dynamic;
mod faults;
mod memory;
#[cfg(feature = "parallel")]
mod parallel;
mod query_iter;
mod query_pairs;
mod transfer;
mod world_edit;
mod world_spawn;
