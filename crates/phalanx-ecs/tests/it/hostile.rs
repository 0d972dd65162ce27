//! Components that make trouble on purpose, and the ledger that knows what became of each value.
//!
//! Every [`Token`] is written down at birth and struck out at death, by number: a value dropped twice, and one never dropped, are both found.
//! A token holds numbers only, so a second drop is reported and does no harm of its own.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use phalanx_ecs::{Component, Requirements, Storage, World};
use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, MutexGuard};

#[derive(Default)]
struct Book {
    /// By token: whether it is alive.
    alive: Vec<bool>,
    dropped_twice: Vec<u32>,
    /// Counted down by each drop; the drop that comes to 0 panics.
    drops_until_panic: Option<u32>,
    /// Every drop panics.
    all_drops_panic: bool,
    clones_until_panic: Option<u32>,
    births_until_panic: Option<u32>,
}

#[derive(Default)]
struct Books {
    books: HashMap<u32, Book>,
    next: u32,
}

static BOOKS: LazyLock<Mutex<Books>> = LazyLock::new(Mutex::default);

fn books() -> MutexGuard<'static, Books> {
    BOOKS.lock().expect("nobody panics while holding the books")
}

/// Counts down; answers whether the end was reached.
fn comes_due(counter: &mut Option<u32>) -> bool {
    match counter {
        Some(left) if *left <= 1 => {
            *counter = None;
            true
        }
        Some(left) => {
            *left -= 1;
            false
        }
        None => false,
    }
}

/// The births and deaths of one test.
#[derive(Clone, Copy)]
pub struct Ledger(u32);

thread_local! {
    /// The ledger of the test on this thread, for values that are made without being given one.
    static CURRENT: Cell<u32> = const { Cell::new(u32::MAX) };
    static TAGS_ALIVE: Cell<i64> = const { Cell::new(0) };
    static TAG_DROP_PANICS: Cell<bool> = const { Cell::new(false) };
}

impl Ledger {
    /// A new ledger, which from now on also is that of this thread.
    pub fn new() -> Self {
        let mut books = books();
        let id = books.next;
        books.next += 1;
        books.books.insert(id, Book::default());
        CURRENT.set(id);
        TAGS_ALIVE.set(0);
        TAG_DROP_PANICS.set(false);
        Self(id)
    }

    fn with<R>(self, f: impl FnOnce(&mut Book) -> R) -> R {
        f(books().books.get_mut(&self.0).expect("a ledger that was opened"))
    }

    /// A new value.
    pub fn token(self) -> Token {
        let (id, panics) = self.with(|book| {
            if comes_due(&mut book.births_until_panic) {
                return (0, true);
            }
            book.alive.push(true);
            (u32::try_from(book.alive.len() - 1).expect("few tokens"), false)
        });
        assert!(!panics, "this birth panics");
        Token { ledger: self.0, id }
    }

    /// How many values are alive. Fails if one was dropped twice.
    #[track_caller]
    pub fn alive(self) -> usize {
        let twice = self.with(|book| book.dropped_twice.clone());
        assert!(twice.is_empty(), "dropped twice: {twice:?}");
        self.with(|book| book.alive.iter().filter(|alive| **alive).count())
    }

    /// How many values there have been.
    pub fn born(self) -> usize {
        self.with(|book| book.alive.len())
    }

    /// The `n`-th drop from now panics, after it is written down.
    pub fn drop_panics_at(self, n: u32) {
        self.with(|book| book.drops_until_panic = Some(n));
    }

    /// From now on every drop panics, or none.
    pub fn all_drops_panic(self, yes: bool) {
        self.with(|book| book.all_drops_panic = yes);
    }

    /// The `n`-th clone from now panics.
    pub fn clone_panics_at(self, n: u32) {
        self.with(|book| book.clones_until_panic = Some(n));
    }

    /// The `n`-th new token from now panics instead.
    pub fn birth_panics_at(self, n: u32) {
        self.with(|book| book.births_until_panic = Some(n));
    }

    /// The ledger of this thread.
    pub fn current() -> Self {
        let id = CURRENT.get();
        assert_ne!(id, u32::MAX, "the test opened a ledger");
        Self(id)
    }
}

/// A value that is written down.
#[derive(PartialEq, Eq, Debug)]
pub struct Token {
    ledger: u32,
    pub id: u32,
}

impl Clone for Token {
    fn clone(&self) -> Self {
        let ledger = Ledger(self.ledger);
        let panics = ledger.with(|book| comes_due(&mut book.clones_until_panic));
        assert!(!panics, "this clone panics");
        ledger.token()
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        let id = self.id;
        let panics = Ledger(self.ledger).with(|book| {
            if !std::mem::replace(&mut book.alive[id as usize], false) {
                book.dropped_twice.push(id);
            }
            comes_due(&mut book.drops_until_panic) || book.all_drops_panic
        });
        assert!(!panics, "this drop panics");
    }
}

