//! [`Events`]: the events of one type that are kept.
//!
//! ```text
//! number   0   1   2   3   4   5   6   7        first = 3: those before are dropped
//! values              [ d | e | f | g ]         next number = first + 4 = 7
//! batches             up to 5: sent before update 8;  up to 6: before update 9;  f was sent since
//! ```
//! An event's number is how many were sent before it. Readers remember a number, so dropping events moves nothing of theirs.

use super::{Event, Retention};
use crate::component::{Folder, Panics};
use std::collections::VecDeque;
use std::collections::vec_deque;
use std::fmt;
use std::mem::needs_drop;

/// So many bytes are reserved in advance, if an iterator promises to need them.
const MOST_EXPECTED: usize = 1 << 27;
/// Queues with room for no more than this are never too large.
const SMALL: usize = 64;

/// The events of one type that a world keeps; see [`World::events`](crate::World::events) and [`World::events_mut`](crate::World::events_mut).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// let hits = world.events_mut::<Hit>();
/// for damage in 0..10 {
///     hits.send(Hit(damage));
/// }
/// assert_eq!(world.events::<Hit>().len(), 10);
/// ```
pub struct Events<E: Event> {
    values: VecDeque<E>,
    /// The number of the first value.
    first: u64,
    retention: Retention,
    /// How many updates there were.
    updates: u64,
    /// Where updates found events that no update had found before; only with [`Retention::Updates`]. Both numbers grow from batch to batch,
    /// and there are never more batches than values.
    batches: VecDeque<Batch>,
    /// How many values there were at most, of late: half of it is forgotten with each update.
    peak: usize,
}

/// Events that were sent between two updates.
struct Batch {
    /// The number behind the last of them.
    end: u64,
    /// The first update that found them.
    update: u64,
}

impl<E: Event> Events<E> {
    /// What a world without a queue of this type has to show.
    pub(crate) const EMPTY: &'static Self = &Self::new();

    pub(crate) const fn new() -> Self {
        Self {
            values: VecDeque::new(),
            first: 0,
            retention: E::RETENTION,
            updates: 0,
            batches: VecDeque::new(),
            peak: 0,
        }
    }

    /// Folds what is kept into a checksum, with its numbers and for how long it will be if it is to be `exact`; answers whether there is anything to fold.
    pub(super) fn fold_into(&self, exact: bool, folder: &mut Folder) -> bool {
        if exact {
            folder.word(self.first);
            let (kind, most) = match self.retention {
                Retention::Updates(n) => (0, u64::from(n)),
                Retention::Last(n) => (1, n as u64),
                Retention::Forever => (2, 0),
            };
            folder.words([kind, most]);
            for batch in &self.batches {
                // How long ago, and not when: nobody can tell that.
                folder.words([batch.end, self.updates - batch.update]);
            }
        }
        folder.count(self.values.len());
        for event in &self.values {
            event.fold_event(folder);
        }
        !self.is_empty() || exact && (self.first > 0 || self.retention != E::RETENTION)
    }

    /// How many events are kept.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(1));
    /// assert_eq!(world.events::<Hit>().len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no events are kept.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// assert!(World::new().events::<Hit>().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of the oldest event that is kept: how many were dropped.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] #[event(keep_last = 2)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send_batch([Hit(1), Hit(2), Hit(3)]);
    /// assert_eq!(world.events::<Hit>().first_number(), 1);
    /// ```
    pub fn first_number(&self) -> u64 {
        self.first
    }

    /// The number that the next event will have: how many were sent.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] #[event(keep_last = 2)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send_batch([Hit(1), Hit(2), Hit(3)]);
    /// assert_eq!(world.events::<Hit>().next_number(), 3);
    /// ```
    pub fn next_number(&self) -> u64 {
        self.first + self.values.len() as u64
    }

    /// The event with a number, if it is kept.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] #[event(keep_last = 2)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send_batch([Hit(10), Hit(20), Hit(30)]);
    /// let hits = world.events::<Hit>();
    /// assert_eq!(hits.get(2).map(|hit| hit.0), Some(30));
    /// assert!(hits.get(0).is_none() && hits.get(3).is_none());
    /// ```
    pub fn get(&self, number: u64) -> Option<&E> {
        self.values.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// All events that are kept, in the order in which they were sent.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send_batch([Hit(1), Hit(2)]);
    /// assert!(world.events::<Hit>().iter().map(|hit| hit.0).eq([1, 2]));
    /// ```
    pub fn iter(&self) -> vec_deque::Iter<'_, E> {
        self.values.iter()
    }

