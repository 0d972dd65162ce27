//! What most programs need: `use phalanx_ecs::prelude::*;`

pub use crate::{
    AnyOf, Bundle, BundleBuilder, Component, Entity, Exact, Has, Or, Plain, Prepared, Query, With, Without, World,
    flat, flat_mut,
};
