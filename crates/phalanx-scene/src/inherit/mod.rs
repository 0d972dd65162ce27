//! What entities inherit from those above them: worked out from the top down, where something has changed.
//!
//! | file | idea |
//! |---|---|
//! | `inherited` | [`Inherited`], and [`inherit`], which works it out |
//! | `now` | the same at once, for some entities and all below them |
//! | `plan` | the lists that it is worked out by, and what has changed |
//! | `pieces` | the same on all threads |

mod inherited;
mod now;
#[cfg(feature = "parallel")]
mod pieces;
mod plan;

pub use inherited::{Inherited, inherit};
pub(crate) use inherited::{inherit_watching, note_end, note_part, note_value};
pub(crate) use now::{inherit_now, value_of};
