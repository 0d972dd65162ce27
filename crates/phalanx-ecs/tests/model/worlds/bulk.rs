//! Changes of many entities at once.

use super::acts::{lacks, put_all, strip};
use super::driver::{Driver, Fuse, guarded, lit, nth};
use super::filters::Predicted;
use super::kits::Kit;
use super::known::refused_for_a_uuid;
use super::ledger::{Event, happens};
use super::row::Row;
use phalanx_ecs::prelude::*;
use std::collections::BTreeMap;

impl Driver {
    pub fn despawn_batch(&mut self, pick: u16, count: u8, fuse: Fuse) {
        let mut entities = self.pick_many(pick, count.into());
        entities.extend(entities.first().copied());
        let pair = self.pair();
        match guarded(fuse, || pair.world.despawn_batch(entities.iter().copied())) {
            None => pair.bury_dead(&entities),
            Some(result) => {
                pair.catch_up();
                // All are told before the first goes; an entity that is named twice is missing the second time.
                let (mut ending, mut missing) = (Vec::new(), Vec::new());
                for entity in &entities {
                    if pair.naive.is_alive(*entity) && !ending.contains(entity) {
                        ending.push(*entity);
                    } else {
                        missing.push(*entity);
                    }
                }
                pair.naive.despawn_all(&ending);
                match result {
                    Ok(despawned) => assert_eq!((despawned, missing.len()), (ending.len(), 0)),
                    Err(error) => {
                        assert_eq!(error.despawned, ending.len());
                        assert_eq!(error.missing.iter().map(|dead| dead.entity).collect::<Vec<_>>(), missing);
                    }
                }
            }
        }
    }

    pub fn insert_where<F: Predicted, K: Kit + Clone>(&mut self, with: bool, fuse: Fuse) {
        let seed = self.next_seed();
        let pair = self.pair();
        let order = pair.walking_order::<F>();
        let seed_of = |entity: Entity| if with { seed.wrapping_add(entity.index()) } else { seed };
        let mut moments = BTreeMap::new();
        for entity in &order {
            let before = pair.naive.row(*entity).expect("alive").clone();
            let mut after = before.clone();
            put_all(&mut after, &K::parts(seed_of(*entity)));
            moments.insert(entity.index(), vec![before, after]);
        }
        let list: Vec<_> = order.iter().map(|entity| (*entity, K::parts(seed_of(*entity)))).collect();
        let mut asked = Vec::new();
        let insert = || {
            if with {
                pair.world.insert_where_with::<F, K>(|entity| {
                    happens(Event::Make);
                    asked.push(entity);
                    <K as Kit>::make(seed_of(entity))
                })
            } else {
                pair.world.insert_where::<F, K>(<K as Kit>::make(seed))
            }
        };
        if pair.naive.clashes(list.iter().map(|(entity, parts)| (Some(*entity), &parts[..]))) {
            return refused_for_a_uuid(insert);
        }
        let result = guarded(fuse, insert);
        let Some(count) = result else { return pair.adopt(moments) };
        assert_eq!(count, order.len(), "insert_where");
        if with {
            asked.sort();
            let mut in_order = order.clone();
            in_order.sort();
            assert_eq!(asked, in_order, "each entity's bundle is asked for once");
        }
        pair.catch_up();
        pair.naive.insert_all(&list);
    }

    pub fn remove_where<F: Predicted, K: Kit>(&mut self, fuse: Fuse) {
        let pair = self.pair();
        let order = pair.walking_order::<F>();
        let mut moments = BTreeMap::new();
        for entity in &order {
            let before = pair.naive.row(*entity).expect("alive").clone();
            let mut after = before.clone();
            strip(&mut after, &K::kind_list());
            moments.insert(entity.index(), vec![before, after]);
        }
        match guarded(fuse, || pair.world.remove_where::<F, K>()) {
            None => pair.adopt(moments),
            Some(count) => {
                pair.catch_up();
                assert_eq!(count, pair.naive.remove_all(&order, &K::kind_list()), "remove_where");
            }
        }
    }

    pub fn despawn_where<F: Predicted>(&mut self, fuse: Fuse) {
        let pair = self.pair();
        let order = pair.walking_order::<F>();
        let result = guarded(fuse, || pair.world.despawn_where::<F>());
        pair.catch_up();
        match result {
            Some(count) => {
                pair.naive.despawn_all(&order);
                assert_eq!(count, order.len(), "despawn_where");
            }
            None => pair.bury_dead(&order),
        }
    }

    pub fn insert_batch<K: Kit>(&mut self, entities: &[Entity], short: bool, fuse: Fuse) {
        let seed = self.next_seed();
        let pair = self.pair();
        let alive = entities.iter().all(|entity| pair.naive.is_alive(*entity));
        let count = if short { entities.len() / 2 } else { entities.len() + 1 };
        let bundles = (0..count).map(|i| {
            happens(Event::Make);
            <K as Kit>::make(nth(seed, i))
        });
        let mut moments: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
        let lacking = |entity: &Entity| pair.naive.row(*entity).is_some_and(|row| lacks(row, &K::kind_list()));
        let list: Vec<_> =
            entities.iter().take(count).enumerate().map(|(i, entity)| (*entity, K::parts(nth(seed, i)))).collect();
        let clashing = pair.naive.clashes(list.iter().map(|(entity, parts)| (Some(*entity), &parts[..])));
        let allowed = alive && !clashing && !entities.iter().take(count).any(lacking);
        if allowed {
            for (i, entity) in entities.iter().enumerate().take(count) {
                let before = pair.naive.row(*entity).expect("alive").clone();
                let moments = moments.entry(entity.index()).or_insert_with(|| vec![before]);
                let mut after = moments.last().expect("one at least").clone();
                put_all(&mut after, &K::parts(nth(seed, i)));
                moments.push(after);
            }
        }
        // Where the answer is a refusal, it may come in the place of a panic of what is dropped.
        let (result, blown) = lit(fuse, || pair.world.insert_batch(entities, bundles));
        match result {
            None => pair.adopt(moments),
            Some(Err(error)) => assert!(!allowed, "{error}"),
            Some(Ok(())) => {
                assert!(!blown, "a panic of the user's code was swallowed");
                assert!(allowed, "insert_batch did what should be refused");
                pair.catch_up();
                pair.naive.insert_all(&list);
            }
        }
    }

    pub fn remove_batch<K: Kit>(&mut self, entities: &[Entity], fuse: Fuse) {
        let pair = self.pair();
        let alive = entities.iter().all(|entity| pair.naive.is_alive(*entity));
        let mut moments: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
        if alive {
            for entity in entities {
                let before = pair.naive.row(*entity).expect("alive").clone();
                let moments = moments.entry(entity.index()).or_insert_with(|| vec![before]);
                let mut after = moments.last().expect("one at least").clone();
                strip(&mut after, &K::kind_list());
                moments.push(after);
            }
        }
        match guarded(fuse, || pair.world.remove_batch::<K>(entities)) {
            None => pair.adopt(moments),
            Some(Err(error)) => assert!(!alive, "{error}"),
            Some(Ok(count)) => {
                assert!(alive, "remove_batch changed a slice with dead entities");
                pair.catch_up();
                assert_eq!(count, pair.naive.remove_all(entities, &K::kind_list()), "remove_batch");
            }
        }
    }
}
