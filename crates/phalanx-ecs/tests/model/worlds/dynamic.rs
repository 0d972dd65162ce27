//! Components known by id at run time.

use super::acts::{Outcome, lacks, put_all};
use super::components::{FIRST_DYN, KINDS, NAMES, dyn_bytes, value_of};
use super::driver::{Driver, Fuse, guarded, is_event, nth};
use super::kits::{Kit, with_kind};
use super::ledger::Event;
use super::row::Row;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{DynError, DynValue};
use std::collections::BTreeMap;

impl Driver {
    pub fn dyn_made(kind: usize, seed: u32) -> DynValue {
        let value = value_of(seed, kind);
        if kind < FIRST_DYN {
            with_kind!(kind, T => DynValue::new(<T as Kind>::make(value)))
        } else {
            DynValue::bytes(&dyn_bytes(kind, value))
        }
    }

    pub fn insert_dyn(&mut self, pick: u16, kind: usize, wrong: bool, fuse: Fuse) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let id = pair.id(kind);
        let result = guarded(fuse, || {
            let value = if wrong { DynValue::bytes(&[1; 5]) } else { Self::dyn_made(kind, seed) };
            pair.world.insert_dyn(entity, id, value)
        });
        if result.is_none() && is_event(fuse, Event::Require) {
            return;
        }
        pair.catch_up();
        let result_is_none = result.is_none();
        match (result, pair.naive.row(entity)) {
            (Some(Err(DynError::Dead { .. })) | None, None) => {}
            (Some(Err(DynError::Mismatch { component, .. })), Some(_)) => assert!(wrong && component == NAMES[kind]),
            (Some(Err(DynError::Lacks(lack))), Some(row)) => assert!(lacks(row, &[kind]), "{lack}"),
            (Some(Err(DynError::Uuid(taken))), Some(_)) => {
                assert!(pair.naive.is_taken(Some(entity), &[(kind, value_of(seed, kind))]), "{taken}");
            }
            (Some(Ok(())) | None, Some(_)) if !wrong => {
                let outcome = pair.naive.insert(entity, &[(kind, value_of(seed, kind))]);
                assert!(result_is_none || outcome == Outcome::Done, "insert_dyn: {outcome:?}");
            }
            (result, row) => panic!("insert_dyn: {result:?} for {row:?}"),
        }
    }

    pub fn remove_dyn(&mut self, pick: u16, kind: usize, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let id = pair.id(kind);
        let result = guarded(fuse, || pair.world.remove_dyn(entity, id));
        pair.catch_up();
        match (result, pair.naive.remove(entity, &[kind])) {
            (Some(Err(DynError::Dead { .. })), None) => {}
            (Some(Ok(had)), Some(removed)) => assert_eq!(usize::from(had), removed, "remove_dyn"),
            (None, Some(removed)) => assert_eq!(removed, 1, "only a value that was there is dropped"),
            (result, removed) => panic!("remove_dyn: {result:?}, expected {removed:?}"),
        }
    }

    pub fn set_dyn(&mut self, pick: u16, kind: usize) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let id = pair.id(kind);
        let value = value_of(seed, kind);
        assert_eq!(pair.value(entity, kind, id), pair.naive.row(entity).and_then(|row| row.value(kind)), "get_dyn");
        let Some(place) = pair.world.get_dyn_mut(entity, id) else { return };
        if kind < FIRST_DYN {
            with_kind!(kind, T => place.downcast::<T>().expect("a value of the type").set(value));
        } else {
            place.bytes().expect("made at run time").copy_from_slice(&dyn_bytes(kind, value));
        }
        pair.naive.row_mut(entity).expect("alive").put(kind, value);
    }

    /// A bundle put together at run time, its parts, and whether one is there twice, which is refused.
    pub fn builder(&mut self, kinds: u32) -> (BundleBuilder, Vec<(usize, u32)>, bool) {
        let (seed, pair) = (self.next_seed(), self.current);
        let (mut builder, mut parts) = (BundleBuilder::new(), BTreeMap::new());
        let chosen = (0..KINDS).filter(|kind| kinds >> kind & 1 == 1);
        let doubles = kinds >> 31 == 1 && kinds.count_ones().is_multiple_of(2);
        let again = (0..KINDS).filter(|kind| doubles && kinds >> kind & 1 == 1).take(1);
        let twice = again.clone().count() > 0;
        for (at, kind) in chosen.chain(again).enumerate() {
            let seed = nth(seed, at);
            if kind < FIRST_DYN && kinds >> 30 & 1 == 0 {
                with_kind!(kind, T => builder.add(<T as Kit>::make(seed)));
            } else {
                let id = self.pairs[pair].id(kind);
                builder.add_dyn(id, Self::dyn_made(kind, seed));
            }
            parts.insert(kind, value_of(seed, kind));
        }
        (builder, parts.into_iter().collect(), twice)
    }

    pub fn spawn_builder(&mut self, kinds: u32, fuse: Fuse) {
        let (builder, parts, twice) = self.builder(kinds);
        let pair = self.pair();
        let room = pair.naive.room();
        let lacking = lacks(&Row::default(), &parts.iter().map(|(kind, _)| *kind).collect::<Vec<_>>());
        let taken = pair.naive.is_taken(None, &parts);
        match guarded(fuse, || pair.world.spawn_dyn(builder)) {
            Some(Err(DynError::Lacks(lack))) => assert!(lacking, "{lack}"),
            Some(Err(DynError::Duplicate { .. })) => assert!(twice),
            Some(Err(DynError::Uuid(uuid))) => assert!(taken, "{uuid}"),
            Some(Ok(entity)) => {
                assert!(room > 0 && !twice && !lacking && !taken, "spawned what should be refused");
                pair.born(entity, &parts);
            }
            Some(Err(DynError::Full { 0: full, .. })) => {
                assert_eq!(room, 0, "{full}");
                pair.check_full(&full);
            }
            Some(Err(error)) => panic!("{error}"),
            // What is required is made before the entity is.
            None => {}
        }
    }

    pub fn insert_builder(&mut self, pick: u16, kinds: u32, fuse: Fuse) {
        let entity = self.pick(pick);
        let (builder, parts, twice) = self.builder(kinds);
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.insert_bundle_dyn(entity, builder));
        pair.catch_up();
        let before = pair.naive.row(entity).cloned();
        match (result, before) {
            (Some(Err(DynError::Duplicate { .. })) | None, Some(_)) if twice => {}
            (Some(Err(DynError::Dead { .. })) | None, None) => {}
            (Some(Err(DynError::Lacks(lack))), Some(row)) => {
                assert!(lacks(&row, &parts.iter().map(|(kind, _)| *kind).collect::<Vec<_>>()), "{lack}");
            }
            (Some(Err(DynError::Uuid(taken))), Some(_)) => {
                assert!(pair.naive.is_taken(Some(entity), &parts), "{taken}");
            }
            (Some(Ok(())), Some(_)) => assert_eq!(pair.naive.insert(entity, &parts), Outcome::Done),
            (None, Some(before)) => {
                let mut after = before.clone();
                put_all(&mut after, &parts);
                pair.adopt(BTreeMap::from([(entity.index(), vec![before, after])]));
            }
            (result, row) => panic!("insert_bundle_dyn: {result:?} for {row:?}"),
        }
    }
}
