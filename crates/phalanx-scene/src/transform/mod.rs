//! Where things are: relative to their parents, and in the world.
//!
//! | file | idea |
//! |---|---|
//! | `place` | [`Transform`] and [`WorldTransform`] |
//! | `edits` | [`Transforms`]: moving, turning and scaling entities |
//! | `propagation` | [`propagate`]: from the ones to the others, for what has changed |
//! | `pieces` | the same on all threads |

mod edits;
#[cfg(feature = "parallel")]
mod pieces;
mod place;
mod propagation;

pub use edits::{TransformMode, Transforms};
pub use place::{Transform, WorldTransform};
pub use propagation::propagate;
