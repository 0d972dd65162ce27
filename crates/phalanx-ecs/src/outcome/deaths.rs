//! Who despawned whom.

use crate::entity::{Death, Entity, NoSuchEntity};
use crate::tick::Tick;
use std::collections::VecDeque;
use std::panic::Location;
use std::sync::Arc;

/// Who despawned some, one after the other.
#[derive(Debug)]
struct Cause {
    caller: &'static Location<'static>,
    queue: Option<Arc<str>>,
    tick: Tick,
    /// How many of the dead have it.
    count: usize,
}

/// The latest deaths of a world.
///
/// ```text
/// dead     [ 7v0 | 2v1 | 3v0 | 4v0 | 5v0 | 9v2 ]      the oldest first
/// causes   [ game.rs:7 × 1 | game.rs:9 × 4 | … × 1 ]   a batch, or a loop, is one
/// ```
#[derive(Debug)]
pub(crate) struct Deaths {
    dead: VecDeque<Entity>,
    /// As many as `dead` in all, and none for nobody.
    causes: VecDeque<Cause>,
    most: usize,
    /// Whether deaths other than by queued commands are noted.
    pub(crate) all: bool,
}

/// So many deaths are remembered if nobody asked for more or fewer.
const MOST: usize = 1024;

impl Deaths {
    /// Remembers so many of all deaths; `None`: those by commands, and in debug builds all.
    pub(crate) fn new(most: Option<usize>) -> Self {
        let all = most.map_or(cfg!(debug_assertions), |most| most > 0);
        Self { dead: VecDeque::new(), causes: VecDeque::new(), most: most.unwrap_or(MOST), all }
    }

    pub(crate) fn note(
        &mut self,
        entity: Entity,
        caller: &'static Location<'static>,
        queue: Option<&Arc<str>>,
        tick: Tick,
    ) {
        self.note_all(std::iter::once(entity), 1, caller, queue, tick);
    }

    /// Notes the deaths of `count` entities; of those that are too many, the first are not looked at.
    pub(crate) fn note_all(
        &mut self,
        entities: impl Iterator<Item = Entity>,
        count: usize,
        caller: &'static Location<'static>,
        queue: Option<&Arc<str>>,
        tick: Tick,
    ) {
        if self.most == 0 || count == 0 {
            return;
        }
        let kept = count.min(self.most);
        while self.dead.len() + kept > self.most {
            self.dead.pop_front();
            let oldest = self.causes.front_mut().expect("the dead have causes");
            oldest.count -= 1;
            if oldest.count == 0 {
                self.causes.pop_front();
            }
        }
        let before = self.dead.len();
        self.dead.extend(entities.skip(count - kept));
        let noted = self.dead.len() - before;
        let same = |cause: &&mut Cause| {
            std::ptr::eq(cause.caller, caller) && cause.tick == tick && cause.queue.as_ref() == queue
        };
        match self.causes.back_mut().filter(same) {
            Some(cause) => cause.count += noted,
            None if noted > 0 => {
                self.causes.push_back(Cause { caller, queue: queue.cloned(), tick, count: noted });
            }
            None => {}
        }
    }

    /// The death of an entity, if it is remembered.
    pub(crate) fn of(&self, entity: Entity) -> Option<Death> {
        let mut at = self.dead.iter().rposition(|dead| *dead == entity)?;
        for Cause { caller, queue, tick, count } in &self.causes {
            if at < *count {
                return Some(Death { entity, caller, queue: queue.clone(), tick: *tick });
            }
            at -= count;
        }
        None
    }
}

impl Deaths {
    /// The same error, naming who asked and, if that is remembered, who despawned the entity.
    #[cold]
    #[inline(never)]
    pub(crate) fn explain(&self, dead: &NoSuchEntity, caller: &'static Location<'static>) -> NoSuchEntity {
        // A handle of another world may look like one of ours.
        let death = if dead.is_past() { self.of(dead.entity) } else { None };
        NoSuchEntity { entity: dead.entity, reason: dead.reason, caller: Some(caller), death: death.map(Box::new) }
    }
}

impl Default for Deaths {
    fn default() -> Self {
        Self::new(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(index: u32) -> Entity {
        Entity::from_parts(index, 0).expect("in range")
    }

    #[test]
    fn the_oldest_death_is_forgotten_first() {
        let mut deaths = Deaths::new(Some(2));
        for index in 0..3 {
            deaths.note(entity(index), Location::caller(), None, Tick::default());
        }
        assert!(deaths.of(entity(0)).is_none());
        assert_eq!(deaths.of(entity(2)).map(|death| death.entity), Some(entity(2)));
        assert!(!Deaths::new(Some(0)).all);
    }

    #[test]
    fn of_a_batch_the_last_are_remembered_with_one_cause() {
        let mut deaths = Deaths::new(Some(10));
        let (first, second) = (Location::caller(), Location::caller());
        let note = |deaths: &mut Deaths, range: std::ops::Range<u32>, caller| {
            deaths.note_all(range.clone().map(entity), range.len(), caller, None, Tick::default());
        };
        note(&mut deaths, 0..4, first);
        note(&mut deaths, 4..8, second);
        assert_eq!((deaths.causes.len(), deaths.dead.len()), (2, 8));
        for index in 0..8 {
            let caller = if index < 4 { first } else { second };
            assert!(deaths.of(entity(index)).is_some_and(|death| std::ptr::eq(death.caller, caller)), "{index}");
        }
        note(&mut deaths, 8..13, first);
        assert!(deaths.of(entity(2)).is_none() && deaths.of(entity(3)).is_some());
        note(&mut deaths, 20..60, second);
        assert_eq!((deaths.causes.len(), deaths.dead.len()), (1, 10));
        assert!(deaths.of(entity(49)).is_none() && deaths.of(entity(50)).is_some() && deaths.of(entity(59)).is_some());
    }
}
