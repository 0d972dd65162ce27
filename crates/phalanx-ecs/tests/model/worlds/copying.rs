//! Copies, entities that move to the other world, and what concerns the world as a whole.

use super::components::{NAME, NAMES, UUID, is_cloneable};
use super::driver::{Driver, Fuse, guarded, is_event};
use super::ledger::Event;
use super::naive::Naive;
use super::row::Row;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CloneError, TransferError};

impl Driver {
    pub fn clone_entity(&mut self, pick: u16, partly: bool, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let room = pair.naive.room();
        let copy = pair.naive.row(entity).map(|row| Naive::cloned(row, partly));
        let result = guarded(fuse, || {
            if partly { pair.world.clone_entity_partly(entity) } else { pair.world.clone_entity(entity) }
        });
        match (result, copy) {
            (None, Some(Some(_))) => {
                // The id was handed out before the clones were made, and goes back.
                assert!(room > 0 && is_event(fuse, Event::Clone));
                pair.naive.alloc_in_vain();
            }
            (Some(Err(CloneError::Dead { .. })), None) => {}
            (Some(Err(CloneError::NotCloneable { components, .. })), Some(None)) => {
                let row = pair.naive.row(entity).expect("alive");
                let mut must: Vec<&str> = row.kinds().filter(|k| !is_cloneable(*k)).map(|k| NAMES[k]).collect();
                must.sort_unstable();
                let mut named = components;
                named.sort();
                assert_eq!(named, must, "what cannot be cloned");
            }
            (Some(Err(CloneError::Full { 0: full, .. })), Some(Some(_))) => {
                assert_eq!(room, 0, "{full}");
                pair.check_full(&full);
            }
            (Some(Ok(clone)), Some(Some(row))) => {
                assert!(room > 0, "cloned past the limit");
                pair.catch_up();
                pair.naive.arrive(clone, &row);
                pair.remember(clone);
            }
            (result, copy) => panic!("clone {entity}: {result:?}, expected {copy:?}"),
        }
    }

    pub fn move_entity(&mut self, pick: u16) {
        let entity = self.pick(pick);
        let (left, right) = self.pairs.split_at_mut(1);
        let (from, to) = if self.current == 0 { (&mut left[0], &mut right[0]) } else { (&mut right[0], &mut left[0]) };
        let row = from.naive.row(entity).cloned();
        match (from.world.move_entity(entity, &mut to.world), row) {
            (Err(TransferError::Dead { .. }), None) => {}
            (Err(TransferError::Full { 0: full, .. }), Some(_)) => {
                assert_eq!(to.naive.room(), 0, "{full}");
                to.check_full(&full);
            }
            (Err(TransferError::Uuid(taken)), Some(row)) => {
                assert!(to.naive.is_taken_here(row.value(UUID)), "{taken}");
            }
            (Ok(arrived), Some(row)) => {
                assert!(to.naive.room() > 0, "moved past the limit");
                assert!(!to.naive.is_taken_here(row.value(UUID)), "moved with a uuid that is taken");
                from.catch_up();
                to.catch_up();
                from.naive.despawn(entity);
                to.naive.arrive(arrived, &row);
                to.remember(arrived);
            }
            (result, row) => panic!("move {entity}: {result:?}, expected {row:?}"),
        }
    }

    pub fn reclaim(&mut self) {
        let world = &mut self.pair().world;
        let before = world.stats();
        let gone = world.reclaim();
        let after = world.stats();
        assert_eq!(after.tables, before.tables - gone, "reclaim");
        assert!(after.empty_tables <= 1, "only the table without components may stay: {after}");
    }

    pub fn generation(&mut self, pick: u16, below_last: u8) {
        let entity = self.pick(pick);
        let pair = self.pair();
        // Not where the handle is noted elsewhere: this is no way that entities go.
        let in_an_index = |row: &Row| row.has(NAME) || row.has(UUID);
        if pair.naive.row(entity).is_none_or(in_an_index) || !pair.naive.foretells() {
            return;
        }
        let last =
            if pair.naive.setup.layout == phalanx_ecs::HandleLayout::Wide { Entity::MAX_GENERATION } else { 1023 };
        let index = entity.index();
        pair.world.simulate_generation(index, last - u32::from(below_last));
        let now = pair.world.entities().find(|entity| entity.index() == index).expect("still alive");
        assert_eq!(now.generation(), last - u32::from(below_last));
        pair.naive.simulate_generation(index, now);
        pair.remember(now);
    }
}
