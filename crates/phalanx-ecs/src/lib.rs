//! The core of Phalanx: entities, components, storage, queries and the world.
//!
//! Goals, in order: sound, fast, deterministic, clear, small.
//!
//! ```
//! use phalanx_ecs::prelude::*;
//!
//! #[derive(Component)] struct Position { x: f32, y: f32 }
//! #[derive(Component)] struct Velocity { x: f32, y: f32 }
//!
//! let mut world = World::new();
//! world.spawn_batch((0..1000).map(|i| (Position { x: i as f32, y: 0.0 }, Velocity { x: 0.0, y: 1.0 })));
//! for (position, velocity) in world.query::<(&mut Position, &Velocity)>() {
//!     position.x += velocity.x;
//!     position.y += velocity.y;
//! }
//! ```
//!
//! | to | see |
//! |---|---|
//! | make a world and change it | [`World`] |
//! | declare components and bundles | [`Component`](trait@Component), [`Bundle`](trait@Bundle) |
//! | ask for entities | [`Terms`], [`Filter`], [`Query`](struct@Query), [`Prepared`] |
//! | work with types known at run time | [`ComponentLayout`], [`DynValue`], [`DynQuery`], [`BundleBuilder`] |
//!
//! # Features
//! `parallel` (on by default): `par_for_each` and its kind, on [rayon](https://docs.rs/rayon)'s pool.
//!
//! # What it does not do
//! There is no schedule, no system and no time here: those are layers above. There is no reference counting and no run-time borrow flag: what
//! `&World` and `&mut World` allow is decided by the compiler.

#![deny(unsafe_code)]

extern crate self as phalanx_ecs;

// Layers, from the lowest: entity < component < bundle < storage < query < world. A module uses its own and lower ones; the `tidy` test checks it.
mod bundle;
mod component;
mod entity;
mod query;
mod storage;
mod world;

#[doc(hidden)]
pub mod __private;
pub mod prelude;

pub use bundle::{Bundle, BundleBuilder, BundleParts, KeyList, PartVisitor, TypeVisitor};
pub use component::{
    Component, ComponentId, ComponentInfo, ComponentLayout, DynRef, DynRefMut, DynValue, Plain, RegisterError,
    Registry, Requirements, Scalar, Storage, TypeKey, flat, flat_mut,
};
pub use entity::{
    CompactEntity, EntitiesFull, Entity, EntityConfig, EntityStats, FullKind, HandleLayout, NoSuchEntity,
    NotAliveReason, NotCompact, ParseEntityError, Spawned, SpawnedIntoIter, SpawnedIter,
};
pub use phalanx_derive::{Bundle, Component, Plain, Query};
pub use query::{
    AccessKeys, Alternative, AnyOf, Chunks, ConflictingTerms, Driver, DynItem, DynQuery, DynQueryBuilder,
    EntityMismatch, EntitySlice, Exact, Explanation, Filter, Has, NotSingle, Or, Part, Prepared, Query, QueryIter,
    QueryPlan, ReadPart, TermFound, Terms, View, With, Without,
};
pub use storage::{ColumnSource, Columns};
pub use world::{
    BrokenInvariant, CloneError, ComponentMemory, CrossConflict, DespawnBatchError, DynError, EntityMut, EntityRef,
    InsertError, LookupError, MemoryReport, SparseMut, SpawnError, TableMemory, TakeError, TransferError, World,
    WorldBuilder, WorldStats,
};
