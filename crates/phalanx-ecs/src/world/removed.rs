//! [`Removed`]: readers of what was removed.
//!
//! ```text
//! world.despawn(orc)     ─► Remove observers of Shield ─► log ─► the shield goes
//! Events<Gone<Shield>>      [ 3v0 | 7v0 | orc ]                 an event queue like any other
//! readers                     ▲           ▲                      a position each
//! ```
//!
//! The world writes a log of those components that somebody reads, and of no others. The log knows how far its readers are: what all have read is
//! dropped, and when the last reader is dropped the log ends.

use super::World;
use crate::component::{Component, ComponentId, Panics, Watch};
use crate::entity::Entity;
use crate::event::{Event, EventIter, EventQueues, EventReader, Events};
use crate::storage::{Epoch, Store};
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// A component that was removed, as a [`Removed`] reader tells of it.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Gone, Removed};
///
/// #[derive(Component)] struct Shield;
///
/// let mut world = World::new();
/// let _reader = Removed::<Shield>::new(&mut world);
/// let orc = world.spawn(Shield);
/// world.despawn(orc).unwrap();
/// let gone: &Gone<Shield> = world.events().get(0).unwrap();
/// assert!(gone.entity == orc && gone.despawned && gone.value().is_none());
/// ```
///
/// It is an event that only the world sends, so all that is true of events is true of it: [`World::update_events`] drops what is old,
/// [`World::keep_events`] says how old that is, and a [`plan`](crate::PlanBuilder::events) can ask for them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Gone<T> {
    /// The entity that had it.
    pub entity: Entity,
    /// Whether the entity went as well: it was despawned, or moved to another world.
    pub despawned: bool,
    /// In a box, because most logs have none.
    value: Option<Box<T>>,
}

impl<T> Gone<T> {
    /// A clone of the value as it was at last, if a reader asks for [values](Removed::with_values).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Removed;
    ///
    /// #[derive(Component, Clone)] struct Gold(u32);
    ///
    /// let mut world = World::new();
    /// let mut lost = Removed::<Gold>::with_values(&mut world);
    /// let orc = world.spawn(Gold(3));
    /// world.despawn(orc)?;
    /// assert_eq!(lost.read(&world).map(|gone| gone.value().unwrap().0).sum::<u32>(), 3);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn value(&self) -> Option<&T> {
        self.value.as_deref()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Component> Event for Gone<T> {
    /// What is kept depends on who reads, and readers are no part of a world.
    const CHECKSUM: bool = false;
}

/// Reads which entities lost a component: each loss once, in the order in which they happened, from when the reader was made.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Removed;
///
/// #[derive(Component)] struct Shield;
///
/// let mut world = World::new();
/// let mut lost = Removed::<Shield>::new(&mut world);
/// let (orc, elf) = (world.spawn(Shield), world.spawn(Shield));
/// world.remove::<Shield>(orc).unwrap();
/// world.despawn(elf).unwrap();
/// assert!(lost.read(&world).map(|gone| (gone.entity, gone.despawned)).eq([(orc, false), (elf, true)]));
/// assert_eq!(lost.read(&world).count(), 0, "each is seen once");
/// ```
///
/// Every way to lose a component counts: removing, taking, retaining others, despawning (with [`despawn_lazy`](World::despawn_lazy) when the handle dies), clearing the world,
/// moving to another world; one by one, in batches, by filter or by commands. Another value in the place of an old one is no loss, and switching off is none.
///
/// Losses are written down from when the first reader of a component was made until the last is dropped; while nobody reads, a component
/// pays nothing. A loss is kept until all readers have read it, but not longer than other [events](Gone): a reader that looks between any two
/// calls of [`World::update_events`] sees all of them. If one comes too late it knows how many it [missed](Self::missed).
///
/// A reader belongs to the world it was made with; of another one it reads nothing. [`DynRemoved`](crate::DynRemoved) reads of a component that is known by its id.
#[doc(alias = "RemovedComponents")]
pub struct Removed<T: Component> {
    reader: EventReader<Gone<T>>,
    world: Epoch,
    /// How far it has read, for the log; and that it is still there.
    position: Arc<AtomicU64>,
}

impl<T: Component> Removed<T> {
    /// A reader of what is removed from now on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Removed;
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([Shield, Shield]).to_vec();
    /// world.despawn(orcs[0]).unwrap();
    /// let mut lost = Removed::<Shield>::new(&mut world);
    /// world.despawn(orcs[1]).unwrap();
    /// assert!(lost.read(&world).map(|gone| gone.entity).eq([orcs[1]]));
    /// ```
    pub fn new(world: &mut World) -> Self {
        Self::join(world, None)
    }

    /// A reader of what is removed from now on, with clones of the [values](Gone::value).
    ///
    /// A clone is made just before a value goes, after observers were told. If that panics, the loss is written down without a value and the
    /// panic goes on when the operation is done.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Removed;
    /// # #[derive(Component, Clone)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let mut lost = Removed::<Gold>::with_values(&mut world);
    /// let orc = world.spawn(Gold(3));
    /// world.remove::<Gold>(orc).unwrap();
    /// assert_eq!(lost.read(&world).next().unwrap().value().unwrap().0, 3);
    /// ```
    pub fn with_values(world: &mut World) -> Self
    where
        T: Clone,
    {
        Self::join(world, Some(T::clone))
    }

