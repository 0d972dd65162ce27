//! The components of all workloads, and the values they start with.
//!
//! One set of types serves every ECS: each type derives or implements what each peer asks for, so
//! that no ECS is measured with a friendlier layout than another. Plain `f32` fields throughout, no
//! SIMD types: a `Position` is 12 bytes aligned to 4.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use specs::{FlaggedStorage, VecStorage};

use crate::harness::digest::{Digestible, RowHash};

/// Declares component types of `f32` fields, with everything the peers want to know about them.
///
/// specs keeps each in a `VecStorage`, its fastest one for all the workloads here.
macro_rules! components {
    ($($(#[$attribute:meta])* $name:ident { $($field:tt: $ty:ty),+ })+) => {$(
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[derive(bevy_ecs::component::Component, shipyard::Component, flecs_ecs::prelude::Component, phalanx_ecs::Plain)]
        $(#[$attribute])*
        pub struct $name { $(pub $field: $ty),+ }

        impl specs::Component for $name {
            type Storage = VecStorage<Self>;
        }

        impl Digestible for $name {
            fn feed(&self, hash: &mut RowHash) {
                $(self.$field.feed(hash);)+
            }
        }
    )+};
}

components! {
    Transform { rows: [[f32; 4]; 4] }
    Position { x: f32, y: f32, z: f32 }
    Rotation { x: f32, y: f32, z: f32 }
    Velocity { x: f32, y: f32, z: f32 }
    /// The component that `bulk_add` adds.
    Bulk { x: f32, y: f32, z: f32 }

    /// The same, in a sparse set where the ECS offers the choice.
    #[component(storage = "SparseSet")]
    SparseBulk { x: f32, y: f32, z: f32 }

    /// What an entity of `add_remove` always has.
    A { value: f32 }
    /// What `add_remove` adds and removes, in a table where the ECS has tables.
    B { value: f32 }
    /// The same, in a sparse set where the ECS offers the choice.
    #[component(storage = "SparseSet")]
    #[flecs(traits(DontFragment))]
    SparseB { value: f32 }
    Side0 { cells: [f32; 4] }
    Side1 { cells: [f32; 4] }
    Side2 { cells: [f32; 4] }
    Side3 { cells: [f32; 4] }

    /// What `frag_iter` doubles, in tables where the ECS has tables.
    Data { value: f32 }
    /// The same, in a sparse set where the ECS offers the choice.
    #[component(storage = "SparseSet")]
    #[flecs(traits(DontFragment))]
    SparseData { value: f32 }

    /// What `filtered_iter` increments on entities with `C` and without `D`.
    Counter { value: f32 }
    C { value: f32 }
    D { value: f32 }
    /// What one entity in a hundred has in `sparse_iter`.
    Tag { value: f32 }

    /// Where a node of `hierarchy` is, relative to the one above it.
    Local { matrix: [[f32; 4]; 4] }
    /// Where it is in the world.
    Placed { matrix: [[f32; 4]; 4] }
}

/// What `changed_iter` changes; tracked where the ECS tracks changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, bevy_ecs::component::Component)]
pub struct Watched {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl specs::Component for Watched {
    type Storage = FlaggedStorage<Self, VecStorage<Self>>;
}

impl Digestible for Watched {
    fn feed(&self, hash: &mut RowHash) {
        [self.x, self.y, self.z].iter().for_each(|number| number.feed(hash));
    }
}

/// How many entities `changed_iter` has, besides those it changes.
pub const WATCHED: usize = 100_000;

/// The values of `changed_iter`: whole numbers, whose sum does not depend on the order.
pub fn watched() -> impl ExactSizeIterator<Item = Watched> + Clone {
    (0..WATCHED).map(|i| Watched { x: (i % 16) as f32, y: 0.0, z: 1.0 })
}

/// Which of them `changed_iter` changes.
pub fn changed(count: usize) -> Vec<usize> {
    let mut all = shuffled(WATCHED);
    all.truncate(count);
    all
}

impl Position {
    /// `pos += vel`, the body of every iteration row.
    #[inline(always)]
    pub fn step(&mut self, velocity: &Velocity) {
        self.x += velocity.x;
        self.y += velocity.y;
        self.z += velocity.z;
    }
}

/// The value that `bulk_add` adds everywhere.
pub const BULK: Bulk = Bulk { x: 1.0, y: 2.0, z: 3.0 };
/// The same for a sparse set.
pub const SPARSE_BULK: SparseBulk = SparseBulk { x: BULK.x, y: BULK.y, z: BULK.z };

impl Transform {
    /// A quarter turn about z. Not the identity: `heavy_compute` shall leave a trace, or its check would
    /// pass an ECS that computes nothing.
    pub const QUARTER_TURN: Self =
        Self { rows: [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]] };
}

/// One of the hundred further types of `despawn`, each on one other entity.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    bevy_ecs::component::Component,
    shipyard::Component,
    flecs_ecs::prelude::Component,
)]
pub struct Marker<const N: usize>(pub u32);

