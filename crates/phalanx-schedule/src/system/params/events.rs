//! Events, and components that were removed.

use crate::system::param::Param;
use crate::system::refusal::ArgumentError;
use crate::system::turn::Turn;
use crate::system::uses::Uses;
use phalanx_ecs::{
    Component, Event, EventIter, EventReader, Events, EventsMutTicket, EventsTicket, Gone, PlanBuilder, PlanError,
    Removed,
};
use std::fmt;

/// The events of a type that the system has not read yet: an argument of a system. Each system reads each event once.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Reader, System};
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// let mut damage = System::new(&mut world, |mut hits: Reader<Hit>| hits.read().map(|hit| hit.0).sum::<u32>())?;
/// world.send(Hit(2));
/// world.send(Hit(3));
/// assert_eq!(damage.run(&mut world)?, 5);
/// assert_eq!(damage.run(&mut world)?, 0, "they were read");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An [`Engine`](crate::Engine) lets old events go by itself, once all groups with readers have had their turn; so a group that seldom runs misses none. A reader
/// that is disabled or held back by a condition for long does, and [knows how many](Reader::missed). Who runs a [`Schedule`](crate::Schedule) by hand calls
/// [`World::update_events`](phalanx_ecs::World::update_events) once per frame.
#[doc(alias("EventReader", "MessageReader"))]
pub struct Reader<'w, E: Event> {
    events: &'w Events<E>,
    reader: &'w mut EventReader<E>,
}

impl<E: Event> Reader<'_, E> {
    /// The events not read yet, oldest first.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_schedule::{run_once, Reader};
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// world.send(Hit(2));
    /// assert_eq!(run_once(&mut world, |mut hits: Reader<Hit>| hits.read().len()).unwrap(), 1);
    /// ```
    pub fn read(&mut self) -> EventIter<'_, '_, E> {
        self.reader.read_from(self.events)
    }

    /// How many events went unread since this was last asked: sent and dropped before the system came to read them.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_schedule::{run_once, Reader};
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// assert_eq!(run_once(&mut world, |mut hits: Reader<Hit>| hits.missed()).unwrap(), 0);
    /// ```
    pub fn missed(&mut self) -> u64 {
        self.reader.missed()
    }
}

impl<E: Event> fmt::Debug for Reader<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader.fmt(f)
    }
}

impl<E: Event> Param for Reader<'_, E> {
    type State = (EventsTicket<E>, EventReader<E>);
    type Item<'a> = Reader<'a, E>;
    const LISTENS: bool = true;
    const USES: Uses = Uses::events::<E>(false);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        Ok((plan.events()?, EventReader::new()))
    }

    #[inline]
    fn take<'a>((ticket, reader): &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(Reader { events: turn.claim().events(ticket)?, reader })
    }
}

/// Events to send: an argument of a system. Systems that send events of the same type do so one after another, in the order of the schedule.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{run_once, Writer};
///
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// run_once(&mut world, |mut hits: Writer<Hit>| hits.send(Hit(3))).unwrap();
/// assert_eq!(world.events::<Hit>().len(), 1);
/// ```
#[doc(alias("EventWriter", "MessageWriter"))]
pub struct Writer<'w, E: Event>(&'w mut Events<E>);

impl<E: Event> Writer<'_, E> {
    /// Sends an event.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_schedule::{run_once, Writer};
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// run_once(&mut world, |mut hits: Writer<Hit>| hits.send(Hit(3))).unwrap();
    /// assert_eq!(world.events::<Hit>().len(), 1);
    /// ```
    pub fn send(&mut self, event: E) {
        self.0.send(event);
    }

    /// Sends several events.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_schedule::{run_once, Writer};
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// run_once(&mut world, |mut hits: Writer<Hit>| hits.send_batch((0..3).map(Hit))).unwrap();
    /// assert_eq!(world.events::<Hit>().len(), 3);
    /// ```
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) {
        self.0.send_batch(events);
    }
}

impl<E: Event> fmt::Debug for Writer<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: Event> Param for Writer<'_, E> {
    type State = EventsMutTicket<E>;
    type Item<'a> = Writer<'a, E>;
    const USES: Uses = Uses::events::<E>(true);

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan.events_mut()
    }

    #[inline]
    fn take<'a>(state: &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(Writer(turn.claim().events_mut(state)?))
    }
}

/// The components of a type that were removed since the system's last run: an argument of a system. What was removed before the system was made is not among
/// them.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_schedule::{Losses, System};
///
/// #[derive(Component)] struct Shield;
///
/// let mut world = World::new();
/// let orc = world.spawn(Shield);
/// let mut lost = System::new(&mut world, |mut lost: Losses<Shield>| lost.read().map(|gone| gone.entity).next())?;
/// world.remove::<Shield>(orc)?;
/// assert_eq!(lost.run(&mut world)?, Some(orc));
/// assert_eq!(lost.run(&mut world)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "RemovedComponents")]
pub struct Losses<'w, T: Component> {
    events: &'w Events<Gone<T>>,
    reader: &'w mut Removed<T>,
}

impl<T: Component> Losses<'_, T> {
    /// Those not read yet, oldest first.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_schedule::{run_once, Losses};
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// assert_eq!(run_once(&mut world, |mut lost: Losses<Shield>| lost.read().len()).unwrap(), 0);
    /// ```
    pub fn read(&mut self) -> EventIter<'_, '_, Gone<T>> {
        self.reader.read_from(self.events)
    }
}

impl<T: Component> fmt::Debug for Losses<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader.fmt(f)
    }
}

impl<T: Component> Param for Losses<'_, T> {
    type State = (EventsTicket<Gone<T>>, Removed<T>);
    type Item<'a> = Losses<'a, T>;
    const LISTENS: bool = true;

    fn plan(plan: &mut PlanBuilder<'_>) -> Result<Self::State, PlanError> {
        plan.removed()
    }

    #[inline]
    fn take<'a>((ticket, reader): &'a mut Self::State, turn: &'a Turn<'a>) -> Result<Self::Item<'a>, ArgumentError> {
        Ok(Losses { events: turn.claim().events(ticket)?, reader })
    }
}
