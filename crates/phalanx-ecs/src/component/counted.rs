//! Counting values in tests: what is left when everything should be gone, by type.
//!
//! ```text
//! LeakCheck 3 ──book──► [ Health, –, Sword ]      by number: whose witness is alive
//! Counted<Health> = Health + Witness { check 3, number 0 }
//! ```
//!
//! It is the values that are counted and not the places they are in, so it does not matter whether a world, a queue or a local variable lost one. A
//! witness is two plain numbers: one that is dropped twice does no harm of its own, and is told. Programs that count nothing pay nothing.

use super::info::short_name;
use super::{Component, Likeness, Requirements, Storage};
use crate::entity::debug_as_display;
use crate::order::List;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values of one component type.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2, 1].map(Health));
/// let live = world.live_values();
/// assert_eq!((&*live.types[0].name, live.types[0].count), ("Health", 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueCount {
    /// The name of the type.
    pub name: String,
    /// How many.
    pub count: usize,
}

/// How many values there are, by component type; types without any are left out.
///
/// [`World::live_values`](crate::World::live_values) and [`LeakCheck::left`] answer it.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Gold(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([3, 2].map(|health| (Health(health), Gold(1))));
/// world.spawn(Health(1));
/// let live = world.live_values();
/// assert_eq!((live.of("Health"), live.of("Gold"), live.total()), (3, 2, 5));
/// assert_eq!(live.to_string(), "3 × Health, 2 × Gold");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveValues {
    /// One entry per type.
    pub types: Vec<ValueCount>,
}

impl LiveValues {
    pub(crate) fn new(counts: impl IntoIterator<Item = (String, usize)>) -> Self {
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        Self { types: counts.map(|(name, count)| ValueCount { name, count }).collect() }
    }

    /// Whether there is none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// assert!(world.live_values().is_empty());
    /// world.spawn(Health(3));
    /// assert!(!world.live_values().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// How many there are of all types together.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2].map(|health| (Health(health), Gold(1))));
    /// assert_eq!(world.live_values().total(), 4);
    /// ```
    pub fn total(&self) -> usize {
        self.types.iter().map(|of| of.count).sum()
    }

    /// How many there are of the types with this name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([3, 2].map(Health));
    /// assert_eq!(world.live_values().of("Health"), 2);
    /// assert_eq!(world.live_values().of("Wealth"), 0);
    /// ```
    pub fn of(&self, name: &str) -> usize {
        self.types.iter().filter(|of| of.name == name).map(|of| of.count).sum()
    }
}

impl fmt::Display for LiveValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        let types: Vec<String> = self.types.iter().map(|of| format!("{} × {}", of.count, of.name)).collect();
        f.write_str(&types.join(", "))
    }
}

#[derive(Default)]
struct Book {
    /// By number of the witness: the type it stands for, if it is alive.
    alive: Vec<Option<&'static str>>,
    dropped_twice: List<&'static str, usize>,
}

struct Books {
    next: u32,
    books: List<u32, Book>,
}

static BOOKS: Mutex<Books> = Mutex::new(Books { next: 0, books: List::new() });

fn books() -> MutexGuard<'static, Books> {
    BOOKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts values in a test, and says what is left of them.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::testing::LeakCheck;
///
/// #[derive(Component)] struct Health(u32);
///
/// let check = LeakCheck::new();
/// let mut world = World::new();
/// let orc = world.spawn(check.count(Health(7)));
/// assert_eq!(check.left().to_string(), "1 × Health");
/// world.despawn(orc)?;
/// drop(world);
/// check.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// To count values of a component where it is used as it is, give it a [`Witness`] for a field.
#[derive(Debug)]
pub struct LeakCheck {
    id: u32,
}

impl LeakCheck {
    /// Starts counting.
    ///
    /// Each check has a count of its own, so tests that run at the same time do not disturb each other.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::testing::LeakCheck;
    /// let check = LeakCheck::new();
    /// assert!(check.left().is_empty());
    /// ```
    #[expect(clippy::new_without_default, reason = "a check is begun, not filled in")]
    pub fn new() -> Self {
        let mut books = books();
        let id = books.next;
        books.next += 1;
        books.books.entry(id);
        Self { id }
    }

