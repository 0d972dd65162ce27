//! How bytes become operations.
//!
//! An operation takes 12 bytes, so that a fuzzer can delete and swap whole ones. Any bytes stand for one.

use super::components::{FIRST_DYN, KINDS, NAME, TOGGLES, UUID};
use super::kits::{FIRST_KNOWN_KIT, KITS, OWN_KITS};
use super::ledger::Event;
use super::naive::Setup;
use super::ops::{Attention, Config, Deed, EventAct, How, LossAct, Op, ResourceAct, Slice};
use super::told::Reaction;
use phalanx_ecs::{Act, HandleLayout};

/// How many bytes make an operation.
pub const OP_BYTES: usize = 12;
/// How many bytes make a configuration.
pub const CONFIG_BYTES: usize = 4;

fn byte(number: usize) -> u8 {
    u8::try_from(number).expect("small")
}

fn one_of<T: Copy>(all: &[T], byte: u8) -> T {
    all[usize::from(byte) % all.len()]
}

impl Config {
    pub fn decode(bytes: [u8; CONFIG_BYTES]) -> Self {
        let setup = |byte: u8| Setup {
            layout: if byte & 1 == 0 { HandleLayout::Wide } else { HandleLayout::Compact },
            min_free: one_of(&[0, 1, 3, 1024], byte >> 1 & 3),
            limit: one_of(&[None, None, Some(7), Some(90)], byte >> 3 & 3),
            queues: one_of(&[0, 0, 0, 1, 0, 2, 3, 4], byte >> 5),
        };
        let crowd = match bytes[2] {
            0..=99 => 12,
            100..=199 => 60,
            200..=250 => 250,
            _ => 2500,
        };
        let [observed, mourned] = [bytes[3] & 1 == 0, bytes[3] & 2 == 0];
        Self { worlds: [setup(bytes[0]), setup(bytes[1])], crowd, observed, mourned }
    }
}

impl Op {
    /// The operation that these bytes stand for; any bytes stand for one.
    pub fn decode(bytes: [u8; OP_BYTES]) -> Self {
        if bytes[7] & 1 == 0 { Self::of_one_moment(bytes) } else { Self::over_time(bytes) }
    }

    /// Operations whose meaning does not depend on what happened before.
    fn of_one_moment(bytes: [u8; OP_BYTES]) -> Self {
        let [choice, a, b, c, d, e, f, ..] = bytes;
        let pick = u16::from_le_bytes([a, b]);
        let (kit, kind) = (c, c % byte(FIRST_DYN));
        let dyn_kind = if d % 4 == 0 { c % byte(KINDS) } else { byte(FIRST_DYN) + c % byte(KINDS - FIRST_DYN) };
        let kinds = u32::from_le_bytes([c, d, e, f]) & u32::from_le_bytes([f, e, c, d]);
        let slice = match d % 8 {
            0 => Slice::Picked,
            1 | 2 => Slice::Table,
            3 => Slice::PartOfTable,
            4 => Slice::TableAndRepeat,
            5 => Slice::Reversed,
            _ => one_of(&[Slice::Picked, Slice::Table], e),
        };
        match choice {
            0..8 => {
                let event = one_of(&[Event::Drop, Event::Drop, Event::Clone, Event::Require, Event::Make], a);
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
            184 => one_of(&[Self::Clear, Self::Other, Self::Other], a),
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
                let generation = Self::Generation { pick: u16::from_le_bytes([b, c]), below_last: d % 3 };
                one_of(&[generation, Self::Other], a)
            }
            247.. => Self::Other,
        }
    }

