//! The operations, and how a number becomes one.
//!
//! Their own numbers mean something only together with the world they meet: `Pick` chooses among those who are alive, a scene among those there are. So operations can be left out, and the rest still
//! means something.

use super::parts::{BATCHES, Kind, Kit, Part};
use super::random::Random;
use super::stage::Beat;
use super::systems::What;

/// One of those who are alive, now and then one of the first, who have most below them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    pub at: u32,
    pub early: bool,
}

/// Some of those who are alive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Several {
    pub seed: u32,
    /// One in so many is chosen.
    pub one_in: u8,
    /// Whether one that has ended is named as well.
    pub with_dead: bool,
}

/// Where among its siblings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    First,
    Last,
    Before(u32),
    After(u32),
}

/// How a transform changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    Translate,
    Rotate,
    Scale,
    Edit,
}

/// How an operation is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    Direct,
    Queued,
}

/// Which scene: by its place among those there are, or one that is no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whither {
    Scene(u8),
    Gone,
}

/// What can be done. `Travel` is to another world and back, with all that is below; `Ask` runs a system by hand, and asks a scene for its nodes in all ways there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Spawn { kit: Kit, value: u32, below: Option<Pick> },
    SpawnBatch { batch: usize, count: u8, value: u32, below: Option<Pick> },
    Despawn { who: Pick, way: Way },
    DespawnAlone { who: Pick },
    DespawnLazily { who: Pick, collect: u8 },
    DespawnBatch { who: Several },
    DespawnWhere { of: u8 },
    Attach { child: Pick, parent: Pick, place: Where, dead: bool },
    AttachAll { children: Several, parent: Pick },
    InsertChildOf { child: Pick, parent: Pick, kit: Kit, value: u32 },
    Detach { who: Pick },
    DetachChildren { who: Pick, by_removal: bool },
    Insert { who: Pick, part: Part, value: u32, way: Way },
    InsertKit { who: Pick, kit: Kit, value: u32 },
    Remove { who: Pick, part: Part, way: Way },
    InsertBatch { who: Several, batch: usize, value: u32 },
    RemoveBatch { who: Several, batch: usize },
    InsertWhere { of: u8, batch: usize, value: u32 },
    RemoveWhere { of: u8, batch: usize },
    Clone { who: Pick },
    CloneTree { who: Pick },
    Travel { who: Pick },
    Queue { one: Pick, two: Pick, whither: Whither, value: u32 },
    Join { whither: Whither, kind: Kind, who: Pick, way: Way },
    JoinSome { whither: Whither, kind: Kind, who: Several, fitting: bool, way: Way },
    JoinMatching { whither: Whither, kind: Kind, way: Way },
    Leave { whither: Whither, kind: Kind, who: Pick, way: Way },
    LeaveSome { whither: Whither, kind: Kind, who: Several },
    Move { from: Whither, to: Whither, who: Several, copies: bool },
    Create { systems: u16 },
    Delete { whither: Whither, with_systems: bool },
    Clear { whither: Whither, despawns: bool },
    Pause { whither: Whither, pauses: bool },
    Activate { whither: Whither, active: bool },
    SetBeat { whither: Whither, beat: Beat },
    SetScale { whither: Whither, scale: u8 },
    AskSteps { whither: Whither, steps: u8 },
    Rename { whither: Whither },
    AddSystem { whither: Whither, what: What },
    RemoveSystem { at: u8 },
    Update { whither: Whither },
    Frame { millis: u8, again: u8 },
    Shift { who: Pick, motion: Motion, value: u32 },
    ShiftAll { who: Several, motion: Motion, value: u32 },
    Write { who: Pick, value: u32 },
    WriteAll,
    Propagate,
    Ask { whither: Whither, kind: Kind },
    Reclaim,
    Instantiate { prefab: u8, count: u8, below: Option<Pick>, changed: bool, way: Way },
}

fn one_of<T: Copy>(all: &[T], random: &mut Random) -> T {
    all[random.below(all.len())]
}

fn small(random: &mut Random, end: usize) -> u8 {
    u8::try_from(random.below(end)).expect("small")
}

fn pick(random: &mut Random) -> Pick {
    Pick { at: random.number(), early: random.once_in(5) }
}

fn several(random: &mut Random) -> Several {
    let one_in = one_of(&[2, 4, 8, 20], random);
    Several { seed: random.number(), one_in, with_dead: random.once_in(8) }
}

fn whither(random: &mut Random) -> Whither {
    if random.once_in(40) { Whither::Gone } else { Whither::Scene(small(random, 60)) }
}

fn way(random: &mut Random) -> Way {
    if random.once_in(4) { Way::Queued } else { Way::Direct }
}

fn below(random: &mut Random) -> Option<Pick> {
    let is_below = random.once_in(2);
    is_below.then(|| pick(random))
}

fn place(random: &mut Random) -> Where {
    match random.below(4) {
        0 => Where::First,
        1 => Where::Before(random.number()),
        2 => Where::After(random.number()),
        _ => Where::Last,
    }
}

