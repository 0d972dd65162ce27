//! Layer 4: the world, which is the store plus what users call it by.
//!
//! | file | idea |
//! |---|---|
//! | `world` | [`World`] and its [`WorldBuilder`] |
//! | `spawn` | new entities, one or many |
//! | `edit` | insert, remove, take, despawn |
//! | `dependency` | what is said of a tag that lacks what it depends on |
//! | `lookup` | reading and writing components by entity |
//! | `entity_ref`, `entity_mut` | one entity at a time; several edits in one move |
//! | `bulk`, `bulk_dyn` | the same for a whole query or slice of entities |
//! | `given` | what queued commands do with the world |
//! | `queries` | queries, prepared or kept by the world |
//! | `dynamic` | components known by id |
//! | `chosen` | queries with a condition chosen at run time; what queries demand |
//! | `shared` | values that many entities have in common |
//! | `toggle`, `collect` | components switched off and on; rows of the dead, collected later |
//! | `observe`, `trigger` | functions called when components come and go |
//! | `hooks`, `check` | what components do by themselves, and what they refuse |
//! | `observers`, `telling` | how they are called, and when in an operation |
//! | `names`, `index` | entities by name and by uuid |
//! | `removed` | readers of what was removed |
//! | `removed_dyn` | the same of components known by their ids |
//! | `copy` | cloning entities, moving them to another world |
//! | `resources`, `events` | values that belong to no entity; messages |
//! | `sparse` | one sparse component, edited at full speed |
//! | `checksum` | the state of a world as one number |
//! | `report`, `tables`, `live` | statistics, memory, validation; tables, to be looked at; values by type |
//!
//! Every error type stands beside the operation that returns it.

mod bulk;
mod bulk_dyn;
mod check;
mod checksum;
mod chosen;
mod collect;
mod copy;
mod dependency;
mod dynamic;
mod edit;
mod entity_mut;
mod entity_ref;
mod events;
mod given;
mod hooks;
mod index;
mod live;
mod lookup;
mod names;
mod observe;
mod observers;
mod queries;
mod removed;
mod removed_dyn;
mod report;
mod resources;
mod shared;
mod sparse;
mod spawn;
mod tables;
mod telling;
mod toggle;
mod trigger;
#[expect(clippy::module_inception, reason = "a file bears the name of its main type")]
mod world;

pub use bulk::DespawnBatchError;
pub use check::{Check, Refused};
pub use checksum::{Checksum, ChecksumPart};
pub use chosen::Demands;
pub use collect::{Collection, Sampling, Within};
pub use copy::{CloneError, TransferError};
pub use dependency::MissingDependency;
pub use dynamic::DynError;
pub use edit::{InsertError, TakeError};
pub use entity_mut::EntityMut;
pub use entity_ref::EntityRef;
pub use hooks::{Hook, Hooks};
pub use lookup::{LookupError, Owned};
pub use observe::{Act, HookTaken, ObserverId};
pub use queries::CrossConflict;
pub use removed::{Gone, Removed};
pub use removed_dyn::{DynGone, DynRemoved, DynRemovedIter};
pub use report::{BrokenInvariant, ComponentMemory, MemoryReport, TableMemory, ValueMemory, WorldStats};
pub use resources::NoResource;
pub use shared::SharedEdit;
pub(crate) use shared::refuse_unshared;
pub use sparse::SparseMut;
pub use spawn::SpawnError;
pub use tables::TableView;
pub(crate) use trigger::ObserverQueue;
pub use trigger::Trigger;
pub use world::{World, WorldBuilder};
