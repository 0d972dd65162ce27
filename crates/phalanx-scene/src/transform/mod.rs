//! Where things are: relative to their parents, and in the world.
//!
//! | file | idea |
//! |---|---|
//! | `place` | [`Transform`] and [`WorldTransform`] |
//! | `edits` | [`Transforms`]: moving, turning and scaling entities |
//! | `propagation` | [`propagate`]: from the ones to the others, for what has changed |
//! | `warnings` | what is said of transforms that lead nowhere |

mod edits;
mod place;
mod propagation;
mod warnings;

pub use edits::{TransformMode, Transforms};
pub use place::{Transform, WorldTransform};
pub use propagation::propagate;
