//! Counts, memory and self-checks of `Entities`.

use super::entities::{Entities, RETIRED, UNBORN};
use super::handle::{DEAD, FIRST_STAMP};
use core::fmt;
use core::num::NonZeroU32;

/// How a world's entities stand.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// let mut world = World::new();
/// let [orc, _elf] = [world.spawn(()), world.spawn(())];
/// world.despawn(orc)?;
/// let stats = world.stats().entities;
/// assert_eq!((stats.alive, stats.free, stats.highest_index), (1, 1, Some(1)));
/// assert_eq!(stats.to_string(), "alive 1, free 1, retired 0, highest index 1, highest generation 0");
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntityStats {
    /// How many are alive.
    pub alive: usize,
    /// How many indices wait to be used again.
    pub free: usize,
    /// How many indices are dealt to queues of commands: to entities that are queued, and in the block of ids that each queue keeps ready, also when it is applied and
    /// empty. A queue that is dropped gives them back when the world next makes or applies one.
    pub reserved: usize,
    /// How many indices have no generation left.
    pub retired: usize,
    /// The highest index handed out so far.
    pub highest_index: Option<u32>,
    /// The highest generation handed out so far.
    pub highest_generation: Option<u32>,
}

impl fmt::Display for EntityStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { alive, free, reserved, retired, .. } = self;
        write!(f, "alive {alive}, free {free}, ")?;
        if *reserved > 0 {
            write!(f, "reserved {reserved}, ")?;
        }
        write!(f, "retired {retired}")?;
        if let (Some(index), Some(generation)) = (self.highest_index, self.highest_generation) {
            write!(f, ", highest index {index}, highest generation {generation}")?;
        }
        Ok(())
    }
}

impl Entities {
    /// How the entities stand.
    pub(crate) fn stats(&self) -> EntityStats {
        EntityStats {
            alive: self.alive,
            free: self.free.len(),
            reserved: self.reservations.reserved,
            retired: self.retired,
            highest_index: self.issued().checked_sub(1),
            highest_generation: self.highest().checked_sub(1),
        }
    }

    /// The highest stamp ever handed out; 0 if none was.
    pub(super) fn highest(&self) -> u32 {
        if self.stamps.is_empty() { 0 } else { self.highest_stamp.max(FIRST_STAMP.get()) }
    }