    /// A value that is counted as one of its type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::testing::{Counted, LeakCheck};
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let check = LeakCheck::new();
    /// let orc = world.spawn(check.count(Health(3)));
    /// assert_eq!(world.get::<Counted<Health>>(orc).unwrap().0, 3);
    /// assert_eq!(check.left().of("Health"), 1);
    /// ```
    pub fn count<T: Component>(&self, value: T) -> Counted<T> {
        Counted { value, witness: self.witness::<T>() }
    }

    /// Something that is counted as a value of type `T`, for a field of it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::testing::{LeakCheck, Witness};
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Sword { sharpness: u32, witness: Witness }
    ///
    /// let check = LeakCheck::new();
    /// let sword = Sword { sharpness: 3, witness: check.witness::<Sword>() };
    /// assert_eq!(check.left().to_string(), "1 × Sword");
    /// drop(sword);
    /// assert!(check.left().is_empty());
    /// ```
    pub fn witness<T>(&self) -> Witness {
        Witness::new(self.id, std::any::type_name::<T>())
    }

    /// What is alive now.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::testing::LeakCheck;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let check = LeakCheck::new();
    /// let orc = world.spawn(check.count(Health(3)));
    /// assert_eq!(check.left().to_string(), "1 × Health");
    /// world.despawn(orc)?;
    /// assert!(check.left().is_empty());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn left(&self) -> LiveValues {
        self.read(|book| {
            let mut counts: List<&str, usize> = List::new();
            for name in book.alive.iter().flatten() {
                *counts.entry(name) += 1;
            }
            by_short_name(&counts)
        })
    }

    /// Says whether everything that was counted is gone, and was dropped once.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::testing::LeakCheck;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let check = LeakCheck::new();
    /// world.spawn(check.count(Health(3)));
    /// assert!(check.finish().is_err(), "the world still has it");
    /// drop(world);
    /// check.finish()?;
    /// # Ok::<(), phalanx_ecs::testing::ValuesLeft>(())
    /// ```
    ///
    /// # Errors
    /// [`ValuesLeft`], which names the types and how many values there are of each.
    #[track_caller]
    pub fn finish(&self) -> Result<(), ValuesLeft> {
        let (left, dropped_twice) = (self.left(), self.read(|book| by_short_name(&book.dropped_twice)));
        if left.is_empty() && dropped_twice.is_empty() {
            return Ok(());
        }
        Err(ValuesLeft { left, dropped_twice, caller: Location::caller() })
    }

    fn read<R>(&self, read: impl FnOnce(&Book) -> R) -> R {
        read(books().books.get(&self.id).expect("there as long as the check"))
    }
}

impl Drop for LeakCheck {
    fn drop(&mut self) {
        books().books.remove(&self.id);
    }
}

fn by_short_name(counts: &List<&str, usize>) -> LiveValues {
    LiveValues::new(counts.iter().map(|(name, count)| (short_name(name), *count)))
}

/// Stands for one value of a type in a [`LeakCheck`]: alive while it is. A clone stands for another one.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::testing::{LeakCheck, Witness};
///
/// #[derive(Component, Clone)] struct Sword(Witness);
///
/// let check = LeakCheck::new();
/// let mut world = World::new();
/// let orc = world.spawn(Sword(check.witness::<Sword>()));
/// world.clone_entity(orc)?;
/// assert_eq!(check.left().to_string(), "2 × Sword");
/// # Ok::<(), phalanx_ecs::CloneError>(())
/// ```
pub struct Witness {
    check: u32,
    number: usize,
    name: &'static str,
}

impl Witness {
    fn new(check: u32, name: &'static str) -> Self {
        let mut number = usize::MAX;
        if let Some(book) = books().books.get_mut(&check) {
            number = book.alive.len();
            book.alive.push(Some(name));
        }
        Self { check, number, name }
    }
}

