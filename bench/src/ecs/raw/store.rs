//! The hand-written stores.

use crate::components::*;
use crate::harness::Digest;

/// Entities of four components.
///
/// ```text
/// generations [ 0 | 0 | 1 | 0 ]      by id
/// locations   [ 0 | 2 | - | 1 ]      by id: the row of its components
/// ids         [ 0 | 3 | 1 ]          by row, like the four columns
/// ```
#[derive(Default)]
pub struct Soa {
    pub generations: Vec<u32>,
    pub locations: Vec<u32>,
    pub ids: Vec<u32>,
    pub transforms: Vec<Transform>,
    pub positions: Vec<Position>,
    pub rotations: Vec<Rotation>,
    pub velocities: Vec<Velocity>,
}

impl Soa {
    pub fn spawn(&mut self, (transform, position, rotation, velocity): Row) {
        let id = self.generations.len() as u32;
        self.generations.push(0);
        self.locations.push(self.ids.len() as u32);
        self.ids.push(id);
        self.transforms.push(transform);
        self.positions.push(position);
        self.rotations.push(rotation);
        self.velocities.push(velocity);
    }

    pub fn despawn(&mut self, id: u32) {
        let row = self.locations[id as usize] as usize;
        self.generations[id as usize] += 1;
        self.transforms.swap_remove(row);
        self.positions.swap_remove(row);
        self.rotations.swap_remove(row);
        self.velocities.swap_remove(row);
        self.ids.swap_remove(row);
        if let Some(&moved) = self.ids.get(row) {
            self.locations[moved as usize] = row as u32;
        }
    }

    pub fn of_rows(rows: impl Iterator<Item = Row>) -> Self {
        let mut soa = Self::default();
        rows.for_each(|row| soa.spawn(row));
        soa
    }

    pub fn digest(&self) -> Digest {
        let columns = self.transforms.iter().zip(&self.positions).zip(&self.rotations).zip(&self.velocities);
        Digest::of(columns.map(|(((t, p), r), v)| (t, p, r, v)))
    }
}

/// Positions and velocities.
pub struct Movers {
    pub positions: Vec<Position>,
    pub velocities: Vec<Velocity>,
}

impl Movers {
    pub fn new(count: usize) -> Self {
        let (positions, velocities) = movers(count).unzip();
        Self { positions, velocities }
    }

    pub fn step(&mut self) {
        self.positions.iter_mut().zip(&self.velocities).for_each(|(position, velocity)| position.step(velocity));
    }

    pub fn digest(&self) -> Digest {
        Digest::of(self.positions.iter().zip(&self.velocities))
    }
}

/// A sparse set of `B` beside entities that are just indices.
///
/// ```text
/// sparse [ - | 1 | - | 0 ]      by entity: its place in `dense`
/// dense  [ 3 b | 1 b ]          by place: the entity and its `B`
/// ```
///
/// Pairs, not two columns: one length to keep makes insert and remove a quarter faster.
pub struct SparseSet {
    a: Vec<A>,
    sparse: Vec<u32>,
    dense: Vec<(u32, B)>,
}

/// The place of an entity without `B`.
const ABSENT: u32 = u32::MAX;

impl SparseSet {
    pub fn new(count: usize) -> Self {
        let a = (0..count).map(|i| A { value: i as f32 }).collect();
        Self { a, sparse: vec![ABSENT; count], dense: Vec::new() }
    }

    fn insert(&mut self, entity: u32, value: B) {
        let place = &mut self.sparse[entity as usize];
        if *place == ABSENT {
            *place = self.dense.len() as u32;
            self.dense.push((entity, value));
        } else {
            self.dense[*place as usize].1 = value;
        }
    }

    fn remove(&mut self, entity: u32) -> Option<B> {
        let place = std::mem::replace(&mut self.sparse[entity as usize], ABSENT);
        if place == ABSENT {
            return None;
        }
        let (_, value) = self.dense.swap_remove(place as usize);
        if let Some(&(moved, _)) = self.dense.get(place as usize) {
            self.sparse[moved as usize] = place;
        }
        Some(value)
    }

    pub fn insert_all(&mut self) {
        for entity in 0..self.sparse.len() as u32 {
            self.insert(entity, B { value: 1.0 });
        }
    }

    pub fn remove_all(&mut self) {
        for entity in 0..self.sparse.len() as u32 {
            self.remove(entity);
        }
    }

    pub fn digest(&mut self) -> Digest {
        let mut digest = Digest::of(&self.a);
        self.insert_all();
        digest.extend(self.dense.iter().map(|&(entity, b)| (self.a[entity as usize], b)));
        self.remove_all();
        digest
    }
}