    /// Memory reserved, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.stamps.capacity() + self.free.capacity()) * size_of::<u32>() + self.locations.bytes()
    }

    /// Gives back memory that is not needed. Ids and locations stay as they are, also those of the dead whose rows are uncollected (sorted).
    pub(crate) fn shrink(&mut self, uncollected: &[u32]) {
        let Self { stamps, locations, free, reservations, .. } = self;
        let is_alive = |index: u32| stamps.get(index as usize).is_some_and(|stamp| stamp.get() & DEAD == 0);
        locations.tighten(|index| is_alive(index) || uncollected.binary_search(&index).is_ok());
        stamps.shrink_to_fit();
        reservations.shrink();
        free.shrink_to_fit();
    }

    /// Makes an index look as if it had come to `generation`: a live one is there now, a free one will
    /// be next. For tests of what happens after very many uses.
    ///
    /// # Panics
    /// If the index was never handed out or is retired, or the layout has no such generation.
    #[doc(hidden)]
    pub(crate) fn simulate_generation(&mut self, index: u32, generation: u32) {
        assert!(generation < self.last_stamp, "generation {generation} is too high");
        let stamp = &mut self.stamps[index as usize];
        assert!(*stamp != RETIRED, "index {index} is retired");
        let dead = stamp.get() & DEAD;
        let next = FIRST_STAMP.saturating_add(generation);
        *stamp = next | dead;
        let handed_out = if dead == 0 { next.get() } else { generation };
        self.highest_stamp = self.highest_stamp.max(handed_out);
    }

    /// Whether every invariant holds; if not, which one does not.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let count = |wanted: fn(NonZeroU32) -> bool| self.stamps.iter().filter(|stamp| wanted(**stamp)).count();
        let equal = |what: &str, counted: usize, kept: usize| {
            let message = || format!("{what}: {counted} counted, {kept} kept");
            if counted == kept { Ok(()) } else { Err(message()) }
        };
        let alive = count(|stamp| stamp.get() & DEAD == 0);
        let retired = count(|stamp| stamp == RETIRED);
        equal("alive", alive, self.alive)?;
        equal("retired", retired, self.retired)?;
        if let Some(group) = &self.reservations.group {
            group.validate()?;
        }
        let set_aside = self.reservations.reserved
            + self.reservations.in_gaps
            + self.reservations.withheld(self.stamps.len())
            + self.uncollected;
        let dead = self.stamps.len() - alive - retired;
        equal("free", dead.checked_sub(set_aside).ok_or("more indices are set aside than dead")?, self.free.len())?;
        let mut end = None;
        for gap in &self.reservations.gaps {
            if gap.is_empty() || end.is_some_and(|end| gap.start <= end) || gap.end > self.issued() {
                return Err(format!("gap {gap:?} is empty, out of order or out of range"));
            }
            if !self.stamps[gap.start as usize..gap.end as usize].iter().all(|stamp| *stamp == UNBORN) {
                return Err(format!("somebody had an index of the gap {gap:?}"));
            }
            end = Some(gap.end);
        }
        equal("gaps", self.reservations.gaps.iter().map(ExactSizeIterator::len).sum(), self.reservations.in_gaps)?;

        let mut waiting = vec![false; self.stamps.len()];
        for index in self.free.iter() {
            match self.stamps.get(index as usize) {
                None => return Err(format!("free index {index} was never handed out")),
                Some(&RETIRED) => return Err(format!("free index {index} is retired")),
                Some(stamp) if stamp.get() & DEAD == 0 => {
                    return Err(format!("free index {index} is alive"));
                }
                Some(_) if waiting[index as usize] => {
                    return Err(format!("free index {index} waits twice"));
                }
                Some(_) => waiting[index as usize] = true,
            }
        }
        for (index, stamp) in self.stamps.iter().enumerate() {
            let bare = stamp.get() & !DEAD;
            if bare > self.last_stamp {
                return Err(format!("index {index} has stamp {stamp:#x}, beyond the layout"));
            }
            if stamp.get() & DEAD == 0 && bare > self.highest() {
                return Err(format!("index {index} is above the highest generation"));
            }
        }
        if self.stamps.len() > self.max_indices as usize {
            return Err(format!("{} indices, {} allowed", self.stamps.len(), self.max_indices));
        }
        if self.alive > self.limit {
            return Err(format!("{} alive, {} allowed", self.alive, self.limit));
        }
        if self.locations.covered() < self.stamps.len() {
            return Err("the locations do not cover the stamps".to_owned());
        }
        self.locations.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::EntityConfig;
    use super::super::location::{Location, Row, TableId};
    use super::*;

    #[test]
    fn stats_say_how_the_entities_stand() {
        let mut entities = Entities::new(EntityConfig { min_free: 0, ..EntityConfig::default() });
        assert_eq!(entities.stats(), EntityStats::default());
        assert_eq!(entities.stats().to_string(), "alive 0, free 0, retired 0");
        entities.alloc_many(3).expect("room");
        entities.free_indices(&[1, 0]);
        entities.alloc().expect("room");
        assert_eq!(entities.stats().to_string(), "alive 2, free 1, retired 0, highest index 2, highest generation 1");
    }

    #[test]
    fn an_entity_in_formation_costs_four_bytes_and_little_more() {
        let mut entities = Entities::default();
        entities.alloc_many(10_240).expect("room");
        let start = Location { table: TableId::new(0), row: Row::new(0) };
        entities.set_location_range(0, 10_240, start);
        entities.shrink(&[]);
        assert_eq!(entities.bytes(), 10_240 * 4 + 10 * 16);
    }

    #[test]
    fn a_simulated_generation_goes_on_from_there() {
        let mut entities = Entities::new(EntityConfig { min_free: 0, ..EntityConfig::default() });
        entities.alloc_many(2).expect("room");
        entities.free_indices(&[1]);
        entities.simulate_generation(0, 70);
        entities.simulate_generation(1, 90);
        assert_eq!(entities.stats().highest_generation, Some(89));
        assert_eq!(entities.entity_at(0).to_string(), "0v70");
        assert_eq!(entities.alloc().expect("room").to_string(), "1v90");
        entities.validate().expect("valid");
    }

    #[test]
    fn broken_invariants_are_named() {
        let mut entities = Entities::default();
        entities.alloc_many(2).expect("room");
        entities.free_indices(&[1]);
        entities.free.push(1);
        assert_eq!(entities.validate(), Err("free: 1 counted, 2 kept".to_owned()));
        entities.free.pop();
        entities.validate().expect("mended");
        entities.free.pop();
        entities.free.push(0);
        assert_eq!(entities.validate(), Err("free index 0 is alive".to_owned()));
    }
}
