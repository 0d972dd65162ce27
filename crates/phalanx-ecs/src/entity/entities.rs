//! `Entities`: who is alive, where they are, and how they die.
//!
//! ```text
//! index          0     1     2     3     4
//! stamps      [  1  |  4  | D|3 |  2  | D|0 ]     generation + 1; D: the dead bit
//!                            │           └ retired: no generation is left
//! free        [ 2 ]  ◄───────┘ first in, first out; its next entity will be 2v2
//! ```
//!
//! Handing out ids is in `allocate`, explaining a refusal in `absent` and `full`, counting in `census`.

#![expect(unsafe_code, reason = "a live index is covered by the locations, so its lookup is unchecked")]

use super::absent::NoSuchEntity;
use super::config::{EntityConfig, HandleLayout};
use super::handle::{DEAD, Entity, FIRST_STAMP, SALTED};
use super::location::{Location, TableId};
use super::locations::{BorrowedLocations, Locations, PAGE};
use super::queue::Queue;
use super::shares::Reservations;
use core::num::NonZeroU32;
use core::ops::Range;
use core::ptr::NonNull;

/// The stamp of an index that has no generation left.
pub(super) const RETIRED: NonZeroU32 = NonZeroU32::new(DEAD).expect("one bit");

/// The stamp of an index that nobody has had yet.
pub(super) const UNBORN: NonZeroU32 = NonZeroU32::new(DEAD | FIRST_STAMP.get()).expect("two bits");

/// The entities of a world.
#[derive(Clone, Debug)]
pub struct Entities {
    /// Per index: generation + 1, with the dead bit while nobody has it. Never salted.
    pub(super) stamps: Vec<NonZeroU32>,
    /// Covers at least every index of `stamps`; the unchecked lookups rely on it.
    pub(super) locations: Locations,
    /// Dead indices that are not retired, each once, the longest dead in front.
    pub(super) free: Queue,
    /// How many stamps are without the dead bit.
    pub(super) alive: usize,
    /// How many stamps are `RETIRED`.
    pub(super) retired: usize,
    /// How many stamps are dead, not `RETIRED` and not in `free`, because their row is still there.
    pub(super) uncollected: usize,
    /// Indices set aside for queues of commands, and those between them.
    pub(super) reservations: Reservations,
    /// The highest stamp ever handed out a second time or later; 0 if none was.
    pub(super) highest_stamp: u32,
    pub(super) layout: HandleLayout,
    /// `usize::MAX` if there is none.
    pub(super) limit: usize,
    /// At least 1.
    pub(super) min_free: usize,
    /// Below this a fresh index is covered by the locations, within the layout and nobody else's; 0 while there are gaps to fill first.
    pub(super) room_for_fresh: usize,
    /// How many indices the layout has.
    pub(super) max_indices: u32,
    /// The stamp of the last generation of the layout.
    pub(super) last_stamp: u32,
    /// What marks the handles of this world and its forks; 0 in release builds.
    salt: u32,
}

/// Who is alive and where, borrowed: small enough to stay in registers through a loop that writes elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'a> {
    stamps: &'a [NonZeroU32],
    locations: BorrowedLocations<'a>,
    salt: u32,
}

impl<'a> Finder<'a> {
    /// How many indices have their location together.
    pub(crate) const PAGE: u32 = PAGE;

    /// By page of indices: the table that all its live ones are in and what to add (wrapping) to an index for its row, where that is so.
    pub(crate) fn formations(&self) -> impl ExactSizeIterator<Item = Option<(TableId, u32)>> + use<'a> {
        let locations = self.locations;
        locations.formations()
    }

    /// Where the live `index` is.
    ///
    /// # Safety
    /// 1. `index` is alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn location_unchecked(&self, index: u32) -> Location {
        // SAFETY: an index that is alive has a stamp, and so is covered.
        unsafe { self.locations.get_unchecked(index) }
    }

    /// Whether `entity` is alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_alive(&self, entity: Entity) -> bool {
        match self.stamps.get(entity.index() as usize) {
            Some(stamp) => stamp.get() == entity.bare_stamp() && !is_foreign(entity, self.salt),
            None => false,
        }
    }

    /// Indices around the live `index` whose live ones are in its table, and what to add (wrapping) to one for its row; takes no more than some `steps`.
    pub(crate) fn formation_around(&self, index: u32, steps: usize) -> (Range<u32>, u32) {
        self.locations.formation_around(index, steps)
    }

    /// Where `entity` is, if it is alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn locate(&self, entity: Entity) -> Option<Location> {
        if !self.is_alive(entity) {
            return None;
        }
        // SAFETY: (1) an index that has a stamp is covered.
        Some(unsafe { self.locations.get_unchecked(entity.index()) })
    }
}

