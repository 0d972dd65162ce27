//! A real world and its naive twin, and how they are compared.

use super::components::{FIRST_DYN, NAMES, TOGGLES, dyn_layout, dyn_value};
use super::dyn_query::Kept;
use super::filters::{Predicted, matches};
use super::kits::{with_kind, with_toggle};
use super::losses::{Lost, lost};
use super::messages::Readers;
use super::naive::{Naive, Setup};
use super::queues::Queues;
use super::row::{Row, Shown};
use super::told::Log;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, EntitiesFull, NotAliveReason, Spawned};
use std::collections::BTreeMap;

/// A real world and its naive twin.
pub struct Pair {
    pub world: World,
    pub naive: Naive,
    /// Handles that were alive once, or will be; the oldest are forgotten.
    pub known: Vec<Entity>,
    next_known: usize,
    pub kept: Vec<Kept>,
    pub log: Log,
    pub queues: Queues,
    pub readers: Readers,
    pub lost: Vec<Box<dyn Lost>>,
}

impl Pair {
    pub fn new(setup: Setup) -> Self {
        let mut builder = World::builder().layout(setup.layout).min_free(setup.min_free).seed(11);
        if let Some(limit) = setup.limit {
            builder = builder.limit(limit);
        }
        let mut world = builder.build();
        let queues = Queues::new(&mut world, setup.queues);
        Self {
            world,
            naive: Naive::new(setup),
            known: Vec::new(),
            next_known: 0,
            kept: Vec::new(),
            log: Log::default(),
            queues,
            readers: Readers::default(),
            lost: lost(),
        }
    }

    pub fn remember(&mut self, entity: Entity) {
        const MOST: usize = 256;
        if self.known.len() < MOST {
            self.known.push(entity);
        } else {
            self.known[self.next_known % MOST] = entity;
            self.next_known += 1;
        }
    }

    /// Learns which components are registered, and whom observers spawned: before the naive world does what the real one has done.
    pub fn catch_up(&mut self) {
        let components = self.world.components();
        for info in components.iter().skip(self.naive.registered.len()) {
            let kind = NAMES.iter().position(|name| *name == info.name()).expect("a component of the model");
            self.naive.registered.push(kind);
        }
        let (born, ran) = {
            let mut notes = self.log.notes();
            (std::mem::take(&mut notes.born), std::mem::take(&mut notes.ran))
        };
        for entity in born.iter().chain(&ran).flatten() {
            self.remember(*entity);
        }
        self.naive.audience.born.extend(born);
        self.naive.audience.ran.extend(ran);
    }

    pub fn born(&mut self, entity: Entity, parts: &[(usize, u32)]) {
        self.catch_up();
        self.naive.spawn(entity, parts);
        self.remember(entity);
    }

    pub fn all_born(&mut self, spawned: &Spawned, parts: Vec<Vec<(usize, u32)>>) {
        assert_eq!(spawned.len(), parts.len(), "as many entities as rows");
        assert_eq!(spawned.iter().rev().collect::<Vec<_>>(), spawned.to_vec().into_iter().rev().collect::<Vec<_>>());
        self.catch_up();
        let new: Vec<_> = spawned.iter().zip(parts).collect();
        self.naive.spawn_all(&new);
        spawned.iter().for_each(|entity| self.remember(entity));
    }

    pub fn check_full(&self, full: &EntitiesFull) {
        assert_eq!(full.alive, self.naive.rows.len(), "{full}");
        assert_eq!(Some(full.limit), self.naive.setup.limit, "{full}");
    }

    /// The id of a kind, registered now if it is new.
    pub fn id(&mut self, kind: usize) -> ComponentId {
        if kind < FIRST_DYN {
            with_kind!(kind, T => self.world.register::<T>())
        } else {
            self.world.register_dyn(dyn_layout(kind)).expect("always the same layout")
        }
    }

    pub fn value(&self, entity: Entity, kind: usize, id: ComponentId) -> Option<u32> {
        let found = self.world.get_dyn(entity, id)?;
        Some(if kind < FIRST_DYN {
            with_kind!(kind, T => found.downcast::<T>().expect("a value of the type").value())
        } else {
            dyn_value(kind, found.bytes().expect("a type made at run time"))
        })
    }

