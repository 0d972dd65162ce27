//! Layer 3: finding entities by what they have, and walking over their values.
//!
//! ```text
//! types (terms, filters) ──declare──► Pattern ──match──► archetypes ──resolve──► columns ──walk──► items
//!        term.rs, filter.rs           pattern.rs         matches.rs              part.rs          iter.rs, chunks.rs, …
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `term` | what a user writes: `&T`, `Option<&T>`, tuples, derived structs |
//! | `part`, `parts` | what the engine makes of it: pointers per table, an item per row |
//! | `filter` | conditions without data: `With`, `Without`, `Or`, `Exact` |
//! | `pattern` | terms and conditions as data: matching archetypes, explaining, refusing conflicts |
//! | `matches` | the archetypes a pattern matches, kept up to date |
//! | `prepared` | [`Prepared`]: a query as a reusable value |
//! | `borrowed` | [`Query`]: a prepared query together with the world it looks at |
//! | `iter`, `chunks`, `sorted`, `pairs`, `parallel` | walking: by row, by slice, in order, in twos, on many threads |
//! | `common`, `groups` | shared values: once per slice, once with all their entities |
//! | `slots` | rows by number, for those who keep something by row |
//! | `view` | looking up many entities |
//! | `declared` | what a query does with which component, for those who keep queries apart |
//! | `chosen` | one condition chosen at run time, in a query that is otherwise compiled |
//! | `dynamic` | terms chosen at run time, on the same engine |
//!
//! Queries read `&Store` and never know the world. Order is archetype creation order, then row order; a query with required sparse
//! terms is driven by the smallest of their sets, in its order.

mod access;
mod borrowed;
mod changed;
mod chosen;
mod chunks;
mod common;
mod declared;
mod dynamic;
mod even_off;
mod explain;
mod filter;
mod groups;
mod handles;
mod iter;
mod marked;
mod matches;
mod pairs;
#[cfg(feature = "parallel")]
mod parallel;
mod part;
mod parts;
mod pattern;
mod prepared;
mod runs;
mod slots;
mod sorted;
mod term;
mod tuples;
mod view;

pub(crate) use access::Access;
pub use access::{AccessKeys, ConflictingTerms, refuse_conflicts};
pub use borrowed::{EntityMismatch, NotSingle, Query};
pub use changed::{Added, Changed};
pub use chosen::WithDyn;
pub use chunks::{Chunks, EntitySlice};
pub use common::Common;
pub(crate) use declared::Declared;
pub use dynamic::{DynItem, DynQuery, DynQueryBuilder};
pub use even_off::EvenOff;
pub use explain::{Driver, Explanation, QueryPlan, TermFound};
#[doc(hidden)]
pub use filter::FilterParts;
pub use filter::{Alternative, Exact, Filter, Off, Or, With, Without};
pub use iter::QueryIter;
pub use marked::Mut;
pub(crate) use pairs::cross;
#[cfg(feature = "parallel")]
pub(crate) use parallel::par_cross;
pub use part::{Part, ReadPart};
pub(crate) use pattern::Wanted;
pub use prepared::Prepared;
pub use slots::{Slot, Slots};
pub use term::{AnyOf, Has, Terms};
pub use view::View;
