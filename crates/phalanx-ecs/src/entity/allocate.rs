//! How ids are handed out.
//!
//! ```text
//! at least min_free waiting?   ──►  the index that has been dead longest
//! otherwise                    ──►  a fresh index, the lowest that nobody has had
//! no fresh index left?         ──►  the index that has been dead longest, whatever min_free says
//! ```
//!
//! A batch gets exactly what as many single calls would have got, or nothing.

use super::entities::Entities;
use super::full::{EntitiesFull, FullKind};
use super::handle::{DEAD, Entity, FIRST_STAMP};
use super::spawned::Spawned;
use core::num::NonZeroU32;

impl Entities {
    /// Brings an entity to life. The caller says where it is right after, with `set_location`.
    ///
    /// # Errors
    /// [`EntitiesFull`] if the limit is reached or no index is left; nothing changes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn alloc(&mut self) -> Result<Entity, EntitiesFull> {
        match self.alloc_any() {
            Some(entity) => Ok(entity),
            None => Err(self.full_for_one()),
        }
    }

    /// `alloc`, where nothing is said about why not: so handles stay in registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn alloc_any(&mut self) -> Option<Entity> {
        let index = self.stamps.len();
        if self.free.len() >= self.min_free || self.alive >= self.limit || index >= self.room_for_fresh {
            return self.alloc_slow();
        }
        self.stamps.push(FIRST_STAMP);
        self.alive += 1;
        #[expect(clippy::cast_possible_truncation, reason = "room_for_fresh is at most max_indices, a u32")]
        Some(Entity::from_stamp(index as u32, FIRST_STAMP, self.salt()))
    }

    /// `alloc_any`, where it is not simply the next fresh index.
    #[inline(never)]
    fn alloc_slow(&mut self) -> Option<Entity> {
        if self.alive >= self.limit {
            return None;
        }
        let index = if self.free.len() >= self.min_free || self.unissued() == 0 {
            self.free.pop()?
        } else {
            self.take_fresh(1).start
        };
        self.alive += 1;
        Some(self.revive(index))
    }

    #[cold]
    #[inline(never)]
    fn full_for_one(&self) -> EntitiesFull {
        let kind = if self.alive >= self.limit { FullKind::Limit } else { FullKind::Indices(self.layout) };
        self.full(1, kind)
    }

    /// Makes the locations cover at least `len` indices. This comes before the stamps, so that they are covered at every moment.
    pub(super) fn cover(&mut self, len: usize) {
        self.locations.grow_to(len);
        self.update_room();
    }

    /// Says how far fresh indices simply follow on each other.
    pub(super) fn update_room(&mut self) {
        let room = self.locations.covered().min(self.end_of_fresh() as usize);
        self.room_for_fresh = if self.reservations.gaps.is_empty() { room } else { 0 };
    }

    /// Brings `count` entities to life, the same as `count` single calls would.
    ///
    /// # Errors
    /// [`EntitiesFull`] if not all of them have room; nothing changes.
    pub(crate) fn alloc_many(&mut self, count: usize) -> Result<Spawned, EntitiesFull> {
        self.check_room(count)?;
        let lead = count.min((self.free.len() + 1).saturating_sub(self.min_free));
        let fresh = self.unissued().min(count - lead);
        if !self.reservations.gaps.is_empty() || fresh > (self.end_of_fresh().saturating_sub(self.issued())) as usize {
            return Ok(self.alloc_scattered(count, lead, fresh));
        }

        // What can fail for want of memory comes first.
        let mut reused = Vec::with_capacity(count - fresh);
        self.reserve_indices(fresh);

        for _ in 0..count - fresh {
            let index = self.free.pop().expect("as many are free as were counted");
            reused.push(self.revive(index));
        }
        let start = self.issued();
        let end = self.stamps.len() + fresh;
        self.cover(end);
        self.stamps.resize(end, FIRST_STAMP);
        self.alive += count;
        Ok(Spawned::new(reused, lead, start..self.issued(), self.salt()))
    }

    /// `alloc_many`, where fresh indices do not simply follow on those issued.
    #[cold]
    fn alloc_scattered(&mut self, count: usize, lead: usize, fresh: usize) -> Spawned {
        let mut listed = Vec::with_capacity(count);
        let reuse = |entities: &mut Self, listed: &mut Vec<Entity>, count: usize| {
            for _ in 0..count {
                let index = entities.free.pop().expect("as many are free as were counted");
                listed.push(entities.revive(index));
            }
        };
        reuse(self, &mut listed, lead);
        let (mut last, mut left) = (0..0, fresh);
        while left > 0 {
            listed.extend(last.map(|index| Entity::from_stamp(index, FIRST_STAMP, self.salt())));
            last = self.take_fresh(left);
            self.stamps[last.start as usize..last.end as usize].fill(FIRST_STAMP);
            left -= last.len();
        }
        let lead_and_gaps = listed.len();
        reuse(self, &mut listed, count - lead - fresh);
        self.alive += count;
        Spawned::new(listed, lead_and_gaps, last, self.salt())
    }

    /// How many more entities there is room for.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.alive).min(self.free.len() + self.unissued())
    }

    /// The error that asking for `count` more would give, if there is no room for them.
    ///
    /// # Errors
    /// [`EntitiesFull`], as `alloc_many` would answer.
    pub(crate) fn check_room(&self, count: usize) -> Result<(), EntitiesFull> {
        if count <= self.room() {
            return Ok(());
        }
        let over_limit = count > self.limit.saturating_sub(self.alive);
        let kind = if over_limit { FullKind::Limit } else { FullKind::Indices(self.layout) };
        Err(self.full(count, kind))
    }

    /// Makes room for `count` more entities.
    pub(crate) fn reserve(&mut self, count: usize) {
        let reusable = (self.free.len() + 1).saturating_sub(self.min_free);
        self.reserve_indices(count.saturating_sub(reusable));
    }

    fn reserve_indices(&mut self, count: usize) {
        self.stamps.reserve(count);
        self.locations.reserve_to(self.stamps.len().saturating_add(count));
    }

    /// Marks `index`, which was free, alive at the generation that waited for it.
    #[inline]
    fn revive(&mut self, index: u32) -> Entity {
        let stamp = &mut self.stamps[index as usize];
        *stamp = NonZeroU32::new(stamp.get() & !DEAD).expect("a free index is not retired");
        let stamp = *stamp;
        self.highest_stamp = self.highest_stamp.max(stamp.get());
        Entity::from_stamp(index, stamp, self.salt())
    }

    /// Who `index`, which is dead and not retired, will be next.
    pub(super) fn next_life(&self, index: u32) -> Entity {
        let stamp = self.stamps[index as usize].get() & !DEAD;
        Entity::from_stamp(index, NonZeroU32::new(stamp).expect("not retired"), self.salt())
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{EntityConfig, HandleLayout};
    use super::*;
    use core::fmt;
    use core::panic::Location as CodeLocation;

    fn world(min_free: usize, limit: Option<usize>) -> Entities {
        Entities::new(EntityConfig { limit, min_free, ..EntityConfig::default() })
    }

    /// A world with `max` indices, of which those in `dead` have died in that order.
    fn worn(min_free: usize, max: u32, issued: usize, dead: &[u32]) -> Entities {
        let mut entities = world(min_free, None);
        entities.max_indices = max;
        entities.alloc_many(issued).expect("room");
        entities.free_indices(dead);
        entities
    }

    /// What two worlds must agree on to hand out the same ids from now on.
    fn state(entities: &Entities) -> impl PartialEq + fmt::Debug + use<> {
        entities.validate().expect("valid");
        (entities.stamps.clone(), entities.free.clone(), entities.stats())
    }

    #[test]
    fn freed_indices_are_reused_first_in_first_out_from_min_free_on() {
        let mut entities = worn(2, 100, 3, &[2]);
        assert_eq!(entities.alloc().expect("room").to_string(), "3v0", "one waits, two must");
        entities.free_indices(&[0]);
        assert_eq!(entities.alloc().expect("room").to_string(), "2v1");
        assert_eq!(entities.alloc().expect("room").to_string(), "4v0");
    }

    #[test]
    fn the_bound_is_waived_when_no_fresh_index_is_left() {
        let mut entities = worn(50, 3, 3, &[1, 0]);
        let ids: Vec<_> = (0..2).map(|_| entities.alloc().expect("room").to_string()).collect();
        assert_eq!(ids, ["1v1", "0v1"]);
        let error = entities.alloc().expect_err("nothing left");
        assert_eq!((error.kind, error.limit), (FullKind::Indices(HandleLayout::Wide), 3));
        assert_eq!(entities.alloc_many(1), Err(error));
    }

    #[test]
    fn a_compact_world_keeps_to_22_bits() {
        let layout = HandleLayout::Compact;
        let mut entities = Entities::new(EntityConfig { layout, ..EntityConfig::default() });
        let error = entities.alloc_many((1 << 22) + 1).expect_err("one too many");
        assert_eq!(error.limit, 1 << 22);
        assert_eq!(entities.stats().alive, 0);
        assert_eq!(
            error.to_string(),
            "error[E002]: the world has no room for 4194305 more entities\n  \
             limit: 4194304 indices of layout `Compact`, alive: 0\n  \
             help: despawn some first, or make the world with `World::builder().layout(HandleLayout::Wide)`"
        );
    }

    #[test]
    fn the_limit_is_an_error_with_its_numbers() {
        let mut entities = world(0, Some(2));
        assert_eq!(entities.alloc_many(3).map_err(|error| error.asked), Err(3));
        let spawned = entities.alloc_many(2).expect("room");
        let caller = CodeLocation::caller();
        assert_eq!(
            entities.alloc().expect_err("full").asked_by(caller).to_string(),
            format!(
                "error[E002]: the world has no room for 1 more entity\n  \
                 limit: 2, alive: 2\n  \
                 asked by: {}:{}\n  \
                 help: despawn some first, or make the world with `World::builder().limit(…)` and a higher limit",
                file!(),
                caller.line()
            )
        );
        entities.free(spawned.get(0).expect("two")).expect("alive");
        assert_eq!(entities.alloc().expect("room again").to_string(), "0v1");
    }

    #[test]
    fn a_batch_gets_what_single_calls_would() {
        let dead = [4, 1, 3];
        for (min_free, max) in [(0, 100), (1, 100), (2, 100), (9, 100), (2, 7), (9, 6), (0, 5), (2, 5)] {
            for count in 0..6 {
                let mut single = worn(min_free, max, 5, &dead);
                let ids: Result<Vec<_>, _> = (0..count).map(|_| single.alloc()).collect();
                let mut batch = worn(min_free, max, 5, &dead);
                let before = state(&batch);
                let Ok(ids) = ids else {
                    batch.alloc_many(count).expect_err("no more than single calls");
                    assert_eq!(state(&batch), before);
                    continue;
                };
                let spawned = batch.alloc_many(count).expect("as many as single calls");
                assert_eq!(spawned.to_vec(), ids, "{count} with min_free {min_free}, max {max}");
                assert_eq!(state(&batch), state(&single));
            }
        }
    }

    #[test]
    fn reserved_room_is_enough() {
        let mut entities = world(0, None);
        entities.reserve(5000);
        let room = entities.bytes();
        entities.alloc_many(5000).expect("room");
        assert_eq!(entities.bytes(), room);
    }
}
