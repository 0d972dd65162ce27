//! The naive world: what Phalanx promises, in the plainest way.
//!
//! An entity is a map from kinds of component to values; ids are a list of slots and a queue. There is no storage, and no cleverness. What is
//! done to it is in [`acts`](super::acts), whom it tells in [`told`](super::told).

use super::components::{KINDS, SHARED, is_counted, is_sparse, owns_memory};
use super::losses::Losses;
use super::messages::Messages;
use super::row::Row;
use super::told::Audience;
use phalanx_ecs::{Entity, HandleLayout};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Alive(u32),
    /// Waits to be used again, at this generation.
    Free(u32),
    /// Waits for its row to be collected, at the generation it died with.
    Lazy(u32),
    Retired,
}

/// How a world is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    pub layout: HandleLayout,
    pub min_free: usize,
    pub limit: Option<usize>,
    /// How many queues of commands it has; without any, ids can be foretold.
    pub queues: usize,
}

/// The naive world.
pub struct Naive {
    pub setup: Setup,
    slots: Vec<Slot>,
    free: VecDeque<u32>,
    /// The living, by index.
    pub rows: BTreeMap<u32, (Entity, Row)>,
    /// Those that died lazily, by index, with what is left of them.
    pub lazy: BTreeMap<u32, (Entity, Row)>,
    pub highest_generation: Option<u32>,
    /// Handles that were ever alive, where ids are not foretold.
    ever: HashSet<u64>,
    pub audience: Audience,
    pub messages: Messages,
    pub losses: Losses,
    /// The kinds of the registered components, in order of their ids.
    pub registered: Vec<usize>,
}

impl Naive {
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            slots: Vec::new(),
            free: VecDeque::new(),
            rows: BTreeMap::new(),
            lazy: BTreeMap::new(),
            highest_generation: None,
            ever: HashSet::new(),
            audience: Audience::default(),
            messages: Messages::default(),
            losses: Losses::default(),
            registered: Vec::new(),
        }
    }

    /// Whether it is known which id comes next. Queues of commands set ids aside in ways that are theirs.
    pub fn foretells(&self) -> bool {
        self.setup.queues == 0
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

    /// An id is handed out and goes back, because what was to be spawned could not be made.
    pub fn alloc_in_vain(&mut self) {
        if self.foretells() {
            let (index, _) = self.alloc();
            self.bury(index);
        }
    }

    /// Frees an index that is alive.
    pub fn bury(&mut self, index: u32) {
        self.rows.remove(&index);
        if self.foretells() {
            let Slot::Alive(generation) = self.slots[index as usize] else {
                unreachable!("index {index} is not alive")
            };
            self.release(index, generation);
        }
    }

    fn release(&mut self, index: u32, generation: u32) {
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

    /// An entity dies and leaves its row; what is sparse goes at once.
    pub fn lay(&mut self, entity: Entity) {
        let (_, mut row) = self.rows.remove(&entity.index()).expect("alive");
        row.retain(|kind| !is_sparse(kind));
        self.lazy.insert(entity.index(), (entity, row));
        if self.foretells() {
            self.slots[entity.index() as usize] = Slot::Lazy(entity.generation());
        }
    }

    /// Rows were collected, before what else was done or after it: in which order indices wait is the real world's to say.
    pub fn collected(&mut self, indices: &[u32], waiting: &[u32]) {
        for index in indices {
            let (entity, _) = self.lazy.remove(index).expect("it waited to be collected");
            if self.foretells() {
                self.release(*index, entity.generation());
            }
        }
        if !indices.is_empty() && self.foretells() {
            let (mut mine, mut theirs): (Vec<u32>, Vec<u32>) = (self.free.iter().copied().collect(), waiting.to_vec());
            mine.sort_unstable();
            theirs.sort_unstable();
            assert_eq!(mine, theirs, "what waits after a collection");
            self.free = waiting.iter().copied().collect();
        }
    }

    pub fn is_alive(&self, entity: Entity) -> bool {
        self.rows.get(&entity.index()).is_some_and(|(alive, _)| *alive == entity)
    }

    pub fn row(&self, entity: Entity) -> Option<&Row> {
        self.rows.get(&entity.index()).filter(|(alive, _)| *alive == entity).map(|(_, row)| row)
    }

    pub fn row_mut(&mut self, entity: Entity) -> Option<&mut Row> {
        self.rows.get_mut(&entity.index()).filter(|(alive, _)| *alive == entity).map(|(_, row)| row)
    }

    /// The living whose rows are chosen, in order of their indices.
    pub fn those(&self, chosen: impl Fn(&Row) -> bool) -> Vec<Entity> {
        self.rows.values().filter(|(_, row)| chosen(row)).map(|(entity, _)| *entity).collect()
    }

    /// An entity came to life: says which one it must be, and what it has.
    pub fn born(&mut self, entity: Entity, row: Row) {
        if self.foretells() {
            let expected = self.alloc();
            assert_eq!((entity.index(), entity.generation()), expected, "the id of a new entity");
        } else {
            let new = self.ever.insert(entity.to_bits());
            assert!(new || self.setup.layout == HandleLayout::Compact, "{entity} was alive before");
            // The row of who had the index before was collected in the same operation, or more rows wait than should.
            self.lazy.remove(&entity.index());
        }
        let before = self.rows.insert(entity.index(), (entity, row));
        assert!(before.is_none(), "{entity} has the index of {}, who is alive", before.expect("some").0);
    }

    /// A living entity appears at another generation.
    pub fn simulate_generation(&mut self, index: u32, entity: Entity) {
        self.slots[index as usize] = Slot::Alive(entity.generation());
        self.highest_generation = self.highest_generation.max(Some(entity.generation()));
        self.rows.get_mut(&index).expect("alive").0 = entity;
    }

    /// How many values own memory, and how many of each kind are counted.
    pub fn census(&self) -> (usize, [i64; KINDS]) {
        let (mut owned, mut counted) = (0, [0; KINDS]);
        let mut shared = BTreeSet::new();
        for (_, row) in self.rows.values().chain(self.lazy.values()) {
            shared.extend(row.value(SHARED));
            for kind in row.kinds() {
                owned += usize::from(owns_memory(kind) && kind != SHARED);
                counted[kind] += i64::from(is_counted(kind));
            }
        }
        owned += shared.len();
        (owned, counted)
    }
}
