//! The naive world: what Phalanx promises, in the plainest way.
//!
//! An entity is a map from kinds of component to values; ids are a list of slots and a queue. There is no storage, and no cleverness.

use super::components::{KINDS, REQUIRED_VALUE, is_cloneable, is_tracked};
use phalanx_ecs::{Entity, HandleLayout};
use std::collections::{BTreeMap, VecDeque};

/// The components of an entity: kind and value.
pub type Row = BTreeMap<usize, u32>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Alive(u32),
    /// Waits to be used again, at this generation.
    Free(u32),
    Retired,
}

/// How a world is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    pub layout: HandleLayout,
    pub min_free: usize,
    pub limit: Option<usize>,
}

/// The naive world.
pub struct Naive {
    pub setup: Setup,
    slots: Vec<Slot>,
    free: VecDeque<u32>,
    /// The living, by index.
    pub rows: BTreeMap<u32, (Entity, Row)>,
    pub highest_generation: Option<u32>,
}

/// What the kinds require, with nothing beyond the next step.
fn requires(kind: usize) -> &'static [usize] {
    match kind {
        10 => &[11, 13],
        11 => &[12],
        _ => &[],
    }
}

/// Inserts components, and what they require, directly or not, and the row does not have.
pub fn insert(row: &mut Row, parts: &[(usize, u32)]) {
    let mut required = Vec::new();
    let mut level: Vec<usize> = parts.iter().map(|(kind, _)| *kind).collect();
    while !level.is_empty() {
        let mut next = Vec::new();
        for kind in level.iter().flat_map(|kind| requires(*kind)) {
            if !parts.iter().any(|(part, _)| part == kind) && !required.contains(kind) {
                required.push(*kind);
                next.push(*kind);
            }
        }
        level = next;
    }
    row.extend(parts.iter().copied());
    for kind in required {
        row.entry(kind).or_insert(REQUIRED_VALUE);
    }
}

impl Naive {
    pub fn new(setup: Setup) -> Self {
        Self { setup, slots: Vec::new(), free: VecDeque::new(), rows: BTreeMap::new(), highest_generation: None }
    }

    pub fn free_count(&self) -> usize {
        self.free.len()
    }

    pub fn retired_count(&self) -> usize {
        self.slots.iter().filter(|slot| **slot == Slot::Retired).count()
    }

    pub fn issued(&self) -> usize {
        self.slots.len()
    }

    fn last_generation(&self) -> u32 {
        match self.setup.layout {
            HandleLayout::Wide => Entity::MAX_GENERATION,
            HandleLayout::Compact => 1023,
        }
    }

    /// How many more may be alive.
    pub fn room(&self) -> usize {
        self.setup.limit.map_or(usize::MAX, |limit| limit.saturating_sub(self.rows.len()))
    }

    /// The index and generation that the next entity gets. The caller has looked at `room`.
    pub fn alloc(&mut self) -> (u32, u32) {
        let (index, generation) = if self.free.len() >= self.setup.min_free.max(1) {
            let index = self.free.pop_front().expect("at least one is free");
            match self.slots[index as usize] {
                Slot::Free(generation) => (index, generation),
                other => unreachable!("a free slot is {other:?}"),
            }
        } else {
            self.slots.push(Slot::Free(0));
            (u32::try_from(self.slots.len() - 1).expect("few"), 0)
        };
        self.slots[index as usize] = Slot::Alive(generation);
        self.highest_generation = self.highest_generation.max(Some(generation));
        (index, generation)
    }

    /// Frees an index that is alive.
    pub fn bury(&mut self, index: u32) {
        let Slot::Alive(generation) = self.slots[index as usize] else { unreachable!("index {index} is not alive") };
        self.rows.remove(&index);
        self.slots[index as usize] = if generation < self.last_generation() {
            Slot::Free(generation + 1)
        } else if self.setup.layout == HandleLayout::Compact {
            Slot::Free(0)
        } else {
            Slot::Retired
        };
        if self.slots[index as usize] != Slot::Retired {
            self.free.push_back(index);
        }
    }

    pub fn is_alive(&self, entity: Entity) -> bool {
        self.slots.get(entity.index() as usize) == Some(&Slot::Alive(entity.generation()))
    }

    pub fn row(&self, entity: Entity) -> Option<&Row> {
        if self.is_alive(entity) { self.rows.get(&entity.index()).map(|(_, row)| row) } else { None }
    }

    pub fn row_mut(&mut self, entity: Entity) -> Option<&mut Row> {
        if self.is_alive(entity) { self.rows.get_mut(&entity.index()).map(|(_, row)| row) } else { None }
    }

    /// An entity came to life: says which one it must be, and what it has.
    pub fn born(&mut self, entity: Entity, row: Row) {
        let expected = self.alloc();
        assert_eq!((entity.index(), entity.generation()), expected, "the id of a new entity");
        self.rows.insert(entity.index(), (entity, row));
    }

    pub fn clear(&mut self) {
        for index in self.rows.keys().copied().collect::<Vec<_>>() {
            self.bury(index);
        }
    }

    /// A living entity appears at another generation.
    pub fn simulate_generation(&mut self, index: u32, entity: Entity) {
        self.slots[index as usize] = Slot::Alive(entity.generation());
        self.highest_generation = self.highest_generation.max(Some(entity.generation()));
        self.rows.get_mut(&index).expect("alive").0 = entity;
    }

    /// What a clone of a row has, or `None` if something cannot be cloned.
    pub fn cloned(row: &Row, partly: bool) -> Option<Row> {
        let copy: Row =
            row.iter().filter(|(kind, _)| is_cloneable(**kind)).map(|(kind, value)| (*kind, *value)).collect();
        (partly || copy.len() == row.len()).then_some(copy)
    }

    /// How many values own memory, and how many zero-sized ones of each kind there are.
    pub fn census(&self) -> (usize, [i64; KINDS]) {
        let (mut tracked, mut counted) = (0, [0; KINDS]);
        for kind in self.rows.values().flat_map(|(_, row)| row.keys()) {
            tracked += usize::from(is_tracked(*kind));
            counted[*kind] += i64::from(matches!(kind, 6 | 9));
        }
        (tracked, counted)
    }
}
