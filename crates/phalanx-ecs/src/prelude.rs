//! What most programs need: `use phalanx_ecs::prelude::*;`

pub use crate::{
    AnyOf, Bundle, BundleBuilder, Component, Entity, Event, EventReader, Exact, Has, Or, Plain, Prepared, Query,
    Resource, With, Without, World, flat, flat_mut,
};