impl Clone for Witness {
    fn clone(&self) -> Self {
        Self::new(self.check, self.name)
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let mut books = books();
        // A check that has ended does not ask any more.
        let Some(book) = books.books.get_mut(&self.check) else { return };
        if let Some(alive) = book.alive.get_mut(self.number)
            && alive.take().is_none()
        {
            *book.dropped_twice.entry(self.name) += 1;
        }
    }
}

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Witness({})", short_name(self.name))
    }
}

/// A component that a [`LeakCheck`] counts; stored, cloned and accompanied like a `T`.
///
/// It is a component type of its own: ask for `&Counted<T>`.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::testing::{Counted, LeakCheck};
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let check = LeakCheck::new();
/// world.spawn(check.count(Health(3)));
/// for health in world.query::<&mut Counted<Health>>() {
///     health.0 += 1;
/// }
/// assert_eq!(world.query::<&Counted<Health>>().single()?.0, 4);
/// # Ok::<(), phalanx_ecs::NotSingle>(())
/// ```
#[derive(Debug)]
pub struct Counted<T> {
    value: T,
    witness: Witness,
}

impl<T> Deref for Counted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Counted<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[diagnostic::do_not_recommend]
impl<T: Component> Component for Counted<T> {
    const STORAGE: Storage = T::STORAGE;
    const NAME: Option<&'static str> = T::NAME;
    const VISIBLE: bool = T::VISIBLE;

    fn require(requirements: &mut Requirements<'_>) {
        T::require(requirements);
    }

    fn likeness() -> Option<Likeness<Self>> {
        T::likeness()?;
        Some(Likeness {
            hash: |counted| (T::likeness().expect("asked before").hash)(&counted.value),
            equal: |a, b| (T::likeness().expect("asked before").equal)(&a.value, &b.value),
        })
    }

    fn clone_fn() -> Option<fn(&Self) -> Self> {
        T::clone_fn()?;
        Some(|counted| {
            let clone = T::clone_fn().expect("asked just before");
            Self { value: clone(&counted.value), witness: counted.witness.clone() }
        })
    }
}

/// Values are left that should be gone, or were dropped twice.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::testing::LeakCheck;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let check = LeakCheck::new();
/// world.spawn(check.count(Health(3)));
/// let error = check.finish().unwrap_err();
/// assert_eq!(error.left.of("Health"), 1);
/// assert!(error.to_string().starts_with("error[W002]: not every value is gone\n  left: 1 × Health"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValuesLeft {
    /// What is alive.
    pub left: LiveValues,
    /// What was dropped more than once: a bug in Phalanx, or in unsafe code that uses it.
    pub dropped_twice: LiveValues,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for ValuesLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[W002]: not every value is gone\n  left: {}", self.left)?;
        if !self.dropped_twice.is_empty() {
            write!(f, "\n  dropped twice: {}", self.dropped_twice)?;
        }
        write!(
            f,
            "\n  asked by: {}:{}\n  help: drop the world or queue that holds them first; what is left then was forgotten (`mem::forget`, a leak, a circle of `Rc`s)",
            self.caller.file(),
            self.caller.line()
        )
    }
}

impl std::error::Error for ValuesLeft {}
debug_as_display!(ValuesLeft);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_dropped_twice_is_told_and_hides_no_other() {
        let check = LeakCheck::new();
        let forgotten = std::mem::ManuallyDrop::new(check.witness::<u8>());
        let one = check.witness::<u16>();
        drop(copy(&one));
        drop(one);
        let error = check.finish().expect_err("one is left, one was dropped twice");
        assert_eq!((error.left.of("u8"), error.left.total()), (1, 1));
        assert_eq!(error.dropped_twice.to_string(), "1 × u16");
        drop(std::mem::ManuallyDrop::into_inner(forgotten));
        assert!(check.left().is_empty());
    }

    fn copy(witness: &Witness) -> Witness {
        Witness { check: witness.check, number: witness.number, name: witness.name }
    }

    #[test]
    fn a_witness_may_outlive_its_check() {
        let check = LeakCheck::new();
        let witness = check.witness::<u8>();
        drop(check);
        drop(witness.clone());
        drop(witness);
    }
}
