//! Two real worlds, a naive twin of each, and everything that can be done to them.
//!
//! ```text
//! bytes ──decode──► Op ──driver──► World      ╮
//!                            └───► Naive      ╯ equal? ids, signatures, values, switches, drops, changes, losses, what observers were told, who is found by a name, errors, invariants
//! ```
//!
//! | where | what |
//! |---|---|
//! | `ops`, `decode` | the operations, and how bytes become operations |
//! | `ledger`, `components`, `kits` | hostile values, components and bundles of them |
//! | `row`, `naive`, `acts`, `told` | the naive world: what an entity has, ids, what can be done, whom that tells |
//! | `terms`, `filters`, `shapes`, `readers` | queries with their meaning in the naive world |
//! | `driver`, `pair` | does an operation to both worlds and compares them |
//! | `spawning`, `editing`, `bulk`, `dynamic`, `copying`, `looking`, `known`, `dyn_query`, `lasting`, `losses`, `queues`, `messages`, `claims`, `twins` | the operations by theme |
//!
//! A new operation is a variant of [`Op`] with the bytes that stand for it, what it means in `acts`, and a method of the driver that does it to both worlds.
//! `fuzz/` uses all of this as it is.

pub mod acts;
pub mod bulk;
pub mod claims;
pub mod components;
pub mod copying;
pub mod decode;
pub mod driver;
pub mod dyn_query;
pub mod dynamic;
pub mod editing;
pub mod filters;
pub mod kits;
pub mod known;
pub mod lasting;
pub mod ledger;
pub mod looking;
pub mod losses;
pub mod messages;
pub mod naive;
pub mod ops;
pub mod pair;
pub mod queues;
pub mod random;
pub mod readers;
pub mod row;
pub mod shapes;
pub mod spawning;
pub mod terms;
pub mod told;
pub mod twins;

pub use decode::{CONFIG_BYTES, OP_BYTES};
pub use driver::Driver;
pub use ops::{Config, Op};
