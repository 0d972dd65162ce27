//! What entities inherit from those above them: worked out from the top down, where something has changed.
//!
//! | file | idea |
//! |---|---|
//! | `inherited` | [`Inherited`], and [`inherit`], which works it out |
//! | `lists` | the lists that it is worked out by |
//! | `follow` | how the lists follow what changes |
//! | `grafts` | trees in the lists that stand elsewhere than what they hang from |
//! | `bits` | bits in a row of words |
//! | `rows` | which row of which table each entity is, and how tables are walked |
//! | `leaves` | what has nothing below it, worked out by its row |
//! | `plan` | what has changed, and which way it is worked out |
//! | `shares` | tables walked on all threads |
//! | `pieces` | the same by the lists, where tables cannot be walked straight through |
//! | `now` | the same at once, for some entities and all below them |

mod bits;
mod follow;
mod grafts;
mod inherited;
mod leaves;
mod lists;
mod now;
#[cfg(feature = "parallel")]
mod pieces;
mod plan;
mod rows;
#[cfg(feature = "parallel")]
mod shares;

pub use inherited::{Inherited, inherit};
pub(crate) use inherited::{note_end, note_part, note_value};
pub(crate) use now::{inherit_now, value_of};