    /// Operations that are about what happened before, or will happen later.
    fn over_time(bytes: [u8; OP_BYTES]) -> Self {
        let [choice, a, b, c, d, e, f, _, g, ..] = bytes;
        let pick = u16::from_le_bytes([a, b]);
        let toggle = byte(TOGGLES.start) + c % byte(TOGGLES.len());
        // What is tracked more often than what is not.
        let kind = if d & 1 == 0 { toggle } else { c % byte(FIRST_DYN) };
        let seed = u32::from_le_bytes([a, b, c, d]);
        let known_kit = FIRST_KNOWN_KIT + c % (OWN_KITS - FIRST_KNOWN_KIT);
        match choice {
            0..18 => Self::Switch { pick, kind: toggle, on: d & 1 == 0 },
            18..24 => Self::EditShared { pick },
            24..26 => Self::Groups,
            26..44 => Self::DespawnLazy { pick },
            44..52 => Self::Collect { how: one_of(&[How::Exact, How::Sampling(a % 6), How::NoTime, How::MuchTime], b) },
            52..84 => Self::Read { reader: c, mode: d, pick, write: e & 1 == 0 },
            84..100 => {
                let acts = [
                    LossAct::Open,
                    LossAct::OpenWithValues,
                    LossAct::Close,
                    LossAct::Read,
                    LossAct::Read,
                    LossAct::ReadQueue,
                    LossAct::ReadSome,
                    LossAct::ReadSome,
                    LossAct::Skip,
                    LossAct::Skip,
                    LossAct::Foreign,
                    LossAct::KeepLast,
                    LossAct::KeepUpdates,
                    LossAct::Clear,
                ];
                Self::Loss { kind: c, act: one_of(&acts, a), reader: b, count: d % 8 }
            }
            100..102 => Self::Find { number: a },
            102..104 => Self::Insert { pick, kit: known_kit },
            104 => Self::Replace { pick, kind: byte(NAME) + c % 2 },
            105 => Self::InsertDyn { pick, kind: byte(NAME) + c % 2, wrong: false },
            106 => Self::InsertBatch {
                slice: one_of(&[Slice::Picked, Slice::Table], d),
                pick,
                kit: known_kit,
                short: false,
            },
            107 => Self::SpawnBuilder { kinds: 1 << UUID | 1 << (c % 16) },
            108 => Self::InsertBuilder { pick, kinds: 1 << UUID | 1 << (c % 16) },
            109 => Self::Spawn { kit: known_kit },
            110..122 => {
                let acts = [Act::Insert, Act::Replace, Act::Remove, Act::Despawn, Act::SwitchOn, Act::SwitchOff];
                let reaction = match (f % 4, e % 3) {
                    (0, 0) => Reaction::Number,
                    (0, 1) => Reaction::End,
                    (0, 2) => Reaction::Another,
                    _ => Reaction::Nothing,
                };
                Self::Observe { kind, act: one_of(&acts, a), reaction, hook: g % 8 == 0 }
            }
            122..132 => {
                let attention = one_of(&[Attention::Pause, Attention::Resume, Attention::Remove], a);
                Self::Attend { observer: b, attention }
            }
            132..138 => Self::Trigger { pick },
            138..188 => {
                let deeds = [
                    Deed::Spawn,
                    Deed::SpawnBatch,
                    Deed::Spawn,
                    Deed::Insert,
                    Deed::Insert,
                    Deed::InsertTable,
                    Deed::InsertIfNew,
                    Deed::Remove,
                    Deed::Remove,
                    Deed::RemoveTable,
                    Deed::Retain,
                    Deed::Despawn,
                    Deed::DespawnBatch,
                    Deed::DespawnLazy,
                    Deed::SwitchOn,
                    Deed::SwitchOff,
                    Deed::SetResource,
                    Deed::RemoveResource,
                    Deed::Send,
                    Deed::Fail,
                    Deed::Run,
                ];
                let kit = if g.is_multiple_of(4) { known_kit } else { c };
                Self::Queue { queue: f, deed: one_of(&deeds, e), pick, kit, count: d % 8 }
            }
            188..200 => Self::Apply { queues: if a % 4 == 0 { b } else { u8::MAX }, policy: c },
            200..202 => Self::Forget { queue: a },
            202..212 => {
                let acts = [
                    ResourceAct::Insert,
                    ResourceAct::Remove,
                    ResourceAct::Write,
                    ResourceAct::LookOnly,
                    ResourceAct::Bypass,
                    ResourceAct::OrInsert,
                    ResourceAct::AskChanged,
                    ResourceAct::AskAdded,
                    ResourceAct::AskRemoved,
                ];
                Self::Resource { act: one_of(&acts, a), reader: b }
            }
            212..228 => {
                let acts = [
                    EventAct::Send,
                    EventAct::SendBatch,
                    EventAct::Update,
                    EventAct::Update,
                    EventAct::KeepUpdates,
                    EventAct::KeepLast,
                    EventAct::KeepAll,
                    EventAct::Clear,
                    EventAct::Read,
                    EventAct::ReadSome,
                    EventAct::ReadNumbered,
                    EventAct::Skip,
                    EventAct::FromNow,
                ];
                Self::Event { act: one_of(&acts, a), reader: b, count: c % 8 }
            }
            228 => Self::Claim { seed },
            229 => Self::Twins { seed },
            230..234 => Self::Insert { pick, kit: OWN_KITS + c % (KITS - OWN_KITS) },
            234..236 => Self::Set { pick, kind: toggle },
            236..240 => Self::Replace { pick, kind: toggle },
            240..246 => Self::Insert { pick, kit: 17 + c % 8 },
            246..250 => Self::Remove { pick, kit: 17 + c % 8 },
            _ => Self::SpawnBatch { kit: 17 + c % 6, count: d % 90, hint: e % 4 },
        }
    }
}
