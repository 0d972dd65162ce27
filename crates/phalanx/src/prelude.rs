//! What most programs need: `use phalanx::prelude::*;`

pub use phalanx_ecs::{
    AnyOf, Bundle, BundleBuilder, Component, Entity, Event, EventReader, Exact, Has, Or, Plain, Prepared, Query,
    Resource, With, Without, World, flat, flat_mut,
};
