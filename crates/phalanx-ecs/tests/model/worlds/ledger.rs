//! The ledger that every value of the model is entered in, and the fuse that makes one of them panic.
//!
//! A value that owns memory has a number of its own. The ledger knows which numbers are alive: dropping one twice, or looking at one that is
//! gone, is a fault; one too many at the end is a leak. A *fuse* makes one drop, clone or construction panic.

use super::components::KINDS;
use phalanx_ecs::{Described, Describer, Folder};
use std::cell::RefCell;
use std::collections::HashSet;
use std::mem::ManuallyDrop;

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
    /// Whether it has blown since somebody asked.
    lately: bool,
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

/// Whether the fuse has blown since the last call.
pub fn has_blown() -> bool {
    with(|ledger| std::mem::take(&mut ledger.lately))
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
            (ledger.blown, ledger.lately) = (true, true);
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

pub fn fault(text: String) {
    with(|ledger| ledger.faults.push(text));
}

pub fn check_place<T>(value: &T, name: &str) {
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
    pub fn new(value: u32) -> Self {
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

    pub fn get(&self) -> u32 {
        match (self.is_alive(), self.value.as_deref()) {
            (true, Some(value)) => *value,
            _ => u32::MAX,
        }
    }

    pub fn set(&mut self, value: u32) {
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
    pub fn new() -> Self {
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

/// A value counts in checksums; its number, which differs from world to world, does not.
impl Described for Tracked {
    fn describe(describer: &mut Describer) -> phalanx_ecs::Kind {
        describer.kind_of::<u32>()
    }
    fn fold_into(&self, folder: &mut Folder) {
        self.get().fold_into(folder);
    }
}

impl<const K: usize> Described for Counted<K> {
    fn describe(describer: &mut Describer) -> phalanx_ecs::Kind {
        describer.kind_of::<bool>()
    }
    fn fold_into(&self, folder: &mut Folder) {
        true.fold_into(folder);
    }
}
