//! Trees: where a node is in the world follows from where it is relative to the one above it.
//!
//! | file | idea |
//! |---|---|
//! | `shapes` | which trees there are |
//! | `raw`, `phalanx`, `bevy`, `hecs`, `flecs` | the row `hierarchy`, with 4×4 matrices |
//! | `one_percent` | the row `hierarchy_1pct`: little has changed |
//! | `transforms`, `bevy_transform` | the rows `transforms…`, with translations, rotations and sizes |
//! | `reparent` | the row `reparent`: others become parents |

pub mod bevy;
mod bevy_transform;
pub mod flecs;
pub mod hecs;
mod one_percent;
pub mod phalanx;
pub mod raw;
mod reparent;
mod shapes;
mod transforms;

pub use one_percent::by_hand;
pub use shapes::{NOBODY, forest};
pub use transforms::{forest_world, transform_of};

use phalanx_scene::glam::Mat4;

use crate::components::{Local, Placed};

/// The matrix that does what `then` does, and then what `first` does. By `glam`, which says in vector instructions what it wants: left to itself, the
/// compiler finds them for one loop and not for the next.
#[inline(always)]
fn product(first: &[[f32; 4]; 4], then: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    (Mat4::from_cols_array_2d(first) * Mat4::from_cols_array_2d(then)).to_cols_array_2d()
}

impl Local {
    /// Where node `i` is: turned by a quarter, and moved. Whole numbers, so that nothing is lost however often it is moved.
    fn of(i: usize) -> Self {
        let moved = [(i % 16) as f32, (i % 7) as f32, (i % 5) as f32, 1.0];
        Self { matrix: [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], moved] }
    }

    /// The change that every node goes through.
    #[inline(always)]
    fn shift(&mut self) {
        self.matrix[3][2] += 1.0;
    }
}

impl Placed {
    /// Where a node is that is here relative to another.
    #[inline(always)]
    fn under(above: &Self, local: &Local) -> Self {
        Self { matrix: product(&above.matrix, &local.matrix) }
    }

    /// Where a node is that is below no other.
    #[inline(always)]
    fn alone(local: &Local) -> Self {
        Self { matrix: local.matrix }
    }
}