/// Whether another world than that of `salt` made this handle, as far as can be known.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_foreign(entity: Entity, salt: u32) -> bool {
    SALTED && entity.salt() != 0 && entity.salt() != salt
}

/// The next world's salt, in its place in the stamp.
fn next_salt() -> u32 {
    #[cfg(debug_assertions)]
    {
        use core::sync::atomic::{AtomicU32, Ordering};
        static WORLDS: AtomicU32 = AtomicU32::new(0);
        (WORLDS.fetch_add(1, Ordering::Relaxed) % 127 + 1) << super::handle::SALT_SHIFT
    }
    #[cfg(not(debug_assertions))]
    0
}

impl Default for Entities {
    fn default() -> Self {
        Self::new(EntityConfig::default())
    }
}

impl Entities {
    /// No entities yet.
    pub(crate) fn new(config: EntityConfig) -> Self {
        let EntityConfig { layout, limit, min_free } = config;
        Self {
            stamps: Vec::new(),
            locations: Locations::default(),
            free: Queue::default(),
            alive: 0,
            retired: 0,
            uncollected: 0,
            reservations: Reservations::default(),
            highest_stamp: 0,
            room_for_fresh: 0,
            layout,
            limit: limit.unwrap_or(usize::MAX),
            min_free: min_free.max(1),
            max_indices: layout.max_indices(),
            last_stamp: layout.last_stamp(),
            salt: next_salt(),
        }
    }

