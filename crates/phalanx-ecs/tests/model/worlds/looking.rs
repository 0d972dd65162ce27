//! Ways to look at entities and values, and to write them in place.

use super::components::*;
use super::driver::{Driver, nth};
use super::row::Row;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{LookupError, SharedEdit};
use std::collections::BTreeMap;

impl Driver {
    pub fn sparse_mut<T: Kind>(&mut self, pick: u16, count: u8) {
        let (entities, seed) = (self.pick_many(pick, count.into()), self.next_seed());
        let pair = self.pair();
        if pair.naive.audience.observes(T::KIND) || pair.naive.losses.are_read(T::KIND) {
            return; // it is refused
        }
        let mut set = pair.world.sparse_mut::<T>();
        for (i, entity) in entities.into_iter().enumerate() {
            let value = value_of(nth(seed, i), T::KIND);
            let row = pair.naive.row_mut(entity);
            let alive = row.is_some();
            let old = row.as_ref().and_then(|row| row.value(T::KIND));
            assert_eq!(set.get(entity).map(Kind::value), old, "sparse get");
            match (pick.wrapping_add(u16::try_from(i).expect("small"))) % 4 {
                0 | 1 => {
                    assert_eq!(set.insert(entity, <T as Kind>::make(value)).is_ok(), alive, "sparse insert");
                    if let Some(row) = row {
                        row.put(T::KIND, value);
                    }
                }
                2 => {
                    assert_eq!(set.remove(entity).map(|value| value.value()), old, "sparse remove");
                    row.map(|row| row.remove(T::KIND));
                }
                _ => {
                    if let Some(place) = set.get_mut(entity) {
                        place.set(value);
                        row.expect("alive").put(T::KIND, value);
                    }
                }
            }
        }
        let len = set.len();
        assert_eq!(len, pair.naive.those(|row| row.has(T::KIND)).len(), "sparse len");
    }

    pub fn set<T: Kind>(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let pair = self.pair();
        let place =
            if pick & 16 == 0 { pair.world.get_mut::<T>(entity) } else { pair.world.lookup_mut::<T>(entity).ok() };
        let known = pair.naive.row(entity).and_then(|row| row.value(T::KIND));
        match (place, known) {
            (Some(place), Some(known)) => {
                assert_eq!(place.value(), known, "get_mut");
                let value = value_of(seed, T::KIND);
                place.set(value);
                pair.naive.row_mut(entity).expect("alive").put(T::KIND, value);
            }
            (None, None) => {}
            (place, known) => panic!("get_mut on {entity}: {:?}, expected {known:?}", place.map(|place| place.value())),
        }
    }

    pub fn look<T: Kind>(&mut self, pick: u16) {
        let entity = self.pick(pick);
        let many = self.pick_many(pick, 5);
        let pair = self.pair();
        let known = |entity: Entity| pair.naive.row(entity).and_then(|row| row.value(T::KIND));
        assert_eq!(pair.world.get::<T>(entity).map(Kind::value), known(entity), "get");
        assert_eq!(pair.world.has::<T>(entity), known(entity).is_some(), "has");
        match pair.world.lookup::<T>(entity) {
            Ok(value) => assert_eq!(Some(value.value()), known(entity), "lookup"),
            Err(LookupError::Dead { .. }) => assert!(!pair.naive.is_alive(entity), "lookup: {entity} is alive"),
            Err(LookupError::Absent { component, present, .. }) => {
                let row = pair.naive.row(entity).expect("alive");
                assert!(!row.has(T::KIND) && component == NAMES[T::KIND] && present.len() == row.len());
            }
            Err(error) => panic!("{error}"),
        }
        let values: Vec<_> = pair.world.get_many::<T>(&many).into_iter().map(|found| found.map(Kind::value)).collect();
        assert_eq!(values, many.iter().map(|entity| known(*entity)).collect::<Vec<_>>(), "get_many");
        match pair.world.entity(entity) {
            Ok(view) => {
                assert_eq!(view.components().count(), pair.naive.row(entity).map_or(0, Row::len), "components");
                assert_eq!(view.get::<T>().map(Kind::value), known(entity), "get of a view");
            }
            Err(error) => assert!(!pair.naive.is_alive(entity), "{error}"),
        }
        let id = pair.id(T::KIND);
        let mut with = pair.world.entities_with(id);
        with.sort();
        assert_eq!(with, pair.naive.those(|row| row.has(T::KIND)), "entities_with");
        let present = pair.naive.row(entity).is_some_and(|row| row.has(T::KIND));
        assert_eq!(pair.world.has_dyn(entity, id), present, "has_dyn");
    }

    pub fn query(&mut self, shape: u8, mode: u8, pick: u16, write: bool) {
        let picked = self.pick_many(pick, 3).try_into().expect("three");
        let delta = if write { self.next_seed() | 1 } else { 0 };
        let shape = usize::from(shape) % self.shapes.len();
        let pair = &mut self.pairs[self.current];
        let known = self.shapes[shape].walk(&mut pair.world, &mut pair.naive, mode, delta, picked);
        self.blurred |= !known;
    }

