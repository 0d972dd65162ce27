//! Changes of one entity.

use super::acts::{Edits, Outcome};
use super::components::{Burn, Kind, Lamp, NAMES, Num};
use super::driver::{Driver, Fuse, guarded, is_event};
use super::kits::{Kit, with_kit};
use super::ledger::Event;
use super::naive::Setup;
use super::pair::Pair;
use super::row::Shown;
use phalanx_ecs::{EntityMut, InsertError, TakeError};

impl Driver {
    pub fn despawn(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let alive = pair.naive.is_alive(entity);
        match guarded(fuse, || pair.world.despawn(entity)) {
            Some(result) => assert_eq!(result.is_ok(), alive, "despawn {entity}"),
            None => assert!(alive),
        }
        pair.catch_up();
        pair.naive.despawn(entity);
    }

    pub fn insert<K: Kit>(&mut self, pick: u16, fuse: Fuse) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.insert(entity, <K as Kit>::make(seed)));
        if result.is_none() && is_event(fuse, Event::Require) {
            return; // nothing changes
        }
        pair.catch_up();
        let outcome = pair.naive.insert(entity, &K::parts(seed));
        assert!(result.is_none_or(|result| outcome == of_insert(&result)), "insert into {entity}: {outcome:?}");
    }

    pub fn insert_if_new<T: Kind>(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let result = pair.world.insert_if_new(entity, <T as Kit>::make(seed));
        pair.catch_up();
        match pair.naive.row(entity).map(|row| row.has(T::KIND)) {
            None => assert!(matches!(result, Err(InsertError::Dead { .. }))),
            Some(true) => assert_eq!(result.ok(), Some(false), "insert_if_new"),
            Some(false) => {
                let outcome = pair.naive.insert(entity, &T::parts(seed));
                assert_eq!(of_insert(&result), outcome, "insert_if_new");
                assert!(result.unwrap_or(true), "it is new");
            }
        }
    }

    pub fn replace<T: Kind>(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let result = pair.world.replace(entity, <T as Kit>::make(seed));
        pair.catch_up();
        match pair.naive.row(entity).map(|row| row.value(T::KIND)) {
            None => assert!(matches!(result, Err(InsertError::Dead { .. }))),
            Some(value) => {
                assert_eq!(of_insert(&result), pair.naive.insert(entity, &T::parts(seed)), "replace");
                if let Ok(old) = result {
                    assert_eq!(old.map(|old| old.value()), value, "the old value");
                }
            }
        }
    }

    pub fn remove<K: Kit>(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.remove::<K>(entity));
        pair.catch_up();
        match pair.naive.remove(entity, &K::kind_list()) {
            None => assert!(matches!(result, Some(Err(InsertError::Dead { .. })))),
            Some(removed) => {
                if let Some(result) = result {
                    assert_eq!(result, Ok(removed), "remove from {entity}");
                }
            }
        }
    }

    pub fn take<K: Kit>(&mut self, pick: u16) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let kinds = K::kind_list();
        let result = pair.world.take::<K>(entity);
        pair.catch_up();
        match (result, pair.naive.row(entity).cloned()) {
            (Err(TakeError::Dead { .. }), None) => {}
            (Err(TakeError::Absent { missing, .. }), Some(row)) => {
                let absent: Vec<&str> = kinds.iter().filter(|k| !row.has(**k)).map(|k| NAMES[*k]).collect();
                assert!(!absent.is_empty() && missing == absent, "{missing:?} is missing, expected {absent:?}");
            }
            (Ok(bundle), Some(row)) => {
                // The values are looked at where they are easy to look at: in a world of their own.
                let layout = phalanx_ecs::HandleLayout::Wide;
                let mut other = Pair::new(Setup { limit: None, min_free: 0, layout, queues: 0 });
                let taken: Shown =
                    kinds.iter().map(|kind| (*kind, (row.value(*kind).expect("it was there"), true))).collect();
                pair.naive.remove(entity, &kinds);
                let carrier = other.world.spawn(<(Num, Lamp) as Kit>::make(0));
                other.world.insert(carrier, bundle).expect("it has what tags depend on");
                let mut real = other.read(carrier);
                real.retain(|kind, _| kinds.contains(kind)); // required ones came along
                assert_eq!(real, taken, "what was taken from {entity}");
            }
            (Ok(_), None) => panic!("something was taken from dead {entity}"),
            (Err(error), _) => panic!("{error}"),
        }
    }

    pub fn retain<K: Kit>(&mut self, pick: u16, fuse: Fuse) {
        let entity = self.pick(pick);
        let pair = self.pair();
        let result = guarded(fuse, || pair.world.retain::<K>(entity));
        pair.catch_up();
        match pair.naive.retain(entity, &K::kind_list()) {
            None => assert!(matches!(result, Some(Err(_)))),
            Some(removed) => {
                if let Some(result) = result {
                    assert_eq!(result.ok(), Some(removed), "retain");
                }
            }
        }
    }

    /// Several changes of one entity as one. The last word on each component counts.
    pub fn edit(&mut self, pick: u16, first: u8, second: u8, script: u8) {
        let (entity, seed, again) = (self.pick(pick), self.next_seed(), self.next_seed());
        let pair = self.pair();
        let Ok(mut editor) = pair.world.entity_mut(entity) else {
            assert!(!pair.naive.is_alive(entity), "{entity} is alive");
            return;
        };
        assert_eq!(editor.id(), entity);
        assert!(pair.naive.is_alive(entity), "{entity} is dead");
        let steps: &[(bool, u8, u32)] = match script % 6 {
            0 => &[(true, first, seed), (false, second, 0)],
            1 => &[(false, first, 0), (true, second, seed)],
            2 => &[(true, first, seed), (true, second, again)],
            3 => &[(true, first, seed), (false, second, 0), (true, first, again)],
            4 => &[(false, first, 0), (false, second, 0)],
            _ => &[(false, first, 0), (true, first, seed), (false, second, 0)],
        };
        let (mut shown, mut accepted, ends) = (None, Vec::new(), script >> 6 == 3);
        for (at, (insert, kit, seed)) in steps.iter().enumerate() {
            accepted.push(with_kit!(*kit, K => edit_by::<K>(&mut editor, *insert, *seed)));
            if script & 32 != 0 && at == 0 {
                shown = Some((editor.get::<Num>().map(Kind::value), editor.has::<Burn>()));
            }
        }
        if ends {
            editor.despawn();
        } else {
            if script & 64 == 0 {
                editor.apply();
            }
            drop(editor);
        }
        pair.catch_up();
        let mut edits = Edits::default();
        for (at, (insert, kit, seed)) in steps.iter().enumerate() {
            // An observer may have ended it.
            let Some(row) = pair.naive.row(entity) else { break };
            let parts = with_kit!(*kit, K => K::parts(*seed));
            if *insert {
                let free = !pair.naive.is_taken(Some(entity), &parts);
                assert_eq!(free && edits.insert(row, &parts), accepted[at], "insert while editing");
            } else {
                edits.remove(&parts.iter().map(|(kind, _)| *kind).collect::<Vec<_>>());
            }
            if let (Some(shown), 0) = (shown, at) {
                pair.naive.edit(entity, &std::mem::take(&mut edits));
                let row = pair.naive.row(entity);
                let must = (row.and_then(|row| row.value(0)), row.is_some_and(|row| row.has(7)));
                assert_eq!(shown, must, "get and has while editing");
            }
        }
        if ends {
            pair.naive.despawn(entity);
        } else if pair.naive.is_alive(entity) {
            pair.naive.edit(entity, &edits);
        }
    }

    pub fn clear(&mut self, fuse: Fuse) {
        let pair = self.pair();
        guarded(fuse, || pair.world.clear());
        pair.catch_up();
        pair.naive.clear();
    }
}

/// Answers whether it is not refused.
fn edit_by<K: Kit>(editor: &mut EntityMut<'_>, insert: bool, seed: u32) -> bool {
    if insert {
        return editor.try_insert(K::make(seed)).is_ok();
    }
    editor.remove::<K>();
    true
}

/// What came of an insert.
fn of_insert<T>(result: &Result<T, InsertError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(InsertError::Dead { .. }) => Outcome::Dead,
        Err(InsertError::Lacks { .. }) => Outcome::Lacks,
        Err(InsertError::Uuid(_)) => Outcome::Taken,
        Err(error) => panic!("{error}"),
    }
}
