//! What most programs need: `use phalanx::prelude::*;`

pub use phalanx_ecs::{
    AnyOf, Bundle, BundleBuilder, Component, Entity, Exact, Has, Or, Plain, Prepared, Query, With, Without, World,
    flat, flat_mut,
};
