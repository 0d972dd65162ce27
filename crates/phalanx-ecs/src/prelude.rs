//! What most programs need: `use phalanx_ecs::prelude::*;`

pub use crate::{
    Added, AnyOf, Bundle, BundleBuilder, Changed, Component, Entity, EvenOff, Event, EventReader, Exact, Has, Mut, Or,
    Plain, Prepared, Query, Resource, With, Without, World, flat, flat_mut,
};
