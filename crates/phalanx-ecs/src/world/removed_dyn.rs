//! [`DynRemoved`]: readers of what was removed, of components that are known by their ids.
//!
//! ```text
//! Events<DynGone>   [ Mana 3v0 | Paint 7v0 | Mana orc ]     one queue for all of them: a type made at run time has no event type of its own
//! readers             ▲ Mana     ▲ Paint                     each passes over what is not its own
//! ```
//!
//! All is `#[inline]`, so that only programs that use it build it.

use super::World;
use super::dynamic::DynError;
use super::removed::{FIRST_CROWDED, FIRST_FULL, MOST_UNREAD, RemovalLog};
use crate::component::{ComponentId, Panics};
use crate::entity::Entity;
use crate::event::{Event, EventIter, EventQueues, EventReader, Events};
use crate::storage::{DynRefusal, Epoch, Store};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A component, known by its id, that was removed, as a [`DynRemoved`] reader tells of it.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{DynGone, DynRemoved};
///
/// #[derive(Component)] struct Shield;
///
/// let mut world = World::new();
/// let shield = world.register::<Shield>();
/// let _reader = DynRemoved::new(&mut world, shield)?;
/// let orc = world.spawn(Shield);
/// world.despawn(orc).unwrap();
/// let gone: &DynGone = world.events().get(0).unwrap();
/// assert!(gone.component == shield && gone.entity == orc && gone.despawned);
/// # Ok::<(), phalanx_ecs::DynError>(())
/// ```
///
/// It is an event that only the world sends, of all components that have such a reader, in the order in which they went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DynGone {
    /// What went.
    pub component: ComponentId,
    /// The entity that had it.
    pub entity: Entity,
    /// Whether the entity went as well: it was despawned, or moved to another world.
    pub despawned: bool,
}

#[diagnostic::do_not_recommend]
impl Event for DynGone {
    /// What is kept depends on who reads, and readers are no part of a world.
    const CHECKSUM: bool = false;
}

/// Reads which entities lost a component that is known by its id, as [`Removed`](crate::Removed) does for one that is known by its type. It hands out no values.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{ComponentLayout, DynRemoved, DynValue};
///
/// let mut world = World::new();
/// let mana = world.register_dyn(ComponentLayout::new("Mana").size(4))?;
/// let mut lost = DynRemoved::new(&mut world, mana)?;
/// let (orc, elf) = (world.spawn(()), world.spawn(()));
/// for entity in [orc, elf] {
///     world.insert_dyn(entity, mana, DynValue::bytes(&[0; 4]))?;
/// }
/// world.remove_dyn(orc, mana)?;
/// world.despawn(elf)?;
/// assert!(lost.read(&world).map(|gone| (gone.entity, gone.despawned)).eq([(orc, false), (elf, true)]));
/// assert_eq!(lost.read(&world).count(), 0, "each is seen once");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A reader belongs to the world it was made with; of another one it reads nothing.
pub struct DynRemoved {
    component: ComponentId,
    reader: EventReader<DynGone>,
    world: Epoch,
    /// How far it has read, for the log; and that it is still there.
    position: Arc<AtomicU64>,
    /// That it is still there, for the log of its component.
    _joined: Arc<()>,
}

impl DynRemoved {
    /// A reader of what is removed from now on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynRemoved;
    /// # #[derive(Component)] struct Shield;
    /// let (mut world, mut other) = (World::new(), World::new());
    /// let shield = other.register::<Shield>();
    /// assert!(DynRemoved::new(&mut world, shield).is_err(), "no type of this world has the id");
    /// assert!(DynRemoved::new(&mut other, shield).is_ok());
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the id is unknown.
    #[inline]
    #[track_caller]
    pub fn new(world: &mut World, component: ComponentId) -> Result<Self, DynError> {
        if world.components().info(component).is_none() {
            return Err(world.dyn_error(DynRefusal::Unknown(component), Location::caller()));
        }
        let reader = EventReader::behind(world.events.get_mut());
        let position = Arc::new(AtomicU64::new(reader.next_number()));
        let known = world.observers.logs.of_kind::<DynLog>().next().map(|log| Arc::clone(&log.all));
        let all = known.unwrap_or_default();
        lock(&all).add(Arc::downgrade(&position));
        let log = world.observers.logs.of_kind::<DynLog>().find(|log| log.component == component);
        let joined = if let Some(log) = log {
            Arc::clone(&log.readers)
        } else {
            let readers = Arc::new(());
            let log = DynLog { component, readers: Arc::clone(&readers), all };
            world.observers.logs.add(component, Box::new(log));
            readers
        };
        world.watch_component(component);
        Ok(Self { component, reader, world: world.store.birth(), position, _joined: joined })
    }

    /// The component whose losses it reads.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynRemoved;
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// let shield = world.register::<Shield>();
    /// assert_eq!(DynRemoved::new(&mut world, shield)?.component(), shield);
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    pub fn component(&self) -> ComponentId {
        self.component
    }

    /// The losses this reader has not seen, in order. Those that are not taken stay unread.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynRemoved;
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// let shield = world.register::<Shield>();
    /// let mut lost = DynRemoved::new(&mut world, shield)?;
    /// let orc = world.spawn(Shield);
    /// world.remove_dyn(orc, shield)?;
    /// assert!(lost.read(&world).map(|gone| gone.entity).eq([orc]));
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    #[inline]
    pub fn read<'r, 'w>(&'r mut self, world: &'w World) -> DynRemovedIter<'r, 'w> {
        if world.store.birth() == self.world {
            return self.read_from(world.events.get());
        }
        DynRemovedIter { component: self.component, events: self.reader.read_nothing() }
    }

