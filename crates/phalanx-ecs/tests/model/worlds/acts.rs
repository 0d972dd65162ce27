//! What can be done to the naive world, and whom that tells.
//!
//! Each of these is the plain meaning of an operation of the real world, whether it is called directly, comes out of a queue of commands or is wanted
//! by an observer.

use super::components::{REQUIRED_VALUE, is_cloneable, is_sparse, requires};
use super::naive::Naive;
use super::row::Row;
use phalanx_ecs::{Act, Entity};
use std::collections::BTreeSet;

/// The kinds and values of a bundle, in its order.
pub type Parts = [(usize, u32)];

/// What kinds require, directly or not, beyond themselves.
pub fn required(kinds: &[usize]) -> Vec<usize> {
    let mut required = Vec::new();
    let mut level = kinds.to_vec();
    while !level.is_empty() {
        let mut next = Vec::new();
        for kind in level.iter().flat_map(|kind| requires(*kind)) {
            if !kinds.contains(kind) && !required.contains(kind) {
                required.push(*kind);
                next.push(*kind);
            }
        }
        level = next;
    }
    required
}

fn kinds_of(parts: &Parts) -> Vec<usize> {
    parts.iter().map(|(kind, _)| *kind).collect()
}

/// Puts components into a row, and what they require and the row does not have.
pub fn put_all(row: &mut Row, parts: &Parts) {
    for (kind, value) in parts {
        row.put(*kind, *value);
    }
    for kind in required(&kinds_of(parts)) {
        if !row.has(kind) {
            row.put(kind, REQUIRED_VALUE);
        }
    }
}

/// The row of a new entity.
pub fn made(parts: &Parts) -> Row {
    let mut row = Row::default();
    put_all(&mut row, parts);
    row
}

/// Takes components off a row; answers how many were there.
pub fn strip(row: &mut Row, kinds: &[usize]) -> usize {
    kinds.iter().filter(|kind| row.remove(**kind).is_some()).count()
}

/// Several changes of one entity, made as one. The last word on each component counts.
#[derive(Default)]
pub struct Edits {
    add: Vec<(usize, u32)>,
    remove: Vec<usize>,
}

impl Edits {
    fn add(&mut self, kind: usize, value: u32) {
        self.remove.retain(|removed| *removed != kind);
        match self.add.iter_mut().find(|(added, _)| *added == kind) {
            Some((_, old)) => *old = value,
            None => self.add.push((kind, value)),
        }
    }

    pub fn insert(&mut self, row: &Row, parts: &Parts) {
        let kinds = kinds_of(parts);
        let added = |edits: &Self, kind| edits.add.iter().any(|(added, _)| *added == kind);
        let stays = |edits: &Self, kind| added(edits, kind) || row.has(kind) && !edits.remove.contains(&kind);
        let missing: Vec<usize> = required(&kinds).into_iter().filter(|kind| !stays(self, *kind)).collect();
        for (kind, value) in parts {
            self.add(*kind, *value);
        }
        for kind in missing {
            self.add(kind, REQUIRED_VALUE);
        }
    }

    pub fn remove(&mut self, kinds: &[usize]) {
        for kind in kinds {
            if !self.remove.contains(kind) {
                self.remove.push(*kind);
            }
            self.add.retain(|(added, _)| added != kind);
        }
    }
}

impl Naive {
    /// The components of an entity in the order in which observers are told that they go: those in its table, then sparse ones.
    fn in_order(&self, entity: Entity) -> Vec<usize> {
        let Some(row) = self.row(entity) else { return Vec::new() };
        let (mut tables, mut sparse) = (Vec::new(), Vec::new());
        for &kind in self.registered.iter().filter(|kind| row.has(**kind)) {
            if is_sparse(kind) { sparse.push(kind) } else { tables.push(kind) }
        }
        assert_eq!(tables.len() + sparse.len(), row.len(), "what entities have is registered");
        tables.extend(sparse);
        tables
    }

    fn tell_of_arrival(&mut self, entity: Entity, kinds: &[usize]) {
        for &kind in kinds {
            if self.row(entity).is_some_and(|row| row.has(kind)) {
                self.tell(Act::Insert, kind, entity);
            }
        }
    }

    pub fn spawn(&mut self, entity: Entity, parts: &Parts) {
        self.spawn_all(&[(entity, parts.to_vec())]);
    }

    /// New entities, which all have the same kinds of components.
    pub fn spawn_all(&mut self, new: &[(Entity, Vec<(usize, u32)>)]) {
        for (entity, parts) in new {
            self.born(*entity, made(parts));
        }
        for (entity, parts) in new {
            let mut kinds = kinds_of(parts);
            kinds.extend(required(&kinds));
            self.tell_of_arrival(*entity, &kinds);
        }
        self.leave();
    }

    /// Inserts a bundle into an entity; answers whether it is alive.
    pub fn insert(&mut self, entity: Entity, parts: &Parts) -> bool {
        let alive = self.is_alive(entity);
        if alive {
            self.insert_all(&[(entity, parts.to_vec())]);
        }
        alive
    }