/// The parts that are inserted together, in few of all ways.
fn kit(random: &mut Random) -> Kit {
    Kit(small(random, 128) & (small(random, 128) | 1))
}

/// Some systems, by bits.
fn systems(random: &mut Random) -> u16 {
    (0..6).fold(0, |systems, _| systems | 1 << random.below(What::ALL.len()))
}

impl Op {
    /// The operation that a number stands for; any number stands for one.
    pub fn of(number: u64) -> Self {
        let r = &mut Random(number);
        let (kind, part) = (one_of(&Kind::ALL, r), one_of(&Part::ALL, r));
        let motion = one_of(&[Motion::Translate, Motion::Rotate, Motion::Scale, Motion::Edit], r);
        let batch = r.below(BATCHES.len());
        match r.below(220) {
            0..14 => Self::Spawn { kit: kit(r), value: r.number(), below: below(r) },
            14..20 => Self::SpawnBatch { batch, count: small(r, 9), value: r.number(), below: below(r) },
            20..24 => Self::Despawn { who: pick(r), way: way(r) },
            24..27 => Self::DespawnAlone { who: pick(r) },
            27..29 => Self::DespawnLazily { who: pick(r), collect: small(r, 4) },
            29..31 => Self::DespawnBatch { who: Several { one_in: 20, ..several(r) } },
            31 => Self::DespawnWhere { of: small(r, 9) },
            32..50 => Self::Attach { child: pick(r), parent: pick(r), place: place(r), dead: r.once_in(20) },
            50..54 => Self::AttachAll { children: several(r), parent: pick(r) },
            54..58 => Self::InsertChildOf { child: pick(r), parent: pick(r), kit: kit(r), value: r.number() },
            58..61 => Self::Detach { who: pick(r) },
            61..63 => Self::DetachChildren { who: pick(r), by_removal: r.once_in(2) },
            63..73 => Self::Insert { who: pick(r), part, value: r.number(), way: way(r) },
            73..76 => Self::InsertKit { who: pick(r), kit: kit(r), value: r.number() },
            76..84 => Self::Remove { who: pick(r), part, way: way(r) },
            84..87 => Self::InsertBatch { who: several(r), batch, value: r.number() },
            87 => Self::RemoveBatch { who: several(r), batch },
            88 => Self::InsertWhere { of: small(r, 6), batch, value: r.number() },
            89 => Self::RemoveWhere { of: small(r, 6), batch },
            90..94 => Self::Clone { who: pick(r) },
            94..96 => Self::CloneTree { who: pick(r) },
            96 => Self::Travel { who: pick(r) },
            97..100 => Self::Queue { one: pick(r), two: pick(r), whither: whither(r), value: r.number() },
            100..110 => Self::Join { whither: whither(r), kind, who: pick(r), way: way(r) },
            110..116 => {
                Self::JoinSome { whither: whither(r), kind, who: several(r), fitting: !r.once_in(4), way: way(r) }
            }
            116..119 => Self::JoinMatching { whither: whither(r), kind, way: way(r) },
            119..123 => Self::Leave { whither: whither(r), kind, who: pick(r), way: way(r) },
            123..125 => Self::LeaveSome { whither: whither(r), kind, who: several(r) },
            125..131 => Self::Move { from: whither(r), to: whither(r), who: several(r), copies: r.once_in(2) },
            131..133 => Self::Create { systems: systems(r) },
            133 => Self::Delete { whither: whither(r), with_systems: r.once_in(2) },
            134 => Self::Clear { whither: whither(r), despawns: r.once_in(2) },
            135..137 => Self::Pause { whither: whither(r), pauses: r.once_in(3) },
            137..139 => Self::Activate { whither: whither(r), active: !r.once_in(3) },
            139..141 => Self::SetBeat { whither: whither(r), beat: one_of(&Beat::ALL, r) },
            141 => Self::SetScale { whither: whither(r), scale: one_of(&[0, 1, 1, 2], r) },
            142..144 => Self::AskSteps { whither: whither(r), steps: small(r, 4) },
            144 => Self::Rename { whither: whither(r) },
            145..150 => Self::AddSystem { whither: whither(r), what: one_of(&What::ALL, r) },
            150 => Self::RemoveSystem { at: small(r, 60) },
            151..153 => Self::Update { whither: whither(r) },
            153..165 => Self::Frame { millis: small(r, 41), again: small(r, 3) },
            165..175 => Self::Shift { who: pick(r), motion, value: r.number() },
            175..181 => Self::ShiftAll { who: several(r), motion, value: r.number() },
            181..184 => Self::Write { who: pick(r), value: r.number() },
            184 => Self::WriteAll,
            185..192 => Self::Propagate,
            192 => Self::Reclaim,
            193..195 => Self::Ask { whither: whither(r), kind },
            195..200 => Self::Instantiate {
                prefab: small(r, 2),
                count: small(r, 4),
                below: below(r),
                changed: r.once_in(3),
                way: way(r),
            },
            _ => Self::Frame { millis: small(r, 41), again: small(r, 2) },
        }
    }
}
