//! Events: what is sent to whoever reads it.

use super::World;
use crate::event::{Event, EventIter, EventReader, Events, NumberedEventIter, Retention};

/// # Events
impl World {
    /// Sends an event to all readers of its type.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::<Hit>::new();
    /// world.send(Hit(3));
    /// assert!(reader.read(&world).map(|hit| hit.0).eq([3]));
    /// ```
    #[inline]
    pub fn send<E: Event>(&mut self, event: E) {
        self.events.get_mut().send(event);
    }

    /// Sends all events of an iterator, as if one by one: if it panics, those before are sent.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send_batch((0..10).map(Hit));
    /// assert_eq!(world.events::<Hit>().len(), 10);
    /// ```
    pub fn send_batch<E: Event>(&mut self, events: impl IntoIterator<Item = E>) {
        self.events.get_mut().send_batch(events);
    }

    /// The events of a type that are kept.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.events::<Hit>().is_empty());
    /// world.send(Hit(3));
    /// assert_eq!(world.events::<Hit>().iter().map(|hit| hit.0).sum::<u32>(), 3);
    /// ```
    pub fn events<E: Event>(&self) -> &Events<E> {
        self.events.get()
    }

    /// The queue of an event type: the way to send many without looking for it each time.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let hits = world.events_mut::<Hit>();
    /// for damage in 0..1000 {
    ///     hits.send(Hit(damage));
    /// }
    /// assert_eq!(world.events::<Hit>().len(), 1000);
    /// ```
    pub fn events_mut<E: Event>(&mut self) -> &mut Events<E> {
        self.events.get_mut()
    }

    /// Says for how long events of a type are kept; see [`Events::keep`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Retention;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.keep_events::<Hit>(Retention::Forever);
    /// world.send(Hit(1));
    /// for _ in 0..10 {
    ///     world.update_events();
    /// }
    /// assert_eq!(world.events::<Hit>().len(), 1);
    /// ```
    pub fn keep_events<E: Event>(&mut self, retention: Retention) {
        self.events.get_mut::<E>().keep(retention);
    }

    /// Drops all events of a type. Readers that had not read them count them as missed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(1));
    /// world.clear_events::<Hit>();
    /// assert!(world.events::<Hit>().is_empty());
    /// ```
    pub fn clear_events<E: Event>(&mut self) {
        self.events.get_mut::<E>().clear();
    }

    /// Drops the events of all types that have been kept for long enough ([`Retention::Updates`]), and gives memory back that was needed
    /// for many more events than there were of late. To be called once per frame.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(1));
    /// world.update_events();
    /// assert_eq!(world.events::<Hit>().len(), 1);
    /// world.update_events();
    /// assert_eq!(world.events::<Hit>().len(), 0);
    /// ```
    pub fn update_events(&mut self) {
        self.forget_idle_logs();
        self.events.update();
    }
}

impl<E: Event> EventReader<E> {
    /// A reader that sees what is sent from now on.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.send(Hit(1));
    /// let mut reader = EventReader::<Hit>::from_now(&world);
    /// world.send(Hit(2));
    /// assert!(reader.read(&world).map(|hit| hit.0).eq([2]));
    /// ```
    pub fn from_now(world: &World) -> Self {
        Self::behind(world.events())
    }

    /// The events this reader has not seen, in the order in which they were sent. Those that are not taken stay unread.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::<Hit>::new();
    /// world.send_batch([Hit(1), Hit(2)]);
    /// assert!(reader.read(&world).map(|hit| hit.0).eq([1, 2]));
    /// assert_eq!(reader.read(&world).len(), 0);
    /// ```
    pub fn read<'r, 'w>(&'r mut self, world: &'w World) -> EventIter<'r, 'w, E> {
        self.read_from(world.events())
    }

    /// As [`EventReader::read`], with the number of each event: how many were sent before it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::<Hit>::new();
    /// world.send(Hit(7));
    /// assert!(reader.read_with_number(&world).map(|(number, hit)| (number, hit.0)).eq([(0, 7)]));
    /// ```
    pub fn read_with_number<'r, 'w>(&'r mut self, world: &'w World) -> NumberedEventIter<'r, 'w, E> {
        self.read_with_number_from(world.events())
    }

    /// How many events this reader would see now.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let reader = EventReader::<Hit>::new();
    /// world.send(Hit(1));
    /// assert_eq!(reader.len(&world), 1);
    /// ```
    pub fn len(&self, world: &World) -> usize {
        self.unread(world.events())
    }

    /// Whether this reader would see no events now.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// assert!(EventReader::<Hit>::new().is_empty(&World::new()));
    /// ```
    pub fn is_empty(&self, world: &World) -> bool {
        self.len(world) == 0
    }

    /// Passes over all events sent so far. They do not count as missed; those that were dropped before do.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// let mut reader = EventReader::<Hit>::new();
    /// world.send(Hit(1));
    /// reader.skip_all(&world);
    /// assert!(reader.is_empty(&world));
    /// ```
    pub fn skip_all(&mut self, world: &World) {
        self.skip(world.events());
    }
}