    /// Inserts bundles, of one type, into living entities. Who is named twice is told of once.
    pub fn insert_all(&mut self, list: &[(Entity, Vec<(usize, u32)>)]) {
        let (mut arrivals, mut told) = (Vec::new(), BTreeSet::new());
        for (entity, parts) in list.iter().filter(|(entity, _)| told.insert(*entity)) {
            let own = kinds_of(parts);
            for kind in own.iter().copied().chain(required(&own)) {
                let has = self.row(*entity).is_some_and(|row| row.has(kind));
                if has && own.contains(&kind) {
                    self.tell(Act::Replace, kind, *entity);
                }
                if !has || own.contains(&kind) {
                    arrivals.push((*entity, kind));
                }
            }
        }
        for (entity, parts) in list {
            put_all(self.row_mut(*entity).expect("alive"), parts);
        }
        for (entity, kind) in arrivals {
            self.tell_of_arrival(entity, &[kind]);
        }
        self.leave();
    }

    /// Removes components from living entities; answers how many there were.
    pub fn remove_all(&mut self, entities: &[Entity], kinds: &[usize]) -> usize {
        let mut told = BTreeSet::new();
        for entity in entities.iter().filter(|entity| told.insert(**entity)) {
            for kind in kinds {
                if self.row(*entity).is_some_and(|row| row.has(*kind)) {
                    self.tell(Act::Remove, *kind, *entity);
                }
            }
        }
        let mut removed = 0;
        for entity in entities {
            removed += strip(self.row_mut(*entity).expect("alive"), kinds);
        }
        self.leave();
        removed
    }

    /// Removes components; answers how many there were, if the entity is alive.
    pub fn remove(&mut self, entity: Entity, kinds: &[usize]) -> Option<usize> {
        self.is_alive(entity).then(|| self.remove_all(&[entity], kinds))
    }

    /// Removes all other components; answers how many there were, if the entity is alive.
    pub fn retain(&mut self, entity: Entity, kinds: &[usize]) -> Option<usize> {
        let going: Vec<usize> = self.in_order(entity).into_iter().filter(|kind| !kinds.contains(kind)).collect();
        self.remove(entity, &going)
    }

    /// Several changes as one.
    pub fn edit(&mut self, entity: Entity, edits: &Edits) {
        for &kind in &edits.remove {
            if self.row(entity).is_some_and(|row| row.has(kind)) {
                self.tell(Act::Remove, kind, entity);
            }
        }
        let own = kinds_of(&edits.add);
        let mut arrivals = Vec::new();
        for kind in own.iter().copied().chain(required(&own)) {
            let has = self.row(entity).is_some_and(|row| row.has(kind));
            if has && own.contains(&kind) {
                self.tell(Act::Replace, kind, entity);
            }
            if !has || own.contains(&kind) {
                arrivals.push(kind);
            }
        }
        let row = self.row_mut(entity).expect("alive");
        strip(row, &edits.remove);
        for (kind, value) in &edits.add {
            row.put(*kind, *value);
        }
        self.tell_of_arrival(entity, &arrivals);
        self.leave();
    }

    /// Tells observers that entities are about to end.
    fn tell_of_end(&mut self, entities: &[Entity]) {
        for entity in entities {
            let kinds = self.in_order(*entity);
            for act in [Act::Despawn, Act::Remove] {
                for kind in &kinds {
                    self.tell(act, *kind, *entity);
                }
            }
        }
    }

    /// Ends living entities, in this order.
    pub fn despawn_all(&mut self, entities: &[Entity]) {
        self.tell_of_end(entities);
        for entity in entities {
            self.bury(entity.index());
        }
        self.leave();
    }

    /// Ends an entity; answers whether it was alive.
    pub fn despawn(&mut self, entity: Entity) -> bool {
        let alive = self.is_alive(entity);
        if alive {
            self.despawn_all(&[entity]);
        }
        alive
    }

    /// Ends an entity and leaves its row; answers whether it was alive.
    pub fn despawn_lazy(&mut self, entity: Entity) -> bool {
        let alive = self.is_alive(entity);
        if alive {
            self.tell_of_end(&[entity]);
            self.lay(entity);
            self.leave();
        }
        alive
    }

    pub fn clear(&mut self) {
        let all = self.those(|_| true);
        self.despawn_all(&all);
    }

    /// Switches a component; answers whether it was on, if it is there.
    pub fn switch(&mut self, entity: Entity, kind: usize, on: bool) -> Option<bool> {
        let was_on = self.row_mut(entity)?.switch(kind, on)?;
        if was_on != on {
            self.tell(if on { Act::SwitchOn } else { Act::SwitchOff }, kind, entity);
            self.leave();
        }
        Some(was_on)
    }

    /// What a copy of a row has, or `None` if something cannot be cloned.
    pub fn cloned(row: &Row, partly: bool) -> Option<Row> {
        let mut copy = row.renewed();
        copy.retain(is_cloneable);
        (partly || copy.len() == row.len()).then_some(copy)
    }

    /// A copy, or an entity of another world, has come.
    pub fn arrive(&mut self, entity: Entity, row: &Row) {
        self.born(entity, row.renewed());
        let kinds = self.in_order(entity);
        self.tell_of_arrival(entity, &kinds);
        self.leave();
    }
}