    fn join(world: &mut World, clone: Option<fn(&T) -> T>) -> Self {
        let component = world.register::<T>();
        let reader = EventReader::behind(world.events.get_mut());
        let position = Arc::new(AtomicU64::new(reader.next_number()));
        let reading = Reading { position: Arc::downgrade(&position), clone };
        match world.observers.logs.find::<T>(component) {
            Some(log) => log.join(reading),
            None => {
                let log = Log { readings: vec![reading], crowded: FIRST_CROWDED, full: FIRST_FULL };
                world.observers.logs.add(component, Box::new(log));
            }
        }
        world.watch_component(component);
        Self { reader, world: world.store.birth(), position }
    }

    /// The losses this reader has not seen, in order. Those that are not taken stay unread.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Removed;
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// let mut lost = Removed::<Shield>::new(&mut world);
    /// let orc = world.spawn(Shield);
    /// world.remove::<Shield>(orc).unwrap();
    /// for gone in lost.read(&world) {
    ///     assert_eq!((gone.entity, gone.despawned), (orc, false));
    /// }
    /// assert!(lost.is_empty(&world));
    /// ```
    pub fn read<'r, 'w>(&'r mut self, world: &'w World) -> EventIter<'r, 'w, Gone<T>> {
        if world.store.birth() == self.world { self.read_from(world.events.get()) } else { self.reader.read_nothing() }
    }

    /// What [`Removed::read`] does, with the queue at hand, as a [claim](crate::Claim::events) hands it out.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{Gone, Removed};
    ///
    /// #[derive(Component)] struct Shield;
    ///
    /// let mut world = World::new();
    /// let mut lost = Removed::<Shield>::new(&mut world);
    /// world.spawn(Shield);
    /// world.clear();
    /// assert_eq!(lost.read_from(world.events::<Gone<Shield>>()).count(), 1);
    /// ```
    ///
    /// The queue must be that of the reader's world: it cannot know, and takes that of another for its own.
    pub fn read_from<'r, 'w>(&'r mut self, events: &'w Events<Gone<T>>) -> EventIter<'r, 'w, Gone<T>> {
        // What the last reading took; what this one takes the log learns with the next.
        self.position.store(self.reader.next_number(), Ordering::Relaxed);
        self.reader.read_from(events)
    }

    /// How many losses this reader would see now.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Removed;
    ///
    /// #[derive(Component)] struct Shield;
    ///
    /// let mut world = World::new();
    /// let lost = Removed::<Shield>::new(&mut world);
    /// world.spawn(Shield);
    /// assert!(lost.is_empty(&world));
    /// world.clear();
    /// assert_eq!(lost.len(&world), 1);
    /// ```
    pub fn len(&self, world: &World) -> usize {
        if world.store.birth() == self.world { self.reader.len(world) } else { 0 }
    }

    /// Whether this reader would see nothing now.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Removed;
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// assert!(Removed::<Shield>::new(&mut world).is_empty(&world));
    /// ```
    pub fn is_empty(&self, world: &World) -> bool {
        self.len(world) == 0
    }

    /// How many losses were dropped before this reader came to read them, since this was last asked. Known with the next reading.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Removed;
    ///
    /// #[derive(Component)] struct Shield;
    ///
    /// let mut world = World::new();
    /// let mut lost = Removed::<Shield>::new(&mut world);
    /// world.spawn(Shield);
    /// world.clear();
    /// world.update_events();
    /// world.update_events();
    /// assert_eq!(lost.read(&world).count(), 0);
    /// assert_eq!(lost.missed(), 1);
    /// ```
    pub fn missed(&mut self) -> u64 {
        self.reader.missed()
    }
}

impl<T: Component> fmt::Debug for Removed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Removed(next {})", self.reader.next_number())
    }
}

/// A log with fewer losses than this is never too full.
pub(super) const FIRST_FULL: usize = 64;
/// With fewer readers than this, a log does not look which of them were dropped when another one comes.
pub(super) const FIRST_CROWDED: usize = 16;
/// So many losses are kept at most for readers that do not read.
pub(super) const MOST_UNREAD: usize = 1 << 20;

/// What the log of a component knows of its readers.
struct Log<T> {
    readings: Vec<Reading<T>>,
    /// With how many readers it looks which of them were dropped.
    crowded: usize,
    /// With how many losses it looks which of them all have read.
    full: usize,
}

struct Reading<T> {
    position: Weak<AtomicU64>,
    clone: Option<fn(&T) -> T>,
}

impl<T> Log<T> {
    fn join(&mut self, reading: Reading<T>) {
        if self.readings.len() >= self.crowded {
            self.readings.retain(Reading::goes_on);
            self.crowded = (self.readings.len() * 2).max(FIRST_CROWDED);
        }
        self.readings.push(reading);
    }
}

impl<T> Reading<T> {
    fn goes_on(&self) -> bool {
        self.position.strong_count() > 0
    }
}

