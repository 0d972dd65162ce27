//! Layer 0: order: putting lists into it, and finding things in those that are.
//!
//! The standard sorts are the fastest for long lists, and some thirty functions for every type and comparison they are used with: each build of the core
//! would pay for all of them. This one is two functions, and no slower than `n · log n` for any list.

mod list;
mod sort;

pub(crate) use list::List;
pub(crate) use sort::sort_by;
