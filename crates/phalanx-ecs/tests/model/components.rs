//! Hostile component types, and the ledger that every one of their values is entered in.
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
//! 14–18           made at run time: a word, 3 odd sparse bytes, a tag, a sparse tag, 64 bytes aligned to 64
//! ```
//!
//! A value that owns memory has a number of its own. The ledger knows which numbers are alive: dropping one twice, or looking at one that is
//! gone, is a fault; one too many at the end is a leak. A *fuse* makes one drop, clone or construction panic.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentLayout, Storage};
use std::cell::RefCell;
use std::collections::HashSet;
use std::mem::ManuallyDrop;

/// How many kinds of component there are.
pub const KINDS: usize = 19;
/// The first kind that is made at run time.
pub const FIRST_DYN: usize = 14;

/// What a fuse waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A value is dropped.
    Drop,
    /// A value is cloned.
    Clone,
    /// A required value is made.
    Require,
    /// An iterator or closure of the caller is asked for the next bundle.
    Make,
}

/// What a blown fuse panics with.
pub struct Blown;

#[derive(Default)]
struct Ledger {
    next: u64,
    alive: HashSet<u64>,
    /// How many zero-sized values of each kind are alive.
    counted: [i64; KINDS],
    fuse: Option<(Event, u32)>,
    blown: bool,
    faults: Vec<String>,
}

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
}

fn with<R>(f: impl FnOnce(&mut Ledger) -> R) -> R {
    LEDGER.with(|ledger| f(&mut ledger.borrow_mut()))
}

/// Forgets everything; for the start of a run.
pub fn reset() {
    with(|ledger| *ledger = Ledger::default());
}

/// The n-th `event` from now on panics, once.
pub fn light(event: Event, after: u32) {
    with(|ledger| (ledger.fuse, ledger.blown) = (Some((event, after)), false));
}

/// Puts the fuse out; answers whether it has blown.
pub fn put_out() -> bool {
    with(|ledger| {
        ledger.fuse = None;
        std::mem::take(&mut ledger.blown)
    })
}

/// Tells the fuse that something happened.
pub fn happens(event: Event) {
    let blows = with(|ledger| match &mut ledger.fuse {
        Some((awaited, after)) if *awaited == event => {
            if *after > 0 {
                *after -= 1;
                return false;
            }
            ledger.fuse = None;
            ledger.blown = true;
            true
        }
        _ => false,
    });
    if blows && !std::thread::panicking() {
        // Not `panic!`: that would call the panic hook, which prints, and under a fuzzer ends the process.
        std::panic::resume_unwind(Box::new(Blown));
    }
}

/// What went wrong since the last call.
pub fn faults() -> Vec<String> {
    with(|ledger| std::mem::take(&mut ledger.faults))
}

/// How many values that own memory are alive, and how many zero-sized ones of each kind.
pub fn alive() -> (usize, [i64; KINDS]) {
    with(|ledger| (ledger.alive.len(), ledger.counted))
}

fn fault(text: String) {
    with(|ledger| ledger.faults.push(text));
}

fn check_place<T>(value: &T, name: &str) {
    let place = std::ptr::from_ref(value).addr();
    if !place.is_multiple_of(align_of::<T>()) {
        fault(format!("a {name} lies at {place:#x}, which is not aligned to {}", align_of::<T>()));
    }
}

/// A value with a number of its own, and memory of its own.
///
/// The memory is in a `ManuallyDrop`, so that a second drop is a fault in the ledger and not a double free.
#[derive(Debug)]
pub struct Tracked {
    number: u64,
    value: ManuallyDrop<Option<Box<u32>>>,
}

impl Tracked {
    fn new(value: u32) -> Self {
        let number = with(|ledger| {
            ledger.next += 1;
            ledger.alive.insert(ledger.next);
            ledger.next
        });
        Self { number, value: ManuallyDrop::new(Some(Box::new(value))) }
    }

    fn is_alive(&self) -> bool {
        // Values are looked at by other threads too; the ledger is this thread's.
        let alive = with(|ledger| ledger.next == 0 || ledger.alive.contains(&self.number));
        if !alive {
            fault(format!("value number {} was used after it was dropped", self.number));
        }
        alive
    }