const fn storage(sparse: bool) -> Storage {
    if sparse { Storage::Sparse } else { Storage::Table }
}

/// A component that is written down. `N` makes as many types as are needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held<const SPARSE: bool, const N: u8>(pub Token);

impl<const SPARSE: bool, const N: u8> Component for Held<SPARSE, N> {
    const STORAGE: Storage = storage(SPARSE);
    fn clone_fn() -> Option<fn(&Self) -> Self> {
        Some(Self::clone)
    }
}

/// A new value in the ledger of this thread.
pub fn held<const SPARSE: bool, const N: u8>() -> Held<SPARSE, N> {
    Held(Ledger::current().token())
}

/// Aligned to 256 bytes, and written down.
#[derive(Clone)]
#[repr(align(256))]
pub struct Aligned<const SPARSE: bool>(pub Token);

impl<const SPARSE: bool> Component for Aligned<SPARSE> {
    const STORAGE: Storage = storage(SPARSE);
    fn clone_fn() -> Option<fn(&Self) -> Self> {
        Some(Self::clone)
    }
}

/// One MiB, less where every byte is slow to look at.
pub const MEGA: usize = if cfg!(miri) { 1 << 14 } else { 1 << 20 };

/// Large, and written down.
#[derive(Clone)]
pub struct Mega<const SPARSE: bool> {
    pub token: Token,
    pub bytes: [u8; MEGA],
}

impl<const SPARSE: bool> Component for Mega<SPARSE> {
    const STORAGE: Storage = storage(SPARSE);
    fn clone_fn() -> Option<fn(&Self) -> Self> {
        Some(Self::clone)
    }
}

/// Twelve bytes, of which eight are a pointer that is not aligned.
#[repr(C, packed(4))]
pub struct Packed<const SPARSE: bool> {
    pub boxed: Box<u64>,
    pub number: u32,
}

impl<const SPARSE: bool> Component for Packed<SPARSE> {
    const STORAGE: Storage = storage(SPARSE);
}

/// Zero bytes, aligned to 256, and counted.
#[repr(align(256))]
pub struct Tag<const SPARSE: bool>(());

impl<const SPARSE: bool> Component for Tag<SPARSE> {
    const STORAGE: Storage = storage(SPARSE);
    fn clone_fn() -> Option<fn(&Self) -> Self> {
        Some(|_| Self::new())
    }
}

impl<const SPARSE: bool> Tag<SPARSE> {
    pub fn new() -> Self {
        TAGS_ALIVE.set(TAGS_ALIVE.get() + 1);
        Self(())
    }
}

impl<const SPARSE: bool> Drop for Tag<SPARSE> {
    fn drop(&mut self) {
        assert_eq!(std::ptr::from_ref(self).addr() % 256, 0, "a tag lies where its type may lie");
        TAGS_ALIVE.set(TAGS_ALIVE.get() - 1);
        assert!(!TAG_DROP_PANICS.get(), "this drop of a tag panics");
    }
}

/// How many tags made on this thread are alive.
///
/// # Panics
/// If more were dropped than made.
pub fn tags_alive() -> usize {
    usize::try_from(TAGS_ALIVE.get()).expect("no tag is dropped twice")
}

/// From now on every drop of a tag panics, or none.
pub fn tag_drops_panic(yes: bool) {
    TAG_DROP_PANICS.set(yes);
}

/// Requires two components, made in the ledger of this thread, of the given storage.
pub struct Needs<const SPARSE: bool>;

impl<const SPARSE: bool> Component for Needs<SPARSE> {
    fn require(requirements: &mut Requirements<'_>) {
        requirements.add(held::<SPARSE, 100>).add(held::<SPARSE, 101>);
    }
}

/// The message of the panic that `f` ends with.
#[track_caller]
pub fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("nothing panicked"),
        Err(payload) => match payload.downcast::<String>() {
            Ok(message) => *message,
            Err(payload) => payload.downcast_ref::<&str>().map_or_else(|| "no text".into(), |text| (*text).into()),
        },
    }
}

/// The world is consistent, and exactly so many values of the ledger are alive.
#[track_caller]
pub fn assert_well(world: &World, ledger: Ledger, alive: usize) {
    if let Err(broken) = world.validate() {
        panic!("{broken}");
    }
    assert_eq!(ledger.alive(), alive, "values alive");
}

/// Runs a test that moves large values by way of the stack on a thread that has enough of it.
pub fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Runs each test, a function with one `bool` parameter, for components in tables and in sparse sets.
#[allow(unused_macros, reason = "each test binary uses a part of it")]
macro_rules! for_both_storages {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            #[test]
            fn in_tables() {
                super::$test::<false>();
            }
            #[test]
            fn in_sparse_sets() {
                super::$test::<true>();
            }
        }
    )*};
}
#[allow(unused_imports, reason = "each test binary uses a part of it")]
pub(crate) use for_both_storages;
