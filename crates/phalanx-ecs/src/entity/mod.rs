//! Entities: the handles, and the book that says which are alive and where.
//!
//! ```text
//! Entity 5v3 ──►  stamps[5] == stamp of generation 3 ?     alive: one read, one comparison
//!                     │ yes
//!                     ▼
//!                 locations, page 0, slot 5  ──►  TableId, Row
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `handle` | [`Entity`]: an index and a generation in 64 bits |
//! | `compact` | [`CompactEntity`]: the same in 32 bits |
//! | `location`, `locations` | which table and row each index is in, 16 bytes per 1024 where it can |
//! | `entities` | `Entities`: who is alive, and how they die |
//! | `queue` | indices that wait for their next life, in order |
//! | `allocate` | how ids are handed out, one or many, and given back unused |
//! | `lanes` | ids for queues of commands, set aside and handed out elsewhere |
//! | `shares`, `deal` | what is set aside for lanes; dealing and settling them |
//! | `spawned` | [`Spawned`]: the ids of a batch, without a vector of them |
//! | `absent`, `death` | [`NoSuchEntity`]: why a handle is not alive; [`Death`]: who despawned it |
//! | `full` | [`EntitiesFull`]: why none can be had |
//! | `uuid` | [`Uuid`]: what an entity is known by everywhere; [`UuidTaken`]: why it cannot have it |
//! | `debug` | errors that `unwrap` shows as people should read them |
//! | `config`, `census` | what a world is asked to keep to; counts, checks and memory |
//!
//! This is the lowest layer: it knows nothing of components, tables or the world. A table is only
//! a number here, so whoever moves an entity says so through `set_location`.

mod absent;
mod allocate;
mod census;
mod compact;
mod config;
mod deal;
mod death;
mod debug;
mod entities;
mod full;
mod handle;
mod lanes;
mod location;
mod locations;
mod queue;
mod share;
mod shares;
mod spawned;
mod state;
mod uncollected;
mod uuid;

pub use absent::{NoSuchEntity, NotAliveReason};
pub use census::EntityStats;
pub use compact::{CompactEntity, NotCompact};
pub use config::{EntityConfig, HandleLayout};
pub use death::Death;
pub(crate) use debug::debug_as_display;
pub use entities::Entities;
pub(crate) use entities::Finder;
pub use full::{EntitiesFull, FullKind};
pub use handle::{Entity, ParseEntityError};
pub(crate) use lanes::{Ids, Lane, LaneBook, Returned};
pub use location::{Location, Row, TableId};
pub use spawned::{Spawned, SpawnedIntoIter, SpawnedIter};
pub use uuid::{ParseUuidError, Uuid, UuidTaken};
