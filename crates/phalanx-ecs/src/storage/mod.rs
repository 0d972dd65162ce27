//! Layer 2: the store: entities, registry, tables and sparse sets, and every way a row can come, go and move.
//!
//! ```text
//! Entity ──entities──► table, row ──┐
//!                                   ├─► tables[table].columns[…] at row        table components
//!                                   └─► sets[…] by entity index                sparse components
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `cell`, `column`, `table` | memory: one value, one column, one table |
//! | `sparse`, `set_editor` | values beside the tables; one set of them edited many times |
//! | `pool`, `shared` | values that many entities have in common, each once; how they come and are edited |
//! | `ticks`, `bits`, `sides`, `era` | what is kept beside values that are tracked or toggled |
//! | `archetype` | sets of components, apart from the tables that hold them |
//! | `plan` | moves between tables, compiled once |
//! | `bundles` | bundles the store has seen, with where they lead from each archetype |
//! | `store` | [`Store`]: finding things, making archetypes |
//! | `columns` | whole columns that become rows |
//! | `spawn`, `edit`, `dynamic`, `bulk` | one new row, one changed row, the same with types known at run time, whole tables |
//! | `depend` | tags that go with what they depend on |
//! | `fold` | several changes of one entity in one move |
//! | `lazy` | rows of dead entities that are collected later |
//! | `toggle` | components switched off and on |
//! | `transfer` | rows that become rows of another store |
//! | `values` | all values of one component |
//! | `validate` | the invariants, checked |
//!
//! Invariants: an entity alive is in exactly one row of one table, and its location says which; all columns of a table
//! have one length; a user's code (drop, clone, iterators, constructors) runs only where the store is consistent or a panic is kept until it is.

mod archetype;
mod bits;
mod bulk;
mod bundles;
mod cell;
mod column;
mod columns;
mod depend;
mod dynamic;
mod edit;
mod era;
mod fold;
mod given;
mod lazy;
mod plan;
mod pool;
mod set_editor;
mod shared;
mod sides;
mod sparse;
mod spawn;
mod store;
mod table;
mod ticks;
mod toggle;
mod transfer;
mod validate;
mod values;

pub(crate) use archetype::Archetype;
pub use archetype::ArchetypeId;
pub use bundles::DuplicateInBundle;
pub use column::ColumnIndex;
pub use columns::{ColumnSource, Columns};
pub use depend::Lack;
pub(crate) use dynamic::{Changes, CloneRefusal, DynRefusal};
pub(crate) use edit::EditRefusal;
#[cfg(test)]
pub(crate) use era::FULL as FULL_ERA;
pub(crate) use era::Seen;
pub(crate) use fold::{LONGEST as LONGEST_FOLD, OneByOne, Step};
pub(crate) use lazy::{DeadRow, why_not};
pub(crate) use set_editor::SetEditor;
pub use sides::Side;
pub use sparse::SparseSet;
pub use spawn::SpawnRefusal;
pub(crate) use store::Epoch;
pub use store::Store;
pub use table::Table;
pub(crate) use table::TablePlace;
pub(crate) use ticks::BLOCK;
pub use ticks::Marker;
pub(crate) use transfer::TransferRefusal;
pub(crate) use values::Found;
