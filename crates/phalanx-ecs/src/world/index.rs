//! Indexes: entities by the hash of what one of their components says.
//!
//! ```text
//! hash of "orc"  ─► 3v0
//! hash of "rat"  ─► { 5v0, 8v1, 9v0 }      several in order: lowest index first
//! ```
//!
//! An index keeps no values. Whoever asks compares those of the entities it finds, so two texts of one hash do no harm.

use crate::component::{FixedState, Folder};
use crate::entity::{Entity, Uuid};

use std::collections::{BTreeSet, HashMap};

/// What a value is found by.
pub(super) fn hash_of_name(name: &str) -> u64 {
    let mut folder = Folder::new();
    folder.bytes(name.as_bytes());
    folder.sum()
}

/// What a value is found by.
pub(super) fn hash_of_uuid(uuid: Uuid) -> u64 {
    let [high, low] = [uuid.as_u128() >> 64, uuid.as_u128() & u128::from(u64::MAX)];
    let mut folder = Folder::new();
    folder.words([high, low].map(|half| u64::try_from(half).expect("one half")));
    folder.sum()
}

/// Entities by hash.
#[derive(Default)]
pub(super) struct Index {
    by_hash: HashMap<u64, Holders, FixedState>,
    /// How many entities there are in it.
    len: usize,
}

enum Holders {
    One(Entity),
    /// At least one; often several.
    Many(BTreeSet<Entity>),
}

impl Index {
    /// Adds an entity; one that is there stays.
    pub(super) fn add(&mut self, hash: u64, entity: Entity) {
        let added = match self.by_hash.get_mut(&hash) {
            None => {
                self.by_hash.insert(hash, Holders::One(entity));
                true
            }
            Some(Holders::One(known)) if *known == entity => false,
            Some(Holders::Many(set)) => set.insert(entity),
            Some(one @ Holders::One(_)) => {
                let Holders::One(known) = *one else { unreachable!("matched") };
                *one = Holders::Many(BTreeSet::from([known, entity]));
                true
            }
        };
        self.len += usize::from(added);
    }

    /// Takes an entity off, if it is there.
    pub(super) fn remove(&mut self, hash: u64, entity: Entity) {
        let (removed, empty) = match self.by_hash.get_mut(&hash) {
            None => (false, false),
            Some(Holders::One(known)) => (*known == entity, *known == entity),
            Some(Holders::Many(set)) => (set.remove(&entity), set.is_empty()),
        };
        self.len -= usize::from(removed);
        if empty {
            self.by_hash.remove(&hash);
        }
    }

    /// The entities of a hash, lowest index first.
    pub(super) fn of(&self, hash: u64) -> impl Iterator<Item = Entity> + '_ {
        let (one, many) = match self.by_hash.get(&hash) {
            None => (None, None),
            Some(Holders::One(entity)) => (Some(*entity), None),
            Some(Holders::Many(set)) => (None, Some(set)),
        };
        one.into_iter().chain(many.into_iter().flatten().copied())
    }

    /// Whether an entity is in it by this hash.
    pub(super) fn has(&self, hash: u64, entity: Entity) -> bool {
        match self.by_hash.get(&hash) {
            None => false,
            Some(Holders::One(known)) => *known == entity,
            Some(Holders::Many(set)) => set.contains(&entity),
        }
    }

    /// How many entities there are in it.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of the map and the sets in it.
    pub(super) fn bytes(&self) -> usize {
        let places = if self.by_hash.capacity() == 0 { 0 } else { (self.by_hash.capacity() + 1).next_power_of_two() };
        let mut sets = 0;
        for holders in self.by_hash.values() {
            if let Holders::Many(set) = holders {
                // What a tree needs beside its keys differs.
                sets += set.len() * size_of::<Entity>() * 3 / 2;
            }
        }
        places * (size_of::<(u64, Holders)>() + 1) + sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(index: u32) -> Entity {
        Entity::from_parts(index, 0).expect("in range")
    }

    #[test]
    fn entities_of_one_hash_are_found_in_order() {
        let mut index = Index::default();
        for n in [5, 3, 9, 3, 1] {
            index.add(7, entity(n));
        }
        index.add(8, entity(2));
        assert!(index.of(7).eq([1, 3, 5, 9].map(entity)));
        assert!(index.of(8).eq([entity(2)]));
        assert_eq!((index.of(9).count(), index.len()), (0, 5));
        index.remove(7, entity(2));
        index.remove(9, entity(2));
        assert_eq!(index.len(), 5, "what is not there does not go");
        for n in [3, 9, 1, 5] {
            index.remove(7, entity(n));
        }
        index.remove(8, entity(2));
        assert_eq!((index.len(), index.by_hash.len()), (0, 0), "nothing is left behind");
    }
}
