//! Hostile component types.
//!
//! ```text
//! kind   type     storage  what is nasty about it
//!  0     Num      table    nothing: 4 bytes, `Copy`
//!  1     Small    table    1 byte beside larger columns
//!  2     Owned    table    owns memory, cloneable
//!  3     Wide     table    owns memory, aligned to 128
//!  4     Unique   table    owns memory, cannot be cloned
//!  5     Flag     table    zero-sized
//!  6     Seal     table    zero-sized, aligned to 32, counts its drops
//!  7     Burn     sparse   owns memory
//!  8     Chill    sparse   2 bytes, `Copy`
//!  9     Curse    sparse   zero-sized, counts its drops, cannot be cloned
//! 10     Needy    table    requires Link (by default) and Lamp (by expression)
//! 11     Link     table    requires Root
//! 12     Root     table    4 bytes, `Copy`
//! 13     Lamp     sparse   owns memory, aligned to 64
//! 14     Pulse    table    owns memory, tracked, can be switched off
//! 15     Glow     sparse   owns memory, tracked, can be switched off
//! 16     Mark     table    zero-sized, tracked, can be switched off
//! 17     Ward     table    4 bytes, can be switched off, not tracked
//! 18     Spark    sparse   zero-sized, counts its drops, tracked, can be switched off
//! 19     Tied     table    zero-sized, depends on Num and Lamp
//! 20     Knot     table    zero-sized, depends on Tied
//! 21     Skin     shared   owns memory; few values, many of which collide
//! 22     Oath     table    4 bytes, immutable, tracked, requires Name
//! 23     Name     table    few values; the world finds entities by it
//! 24     Uuid     table    few values, each of them for one entity at a time
//! 25–29           made at run time: a word, 3 odd sparse bytes, a tag, a sparse tag, 64 bytes aligned to 64
//! ```
//!
//! Their values are entered in the [ledger](super::ledger).

use super::ledger::{Counted, Event, Tracked, check_place, fault, happens};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentLayout, Storage};
pub use phalanx_ecs::{Name, Uuid};
use std::hash::{Hash, Hasher};

/// How many kinds of component there are.
pub const KINDS: usize = 30;
/// The first kind that is made at run time.
pub const FIRST_DYN: usize = 25;
/// The kind of which equal values are stored once.
pub const SHARED: usize = 21;
/// The kinds that the world finds entities by.
pub const NAME: usize = 23;
pub const UUID: usize = 24;
/// How many different names and uuids there are.
pub const NAME_VALUES: u32 = 6;
pub const UUID_VALUES: u32 = 97;
/// The kinds from here to `FIRST_DYN` cannot be changed in their place.
pub const FIRST_FIXED: usize = 21;
/// The kinds that can be switched off.
pub const TOGGLES: std::ops::Range<usize> = 14..19;

/// A component type of the model.
pub trait Kind: Component {
    const KIND: usize;
    fn make(value: u32) -> Self;
    fn value(&self) -> u32;
    fn set(&mut self, value: u32);
}

#[derive(Component, Clone, Copy, Debug)]
pub struct Num(pub u32);
#[derive(Component, Clone, Copy, Debug)]
pub struct Small(pub u8);
#[derive(Component, Clone, Debug)]
pub struct Owned(Tracked);
#[derive(Component, Clone, Debug)]
#[repr(align(128))]
pub struct Wide(Tracked);
#[derive(Component, Debug)]
pub struct Unique(Tracked);
#[derive(Component, Clone, Copy, Debug)]
pub struct Flag;
#[derive(Component, Clone, Debug)]
#[repr(align(32))]
pub struct Seal(Counted<6>);
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
pub struct Burn(Tracked);
#[derive(Component, Clone, Copy, Debug)]
#[component(storage = "sparse")]
pub struct Chill(u16);
#[derive(Component, Debug)]
#[component(storage = "sparse")]
pub struct Curse(Counted<9>);
#[derive(Component, Clone, Debug)]
#[component(requires(Link, Lamp = Lamp::required()))]
pub struct Needy(Tracked);
#[derive(Component, Clone, Debug)]
#[component(requires(Root = Root::required()))]
pub struct Link(Tracked);
#[derive(Component, Clone, Copy, Debug)]
pub struct Root(u32);
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
#[repr(align(64))]
pub struct Lamp(Tracked);
#[derive(Component, Clone, Debug)]
#[component(track, toggle)]
pub struct Pulse(Tracked);
#[derive(Component, Clone, Debug)]
#[component(track, toggle, storage = "sparse")]
pub struct Glow(Tracked);
#[derive(Component, Clone, Copy, Debug)]
#[component(track, toggle)]
pub struct Mark;
#[derive(Component, Clone, Copy, Debug)]
#[component(toggle)]
pub struct Ward(u32);
#[derive(Component, Clone, Debug)]
#[component(track, toggle, storage = "sparse")]
pub struct Spark(Counted<18>);
#[derive(Component, Clone, Copy, Debug)]
#[component(depends_on(Num, Lamp))]
pub struct Tied;
#[derive(Component, Clone, Copy, Debug)]
#[component(depends_on(Tied))]
pub struct Knot;
#[derive(Component, Clone, Debug)]
#[component(shared)]
pub struct Skin(Tracked);
#[derive(Component, Clone, Copy, Debug)]
#[component(immutable, track, requires(Name = required_name()))]
pub struct Oath(u32);