impl<const N: usize> specs::Component for Marker<N> {
    type Storage = VecStorage<Self>;
}

/// Calls `$body!(N)` for each of the hundred `Marker<N>`.
macro_rules! for_each_marker {
    ($body:ident) => {
        for_each_marker!(@ $body
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
            25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49
            50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74
            75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99)
    };
    (@ $body:ident $($n:literal)+) => { $($body!($n);)+ };
}
pub(crate) use for_each_marker;

/// One of the 26 components that split the entities of `frag_iter` over 26 tables.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    bevy_ecs::component::Component,
    shipyard::Component,
    flecs_ecs::prelude::Component,
)]
pub struct Frag<const N: usize>(pub f32);

impl<const N: usize> specs::Component for Frag<N> {
    type Storage = VecStorage<Self>;
}

/// Calls `$body!(N)` for each of the 26 `Frag<N>`.
macro_rules! for_each_frag {
    ($body:ident) => {
        for_each_frag!(@ $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
    };
    (@ $body:ident $($n:literal)+) => { $($body!($n);)+ };
}
pub(crate) use for_each_frag;

/// How many entities each table of `frag_iter` holds.
pub const FRAG_ROWS: usize = 20;

/// The four components of the insert, spawn and despawn rows.
pub type Row = (Transform, Position, Rotation, Velocity);

/// The components of entity `i`.
#[inline(always)]
pub fn row(i: usize) -> Row {
    let transform = Transform::QUARTER_TURN;
    let position = Position { x: i as f32, y: 0.0, z: 0.0 };
    let rotation = Rotation { x: 1.0, y: 0.0, z: 0.0 };
    let velocity = Velocity { x: 1.0, y: 0.5, z: 0.25 };
    (transform, position, rotation, velocity)
}

/// `count` rows, the source of `simple_insert_rows`; the same iterator for every ECS.
#[inline(always)]
pub fn rows(count: usize) -> impl ExactSizeIterator<Item = Row> {
    (0..count).map(row)
}

/// `count` positions and velocities, the entities of the larger iteration rows.
#[inline(always)]
pub fn movers(count: usize) -> impl ExactSizeIterator<Item = (Position, Velocity)> {
    rows(count).map(|(_, position, _, velocity)| (position, velocity))
}

/// The rows of `simple_insert` given as columns.
pub struct Columns {
    pub transforms: Vec<Transform>,
    pub positions: Vec<Position>,
    pub rotations: Vec<Rotation>,
    pub velocities: Vec<Velocity>,
}

impl Columns {
    fn new(count: usize) -> Self {
        Self {
            transforms: rows(count).map(|row| row.0).collect(),
            positions: rows(count).map(|row| row.1).collect(),
            rotations: rows(count).map(|row| row.2).collect(),
            velocities: rows(count).map(|row| row.3).collect(),
        }
    }

    /// The columns as rows, for an ECS that takes only rows.
    #[inline(always)]
    pub fn zipped(&self) -> impl ExactSizeIterator<Item = Row> {
        let count = self.positions.len();
        let (transforms, positions) = (&self.transforms[..count], &self.positions[..count]);
        let (rotations, velocities) = (&self.rotations[..count], &self.velocities[..count]);
        (0..count).map(move |i| (transforms[i], positions[i], rotations[i], velocities[i]))
    }
}

/// The ten thousand rows of `simple_insert`.
pub fn columns() -> &'static Columns {
    columns_of(crate::workloads::SIMPLE_INSERT.items)
}

/// So many rows as columns; made once per number and never freed.
pub fn columns_of(count: usize) -> &'static Columns {
    static COLUMNS: LazyLock<Mutex<BTreeMap<usize, &'static Columns>>> = LazyLock::new(Mutex::default);
    let mut columns = COLUMNS.lock().unwrap_or_else(PoisonError::into_inner);
    columns.entry(count).or_insert_with(|| Box::leak(Box::new(Columns::new(count))))
}

/// How many entities `filtered_iter` has; its items are the 45 % that match.
pub const FILTERED_TOTAL: usize = 100_000;

/// How many entities `sparse_iter` has; its items are the 1 % that are tagged.
pub const SPARSE_TOTAL: usize = 100_000;

/// Entity `i` of `filtered_iter`: whether it has `C`, and whether it has `D`.
///
/// Half have `C`, a tenth of either half has `D`, so 45 % have `C` without `D`.
pub fn filter_kind(i: usize) -> (bool, bool) {
    (i.is_multiple_of(2), (i / 2).is_multiple_of(10))
}

/// Whether entity `i` of `sparse_iter` is tagged: one in a hundred.
pub fn is_tagged(i: usize) -> bool {
    i.is_multiple_of(100)
}

/// `0..count` in an order fixed by a seed, for the rows that reach entities by handle.
pub fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = Random::default();
    for i in (1..count).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

/// xorshift64*: good enough to defeat a prefetcher, and the same on every machine.
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        random as usize % limit
    }
}
