//! What the output of the derive names; not for use by hand, and not covered by any promise of stability.

pub use crate::system::{Applied, ArgumentError, Param, Turn, Uses};
pub use phalanx_ecs::{CommandErrors, PlanBuilder, PlanError, World};
pub use std::result::Result::{self, Ok};
