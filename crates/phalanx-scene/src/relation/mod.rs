//! Relations between entities: from a source to a target.
//!
//! | file | idea |
//! |---|---|
//! | `kind` | [`Relation`]: what is declared of one |
//! | `ties` | [`Ties`]: who is related to whom, found from both ends |
//! | `keep` | what relations do by themselves when they come and go, and when their targets do |
//! | `relations` | [`Relations`]: asked of a world and changed in it |

mod keep;
mod kind;
mod relations;
mod ties;

pub use keep::Targeted;
#[doc(hidden)]
pub use keep::{check_many, check_one, cut, settle, tie, validate, validate_one};
#[doc(hidden)]
pub use kind::CopiedRelation;
pub use kind::{Relation, RelationMany, RelationOne, TargetEnds};
pub use relations::Relations;
pub use ties::{Related, Ties};
