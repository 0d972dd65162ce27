//! Names and uuids: whom the world finds by them, and which uuids are taken.

use super::acts::Parts;
use super::components::{NAME, NAME_VALUES, REQUIRED_VALUE, UUID, UUID_VALUES, name, uuid};
use super::driver::Driver;
use super::naive::Naive;
use super::pair::Pair;
use phalanx_ecs::Entity;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Naive {
    /// Whether two entities would have one uuid if bundles came to these, or to new ones. Of several for one entity the last counts.
    pub fn clashes<'a>(&self, wishes: impl IntoIterator<Item = (Option<Entity>, &'a Parts)>) -> bool {
        let (mut of_living, mut of_new) = (BTreeMap::new(), Vec::new());
        for (entity, parts) in wishes {
            if let Some((_, wanted)) = parts.iter().find(|(kind, _)| *kind == UUID) {
                match entity {
                    Some(entity) => drop(of_living.insert(entity, *wanted)),
                    None => of_new.push(*wanted),
                }
            }
        }
        if of_living.is_empty() && of_new.is_empty() {
            return false;
        }
        for (entity, row) in self.rows.values() {
            if let Some(value) = row.value(UUID) {
                of_living.entry(*entity).or_insert(value);
            }
        }
        let mut seen = BTreeSet::new();
        !of_living.into_values().chain(of_new).all(|value| seen.insert(value))
    }

    /// Whether somebody else has the uuid of a bundle that comes to an entity, or to a new one.
    pub fn is_taken(&self, entity: Option<Entity>, parts: &Parts) -> bool {
        self.clashes([(entity, parts)])
    }

    /// Whether an entity of another world cannot come, because its uuid is taken.
    pub fn is_taken_here(&self, value: Option<u32>) -> bool {
        value.is_some_and(|value| self.is_taken(None, &[(UUID, value)]))
    }
}

impl Pair {
    /// Finds entities by one name and one uuid.
    fn find(&self, number: u32) {
        let text = name(number);
        let must = self.naive.those(|row| row.value(NAME) == Some(number));
        assert_eq!(self.world.named(&text), must.first().copied(), "named {text}");
        assert_eq!(self.world.all_named(&text).collect::<Vec<_>>(), must, "all named {text}");
        let must = self.naive.those(|row| row.value(UUID) == Some(number));
        assert!(must.len() <= 1, "a uuid is given once");
        assert_eq!(self.world.by_uuid(&uuid(number)), must.first().copied(), "uuid {number}");
    }

    /// Finds all entities that have a name or a uuid.
    pub fn compare_known(&self) {
        let mut names: BTreeMap<u32, Vec<Entity>> = BTreeMap::new();
        let mut uuids = BTreeMap::new();
        for (entity, row) in self.naive.rows.values() {
            row.value(NAME).into_iter().for_each(|value| names.entry(value).or_default().push(*entity));
            uuids.extend(row.value(UUID).map(|value| (value, *entity)));
        }
        for number in (0..NAME_VALUES).chain([REQUIRED_VALUE]) {
            let must = names.remove(&number).unwrap_or_default();
            assert!(self.world.all_named(&name(number)).eq(must), "all named {number}");
        }
        for number in 0..UUID_VALUES {
            assert_eq!(self.world.by_uuid(&uuid(number)), uuids.get(&number).copied(), "uuid {number}");
        }
        assert!(names.is_empty() && uuids.keys().all(|number| *number < UUID_VALUES), "the model knows all of them");
    }
}

impl Driver {
    pub fn find(&mut self, number: u32) {
        self.pair().find(number % UUID_VALUES);
    }
}

/// Runs a call that is refused by a panic, because a uuid is taken; nothing is printed.
pub fn refused_for_a_uuid<R>(call: impl FnOnce() -> R) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(call));
    std::panic::set_hook(hook);
    let Err(panic) = result else { panic!("a uuid that is taken was given") };
    let said = panic.downcast_ref::<String>().map_or("", String::as_str);
    assert!(said.starts_with("error[E006]"), "refused with another message: {said}");
}