impl PartialEq for Skin {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for Skin {}

impl Hash for Skin {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.get() % 2).hash(state);
    }
}

/// What a required component is made with, by kind.
pub const REQUIRED_VALUE: u32 = 4711;

impl Default for Link {
    fn default() -> Self {
        happens(Event::Require);
        Self(Tracked::new(REQUIRED_VALUE))
    }
}

impl Lamp {
    fn required() -> Self {
        happens(Event::Require);
        Self(Tracked::new(REQUIRED_VALUE))
    }
}

impl Root {
    fn required() -> Self {
        happens(Event::Require);
        Self(REQUIRED_VALUE)
    }
}

fn required_name() -> Name {
    happens(Event::Require);
    name(REQUIRED_VALUE)
}

/// The name with a number.
pub fn name(number: u32) -> Name {
    Name::new(format!("name {number}"))
}

/// The uuid with a number.
pub fn uuid(number: u32) -> Uuid {
    Uuid::from_u128(u128::from(number) << 40 | 1)
}

fn number_of(name: &Name) -> u32 {
    name.strip_prefix("name ").and_then(|number| number.parse().ok()).expect("a name of the model")
}

macro_rules! kinds {
    ($($kind:literal $type:ident |$value:ident| $make:expr, |$this:ident| $get:expr, $set:expr;)*) => {$(
        impl Kind for $type {
            const KIND: usize = $kind;
            fn make($value: u32) -> Self {
                $make
            }
            fn value(&self) -> u32 {
                check_place(self, stringify!($type));
                let $this = self;
                $get
            }
            #[allow(unused_variables, reason = "a zero-sized value cannot be set")]
            fn set(&mut self, $value: u32) {
                check_place(self, stringify!($type));
                let $this = self;
                $set
            }
        }
    )*};
}

