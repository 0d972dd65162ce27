//! What most programs need: `use phalanx_ecs::prelude::*;`

pub use crate::{
    Act, Added, AnyOf, Bundle, BundleBuilder, Changed, Common, Component, Entity, EvenOff, Event, EventReader, Exact,
    Has, Mut, Off, Or, Plain, Prepared, Query, Resource, Sampling, With, Within, Without, World, flat, flat_mut,
};
