//! What most programs need: `use phalanx::prelude::*;`
//!
//! It is the prelude of the core: there is one, so that an example of an item works here as it stands there.

pub use phalanx_ecs::prelude::*;