kinds! {
    0 Num |value| Self(value), |this| this.0, this.0 = value;
    1 Small |value| Self(low_byte(value)), |this| this.0.into(), this.0 = low_byte(value);
    2 Owned |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    3 Wide |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    4 Unique |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    5 Flag |_value| Self, |_this| 0, {};
    6 Seal |_value| Self(Counted::new()), |_this| 0, {};
    7 Burn |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    8 Chill |value| Self(low_half(value)), |this| this.0.into(), this.0 = low_half(value);
    9 Curse |_value| Self(Counted::new()), |_this| 0, {};
    10 Needy |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    11 Link |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    12 Root |value| Self(value), |this| this.0, this.0 = value;
    13 Lamp |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    14 Pulse |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    15 Glow |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    16 Mark |_value| Self, |_this| 0, {};
    17 Ward |value| Self(value), |this| this.0, this.0 = value;
    18 Spark |_value| Self(Counted::new()), |_this| 0, {};
    19 Tied |_value| Self, |_this| 0, {};
    20 Knot |_value| Self, |_this| 0, {};
    21 Skin |value| Self(Tracked::new(value)), |this| this.0.get(), this.0.set(value);
    22 Oath |value| Self(value), |this| this.0, this.0 = value;
    23 Name |value| name(value), |this| number_of(this), *this = name(value);
    24 Uuid |value| uuid(value), |this| u32::try_from(this.as_u128() >> 40).expect("a uuid of the model"), *this = uuid(value);
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

fn low_half(value: u32) -> u16 {
    u16::from_le_bytes([value.to_le_bytes()[0], value.to_le_bytes()[1]])
}

/// What is left of a value in a component of this kind.
pub fn fit(kind: usize, value: u32) -> u32 {
    match kind {
        1 => value & 0xFF,
        5 | 6 | 9 | 16 | 18..=20 | 27 | 28 => 0,
        8 => value & 0xFFFF,
        SHARED => value % 5,
        // Now and then two of a batch are equal.
        UUID => (value ^ value >> 11) % UUID_VALUES,
        NAME => value % NAME_VALUES,
        26 => value & 0xFF_FFFF,
        _ => value,
    }
}

/// Whether values of a kind own memory, and so have a number.
pub fn owns_memory(kind: usize) -> bool {
    matches!(kind, 2 | 3 | 4 | 7 | 10 | 11 | 13 | 14 | 15 | SHARED)
}

/// Whether the ledger counts values of a kind, which have no number.
pub fn is_counted(kind: usize) -> bool {
    matches!(kind, 6 | 9 | 18)
}

pub fn is_sparse(kind: usize) -> bool {
    matches!(kind, 7 | 8 | 9 | 13 | 15 | 18 | 26 | 28)
}

/// What a tag depends on, with nothing beyond the next step.
pub fn depends_on(kind: usize) -> &'static [usize] {
    match kind {
        19 => &[0, 13],
        20 => &[19],
        _ => &[],
    }
}

/// What a kind requires, with nothing beyond the next step.
pub fn requires(kind: usize) -> &'static [usize] {
    match kind {
        10 => &[11, 13],
        11 => &[12],
        22 => &[NAME],
        _ => &[],
    }
}

pub fn is_cloneable(kind: usize) -> bool {
    !matches!(kind, 4 | 9 | UUID)
}

/// The names the world knows the kinds by.
pub const NAMES: [&str; KINDS] = [
    "Num", "Small", "Owned", "Wide", "Unique", "Flag", "Seal", "Burn", "Chill", "Curse", "Needy", "Link", "Root",
    "Lamp", "Pulse", "Glow", "Mark", "Ward", "Spark", "Tied", "Knot", "Skin", "Oath", "Name", "Uuid", "DynWord",
    "DynOdd", "DynTag", "DynMark", "DynBig",
];

/// The layout of a kind that is made at run time.
pub fn dyn_layout(kind: usize) -> ComponentLayout {
    let layout = ComponentLayout::new(NAMES[kind]);
    match kind {
        25 => layout.size(8).align(8),
        26 => layout.size(3).storage(Storage::Sparse),
        27 => layout,
        28 => layout.storage(Storage::Sparse),
        29 => layout.size(64).align(64),
        _ => unreachable!("kind {kind} is compiled"),
    }
}

/// A value of a kind that is made at run time, as bytes.
pub fn dyn_bytes(kind: usize, value: u32) -> Vec<u8> {
    let size = [8, 3, 0, 0, 64][kind - FIRST_DYN];
    value.to_le_bytes().into_iter().cycle().take(size).collect()
}

/// The value that [`dyn_bytes`] wrote, if all bytes are as it wrote them.
pub fn dyn_value(kind: usize, bytes: &[u8]) -> u32 {
    let mut first = [0; 4];
    for (to, from) in first.iter_mut().zip(bytes) {
        *to = *from;
    }
    let value = u32::from_le_bytes(first);
    if dyn_bytes(kind, value) != bytes {
        fault(format!("the bytes of a {} are torn: {bytes:?}", NAMES[kind]));
    }
    if !bytes.as_ptr().addr().is_multiple_of([8, 1, 1, 1, 64][kind - FIRST_DYN]) {
        fault(format!("a {} is not aligned", NAMES[kind]));
    }
    value
}

/// The value of a component in a bundle made from `seed`.
pub fn value_of(seed: u32, kind: usize) -> u32 {
    let kind_number = u32::try_from(kind).expect("a small number");
    fit(kind, seed.wrapping_mul(31).wrapping_add(kind_number.wrapping_mul(7919)))
}
