//! Layer 1: what a component is, and the list of all component types of a world.
//!
//! A [`Component`] says at compile time where its values live and what comes with it. A [`Registry`] gives each
//! type (compiled, or described by layout at run time) a dense [`ComponentId`] and keeps its [`ComponentInfo`]:
//! name, layout, storage and the few type-erased functions the store needs (drop, clone, make a default).
//!
//! Ids belong to one world and depend on registration order only; nothing process-wide is involved.

mod counted;
mod erased;
mod info;
mod key;
mod kind;
mod panics;
mod plain;
mod registry;
mod requirement;
mod type_map;

pub use counted::{Counted, LeakCheck, LiveValues, ValueCount, ValuesLeft, Witness};
pub use erased::{DynRef, DynRefMut, DynValue};
pub(crate) use erased::{bytes_in_words, clone_cell, drop_fn_of};
pub(crate) use info::{Cloning, DropFn, StorageKind, short_name};
pub use info::{ComponentId, ComponentInfo, SetId};
pub use key::{TypeKey, same_key};
pub use kind::{Component, Storage};
pub(crate) use panics::{Panics, Waiting};
pub use plain::{Plain, Scalar, flat, flat_mut};
pub use registry::{ComponentLayout, RegisterError, Registry};
pub(crate) use requirement::Constructor;
pub use requirement::Requirements;
pub(crate) use type_map::TypeMap;