    /// The events from a number on; all if it is too low, none if it is too high.
    pub(super) fn since(&self, number: u64) -> vec_deque::Iter<'_, E> {
        let skipped = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.values.range(skipped.min(self.values.len())..)
    }

    /// For how long events are kept.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Retention;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// assert_eq!(World::new().events::<Hit>().retention(), Retention::Updates(2));
    /// ```
    pub fn retention(&self) -> Retention {
        self.retention
    }

    /// Sends an event.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let hits = world.events_mut::<Hit>();
    /// hits.send(Hit(1));
    /// hits.send(Hit(2));
    /// assert_eq!(hits.len(), 2);
    /// ```
    pub fn send(&mut self, event: E) {
        // Dropped at the end: its drop may panic.
        let _oldest = self.push(event);
    }

    /// Adds an event and takes out the one whose place it takes, if any.
    #[inline]
    fn push(&mut self, event: E) -> Option<E> {
        match self.retention {
            Retention::Last(0) => {
                self.first += 1;
                Some(event)
            }
            Retention::Last(most) if self.values.len() >= most => {
                let oldest = self.values.pop_front();
                self.first += 1;
                self.values.push_back(event);
                oldest
            }
            _ => {
                self.values.push_back(event);
                None
            }
        }
    }

    /// Sends all events of an iterator, as if one by one: if it panics, those before are sent.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.events_mut::<Hit>().send_batch((0..10).map(Hit));
    /// assert_eq!(world.events::<Hit>().len(), 10);
    /// ```
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) {
        let mut events = events.into_iter();
        let room = match self.retention {
            Retention::Last(most) => most.saturating_sub(self.values.len()),
            _ => usize::MAX,
        };
        // A hint is only a hint: one that promises too much must not take all memory.
        let most = MOST_EXPECTED / size_of::<E>().max(1);
        self.values.reserve(events.size_hint().0.min(most).min(room));
        let mut panics = Panics::default();
        // If an old event panics when dropped, the others are still sent; so that does not end the loop.
        let mut drops = Panics::default();
        panics.catch(|| {
            for event in events.by_ref() {
                if let Some(oldest) = self.push(event) {
                    drops.catch(|| drop(oldest));
                }
            }
        });
        panics.catch(|| drop(events));
        panics.resume();
        drops.resume();
    }

    /// Says for how long events are kept, those that are kept already included.
    ///
    /// What is too old or too much goes at once with [`Retention::Last`], and with the next update with [`Retention::Updates`]; if updates did not
    /// count before, they begin to count now.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Retention;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let hits = world.events_mut::<Hit>();
    /// hits.send_batch((0..10).map(Hit));
    /// hits.keep(Retention::Last(3));
    /// assert!(hits.iter().map(|hit| hit.0).eq([7, 8, 9]));
    /// ```
    pub fn keep(&mut self, retention: Retention) {
        self.retention = retention;
        if !matches!(retention, Retention::Updates(_)) {
            self.batches = VecDeque::new();
        }
        if let Retention::Last(most) = retention {
            let mut panics = Panics::default();
            self.drop_first(self.values.len().saturating_sub(most), &mut panics);
            panics.resume();
        }
    }

    /// Drops all events. Readers that had not read them count them as missed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] #[event(keep_forever)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let hits = world.events_mut::<Hit>();
    /// hits.send(Hit(1));
    /// hits.clear();
    /// assert_eq!((hits.len(), hits.next_number()), (0, 1));
    /// ```
    pub fn clear(&mut self) {
        let mut panics = Panics::default();
        self.batches.clear();
        self.drop_first(self.values.len(), &mut panics);
        panics.resume();
    }

    /// Drops the events before a number, because nobody needs them any more.
    pub(crate) fn drop_before(&mut self, number: u64, panics: &mut Panics) {
        let count = number.saturating_sub(self.first).min(self.values.len() as u64);
        self.drop_first(usize::try_from(count).expect("not more than there are"), panics);
        while self.batches.pop_front_if(|batch| batch.end <= self.first).is_some() {}
    }

    /// Drops the oldest events, all of them also if some panic. The queue is consistent at every drop.
    fn drop_first(&mut self, count: usize, panics: &mut Panics) {
        self.peak = self.peak.max(self.values.len());
        if !needs_drop::<E>() {
            self.values.drain(..count);
            self.first += count as u64;
            return;
        }
        let mut left = count;
        while left > 0 {
            panics.catch(|| {
                while left > 0 {
                    left -= 1;
                    self.first += 1;
                    drop(self.values.pop_front());
                }
            });
        }
    }

    /// One update: drops what has been kept for long enough, and gives memory back if there is far too much.
    pub(super) fn update(&mut self, panics: &mut Panics) {
        self.updates += 1;
        self.peak = self.values.len().max(self.peak / 2);
        if let Retention::Updates(most) = self.retention {
            let end = self.next_number();
            if self.batches.back().map_or(self.first, |batch| batch.end) < end {
                self.batches.push_back(Batch { end, update: self.updates });
            }
            let now = self.updates;
            let is_due = |batch: &mut Batch| now - batch.update + 1 >= u64::from(most);
            while let Some(batch) = self.batches.pop_front_if(is_due) {
                let count = usize::try_from(batch.end - self.first).expect("not more than there are");
                self.drop_first(count, panics);
            }
        }
        if self.values.capacity() > SMALL && self.values.capacity() / 4 > self.peak {
            self.values.shrink_to(self.peak);
            self.batches.shrink_to(self.peak);
        }
    }

    /// Gives memory back that is not used.
    pub(super) fn shrink(&mut self) {
        self.peak = self.values.len();
        self.values.shrink_to_fit();
        self.batches.shrink_to_fit();
    }

    /// Bytes of the events, and bytes reserved, events included.
    pub(super) fn bytes(&self) -> (usize, usize) {
        let reserved = self.values.capacity() * size_of::<E>() + self.batches.capacity() * size_of::<Batch>();
        (self.values.len() * size_of::<E>(), size_of::<Self>() + reserved)
    }
}

impl<E: Event> Drop for Events<E> {
    /// Drops all events, also if some of them panic.
    fn drop(&mut self) {
        let mut panics = Panics::default();
        self.drop_first(self.values.len(), &mut panics);
        if std::thread::panicking() {
            panics.ignore();
        } else {
            panics.resume();
        }
    }
}

impl<'a, E: Event> IntoIterator for &'a Events<E> {
    type Item = &'a E;
    type IntoIter = vec_deque::Iter<'a, E>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<E: Event> fmt::Debug for Events<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Events({}..{} kept, {:?})", self.first, self.next_number(), self.retention)
    }
}
