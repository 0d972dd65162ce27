//! The operations, and how bytes become operations.
//!
//! An operation takes 12 bytes, so that a fuzzer can delete and swap whole ones. Numbers mean something only together with the worlds they meet:
//! `pick` chooses among the entities there are, `kit` and `kind` wrap around.

use super::components::{Event, FIRST_DYN, KINDS};
use super::naive::Setup;
use phalanx_ecs::HandleLayout;

/// How many bytes make an operation.
pub const OP_BYTES: usize = 12;
/// How many bytes make a configuration.
pub const CONFIG_BYTES: usize = 4;

/// How the two worlds of a run are made, and how large they become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    pub worlds: [Setup; 2],
    /// Above so many entities, batches are small.
    pub crowd: usize,
}

impl Config {
    pub fn decode(bytes: [u8; CONFIG_BYTES]) -> Self {
        let setup = |byte: u8| Setup {
            layout: if byte & 1 == 0 { HandleLayout::Wide } else { HandleLayout::Compact },
            min_free: [0, 1, 3, 1024][usize::from(byte >> 1 & 3)],
            limit: [None, None, Some(7), Some(90)][usize::from(byte >> 3 & 3)],
        };
        let crowd = match bytes[2] {
            0..=99 => 12,
            100..=199 => 60,
            200..=248 => 250,
            _ => 2500,
        };
        Self { worlds: [setup(bytes[0]), setup(bytes[1])], crowd }
    }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The next operation meets a panic.
    Fuse {
        event: Event,
        after: u8,
    },
    Spawn {
        kit: u8,
    },
    /// `hint`: how much the iterator's size hint says, 0 nothing, 1 half, 2 all, 3 (wrongly) more.
    SpawnBatch {
        kit: u8,
        count: u8,
        hint: u8,
    },
    SpawnColumns {
        kit: u8,
        count: u8,
        uneven: bool,
    },
    Reserve {
        kit: u8,
        count: u8,
    },
    Despawn {
        pick: u16,
    },
    DespawnBatch {
        pick: u16,
        count: u8,
    },
    Insert {
        pick: u16,
        kit: u8,
    },
    InsertIfNew {
        pick: u16,
        kind: u8,
    },
    Replace {
        pick: u16,
        kind: u8,
    },
    Remove {
        pick: u16,
        kit: u8,
    },
    Take {
        pick: u16,
        kit: u8,
    },
    Retain {
        pick: u16,
        kit: u8,
    },
    Edit {
        pick: u16,
        first: u8,
        second: u8,
        script: u8,
    },
    InsertWhere {
        filter: u8,
        kit: u8,
        with: bool,
    },
    RemoveWhere {
        filter: u8,
        kit: u8,
    },
    DespawnWhere {
        filter: u8,
    },
    InsertBatch {
        slice: Slice,
        pick: u16,
        kit: u8,
        short: bool,
    },
    RemoveBatch {
        slice: Slice,
        pick: u16,
        kit: u8,
    },
    Clone {
        pick: u16,
        partly: bool,
    },
    Move {
        pick: u16,
    },
    Clear,
    Shrink,
    Reclaim,
    InsertDyn {
        pick: u16,
        kind: u8,
        wrong: bool,
    },
    RemoveDyn {
        pick: u16,
        kind: u8,
    },
    SetDyn {
        pick: u16,
        kind: u8,
    },
    SpawnBuilder {
        kinds: u32,
    },
    InsertBuilder {
        pick: u16,
        kinds: u32,
    },
    SparseMut {
        pick: u16,
        kind: u8,
        count: u8,
    },
    Set {
        pick: u16,
        kind: u8,
    },
    Look {
        pick: u16,
        kind: u8,
    },
    Query {
        shape: u8,
        mode: u8,
        pick: u16,
        write: bool,
    },
    Chunks {
        shape: u8,
    },
    Cross {
        shape: u8,
    },
    DynQuery {
        terms: [u8; 3],
        exact: bool,
        kept: bool,
    },
    Generation {
        pick: u16,
        below_last: u8,
    },
    /// From here on the operations are for the other world.
    Other,
}