    fn get(&self) -> u32 {
        match (self.is_alive(), self.value.as_deref()) {
            (true, Some(value)) => *value,
            _ => u32::MAX,
        }
    }

    fn set(&mut self, value: u32) {
        if self.is_alive()
            && let Some(place) = self.value.as_deref_mut()
        {
            *place = value;
        }
    }
}

impl Clone for Tracked {
    fn clone(&self) -> Self {
        happens(Event::Clone);
        Self::new(self.get())
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        if with(|ledger| ledger.alive.remove(&self.number)) {
            self.value.take();
            happens(Event::Drop);
        } else {
            fault(format!("value number {} was dropped twice", self.number));
        }
    }
}

/// A zero-sized value of kind `K`; the ledger counts how many there are.
#[derive(Debug)]
pub struct Counted<const K: usize>;

impl<const K: usize> Counted<K> {
    fn new() -> Self {
        with(|ledger| ledger.counted[K] += 1);
        Self
    }
}

impl<const K: usize> Clone for Counted<K> {
    fn clone(&self) -> Self {
        happens(Event::Clone);
        Self::new()
    }
}

impl<const K: usize> Drop for Counted<K> {
    fn drop(&mut self) {
        with(|ledger| ledger.counted[K] -= 1);
        happens(Event::Drop);
    }
}

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
        5 | 6 | 9 | 16 | 17 => 0,
        8 => value & 0xFFFF,
        15 => value & 0xFF_FFFF,
        _ => value,
    }
}

/// Whether values of a kind own memory, and so have a number.
pub fn is_tracked(kind: usize) -> bool {
    matches!(kind, 2 | 3 | 4 | 7 | 10 | 11 | 13)
}

pub fn is_cloneable(kind: usize) -> bool {
    !matches!(kind, 4 | 9)
}

/// The names the world knows the kinds by.
pub const NAMES: [&str; KINDS] = [
    "Num", "Small", "Owned", "Wide", "Unique", "Flag", "Seal", "Burn", "Chill", "Curse", "Needy", "Link", "Root",
    "Lamp", "DynWord", "DynOdd", "DynTag", "DynMark", "DynBig",
];