/// A [`Log`] of some component.
pub(super) trait RemovalLog: Any + Send + Sync {
    /// Writes a loss down.
    fn write(&mut self, world: (&Store, &mut EventQueues), entity: Entity, despawned: bool, panics: &mut Panics);
    /// Whether nobody reads it any more.
    fn is_idle(&self) -> bool;
    /// Drops what nobody will read.
    fn end(&mut self, events: &mut EventQueues, panics: &mut Panics);
}

impl<T: Component> RemovalLog for Log<T> {
    fn write(
        &mut self,
        (store, events): (&Store, &mut EventQueues),
        entity: Entity,
        despawned: bool,
        panics: &mut Panics,
    ) {
        let mut value = None;
        if let Some(clone) = self.readings.iter().filter(|reading| reading.goes_on()).find_map(|reading| reading.clone)
            && let Some(component) = store.registry.id_of::<T>()
            && let Some(found) = store.get_dyn(entity, component)
        {
            panics.catch(|| value = found.downcast::<T>().map(|found| Box::new(clone(found))));
        }
        let events = events.get_mut::<Gone<T>>();
        panics.catch(|| events.send(Gone { entity, despawned, value }));
        if events.len() >= self.full {
            self.readings.retain(Reading::goes_on);
            let read = self.readings.iter().filter_map(|reading| reading.position.upgrade());
            let read = read.map(|position| position.load(Ordering::Relaxed)).min();
            let most = events.next_number().saturating_sub(MOST_UNREAD as u64);
            events.drop_before(read.map_or(u64::MAX, |read| read.max(most)), panics);
            self.full = (events.len() * 2).clamp(FIRST_FULL, MOST_UNREAD + MOST_UNREAD / 4);
        }
    }

    fn is_idle(&self) -> bool {
        !self.readings.iter().any(Reading::goes_on)
    }

    fn end(&mut self, events: &mut EventQueues, panics: &mut Panics) {
        events.get_mut::<Gone<T>>().drop_before(u64::MAX, panics);
    }
}

/// The logs of a world, few as they are.
#[derive(Default)]
pub(super) struct RemovalLogs(Vec<(ComponentId, Box<dyn RemovalLog>)>);

impl RemovalLogs {
    fn find<T: Component>(&mut self, component: ComponentId) -> Option<&mut Log<T>> {
        // Of one component there may be a log for readers by type, and one for readers by id.
        for (known, log) in &mut self.0 {
            let log: &mut dyn Any = &mut **log;
            if *known == component && log.is::<Log<T>>() {
                return log.downcast_mut();
            }
        }
        None
    }

    /// All logs of one kind.
    pub(super) fn of_kind<L: RemovalLog>(&self) -> impl Iterator<Item = &L> {
        self.0.iter().filter_map(|(_, log)| {
            let log: &dyn Any = &**log;
            log.downcast_ref()
        })
    }

    pub(super) fn add(&mut self, component: ComponentId, log: Box<dyn RemovalLog>) {
        self.0.push((component, log));
    }

    /// Which acts on a component the world wants to know of.
    pub(super) fn watch(&self, component: ComponentId) -> Watch {
        let logged = self.0.iter().any(|(known, _)| *known == component);
        if logged { Watch::REMOVE | Watch::LOG } else { Watch::default() }
    }
}

/// Components that go and are to be written down or taken off an index, once observers were told of all of them.
#[derive(Default)]
pub(super) struct Leaving(Vec<(Entity, ComponentId)>);

impl World {
    /// Notes a component that goes, if the world does something about it.
    pub(super) fn note_leaving(&self, entity: Entity, component: ComponentId, leaving: &mut Leaving) {
        if self.store.registry.at(component).watch.has(Watch::LOG | Watch::INDEX) {
            leaving.0.push((entity, component));
        }
    }

    /// Writes down what goes now, and takes it off its index.
    pub(super) fn log_leaving(&mut self, leaving: &Leaving, despawned: bool, panics: &mut Panics) {
        if leaving.0.is_empty() {
            return;
        }
        self.end_idle_logs(panics);
        for &(entity, component) in &leaving.0 {
            self.take_off_index(entity, component);
            for (known, log) in &mut self.observers.logs.0 {
                if *known == component {
                    log.write((&self.store, &mut self.events), entity, despawned, panics);
                }
            }
        }
    }

    /// Puts what did not go back into its index.
    pub(super) fn index_remaining(&mut self, leaving: &Leaving) {
        for &(entity, component) in &leaving.0 {
            self.add_to_index(entity, component);
        }
    }

    /// Ends the logs that nobody reads any more.
    pub(super) fn forget_idle_logs(&mut self) {
        let mut panics = Panics::default();
        self.end_idle_logs(&mut panics);
        panics.resume();
    }

    fn end_idle_logs(&mut self, panics: &mut Panics) {
        while let Some(at) = self.observers.logs.0.iter().position(|(_, log)| log.is_idle()) {
            let (component, mut log) = self.observers.logs.0.swap_remove(at);
            log.end(&mut self.events, panics);
            self.watch_component(component);
        }
    }
}
