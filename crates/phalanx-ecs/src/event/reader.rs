//! [`EventReader`]: how far somebody has read.

use super::{Event, Events};
use std::collections::vec_deque;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// Reads the events of one type: each once, in the order in which they were sent. Readers take nothing away from each other.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// let (mut one, mut two) = (EventReader::<Hit>::new(), EventReader::<Hit>::new());
/// world.send(Hit(1));
/// assert!(one.read(&world).map(|hit| hit.0).eq([1]));
/// world.send(Hit(2));
/// assert!(one.read(&world).map(|hit| hit.0).eq([2]));
/// assert!(two.read(&world).map(|hit| hit.0).eq([1, 2]));
/// ```
///
/// A reader is a plain number, and belongs to one world. Events that were dropped before it read them are gone; it knows how many
/// ([`EventReader::missed`]).
pub struct EventReader<E: Event> {
    /// The number of the first event it has not seen.
    next: u64,
    missed: u64,
    _event: PhantomData<fn() -> E>,
}

impl<E: Event> EventReader<E> {
    /// A reader at the beginning: it sees every event that is kept, and counts all that were dropped before as missed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(1));
    /// assert_eq!(EventReader::<Hit>::new().read(&world).count(), 1);
    /// ```
    pub const fn new() -> Self {
        Self::at(0)
    }

    const fn at(next: u64) -> Self {
        Self { next, missed: 0, _event: PhantomData }
    }

    /// A reader behind the last event of a queue: it sees those that come later.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(1));
    /// let mut reader = EventReader::behind(world.events::<Hit>());
    /// world.send(Hit(2));
    /// assert!(reader.read(&world).map(|hit| hit.0).eq([2]));
    /// ```
    pub fn behind(events: &Events<E>) -> Self {
        Self::at(events.next_number())
    }

    /// What [`EventReader::read`] does, with the queue at hand.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::new();
    /// let hits = world.events_mut::<Hit>();
    /// hits.send(Hit(1));
    /// assert_eq!(reader.read_from(hits).count(), 1);
    /// ```
    pub fn read_from<'r, 'w>(&'r mut self, events: &'w Events<E>) -> EventIter<'r, 'w, E> {
        self.catch_up(events);
        EventIter { events: events.since(self.next), next: &mut self.next }
    }

    /// Reads nothing, and stays where it is.
    pub(crate) fn read_nothing<'w>(&mut self) -> EventIter<'_, 'w, E> {
        EventIter { events: Events::EMPTY.since(0), next: &mut self.next }
    }

    /// What [`EventReader::read_with_number`] does, with the queue at hand.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::new();
    /// let hits = world.events_mut::<Hit>();
    /// hits.send(Hit(7));
    /// assert!(reader.read_with_number_from(hits).map(|(number, hit)| (number, hit.0)).eq([(0, 7)]));
    /// ```
    pub fn read_with_number_from<'r, 'w>(&'r mut self, events: &'w Events<E>) -> NumberedEventIter<'r, 'w, E> {
        NumberedEventIter(self.read_from(events))
    }

    /// Goes to the first event that is kept, and counts what was dropped on the way.
    fn catch_up(&mut self, events: &Events<E>) {
        self.missed += events.first_number().saturating_sub(self.next);
        // Never ahead of the queue, as a reader of another world could be.
        self.next = self.next.clamp(events.first_number(), events.next_number());
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.next
    }

    pub(crate) fn unread(&self, events: &Events<E>) -> usize {
        events.since(self.next).len()
    }

    pub(crate) fn skip(&mut self, events: &Events<E>) {
        self.catch_up(events);
        self.next = events.next_number();
    }

    /// How many events were dropped before this reader came to read them, since this was last asked. Known with the next reading.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] #[event(keep_last = 2)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::<Hit>::new();
    /// world.send_batch((0..5).map(Hit));
    /// assert!(reader.read(&world).map(|hit| hit.0).eq([3, 4]));
    /// assert_eq!((reader.missed(), reader.missed()), (3, 0));
    /// ```
    pub fn missed(&mut self) -> u64 {
        std::mem::take(&mut self.missed)
    }
}

impl<E: Event> Default for EventReader<E> {
    fn default() -> Self {
        Self::new()
    }
}

/// The clone has read what this one has read.
impl<E: Event> Clone for EventReader<E> {
    fn clone(&self) -> Self {
        Self { next: self.next, missed: self.missed, _event: PhantomData }
    }
}

impl<E: Event> fmt::Debug for EventReader<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventReader(next {}, missed {})", self.next, self.missed)
    }
}

/// The events that a reader has not seen. What is not taken from it stays unread.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// let mut reader = EventReader::<Hit>::new();
/// world.send_batch([Hit(1), Hit(2)]);
/// assert_eq!(reader.read(&world).next().map(|hit| hit.0), Some(1));
/// assert_eq!(reader.read(&world).next().map(|hit| hit.0), Some(2));
/// ```
#[must_use = "events are read when they are taken from it"]
pub struct EventIter<'r, 'w, E: Event> {
    events: vec_deque::Iter<'w, E>,
    /// The number of the first of `events`, as the reader knows it.
    next: &'r mut u64,
}

impl<'w, E: Event> Iterator for EventIter<'_, 'w, E> {
    type Item = &'w E;

    #[inline]
    fn next(&mut self) -> Option<&'w E> {
        let event = self.events.next()?;
        *self.next += 1;
        Some(event)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.events.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'w E> {
        *self.next += n.min(self.events.len()) as u64;
        let event = self.events.nth(n)?;
        *self.next += 1;
        Some(event)
    }

    fn count(self) -> usize {
        let count = self.events.len();
        *self.next += count as u64;
        count
    }
}

impl<E: Event> ExactSizeIterator for EventIter<'_, '_, E> {}
impl<E: Event> FusedIterator for EventIter<'_, '_, E> {}

impl<E: Event> fmt::Debug for EventIter<'_, '_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventIter(next {}, {} left)", self.next, self.events.len())
    }
}

/// The events that a reader has not seen, each with its number. What is not taken from it stays unread.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// let mut reader = EventReader::<Hit>::new();
/// world.send_batch([Hit(10), Hit(20)]);
/// assert!(reader.read_with_number(&world).map(|(number, hit)| (number, hit.0)).eq([(0, 10), (1, 20)]));
/// ```
#[must_use = "events are read when they are taken from it"]
pub struct NumberedEventIter<'r, 'w, E: Event>(EventIter<'r, 'w, E>);

impl<'w, E: Event> Iterator for NumberedEventIter<'_, 'w, E> {
    type Item = (u64, &'w E);

    #[inline]
    fn next(&mut self) -> Option<(u64, &'w E)> {
        let number = *self.0.next;
        Some((number, self.0.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<E: Event> ExactSizeIterator for NumberedEventIter<'_, '_, E> {}
impl<E: Event> FusedIterator for NumberedEventIter<'_, '_, E> {}

impl<E: Event> fmt::Debug for NumberedEventIter<'_, '_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