/// The layout of a kind that is made at run time.
pub fn dyn_layout(kind: usize) -> ComponentLayout {
    let layout = ComponentLayout::new(NAMES[kind]);
    match kind {
        14 => layout.size(8).align(8),
        15 => layout.size(3).storage(Storage::Sparse),
        16 => layout,
        17 => layout.storage(Storage::Sparse),
        18 => layout.size(64).align(64),
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

/// Calls a block with the compiled type of a kind under a name.
macro_rules! with_kind {
    ($kind:expr, $name:ident => $block:expr) => {{
        use $crate::components::*;
        match $kind {
            0 => {
                type $name = Num;
                $block
            }
            1 => {
                type $name = Small;
                $block
            }
            2 => {
                type $name = Owned;
                $block
            }
            3 => {
                type $name = Wide;
                $block
            }
            4 => {
                type $name = Unique;
                $block
            }
            5 => {
                type $name = Flag;
                $block
            }
            6 => {
                type $name = Seal;
                $block
            }
            7 => {
                type $name = Burn;
                $block
            }
            8 => {
                type $name = Chill;
                $block
            }
            9 => {
                type $name = Curse;
                $block
            }
            10 => {
                type $name = Needy;
                $block
            }
            11 => {
                type $name = Link;
                $block
            }
            12 => {
                type $name = Root;
                $block
            }
            13 => {
                type $name = Lamp;
                $block
            }
            kind => unreachable!("kind {kind} is not compiled"),
        }
    }};
}
pub(crate) use with_kind;

/// The value of a component in a bundle made from `seed`.
pub fn value_of(seed: u32, kind: usize) -> u32 {
    let kind_number = u32::try_from(kind).expect("a small number");
    fit(kind, seed.wrapping_mul(31).wrapping_add(kind_number.wrapping_mul(7919)))
}

/// A bundle of the model.
pub trait Kit: Bundle {
    fn kinds(out: &mut Vec<usize>);
    fn make(seed: u32) -> Self;

    /// The kinds and values of a bundle made from `seed`.
    fn parts(seed: u32) -> Vec<(usize, u32)> {
        let mut kinds = Vec::new();
        Self::kinds(&mut kinds);
        kinds.into_iter().map(|kind| (kind, value_of(seed, kind))).collect()
    }
}

impl<T: Kind> Kit for T {
    fn kinds(out: &mut Vec<usize>) {
        out.push(T::KIND);
    }
    fn make(seed: u32) -> Self {
        <T as Kind>::make(value_of(seed, T::KIND))
    }
}

macro_rules! tuple_kit {
    ($($name:ident),*) => {
        impl<$($name: Kit),*> Kit for ($($name,)*) {
            fn kinds(_out: &mut Vec<usize>) {
                $($name::kinds(_out);)*
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn make(_seed: u32) -> Self {
                ($(<$name as Kit>::make(_seed),)*)
            }
        }
    };
}

tuple_kit!();
tuple_kit!(A);
tuple_kit!(A, B);
tuple_kit!(A, B, C);
tuple_kit!(A, B, C, D, E, F, G, H, I, J);

#[derive(Bundle, Clone, Debug)]
pub struct Creature {
    seal: Seal,
    owned: Owned,
    lamp: Lamp,
    num: Num,
}

impl Kit for Creature {
    fn kinds(out: &mut Vec<usize>) {
        <(Seal, Owned)>::kinds(out);
        <(Lamp, Num)>::kinds(out);
    }
    fn make(seed: u32) -> Self {
        let (seal, owned) = Kit::make(seed);
        let (lamp, num) = Kit::make(seed);
        Self { seal, owned, lamp, num }
    }
}

/// How many bundles [`with_kit`] knows.
pub const KITS: u8 = 18;

/// Calls a block with a bundle type under a name.
macro_rules! with_kit {
    ($kit:expr, $name:ident => $block:expr) => {{
        use $crate::components::*;
        match $kit % KITS {
            0 => {
                type $name = ();
                $block
            }
            1 => {
                type $name = Num;
                $block
            }
            2 => {
                type $name = (Num, Small);
                $block
            }
            3 => {
                type $name = (Owned, Num);
                $block
            }
            4 => {
                type $name = (Wide, Flag);
                $block
            }
            5 => {
                type $name = Flag;
                $block
            }
            6 => {
                type $name = Seal;
                $block
            }
            7 => {
                type $name = (Burn,);
                $block
            }
            8 => {
                type $name = (Curse, Seal, Num);
                $block
            }
            9 => {
                type $name = Needy;
                $block
            }
            10 => {
                type $name = (Needy, Link);
                $block
            }
            11 => {
                type $name = (Unique, Owned, (Chill, Flag));
                $block
            }
            12 => {
                type $name = Creature;
                $block
            }
            13 => {
                type $name = Link;
                $block
            }
            14 => {
                type $name = (Lamp, Root);
                $block
            }
            15 => {
                type $name = Owned;
                $block
            }
            16 => {
                type $name = (Small, Seal);
                $block
            }
            _ => {
                type $name = (Num, Small, Owned, Wide, Unique, Flag, Seal, Burn, Chill, Curse);
                $block
            }
        }
    }};
}
pub(crate) use with_kit;

/// The bundles for changes of many entities: few, because each is compiled with each filter. All can be cloned.
pub const BULK_KITS: u8 = 7;

macro_rules! with_bulk_kit {
    ($kit:expr, $name:ident => $block:expr) => {{
        use $crate::components::*;
        match $kit % BULK_KITS {
            0 => {
                type $name = Num;
                $block
            }
            1 => {
                type $name = (Owned, Flag);
                $block
            }
            2 => {
                type $name = (Seal, Wide);
                $block
            }
            3 => {
                type $name = Burn;
                $block
            }
            4 => {
                type $name = Needy;
                $block
            }
            5 => {
                type $name = Flag;
                $block
            }
            _ => {
                type $name = (Num, Chill, Owned);
                $block
            }
        }
    }};
}
pub(crate) use with_bulk_kit;