impl Op {
    /// The operation that these bytes stand for; any bytes stand for one.
    pub fn decode(bytes: [u8; OP_BYTES]) -> Self {
        let [choice, a, b, c, d, e, f, ..] = bytes;
        let pick = u16::from_le_bytes([a, b]);
        let (kit, kind) = (c, c % u8::try_from(FIRST_DYN).expect("small"));
        let first_dyn = u8::try_from(FIRST_DYN).expect("small");
        let any_kind = c % u8::try_from(KINDS).expect("small");
        let dyn_kind = if d % 4 == 0 { any_kind } else { first_dyn + c % 5 };
        let kinds = u32::from_le_bytes([c, d, e, f]) & u32::from_le_bytes([f, e, c, d]);
        let slice = match d % 8 {
            0 => Slice::Picked,
            1 | 2 => Slice::Table,
            3 => Slice::PartOfTable,
            4 => Slice::TableAndRepeat,
            5 => Slice::Reversed,
            _ => {
                if e & 1 == 0 {
                    Slice::Picked
                } else {
                    Slice::Table
                }
            }
        };
        match choice {
            0..8 => {
                let event = [Event::Drop, Event::Drop, Event::Clone, Event::Require, Event::Make][usize::from(a) % 5];
                Self::Fuse { event, after: if c & 1 == 0 { 0 } else { b % 8 } }
            }
            8..34 => Self::Spawn { kit },
            34..48 => Self::SpawnBatch { kit, count: d % 40, hint: e % 4 },
            48..53 => Self::SpawnColumns { kit, count: d % 40, uneven: e % 8 == 0 },
            53..55 => Self::Reserve { kit, count: d },
            55..70 => Self::Despawn { pick },
            70..74 => Self::DespawnBatch { pick, count: c % 12 },
            74..98 => Self::Insert { pick, kit },
            98..102 => Self::InsertIfNew { pick, kind },
            102..106 => Self::Replace { pick, kind },
            106..122 => Self::Remove { pick, kit },
            122..128 => Self::Take { pick, kit },
            128..131 => Self::Retain { pick, kit },
            131..141 => Self::Edit { pick, first: c, second: d, script: e },
            141..149 => Self::InsertWhere { filter: a, kit, with: d & 1 == 0 },
            149..156 => Self::RemoveWhere { filter: a, kit },
            156..159 => Self::DespawnWhere { filter: a },
            159..166 => Self::InsertBatch { slice, pick, kit, short: f % 8 == 0 },
            166..172 => Self::RemoveBatch { slice, pick, kit },
            172..178 => Self::Clone { pick, partly: c & 1 == 0 },
            178..184 => Self::Move { pick },
            184 => {
                if a < 100 {
                    Self::Clear
                } else {
                    Self::Other
                }
            }
            185 => Self::Shrink,
            186 => Self::Reclaim,
            187..195 => Self::InsertDyn { pick, kind: dyn_kind, wrong: e % 16 == 0 },
            195..199 => Self::RemoveDyn { pick, kind: dyn_kind },
            199..202 => Self::SetDyn { pick, kind: dyn_kind },
            202..206 => Self::SpawnBuilder { kinds },
            206..211 => Self::InsertBuilder { pick, kinds },
            211..216 => Self::SparseMut { pick, kind: c % 3, count: d % 8 },
            216..220 => Self::Set { pick, kind },
            220..223 => Self::Look { pick, kind },
            223..238 => Self::Query { shape: c, mode: d, pick, write: e & 1 == 0 },
            238..240 => Self::Chunks { shape: c },
            240..242 => Self::Cross { shape: c },
            242..246 => Self::DynQuery { terms: [c, d, e], exact: f % 8 == 0, kept: b & 1 == 0 },
            246 => {
                if a < 128 {
                    Self::Generation { pick: u16::from_le_bytes([b, c]), below_last: d % 3 }
                } else {
                    Self::Other
                }
            }
            247.. => Self::Other,
        }
    }
}
