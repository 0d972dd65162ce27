//! The operations.
//!
//! Numbers mean something only together with the worlds they meet: `pick` chooses among the entities there are, `kit` and `kind` wrap around.

use super::components::SHARED;
use super::kits::{KITS, OWN_KITS};
use super::ledger::Event;
use super::naive::Setup;
use super::told::Reaction;
use phalanx_ecs::Act;

/// How the two worlds of a run are made, and how large they become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    pub worlds: [Setup; 2],
    /// Above so many entities, batches are small.
    pub crowd: usize,
    /// Whether anybody observes.
    pub observed: bool,
    /// Whether anybody reads what is removed.
    pub mourned: bool,
}

/// Which entities a slice operation is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// Some that were picked, perhaps dead, perhaps one twice.
    Picked,
    /// A table in walking order.
    Table,
    /// A table without its last row.
    PartOfTable,
    /// A table, and its first row again.
    TableAndRepeat,
    /// A table backwards.
    Reversed,
}

/// How rows of the dead are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Exact,
    Sampling(u8),
    NoTime,
    MuchTime,
}

/// What is done about an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    Pause,
    Resume,
    Remove,
}

/// What is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Spawn,
    SpawnBatch,
    Insert,
    /// The same insert for each entity of a table, in order.
    InsertTable,
    InsertIfNew,
    Remove,
    RemoveTable,
    Retain,
    Despawn,
    DespawnBatch,
    DespawnLazy,
    SwitchOn,
    SwitchOff,
    SetResource,
    RemoveResource,
    Send,
    /// A function that answers an error.
    Fail,
    /// A function that spawns directly.
    Run,
}

/// What is done with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceAct {
    Insert,
    Remove,
    Write,
    /// Asked for to write, and only read.
    LookOnly,
    Bypass,
    OrInsert,
    AskChanged,
    AskAdded,
    AskRemoved,
}

/// What is done with events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventAct {
    Send,
    SendBatch,
    Update,
    KeepUpdates,
    KeepLast,
    KeepAll,
    Clear,
    Read,
    ReadSome,
    ReadNumbered,
    Skip,
    FromNow,
}

/// What is done with a reader of what is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossAct {
    Open,
    OpenWithValues,
    Close,
    Read,
    /// From the queue of events itself.
    ReadQueue,
    ReadSome,
    /// Some are passed over and one is read.
    Skip,
    /// Reads in the other world, which is not its own.
    Foreign,
    KeepLast,
    KeepUpdates,
    Clear,
}

#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The next operation meets a panic.
    Fuse { event: Event, after: u8 },
    Spawn { kit: u8 },
    /// `hint`: how much the iterator's size hint says, 0 nothing, 1 half, 2 all, 3 (wrongly) more.
    SpawnBatch { kit: u8, count: u8, hint: u8 },
    SpawnColumns { kit: u8, count: u8, uneven: bool },
    Reserve { kit: u8, count: u8 },
    Despawn { pick: u16 },
    DespawnBatch { pick: u16, count: u8 },
    Insert { pick: u16, kit: u8 },
    InsertIfNew { pick: u16, kind: u8 },
    Replace { pick: u16, kind: u8 },
    Remove { pick: u16, kit: u8 },
    Take { pick: u16, kit: u8 },
    Retain { pick: u16, kit: u8 },
    Edit { pick: u16, first: u8, second: u8, script: u8 },
    InsertWhere { filter: u8, kit: u8, with: bool },
    RemoveWhere { filter: u8, kit: u8 },
    DespawnWhere { filter: u8 },
    InsertBatch { slice: Slice, pick: u16, kit: u8, short: bool },
    RemoveBatch { slice: Slice, pick: u16, kit: u8 },
    Clone { pick: u16, partly: bool },
    Move { pick: u16 },
    Clear,
    Shrink,
    Reclaim,
    InsertDyn { pick: u16, kind: u8, wrong: bool },
    RemoveDyn { pick: u16, kind: u8 },
    SetDyn { pick: u16, kind: u8 },
    SpawnBuilder { kinds: u32 },
    InsertBuilder { pick: u16, kinds: u32 },
    SparseMut { pick: u16, kind: u8, count: u8 },
    Set { pick: u16, kind: u8 },
    Look { pick: u16, kind: u8 },
    Query { shape: u8, mode: u8, pick: u16, write: bool },
    Chunks { shape: u8 },
    Cross { shape: u8 },
    DynQuery { terms: [u8; 3], exact: bool, kept: bool },
    Generation { pick: u16, below_last: u8 },
    Switch { pick: u16, kind: u8, on: bool },
    /// The value of a shared component is edited for all that have it.
    EditShared { pick: u16 },
    /// Entities by the value of a shared component.
    Groups,
    DespawnLazy { pick: u16 },
    Collect { how: How },
    /// A reader of changes looks.
    Read { reader: u8, mode: u8, pick: u16, write: bool },
    Observe { kind: u8, act: Act, reaction: Reaction, hook: bool },
    Attend { observer: u8, attention: Attention },
    /// An event aimed at an entity.
    Trigger { pick: u16 },
    /// A command for later.
    Queue { queue: u8, deed: Deed, pick: u16, kit: u8, count: u8 },
    /// Applies some queues, or all; `policy` says what happens to errors.
    Apply { queues: u8, policy: u8 },
    /// Forgets what is queued.
    Forget { queue: u8 },
    Resource { act: ResourceAct, reader: u8 },
    Event { act: EventAct, reader: u8, count: u8 },
    Loss { kind: u8, act: LossAct, reader: u8, count: u8 },
    /// Entities by name and by uuid.
    Find { number: u8 },
    /// Plans at random, claimed as an oracle allows.
    Claim { seed: u32 },
    /// Changes at random, made directly in one world and by queues in others.
    Twins { seed: u32 },
    /// From here on the operations are for the other world.
    Other,
}

impl Op {
    /// Whether the operation brings or takes values that are shared: then it depends on others whether something is dropped.
    pub fn is_about_shared(self) -> bool {
        let kind_is = |kind: u8| usize::from(kind) == SHARED;
        match self {
            Self::Spawn { kit }
            | Self::SpawnBatch { kit, .. }
            | Self::Insert { kit, .. }
            | Self::Remove { kit, .. } => kit % KITS >= OWN_KITS,
            Self::Retain { kit, .. } | Self::InsertBatch { kit, .. } | Self::RemoveBatch { kit, .. } => {
                kit % KITS >= OWN_KITS
            }
            Self::SpawnBuilder { kinds } | Self::InsertBuilder { kinds, .. } => kinds >> SHARED & 1 == 1,
            Self::InsertDyn { kind, .. } | Self::RemoveDyn { kind, .. } => kind_is(kind),
            _ => false,
        }
    }
}