    /// What [`DynRemoved::read`] does, with the queue at hand, as a [claim](crate::Claim::events) hands it out.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{DynGone, DynRemoved};
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// let shield = world.register::<Shield>();
    /// let mut lost = DynRemoved::new(&mut world, shield)?;
    /// world.spawn(Shield);
    /// world.clear();
    /// assert_eq!(lost.read_from(world.events::<DynGone>()).count(), 1);
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    ///
    /// The queue must be that of the reader's world: it cannot know, and takes that of another for its own.
    #[inline]
    pub fn read_from<'r, 'w>(&'r mut self, events: &'w Events<DynGone>) -> DynRemovedIter<'r, 'w> {
        // What the last reading took; what this one takes the log learns with the next.
        self.position.store(self.reader.next_number(), Ordering::Relaxed);
        DynRemovedIter { component: self.component, events: self.reader.read_from(events) }
    }

    /// How many losses were dropped before this reader came to read them, since this was last asked, those of other components that are read by id
    /// included. Known with the next reading.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynRemoved;
    /// # #[derive(Component)] struct Shield;
    /// # let mut world = World::new();
    /// let shield = world.register::<Shield>();
    /// let mut lost = DynRemoved::new(&mut world, shield)?;
    /// world.spawn(Shield);
    /// world.clear();
    /// world.update_events();
    /// world.update_events();
    /// assert_eq!((lost.read(&world).count(), lost.missed()), (0, 1));
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    #[inline]
    pub fn missed(&mut self) -> u64 {
        self.reader.missed()
    }
}

impl fmt::Debug for DynRemoved {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynRemoved({:?}, next {})", self.component, self.reader.next_number())
    }
}

/// The losses that a [`DynRemoved`] reader has not seen. What is not taken from it stays unread.
///
/// ```
/// # use phalanx_ecs::prelude::*;
/// # use phalanx_ecs::{DynRemoved, DynRemovedIter};
/// # #[derive(Component)] struct Shield;
/// # let mut world = World::new();
/// let shield = world.register::<Shield>();
/// let mut lost = DynRemoved::new(&mut world, shield)?;
/// world.spawn_batch([Shield, Shield]);
/// world.clear();
/// let mut unread: DynRemovedIter = lost.read(&world);
/// assert!(unread.next().is_some());
/// assert_eq!(lost.read(&world).count(), 1);
/// # Ok::<(), phalanx_ecs::DynError>(())
/// ```
#[must_use = "losses are read when they are taken from it"]
#[derive(Debug)]
pub struct DynRemovedIter<'r, 'w> {
    component: ComponentId,
    events: EventIter<'r, 'w, DynGone>,
}

impl<'w> Iterator for DynRemovedIter<'_, 'w> {
    type Item = &'w DynGone;

    #[inline]
    fn next(&mut self) -> Option<&'w DynGone> {
        loop {
            let gone = self.events.next()?;
            if gone.component == self.component {
                return Some(gone);
            }
        }
    }
}

/// All readers by id of a world.
struct Readings {
    /// How far each has read; those that were dropped are among them for a while.
    positions: Vec<Weak<AtomicU64>>,
    /// With how many readers it looks which of them were dropped.
    crowded: usize,
    /// With how many losses the log looks which of them all have read.
    full: usize,
}

impl Default for Readings {
    #[inline]
    fn default() -> Self {
        Self { positions: Vec::new(), crowded: FIRST_CROWDED, full: FIRST_FULL }
    }
}

impl Readings {
    #[inline]
    fn add(&mut self, position: Weak<AtomicU64>) {
        if self.positions.len() >= self.crowded {
            self.forget_dropped();
            self.crowded = (self.positions.len() * 2).max(FIRST_CROWDED);
        }
        self.positions.push(position);
    }

    #[inline]
    fn forget_dropped(&mut self) {
        self.positions.retain(|position| position.strong_count() > 0);
    }
}

/// The log of one component, into the queue that it has in common with the others.
struct DynLog {
    component: ComponentId,
    /// Each reader of the component has one of these too.
    readers: Arc<()>,
    all: Arc<Mutex<Readings>>,
}

#[inline]
fn lock(all: &Mutex<Readings>) -> std::sync::MutexGuard<'_, Readings> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RemovalLog for DynLog {
    #[inline]
    fn write(&mut self, (_, events): (&Store, &mut EventQueues), entity: Entity, despawned: bool, panics: &mut Panics) {
        let events = events.get_mut::<DynGone>();
        events.send(DynGone { component: self.component, entity, despawned });
        let mut all = lock(&self.all);
        if events.len() >= all.full {
            all.forget_dropped();
            let mut read = u64::MAX;
            for position in &all.positions {
                let position = position.upgrade().map_or(u64::MAX, |position| position.load(Ordering::Relaxed));
                read = read.min(position);
            }
            let most = events.next_number().saturating_sub(MOST_UNREAD as u64);
            events.drop_before(read.max(most), panics);
            all.full = (events.len() * 2).clamp(FIRST_FULL, MOST_UNREAD + MOST_UNREAD / 4);
        }
    }

    #[inline]
    fn is_idle(&self) -> bool {
        // Asked of every log whenever something goes, so it must not look at all readers.
        Arc::strong_count(&self.readers) == 1
    }

    #[inline]
    fn end(&mut self, events: &mut EventQueues, panics: &mut Panics) {
        let mut all = lock(&self.all);
        all.forget_dropped();
        if all.positions.is_empty() {
            events.get_mut::<DynGone>().drop_before(u64::MAX, panics);
        }
    }
}
