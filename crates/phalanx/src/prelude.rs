//! What most programs need: `use phalanx::prelude::*;`
//!
//! At most 25 names, because each is one that a program can no longer give away freely. What is needed less often stands at the root of the crate; the examples of
//! the core use a prelude of their own, [`phalanx_ecs::prelude`], with more of its names.

pub use phalanx_ecs::{
    Act, Added, Bundle, Changed, Commands, Component, Entity, Event, Has, Mut, Name, Or, Query, ResMut, Resource, With,
    Without, World,
};
pub use phalanx_schedule::{Engine, Local, Param, Reader, Res, Time, Writer};