    /// Walks by slices.
    pub fn chunks(&mut self, shape: u8) {
        let seed = self.next_seed();
        let pair = self.pair();
        let mut seen = Vec::new();
        let must: Vec<Entity> = match shape % 3 {
            0 => {
                for (entities, numbers) in pair.world.query::<(Entity, &mut Num)>().chunks() {
                    assert_eq!(entities.len(), numbers.len());
                    for (entity, number) in entities.iter().zip(numbers) {
                        let row = pair.naive.row_mut(entity).expect("alive");
                        assert_eq!(row.value(0), Some(number.value()));
                        row.put(0, number.value().wrapping_add(seed));
                        number.set(number.value().wrapping_add(seed));
                        seen.push(entity);
                    }
                }
                pair.naive.those(|row| row.has(0))
            }
            1 => {
                let mut query = pair.world.query_filtered::<(Entity, Option<&Owned>, &Flag), Without<Seal>>();
                for (entities, owned, flags) in query.chunks() {
                    assert_eq!(entities.len(), flags.len());
                    for (at, entity) in entities.iter().enumerate() {
                        let row = pair.naive.row(entity).expect("alive");
                        assert_eq!(owned.map(|owned| owned[at].value()), row.value(2));
                        assert_eq!(entities.get(at), Some(entity));
                        seen.push(entity);
                    }
                }
                pair.naive.those(|row| row.has(5) && !row.has(6))
            }
            _ => {
                let mut query = pair.world.query_filtered::<(&Wide, &Small, Entity), Or<(With<Num>, With<Needy>)>>();
                for (wide, small, entities) in query.chunks() {
                    for ((wide, small), entity) in wide.iter().zip(small).zip(entities.iter()) {
                        let row = pair.naive.row(entity).expect("alive");
                        assert_eq!([Some(wide.value()), Some(small.value())], [row.value(3), row.value(1)]);
                        seen.push(entity);
                    }
                }
                pair.naive.those(|row| row.has(3) && row.has(1) && (row.has(0) || row.has(10)))
            }
        };
        seen.sort();
        assert_eq!(seen, must, "chunks");
    }

    /// Combines two queries.
    pub fn cross(&mut self, shape: u8) {
        let pair = self.pair();
        let (firsts, burning) = (pair.naive.those(|row| row.has(0)), pair.naive.those(|row| row.has(7)));
        let seconds = if shape & 1 == 0 { &burning } else { &firsts };
        if firsts.len() * seconds.len() > 10_000 {
            return;
        }
        let mut met = Vec::new();
        let mut must = Vec::new();
        for first in &firsts {
            for second in seconds {
                // Where both may not have the same component at once, an entity does not meet itself.
                if shape & 1 == 0 || first != second {
                    must.push((*first, *second));
                }
            }
        }
        if shape & 1 == 0 {
            pair.world.cross::<(Entity, &Num), (Entity, &mut Burn)>(|(a, _), (b, burn)| {
                burn.set(burn.value());
                met.push((a, b));
            });
        } else {
            pair.world.cross::<(Entity, &Num), (Entity, &mut Num)>(|(a, first), (b, second)| {
                second.set(second.value());
                assert!(!std::ptr::eq(first, second));
                met.push((a, b));
            });
        }
        met.sort();
        must.sort();
        assert_eq!(met, must, "cross");
    }

    /// Edits a shared value for all that have it.
    pub fn edit_shared(&mut self, pick: u16) {
        let (entity, seed) = (self.pick(pick), self.next_seed());
        let value = fit(SHARED, seed);
        let pair = self.pair();
        let result = pair.world.edit_shared::<Skin>(entity, |skin| skin.set(value));
        let old = pair.naive.row(entity).and_then(|row| row.value(SHARED));
        let (Ok(edit), Some(old)) = (&result, old) else {
            assert!(result.is_err() && old.is_none(), "edit_shared {entity}: {result:?}, expected {old:?}");
            return;
        };
        let rows = || pair.naive.rows.values().chain(pair.naive.lazy.values()).map(|(_, row)| row.value(SHARED));
        let merged = old != value && rows().any(|other| other == Some(value));
        assert_eq!(*edit, if merged { SharedEdit::Merged } else { SharedEdit::Apart }, "edit_shared {entity}");
        for (_, row) in pair.naive.rows.values_mut().chain(pair.naive.lazy.values_mut()) {
            if row.value(SHARED) == Some(old) {
                row.put_silently(SHARED, value);
            }
        }
    }

    /// Entities by a shared value: each value once, with all that have it.
    pub fn groups(&mut self) {
        let pair = self.pair();
        let mut must: BTreeMap<u32, Vec<Entity>> = BTreeMap::new();
        for (entity, row) in pair.naive.rows.values() {
            if let Some(value) = row.value(SHARED) {
                must.entry(value).or_default().push(*entity);
            }
        }
        let mut groups: BTreeMap<u32, Vec<Entity>> = BTreeMap::new();
        pair.world.query::<(Entity, &Skin)>().for_each_group::<Skin>(|skin, items| {
            let mut entities: Vec<Entity> = items.map(|(entity, _)| entity).collect();
            entities.sort();
            assert!(groups.insert(skin.value(), entities).is_none(), "each value once");
        });
        assert_eq!(groups, must, "groups of a shared value");
        let counts: BTreeMap<u32, usize> =
            pair.world.shared_values::<Skin>().map(|(skin, count)| (skin.value(), count)).collect();
        assert_eq!(counts, must.iter().map(|(value, all)| (*value, all.len())).collect(), "shared values");
    }
}
