//! Who despawned whom.

use crate::entity::Entity;
use crate::tick::Tick;
use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Who despawned an entity, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Death {
    /// Who died.
    pub entity: Entity,
    /// Where it was asked for.
    pub caller: &'static Location<'static>,
    /// The name of the queue, if it was a queued command and the queue has one.
    pub queue: Option<Arc<str>>,
    /// The tick of the world then.
    pub tick: Tick,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.caller.file(), self.caller.line())?;
        if let Some(queue) = &self.queue {
            write!(f, ", queue `{queue}`")?;
        }
        write!(f, ", at tick {}", self.tick)
    }
}

/// The latest deaths of a world.
#[derive(Debug)]
pub(crate) struct Deaths {
    latest: VecDeque<Death>,
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
        Self { latest: VecDeque::new(), most: most.unwrap_or(MOST), all }
    }

    pub(crate) fn note(&mut self, death: Death) {
        if self.latest.len() >= self.most {
            self.latest.pop_front();
        }
        if self.most > 0 {
            self.latest.push_back(death);
        }
    }

    /// The death of an entity, if it is remembered.
    pub(crate) fn of(&self, entity: Entity) -> Option<&Death> {
        self.latest.iter().rev().find(|death| death.entity == entity)
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

    #[test]
    fn the_oldest_death_is_forgotten_first() {
        let mut deaths = Deaths::new(Some(2));
        let entity = |index| Entity::from_parts(index, 0).expect("in range");
        for index in 0..3 {
            let caller = Location::caller();
            deaths.note(Death { entity: entity(index), caller, queue: None, tick: Tick::default() });
        }
        assert!(deaths.of(entity(0)).is_none());
        assert_eq!(deaths.of(entity(2)).map(|death| death.entity), Some(entity(2)));
        assert!(!Deaths::new(Some(0)).all);
    }
}
