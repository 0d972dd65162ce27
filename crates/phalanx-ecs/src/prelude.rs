//! What most programs need: `use phalanx_ecs::prelude::*;`
//!
//! ```
//! use phalanx_ecs::prelude::*;
//!
//! #[derive(Component)] struct Health(u32);
//!
//! let mut world = World::new();
//! let orc: Entity = world.spawn(Health(3));
//! assert_eq!(world.query_filtered::<Entity, With<Health>>().first(), Some(orc));
//! ```
//!
//! Errors, and what is needed less often, have their names at the root of the crate.

pub use crate::{
    Act, Added, AnyOf, Bundle, BundleBuilder, Changed, Commands, Common, Component, Entity, EvenOff, Event,
    EventReader, Exact, Has, Mut, Name, Off, Or, Plain, Prepared, Query, Removed, ResMut, Resource, ResourceReader,
    Uuid, With, Without, World,
};
