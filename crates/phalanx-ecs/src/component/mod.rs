//! Layer 1: what a component is, and the list of all component types of a world.
//!
//! A [`Component`] says at compile time where its values live and what comes with it. A [`Registry`] gives each
//! type (compiled, or described by layout at run time) a dense [`ComponentId`] and keeps its [`ComponentInfo`]:
//! name, layout, storage and the few type-erased functions the store needs (drop, clone, make a default). A [`Schema`] says
//! what the values are made of, and a [`Folder`] adds them up to a checksum.
//!
//! Ids belong to one world and depend on registration order only; nothing process-wide is involved.

mod counted;
mod dependency;
mod described;
mod erased;
mod fold;
mod hash;
mod immutable;
mod info;
mod key;
mod kind;
mod layout;
mod name;
mod own;
mod panics;
mod plain;
mod registry;
mod requirement;
mod schema;
mod shared;
mod type_map;
#[cfg(feature = "glam")]
mod vectors;
mod watch;
mod wish;

pub use counted::{Counted, LeakCheck, LiveValues, ValueCount, ValuesLeft, Witness};
pub use dependency::{Dependencies, refuse_dependent_value};
pub use described::{Described, Describer, Member};
pub use erased::{DynRef, DynRefMut, DynValue};
pub(crate) use erased::{bytes_in_words, clone_cell, drop_fn_of, equal_cells, fold_cell, hash_cell};
pub use fold::Folder;
pub(crate) use hash::{FixedHasher, FixedState};
pub use immutable::Message;
pub(crate) use immutable::{is_mutable, is_shared, refuse_change, refuse_immutable};
pub(crate) use info::{Cloning, DropFn, PoolId, StorageKind, short_name};
pub use info::{ComponentId, ComponentInfo, SetId};
pub use key::{TypeKey, same_key};
pub use kind::{Bitwise, Component, Storage, Toggle, Tracked};
pub use layout::{ComponentLayout, RegisterError};
pub use name::Name;
pub(crate) use name::{called, own_watch};
pub use own::OwnHooks;
pub(crate) use panics::{Panics, Quiet, Waiting, granted};
pub use plain::{Plain, Scalar, flat, flat_mut};
pub use registry::Registry;
pub(crate) use requirement::Constructor;
pub use requirement::Requirements;
pub use schema::{Kind, Schema, SchemaBody, SchemaField, SchemaVariant};
pub(crate) use shared::Telling;
pub use shared::{Likeness, Shared};
pub(crate) use type_map::TypeMap;
pub(crate) use watch::Watch;
pub use wish::Wish;
pub(crate) use wish::{Wishes, is_checked};
