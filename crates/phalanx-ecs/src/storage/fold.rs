//! Several changes of one entity, one after the other, made in one move.
//!
//! ```text
//! insert Velocity, insert Mass, remove Asleep      {Position, Asleep} ──► {Position, Velocity, Mass}
//!                                                  values go straight from where they wait into the row at the end
//! ```
//!
//! Only where each of the changes by itself would be nothing but moving bytes, over others or not (its edge *folds*): then nobody can tell the difference. What a list of changes
//! comes to is remembered: programs queue the same list for one entity after the other.

#![expect(unsafe_code, reason = "moves rows between tables and values into them")]

use super::bundles::{BundleId, EdgeId, Way};
use super::column::ColumnIndex;
use super::edit::two_tables;
use super::plan::MovePlan;
use super::store::Store;
use super::table::{Table, most_rows};
use crate::bundle::{BundleParts, PartVisitor};
use crate::component::Component;
use crate::entity::{Entity, Ids, Location, TableId};
use std::any::TypeId;
use std::sync::Arc;

/// At most so many changes are made at once.
pub(crate) const LONGEST: usize = 8;
/// So many lists of changes are remembered.
const REMEMBERED: usize = 8;

/// So many changes, at least one, are to be made one by one.
pub(crate) struct OneByOne(pub(crate) usize);

/// A change of one entity by a bundle.
pub(crate) struct Step {
    inserts: bool,
    /// The edge of the change from a table, if the bundle is known.
    find: fn(&mut Store, TableId) -> Option<EdgeId>,
    /// Moves the parts of a bundle into a row, each into the column named by its slot, if it has one.
    write: unsafe fn(*mut u8, &[u32], &Table, usize),
}

impl Step {
    pub(crate) const fn insert<P: BundleParts>() -> Self {
        Self { inserts: true, find: insert_edge::<P>, write: write::<P> }
    }

    pub(crate) const fn remove<P: BundleParts>() -> Self {
        Self { inserts: false, find: remove_edge::<P>, write: write_nothing }
    }
}

fn known_bundle<P: BundleParts>(store: &Store) -> Option<BundleId> {
    store.bundles.known(TypeId::of::<P>())
}

fn insert_edge<P: BundleParts>(store: &mut Store, from: TableId) -> Option<EdgeId> {
    // Where a bundle leads that requires a shared component depends on the value that is made.
    let typed = known_bundle::<P>(store).filter(|bundle| store.bundles.way(*bundle) == Way::Typed);
    typed.map(|bundle| store.insert_edge(from, bundle))
}

fn remove_edge<P: BundleParts>(store: &mut Store, from: TableId) -> Option<EdgeId> {
    known_bundle::<P>(store).map(|bundle| store.remove_edge(from, bundle))
}

/// Moves the parts of a bundle into a row.
struct WriteSlots<'a> {
    slots: &'a [u32],
    next: usize,
    table: &'a Table,
    row: usize,
}

impl PartVisitor for WriteSlots<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        debug_assert!(self.next < self.slots.len());
        // SAFETY: one slot per part: a column of the table for `T`, or none, and one of its rows; the value is ours to move. One that goes again
        // before the end has nothing to drop.
        unsafe {
            let slot = *self.slots.get_unchecked(self.next);
            self.next += 1;
            if size_of::<T>() > 0 && slot != u32::MAX {
                let column = self.table.column_unchecked(ColumnIndex(slot)).data().cast::<T>();
                column.add(self.row).as_ptr().copy_from_nonoverlapping(value, 1);
            }
        }
    }
}

/// # Safety
/// 1. `parts` points to a `P` that nobody uses again.
/// 2. There is a slot per component of `P`: its column in the table, or none.
/// 3. `row` is a row of the table.
unsafe fn write<P: BundleParts>(parts: *mut u8, slots: &[u32], table: &Table, row: usize) {
    // SAFETY: by (1) to (3).
    unsafe { P::each_part(parts.cast(), &mut WriteSlots { slots, next: 0, table, row }) };
}

/// # Safety
/// None.
unsafe fn write_nothing(_: *mut u8, _: &[u32], _: &Table, _: usize) {}

/// Where a list of changes leads from a table.
pub(super) struct Folded {
    from: u32,
    /// Whether the first of them is the spawn of an entity.
    spawns: bool,
    steps: Vec<&'static Step>,
    /// How many of the changes are made at once, from the first on; 0 if they are to be made one by one.
    count: usize,
    /// How many are to be made one by one before others can be made at once.
    skipped: usize,
    target: TableId,
    plan: Arc<MovePlan>,
    /// The slots of what is inserted, one list after the other.
    slots: Vec<u32>,
    /// Where the list of each change ends.
    ends: [u32; LONGEST],
}

impl Folded {
    fn is_of(&self, from: TableId, spawns: bool, steps: &[&'static Step]) -> bool {
        self.from as usize == from.index()
            && self.spawns == spawns
            && self.steps.len() == steps.len()
            // A constant may have several addresses: then a list is remembered twice.
            && self.steps.iter().zip(steps).all(|(a, b)| std::ptr::eq(*a, *b))
    }
}

impl Store {
    /// What a list of changes comes to, by its number among those remembered.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn folded(&mut self, from: TableId, spawns: bool, steps: &[&'static Step]) -> Option<usize> {
        let last = self.bundles.last_folded;
        match self.bundles.folded.get(last) {
            Some(folded) if folded.is_of(from, spawns, steps) => Some(last),
            _ => self.find_folded(from, spawns, steps),
        }
    }

