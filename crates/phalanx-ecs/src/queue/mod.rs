//! Things to do later, kept as bytes: an arena that never moves what it holds, and runs of equal things in it.
//!
//! The queue does not know what it holds or whom it is for; commands, which do, are built on it above the world.

mod arena;
mod runs;

pub(crate) use runs::{Chain, Chained, Context, Deferred, Drain, Origin, Runs};
