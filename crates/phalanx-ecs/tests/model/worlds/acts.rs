//! What can be done to the naive world, and whom that tells.
//!
//! Each of these is the plain meaning of an operation of the real world, whether it is called directly, comes out of a queue of commands or is wanted
//! by an observer.

use super::components::{KINDS, REQUIRED_VALUE, depends_on, is_cloneable, is_sparse, requires};
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

/// Takes components off a row, and the tags that depend on them; answers how many of the former were there.
pub fn strip(row: &mut Row, kinds: &[usize]) -> usize {
    let count = kinds.iter().filter(|kind| row.has(**kind)).count();
    for kind in with_dependents(kinds) {
        row.remove(kind);
    }
    count
}

/// Kinds with the tags that go when they go.
pub fn with_dependents(kinds: &[usize]) -> Vec<usize> {
    let (mut all, mut next) = (kinds.to_vec(), 0);
    while next < all.len() {
        let gone = all[next];
        for tag in (0..KINDS).filter(|tag| depends_on(*tag).contains(&gone)) {
            if !all.contains(&tag) {
                all.push(tag);
            }
        }
        next += 1;
    }
    all
}

/// Whether a tag would come into a row without what it depends on.
pub fn lacks(row: &Row, kinds: &[usize]) -> bool {
    let mut coming = kinds.to_vec();
    coming.extend(required(kinds));
    let there = |kind: &usize| coming.contains(kind) || row.has(*kind);
    coming.iter().any(|tag| !row.has(*tag) && !depends_on(*tag).iter().all(there))
}

/// What came of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Dead,
    /// A tag depends on what the entity would not have.
    Lacks,
    /// Another entity has the uuid.
    Taken,
}

/// Several changes of one entity, made as one. The last word on each component counts.
#[derive(Default)]
pub struct Edits {
    add: Vec<(usize, u32)>,
    remove: Vec<usize>,
}

impl Edits {
    fn add(&mut self, kind: usize, value: u32) {
        match self.add.iter_mut().find(|(added, _)| *added == kind) {
            Some((_, old)) => *old = value,
            None => self.add.push((kind, value)),
        }
    }

    /// Answers whether it is not refused.
    pub fn insert(&mut self, row: &Row, parts: &Parts) -> bool {
        let kinds = kinds_of(parts);
        let mut staged = row.clone();
        strip(&mut staged, &self.remove);
        self.add.iter().for_each(|(kind, value)| staged.put(*kind, *value));
        if lacks(&staged, &kinds) {
            return false;
        }
        let added = |edits: &Self, kind| edits.add.iter().any(|(added, _)| *added == kind);
        let stays = |edits: &Self, kind| added(edits, kind) || row.has(kind) && !edits.remove.contains(&kind);
        let missing: Vec<usize> = required(&kinds).into_iter().filter(|kind| !stays(self, *kind)).collect();
        for (kind, value) in parts {
            self.add(*kind, *value);
        }
        for kind in missing {
            self.add(kind, REQUIRED_VALUE);
        }
        true
    }

    pub fn remove(&mut self, kinds: &[usize]) {
        for kind in with_dependents(kinds) {
            if !self.remove.contains(&kind) {
                self.remove.push(kind);
            }
            self.add.retain(|(added, _)| *added != kind);
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

    /// Inserts a bundle into an entity, if it is alive and lacks nothing.
    pub fn insert(&mut self, entity: Entity, parts: &Parts) -> Outcome {
        match self.row(entity) {
            None => Outcome::Dead,
            Some(row) if lacks(row, &kinds_of(parts)) => Outcome::Lacks,
            Some(_) if self.is_taken(Some(entity), parts) => Outcome::Taken,
            Some(_) => {
                self.insert_part(&[(entity, parts.to_vec())]);
                self.leave();
                Outcome::Done
            }
        }
    }

    /// Inserts bundles, of one type, into living entities, part by part: none of the parts names an entity twice.
    pub fn insert_all(&mut self, list: &[(Entity, Vec<(usize, u32)>)]) {
        let mut rest = list;
        while !rest.is_empty() {
            let mut seen = BTreeSet::new();
            let end = rest.iter().position(|(entity, _)| !seen.insert(*entity)).unwrap_or(rest.len());
            self.insert_part(&rest[..end]);
            rest = &rest[end..];
        }
        self.leave();
    }

    fn insert_part(&mut self, list: &[(Entity, Vec<(usize, u32)>)]) {
        let mut arrivals = Vec::new();
        for (entity, parts) in list {
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
    }

    /// Removes components from living entities; answers how many there were.
    pub fn remove_all(&mut self, entities: &[Entity], kinds: &[usize]) -> usize {
        let mut told = BTreeSet::new();
        for entity in entities.iter().filter(|entity| told.insert(**entity)) {
            for kind in with_dependents(kinds) {
                if self.row(*entity).is_some_and(|row| row.has(kind)) {
                    self.tell(Act::Remove, kind, *entity);
                    self.lose(kind, *entity, false);
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
        // Here tags that go along are counted.
        let all: Vec<usize> = with_dependents(&going);
        let count = all.iter().filter(|kind| self.row(entity).is_some_and(|row| row.has(**kind))).count();
        self.remove(entity, &going).map(|_| count)
    }

    /// Several changes as one.
    pub fn edit(&mut self, entity: Entity, edits: &Edits) {
        for &kind in &edits.remove {
            if self.row(entity).is_some_and(|row| row.has(kind)) {
                self.tell(Act::Remove, kind, entity);
                self.lose(kind, entity, false);
            }
        }
        let own = kinds_of(&edits.add);
        let mut arrivals = Vec::new();
        for kind in own.iter().copied().chain(required(&own)) {
            // What was removed in the same breath is not replaced.
            let has = self.row(entity).is_some_and(|row| row.has(kind)) && !edits.remove.contains(&kind);
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
            for kind in kinds {
                self.lose(kind, *entity, true);
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
