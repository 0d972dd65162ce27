//! Phalanx: an entity component system that is fast, sound, deterministic and explains itself.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub use phalanx_ecs::__private;
pub use phalanx_ecs::*;