    /// What a living entity of the real world has.
    pub fn read(&mut self, entity: Entity) -> Shown {
        self.catch_up();
        let signature = self.world.signature(entity).unwrap_or_else(|error| panic!("{error}"));
        let mut row = Shown::new();
        for id in signature {
            let kind = self.naive.registered[id.index()];
            let value = self.value(entity, kind, id).unwrap_or_else(|| panic!("{entity} lacks {}", NAMES[kind]));
            let on = !TOGGLES.contains(&kind) || with_toggle!(kind, T => self.world.is_on::<T>(entity));
            assert_eq!(row.insert(kind, (value, on)), None, "{} is in the signature of {entity} twice", NAMES[kind]);
        }
        row
    }

    /// After a panic in the middle of many changes: each entity is as it was at one of these moments, whole.
    pub fn adopt(&mut self, moments: BTreeMap<u32, Vec<Row>>) {
        for (index, rows) in moments {
            let entity = self.naive.rows[&index].0;
            let now = self.read(entity);
            let moment = rows.into_iter().find(|row| row.shown() == now);
            let moment = moment.unwrap_or_else(|| panic!("{entity} has {}, as at no moment", named(&now)));
            *self.naive.row_mut(entity).expect("alive") = moment;
        }
    }

    /// Buries, in order, those that are dead in the real world: after a panic, the first few.
    pub fn bury_dead(&mut self, order: &[Entity]) {
        for entity in order {
            if self.naive.is_alive(*entity) {
                if self.world.is_alive(*entity) {
                    break;
                }
                self.naive.bury(entity.index());
            }
        }
    }

    /// The entities of a filter in walking order; checked against the naive world.
    pub fn walking_order<F: Predicted>(&mut self) -> Vec<Entity> {
        let order: Vec<Entity> = self.world.query_filtered::<Entity, F>().iter().collect();
        let mut set = order.clone();
        set.sort();
        assert_eq!(set, self.naive.those(|row| matches::<Entity, F>(row, 0)), "the entities of a filter");
        order
    }

    /// After an operation: which rows were collected, and what observers were told. After a panic nobody knows who was.
    pub fn settle(&mut self, panicked: bool) {
        self.catch_up();
        let collected = |entity: Entity| match self.world.entity(entity) {
            Ok(_) => panic!("{entity} is alive again"),
            Err(why) => !matches!(why.reason, NotAliveReason::Uncollected { .. }),
        };
        let lazy = self.naive.lazy.values().filter(|(entity, _)| collected(*entity));
        let gone: Vec<u32> = lazy.map(|(entity, _)| entity.index()).collect();
        if !gone.is_empty() {
            self.naive.collected(&gone, &self.world.waiting_indices());
        }
        if panicked {
            self.skip_losses();
        }
        let (told, must) = (std::mem::take(&mut self.log.notes().told), std::mem::take(&mut self.naive.audience.told));
        assert!(panicked || told == must, "observers were told {told:?}\nand should be told {must:?}");
        let audience = &self.naive.audience;
        assert!(
            audience.born.is_empty() && audience.ran.is_empty(),
            "all that observers and functions spawned are known"
        );
    }

    pub fn compare(&mut self) {
        if let Err(broken) = self.world.validate() {
            panic!("{broken}");
        }
        let stats = self.world.stats().entities;
        assert_eq!(self.world.alive(), self.naive.rows.len(), "alive");
        assert_eq!(self.world.uncollected(), self.naive.lazy.len(), "uncollected");
        if self.naive.foretells() {
            assert_eq!(stats.free, self.naive.free_count(), "free");
            assert_eq!(stats.retired, self.naive.retired_count(), "retired");
            assert_eq!(stats.highest_generation, self.naive.highest_generation, "highest generation");
            let issued = stats.highest_index.map_or(0, |index| index as usize + 1);
            assert_eq!(issued, self.naive.issued(), "indices issued");
        }
        assert!(self.world.entities().eq(self.naive.rows.values().map(|(entity, _)| *entity)), "the living");
        for entity in &self.known {
            assert_eq!(self.world.is_alive(*entity), self.naive.is_alive(*entity), "{entity} is alive");
        }
        for entity in self.naive.those(|_| true) {
            let (real, naive) = (self.read(entity), self.naive.row(entity).expect("alive").shown());
            assert!(real == naive, "{entity} has {}, and should have {}", named(&real), named(&naive));
        }
        self.compare_messages();
        self.compare_known();
        self.compare_losses();
    }
}

fn named(row: &Shown) -> String {
    let show = |(kind, (value, on)): (&usize, &(u32, bool))| {
        format!("{} {value}{}", NAMES[*kind], if *on { "" } else { " (off)" })
    };
    format!("[{}]", row.iter().map(show).collect::<Vec<_>>().join(", "))
}