    #[inline(never)]
    fn find_folded(&mut self, from: TableId, spawns: bool, steps: &[&'static Step]) -> Option<usize> {
        let known = self.bundles.folded.iter().position(|folded| folded.is_of(from, spawns, steps));
        let found = known.or_else(|| self.fold(from, spawns, steps))?;
        self.bundles.last_folded = found;
        Some(found)
    }

    #[cold]
    #[inline(never)]
    fn fold(&mut self, from: TableId, spawns: bool, steps: &[&'static Step]) -> Option<usize> {
        // Of each change, as long as they are simple: its bundle's parts, and the table after it. No further, so that no archetype is made that one by one
        // would not be.
        let (mut at, mut path) = (from, Vec::new());
        for step in steps {
            let edge = (step.find)(self, at)?;
            let edge = self.bundles.edge(edge);
            if !edge.folds {
                break;
            }
            at = edge.target_table;
            path.push((Arc::clone(&edge.parts), at));
        }
        let mut count = path.len();
        // Who comes back to its table is in another row of it then: it must go there by itself.
        while !spawns && path[..count].iter().any(|step| step.1 != from) && path[count - 1].1 == from {
            count -= 1;
        }
        let has_dead = self.tables[from.index()].dead().ones() > 0;
        let count = if count < 2 || !spawns && has_dead { 0 } else { count };
        // After what is not simple, others may be.
        let skipped = (path.len() + 1).min(steps.len());
        let target = if count == 0 { from } else { path[count - 1].1 };
        let plan = if spawns || target == from {
            Arc::default()
        } else {
            let (from, to) = (self.tables[from.index()].archetype(), self.tables[target.index()].archetype());
            self.plan(from, to)
        };
        let (mut slots, mut ends) = (Vec::new(), [0; LONGEST]);
        for at in 0..count {
            if steps[at].inserts {
                for part in path[at].0.iter() {
                    let column = self.tables[target.index()].map().column(part.component);
                    slots.push(column.map_or(u32::MAX, |column| column.0));
                }
            }
            ends[at] = u32::try_from(slots.len()).expect("few components");
        }
        let from = u32::try_from(from.index()).expect("a table number");
        let folded = Folded { from, spawns, steps: steps.to_vec(), count, skipped, target, plan, slots, ends };
        if self.bundles.folded.len() == REMEMBERED {
            self.bundles.folded.remove(0);
        }
        self.bundles.folded.push(folded);
        Some(self.bundles.folded.len() - 1)
    }

    /// Makes changes of a live entity in one move, as many of the first ones as can be; answers how many, or how many to make one by one. The parts
    /// that are inserted by those that were made are moved out of where they wait. Does not panic.
    ///
    /// # Safety
    /// 1. `parts` has, for each step that inserts, a pointer to the bundle it inserts, which nobody uses again if the step is made.
    /// 2. There are at most [`LONGEST`] steps, and as many pointers.
    pub(crate) unsafe fn apply_steps(
        &mut self,
        entity: Entity,
        steps: &[&'static Step],
        parts: &[*mut u8],
    ) -> Result<usize, OneByOne> {
        let from = self.entities.locate(entity).ok_or(OneByOne(steps.len()))?;
        let found = self.folded(from.table, false, steps).ok_or(OneByOne(1))?;
        let folded = &self.bundles.folded[found];
        let target = folded.target;
        if folded.count == 0 || self.tables[target.index()].len() >= most_rows() {
            return Err(OneByOne(folded.skipped));
        }
        if target == from.table {
            // SAFETY: the row is the entity's, and has all that is written; nothing that is written over has anything to drop.
            unsafe { folded.write(parts, &self.tables[target.index()], from.row.index()) };
            return Ok(folded.count);
        }
        // SAFETY: the plan is from the entity's archetype to another, where room is made before anything moves. What arrives is written right after, and nothing
        // in between can panic: along edges that fold nothing has anything to drop.
        unsafe {
            let (source, table) = two_tables(&mut self.tables, from.table, target);
            table.reserve_one();
            let row = folded.plan.execute(source, table, &mut self.entities, entity.index(), from, target);
            folded.write(parts, table, row);
        }
        Ok(folded.count)
    }

    /// [`Store::apply_steps`] for an entity with a reserved id, which the first step spawns. There is room for it.
    ///
    /// # Safety
    /// As [`Store::apply_steps`].
    pub(crate) unsafe fn spawn_steps(
        &mut self,
        entity: Entity,
        steps: &[&'static Step],
        parts: &[*mut u8],
    ) -> Result<usize, OneByOne> {
        let found = self.folded(self.nothing(), true, steps).ok_or(OneByOne(1))?;
        let folded = &self.bundles.folded[found];
        let target = folded.target;
        let table = &mut self.tables[target.index()];
        if folded.count == 0 || table.len() >= most_rows() {
            return Err(OneByOne(folded.skipped));
        }
        table.reserve_one();
        self.entities.enliven(&Ids::One(entity));
        // SAFETY: there is room, and the parts, which are all there is to the row, are written as soon as it is part of the table; nothing in between can panic.
        unsafe {
            let row = table.commit_row(entity.index());
            self.entities.set_location(entity.index(), Location { table: target, row });
            folded.write(parts, table, row.index());
        }
        Ok(folded.count)
    }
}

impl Folded {
    /// Moves what the changes insert into its row.
    ///
    /// # Safety
    /// 1. As (1) and (2) of [`Store::apply_steps`], for these steps.
    /// 2. `row` is a row of `table`, which is the target.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn write(&self, parts: &[*mut u8], table: &Table, row: usize) {
        let mut start = 0;
        for (at, step) in self.steps[..self.count].iter().enumerate() {
            let end = self.ends[at] as usize;
            if end > start {
                // SAFETY: by (1) and (2); the slots were made for the target.
                unsafe { (step.write)(parts[at], &self.slots[start..end], table, row) };
            }
            start = end;
        }
    }
}