    /// How many entities are alive.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.alive
    }

    /// How many indices were handed out so far.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most max_indices, a u32")]
    pub(crate) fn issued(&self) -> u32 {
        self.stamps.len() as u32
    }

    /// The salt for handles of this world.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn salt(&self) -> u32 {
        if SALTED { self.salt } else { 0 }
    }

    /// Whether another world made this handle, as far as can be known.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_foreign(&self, entity: Entity) -> bool {
        is_foreign(entity, self.salt)
    }

    /// Whether `entity` is alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_alive(&self, entity: Entity) -> bool {
        self.finder().is_alive(entity)
    }

    /// Where `entity` is, if it is alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn locate(&self, entity: Entity) -> Option<Location> {
        self.finder().locate(entity)
    }

    /// Where `entity` says where it is, if it is alive and its page is loose: as that of whoever has moved before.
    ///
    /// The pointer may be read and written until anything else is done with the entities.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn locate_loose(&mut self, entity: Entity) -> Option<NonNull<Location>> {
        if !self.is_alive(entity) {
            return None;
        }
        // SAFETY: (1) an index that has a stamp is covered.
        unsafe { self.locations.loose_unchecked(entity.index()) }
    }

    /// The same answers for many questions, with what they take at hand.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder { stamps: &self.stamps, locations: self.locations.borrowed(), salt: self.salt() }
    }

    /// Whether somebody has `index` now.
    #[inline]
    pub(crate) fn is_index_alive(&self, index: u32) -> bool {
        self.stamps.get(index as usize).is_some_and(|stamp| stamp.get() & DEAD == 0)
    }

    /// The entity that has `index` now.
    ///
    /// # Panics
    /// If nobody has it.
    #[inline]
    #[track_caller]
    pub(crate) fn entity_at(&self, index: u32) -> Entity {
        let stamp = self.stamps[index as usize];
        assert!(stamp.get() & DEAD == 0, "index {index} is dead");
        Entity::from_stamp(index, stamp, self.salt())
    }

    /// The entity that has `index` now, for walks over the entity column of a table.
    ///
    /// # Safety
    /// 1. `index` is alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn entity_at_unchecked(&self, index: u32) -> Entity {
        debug_assert!(self.is_index_alive(index), "index {index} is dead");
        // SAFETY: a live index has a stamp, by (1).
        let stamp = unsafe { *self.stamps.get_unchecked(index as usize) };
        Entity::from_stamp(index, stamp, self.salt())
    }

    /// Where the live `index` is.
    ///
    /// # Panics
    /// If the index was never handed out.
    #[inline]
    #[track_caller]
    pub(crate) fn location_at(&self, index: u32) -> Location {
        assert!((index as usize) < self.stamps.len(), "index {index} was never handed out");
        // SAFETY: (1) an index that has a stamp is covered.
        unsafe { self.locations.get_unchecked(index) }
    }

    /// Says where the live `index` is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn set_location(&mut self, index: u32, location: Location) {
        debug_assert!((index as usize) < self.stamps.len(), "index {index} was never handed out");
        self.locations.set(index, location);
    }

    /// Says where `index` is.
    ///
    /// # Safety
    /// 1. `index` is alive, or dead and its row is not collected yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn set_location_unchecked(&mut self, index: u32, location: Location) {
        debug_assert!((index as usize) < self.stamps.len(), "index {index} was never handed out");
        // SAFETY: by (1) the index has a stamp, and (1) an index that has a stamp is covered.
        unsafe { self.locations.set_unchecked(index, location) };
    }

    /// Says that the `count` indices from `first` are in the rows from `start` down, without a gap.
    #[inline]
    pub(crate) fn set_location_range(&mut self, first: u32, count: u32, start: Location) {
        self.locations.set_range(first, count, start);
    }

    /// Ends the life of `entity`, and says where it was. Its index waits to be used again.
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive; nothing changes.
    pub(crate) fn free(&mut self, entity: Entity) -> Result<Location, NoSuchEntity> {
        let Some(location) = self.locate(entity) else {
            return Err(self.why(entity));
        };
        self.bury(entity.index());
        Ok(location)
    }

    /// Whether `entity`, which is alive, can die by `free_simply`: almost always.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn dies_simply(&self, entity: Entity) -> bool {
        self.free.has_room() && entity.bare_stamp() != self.last_stamp
    }

    /// Ends the life of `entity`, for which there is room in the queue and another generation.
    ///
    /// # Safety
    /// 1. `entity` is alive.
    /// 2. `dies_simply` said yes, and nobody has died since.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn free_simply(&mut self, entity: Entity) {
        debug_assert!(self.is_alive(entity) && self.dies_simply(entity), "{entity} does not die simply");
        self.free.push_within_room(entity.index());
        // SAFETY: a live index has a stamp, by (1).
        unsafe { *self.stamps.get_unchecked_mut(entity.index() as usize) = RETIRED | (entity.bare_stamp() + 1) };
        self.alive -= 1;
    }

    /// Ends the life of the entities that have these indices, in order.
    ///
    /// # Panics
    /// If one of them is not alive; those before it have died.
    pub(crate) fn free_indices(&mut self, indices: &[u32]) {
        self.free.reserve(indices.len());
        for &index in indices {
            assert!(self.is_index_alive(index), "index {index} is dead");
            self.bury(index);
        }
    }

    /// Ends the life of all, in the order of their indices. Generations go on.
    pub(crate) fn clear(&mut self) {
        self.free.reserve(self.alive);
        for index in 0..self.issued() {
            if self.is_index_alive(index) {
                self.bury(index);
            }
        }
        self.locations.clear();
    }

    /// Marks the live `index` dead and queues it, or retires it.
    fn bury(&mut self, index: u32) {
        let stamp = self.stamps[index as usize].get();
        if stamp == self.last_stamp {
            self.bury_last(index);
        } else {
            // Queued first: if that fails for want of memory, nothing has changed.
            self.free.push(index);
            self.stamps[index as usize] = RETIRED | (stamp + 1);
        }
        self.alive -= 1;
    }

    /// Buries an index that has come to its last generation.
    #[cold]
    #[inline(never)]
    fn bury_last(&mut self, index: u32) {
        match self.layout {
            HandleLayout::Compact => {
                self.free.push(index);
                self.stamps[index as usize] = RETIRED | FIRST_STAMP.get();
            }
            HandleLayout::Wide => {
                self.stamps[index as usize] = RETIRED;
                self.retired += 1;
            }
        }
    }

    /// The living, in the order of their indices.
    pub(crate) fn iter_alive(&self) -> impl Iterator<Item = Entity> + '_ {
        (0..)
            .zip(&self.stamps)
            .filter(|(_, stamp)| stamp.get() & DEAD == 0)
            .map(|(index, &stamp)| Entity::from_stamp(index, stamp, self.salt()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::location::{Row, TableId};
    use super::*;

    fn world(layout: HandleLayout, min_free: usize) -> Entities {
        Entities::new(EntityConfig { layout, min_free, limit: None })
    }

    fn at(row: u32) -> Location {
        Location { table: TableId::new(1), row: Row::new(row) }
    }

    #[test]
    fn a_live_entity_is_found_and_a_dead_one_is_not() {
        let mut entities = world(HandleLayout::Wide, 0);
        let entity = entities.alloc().expect("room");
        assert_eq!(entity.to_string(), "0v0");
        entities.set_location(entity.index(), at(9));
        assert_eq!((entities.locate(entity), entities.location_at(0)), (Some(at(9)), at(9)));
        assert_eq!(entities.entity_at(0), entity);
        // SAFETY: (1) index 0 is alive.
        assert_eq!(unsafe { entities.entity_at_unchecked(0) }, entity);

        assert_eq!(entities.free(entity), Ok(at(9)));
        assert_eq!((entities.is_alive(entity), entities.locate(entity)), (false, None));
        assert_eq!(entities.len(), 0);
        let out_of_range = Entity::from_bits(u64::from(u32::MAX)).expect("bits");
        assert!(!entities.is_alive(out_of_range));
    }

    #[test]
    fn killing_twice_changes_nothing() {
        let mut entities = world(HandleLayout::Wide, 0);
        let entity = entities.alloc().expect("room");
        entities.free(entity).expect("alive");
        let (stats, stamps) = (entities.stats(), entities.stamps.clone());
        assert!(entities.free(entity).is_err());
        assert_eq!((entities.stats(), &entities.stamps), (stats, &stamps));
        entities.validate().expect("valid");
    }

    #[test]
    fn compact_generations_wrap_after_1024_uses() {
        let mut entities = world(HandleLayout::Compact, 0);
        let first = entities.alloc().expect("room");
        for generation in 1..1024 {
            entities.free(entities.entity_at(0)).expect("alive");
            assert_eq!(entities.alloc().expect("room").generation(), generation);
            assert!(!entities.is_alive(first));
        }
        entities.free(entities.entity_at(0)).expect("alive");
        assert_eq!(entities.alloc(), Ok(first));
        assert!(entities.is_alive(first));
        assert_eq!((entities.stats().retired, entities.stats().highest_generation), (0, Some(1023)));
        entities.validate().expect("valid");
    }

    #[test]
    fn a_wide_index_without_generations_is_retired() {
        let mut entities = world(HandleLayout::Wide, 0);
        entities.alloc().expect("room");
        entities.simulate_generation(0, Entity::MAX_GENERATION);
        let last = entities.entity_at(0);
        assert_eq!(last.generation(), Entity::MAX_GENERATION);
        entities.free(last).expect("alive");
        assert!(!entities.is_alive(last) && entities.free(last).is_err());
        assert_eq!((entities.retired, entities.free.len()), (1, 0));
        assert_eq!(entities.alloc().expect("room").index(), 1);
        entities.validate().expect("valid");
    }

    #[test]
    fn clear_frees_in_index_order() {
        let mut entities = world(HandleLayout::Wide, 0);
        let spawned = entities.alloc_many(4).expect("room");
        entities.set_location_range(0, 4, at(0));
        entities.free_indices(&[2]);
        entities.clear();
        assert_eq!((entities.len(), entities.iter_alive().count()), (0, 0));
        assert!(!spawned.iter().any(|entity| entities.is_alive(entity)));
        let again = entities.alloc_many(5).expect("room");
        assert_eq!(format!("{again:?}"), "[2v1, 0v1, 1v1, 3v1, 4v0]");
        assert!(entities.iter_alive().map(Entity::index).eq(0..5));
        entities.validate().expect("valid");
    }
}
