//! The lowest layer: a cell for what a claim may lend while others look at what stands beside it.
//!
//! Nothing here knows what is lent, or to whom; who has the right to which cell is decided in `claim`.

mod lendable;

pub(crate) use lendable::Lendable;
