//! Changing one row: insert, remove, take, despawn.

#![expect(unsafe_code, reason = "moves rows between tables and values in and out of them")]

use super::archetype::ArchetypeId;
use super::bundles::{BundleId, DuplicateInBundle, EdgeId, Way};
use super::depend::Lack;
use super::spawn::{Beside, NewRow, WriteParts, WritePlain, build_required, commit_required};
use super::store::Store;
use super::table::{Table, row_of};
use crate::bundle::BundleParts;
use crate::component::{ComponentId, Panics, StorageKind};
use crate::entity::{Entity, Location, NoSuchEntity, TableId};
use std::mem::ManuallyDrop;

/// Why an entity was not changed.
pub(crate) enum EditRefusal {
    Dead(NoSuchEntity),
    Duplicate(DuplicateInBundle),
    /// Components that were asked for and are not there.
    Absent(Vec<ComponentId>),
    /// A tag that was to come depends on what is not there.
    Lacks(Lack),
}

/// How the parts of a bundle get to an entity.
pub(super) enum Insertion {
    Along(EdgeId),
    /// Where to depends on their values.
    ByValue(BundleId),
}

impl From<DuplicateInBundle> for EditRefusal {
    fn from(duplicate: DuplicateInBundle) -> Self {
        Self::Duplicate(duplicate)
    }
}

impl From<NoSuchEntity> for EditRefusal {
    fn from(dead: NoSuchEntity) -> Self {
        Self::Dead(dead)
    }
}

impl Store {
    /// Where an entity is, or why it is not alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn locate(&self, entity: Entity) -> Result<Location, NoSuchEntity> {
        self.entities.locate(entity).ok_or_else(|| self.why(entity))
    }

    /// Inserts a bundle where that is nothing but moving bytes; hands the parts back where it is not.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn insert_fast<P: BundleParts>(&mut self, entity: Entity, parts: P) -> Result<(), P> {
        if let Some(place) = self.entities.locate_loose(entity)
            // SAFETY: just found.
            && let from = unsafe { place.read() }
            && let Some(shortcut) = self.bundles.insert_shortcut::<P>(from.table)
        {
            // SAFETY: the target and the plan are those of an edge from the entity's archetype to another, where room is made before anything moves. What
            // arrives is written at once, and nothing in between can panic: a plain edge replaces and drops nothing. No location was touched since `place` was found.
            unsafe {
                let to = shortcut.target;
                let (source, target) = two_tables(&mut self.tables, from.table, to);
                target.reserve_one();
                let mut parts = ManuallyDrop::new(parts);
                let row = target.commit_row(entity.index());
                place.write(Location { table: to, row });
                let mut write = WritePlain { targets: &shortcut.parts, next: 0, table: target, row: row.index() };
                P::each_part(&raw mut *parts, &mut write);
                shortcut.plan.move_values(source, target, &mut self.entities, from, row.index());
            }
            return Ok(());
        }
        Err(parts)
    }

    /// Inserts a bundle; values that are there already are replaced and dropped. Keeps panics of drops. Those of constructors go on: then nothing was inserted.
    pub(crate) fn insert_keeping<P: BundleParts>(
        &mut self,
        entity: Entity,
        parts: P,
        panics: &mut Panics,
    ) -> Result<(), EditRefusal> {
        match self.insertable::<P>(entity) {
            Ok((from, Insertion::Along(edge))) => self.insert_along(edge, entity.index(), from, parts, panics),
            Ok((from, Insertion::ByValue(bundle))) => {
                self.insert_by_value(bundle, entity.index(), from, parts, panics);
            }
            Err(refusal) => {
                panics.catch(|| drop(parts));
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// Where an entity is, and how a bundle gets there.
    #[inline]
    pub(super) fn insertable<P: BundleParts>(&mut self, entity: Entity) -> Result<(Location, Insertion), EditRefusal> {
        let from = self.locate(entity)?;
        let bundle = self.bundle::<P>()?;
        let index = Some(entity.index());
        let (insertion, lack) = if self.bundles.way(bundle) == Way::Typed {
            let edge = self.insert_edge(from.table, bundle);
            (Insertion::Along(edge), self.lack_along(edge, index))
        } else {
            (Insertion::ByValue(bundle), self.lack_for(bundle, from.table, index))
        };
        lack.map_or(Ok((from, insertion)), |lack| Err(EditRefusal::Lacks(lack)))
    }

    /// Inserts a bundle of which the shared parts, if any, have been sought.
    pub(super) fn insert_along<P: BundleParts>(
        &mut self,
        edge_id: EdgeId,
        index: u32,
        from: Location,
        parts: P,
        panics: &mut Panics,
    ) {
        let now = self.era.now();
        let edge = self.bundles.edge(edge_id);
        let target = edge.target_table;
        let moves = target != from.table;
        if moves {
            self.tables[target.index()].reserve_one();
        }
        if !edge.missing.is_empty() {
            let new = NewRow { table: &self.tables[target.index()], index };
            if let Err(mut panics) = build_required(&self.registry, &mut self.sets, &edge.missing, new) {
                panics.catch(|| drop(parts));
                panics.resume();
                unreachable!("a constructor panicked");
            }
        }
        let mut parts = ManuallyDrop::new(parts);
        // From here to the end nothing panics but drops, which are caught.
        let row = if moves {
            // SAFETY: the plan is the edge's, from the entity's archetype to another; there is room; what arrives is written just below.
            unsafe {
                let (source, table) = two_tables(&mut self.tables, from.table, target);
                let row = edge.plan.execute(source, table, &mut self.entities, index, from, target);
                table.carry_sides(source, from.row.index(), now);
                row
            }
        } else {
            from.row.index()
        };
        // SAFETY: the edge's targets are for this bundle and archetype; the row is the entity's, and initialised where the source archetype had a
        // component; the parts are ours to move.
        unsafe {
            let table = &self.tables[target.index()];
            let beside = Beside { sets: &mut self.sets, pools: &mut self.pools };
            let mut write = WriteParts::new(&edge.parts, table, row, beside, index, now, panics);
            P::each_part(&raw mut *parts, &mut write);
        }
        commit_required(&self.registry, &mut self.sets, &edge.missing, index, now);
    }

    /// Removes and drops those components of a bundle that are there; answers how many were.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn remove<P: BundleParts>(&mut self, entity: Entity) -> Result<usize, EditRefusal> {
        match self.remove_fast::<P>(entity) {
            Some(removed) => Ok(removed),
            None => self.remove_slowly::<P>(entity),
        }
    }

    /// [`Store::remove`] where it is nothing but moving bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn remove_fast<P: BundleParts>(&mut self, entity: Entity) -> Option<usize> {
        if let Some(place) = self.entities.locate_loose(entity)
            // SAFETY: just found.
            && let from = unsafe { place.read() }
            && let Some(shortcut) = self.bundles.remove_shortcut::<P>(from.table)
        {
            // SAFETY: the plan and the target are those of an edge from the entity's archetype to another, where room is made; nothing arrives when
            // components are removed, and nothing that leaves along a plain edge has anything to drop. No location was touched since `place` was found.
            unsafe {
                let to = shortcut.target;
                let (source, target) = two_tables(&mut self.tables, from.table, to);
                target.reserve_one();
                let row = target.commit_row(entity.index());
                place.write(Location { table: to, row });
                shortcut.plan.move_values(source, target, &mut self.entities, from, row.index());
            }
            return Some(shortcut.present);
        }
        None
    }

    /// [`Store::remove`] off the shortcut.
    #[inline(never)]
    pub(crate) fn remove_slowly<P: BundleParts>(&mut self, entity: Entity) -> Result<usize, EditRefusal> {
        let from = self.locate(entity)?;
        let bundle = self.bundle::<P>()?;
        let edge_id = self.remove_edge(from.table, bundle);
        Ok(self.remove_along(edge_id, entity.index(), from))
    }

    fn remove_along(&mut self, edge_id: EdgeId, index: u32, from: Location) -> usize {
        let archetype = self.tables[from.table.index()].archetype();
        let edge = self.bundles.edge(edge_id);
        let mut panics = Panics::default();
        let mut removed = 0;
        let (to, target) = (edge.target, edge.target_table);
        if target != from.table {
            removed += edge.present;
            self.tables[target.index()].reserve_one();
            // SAFETY: the plan is the edge's, from the entity's archetype to another with room; nothing arrives when components are removed.
            unsafe {
                let (source, table) = two_tables(&mut self.tables, from.table, target);
                if edge.plan.drops {
                    edge.plan.drop_leaving(source, from.row.index(), &mut panics);
                }
                edge.plan.execute(source, table, &mut self.entities, index, from, target);
                table.carry_sides(source, from.row.index(), self.era.now());
            }
        }
        for set in &edge.sets {
            removed += usize::from(self.sets.remove(*set, index, &mut panics));
        }
        self.leave(archetype, to, 1, &mut panics);
        panics.resume();
        removed
    }

    /// Removes a bundle without shared parts and hands it back; refused if any of it is not there.
    pub(crate) fn take<P: BundleParts>(&mut self, entity: Entity) -> Result<P, EditRefusal> {
        let from = self.locate(entity)?;
        let bundle = self.bundle::<P>()?;
        let index = entity.index();
        let components = self.bundles.components(bundle).to_vec();
        let absent: Vec<_> = components.iter().copied().filter(|c| !self.has(index, from, *c)).collect();
        if !absent.is_empty() {
            return Err(EditRefusal::Absent(absent));
        }
        let edge_id = self.remove_edge(from.table, bundle);
        let target = self.bundles.edge(edge_id).target_table;
        let moves = target != from.table;
        if moves {
            self.tables[target.index()].reserve_one();
        }
        let edge = self.bundles.edge(edge_id);
        let table = &self.tables[from.table.index()];
        let mut panics = Panics::default();
        let mut next = components.iter();
        // SAFETY: every component is there, so each pointer is to a valid value (or aligned, for a tag); below the row and the sparse values
        // are taken out without dropping them, and nothing in between can panic.
        let parts = unsafe {
            P::read(&mut || {
                let component = *next.next().expect("one component per part");
                let info = self.registry.at(component);
                match info.kind {
                    StorageKind::Set(set) => self.sets.get(set).cell(index).expect("it is there"),
                    StorageKind::Tag => std::ptr::without_provenance_mut(info.align()),
                    StorageKind::Shared(_) => unreachable!("refused by the caller"),
                    StorageKind::Column => {
                        table.cell(table.map().column(component).expect("it is there"), from.row.index())
                    }
                }
            })
        };
        if moves {
            // SAFETY: the plan is the edge's, there is room, nothing arrives; what leaves was moved out above.
            unsafe {
                let (source, table) = two_tables(&mut self.tables, from.table, target);
                edge.plan.execute(source, table, &mut self.entities, index, from, target);
                table.carry_sides(source, from.row.index(), self.era.now());
            }
        }
        for set in &edge.sets {
            self.sets.take(*set, index, |_| ());
        }
        for tag in edge.plan.leaving_tags.iter().filter(|tag| !components.contains(&tag.component)) {
            // SAFETY: the entity owned one and lost it by the move, because it depends on what was taken.
            panics.catch(|| unsafe { tag.drop(1) });
        }
        if panics.any() {
            panics.catch(|| drop(parts));
            panics.resume();
            unreachable!("a drop panicked");
        }
        Ok(parts)
    }

    /// Moves a row to another archetype that has nothing the present one lacks, or whose new columns the caller then fills. What leaves
    /// is dropped, except for shared values: the caller [tells](Store::shift) those of both archetypes.
    ///
    /// # Safety
    /// 1. `index` is alive and at `from`.
    /// 2. If the target has columns that the source lacks, the caller writes them before anything reads the row or can panic.
    pub(super) unsafe fn relocate(
        &mut self,
        index: u32,
        from: Location,
        to: ArchetypeId,
        panics: &mut Panics,
    ) -> Location {
        let archetype = self.tables[from.table.index()].archetype();
        if archetype == to {
            return from;
        }
        let plan = self.plan(archetype, to);
        let target = self.archetypes[to.index()].table;
        self.tables[target.index()].reserve_one();
        // SAFETY: the plan is for these archetypes, which differ; the rest by (1) and (2).
        let row = unsafe {
            let (source, table) = two_tables(&mut self.tables, from.table, target);
            if plan.drops {
                plan.drop_leaving(source, from.row.index(), panics);
            }
            let row = plan.execute(source, table, &mut self.entities, index, from, target);
            table.carry_sides(source, from.row.index(), self.era.now());
            row
        };
        Location { table: target, row: row_of(row) }
    }

    /// Removes and drops everything but the components given; answers how many went.
    pub(crate) fn retain(&mut self, entity: Entity, keep: &[ComponentId]) -> Result<usize, NoSuchEntity> {
        let from = self.locate(entity)?;
        let removed: Vec<ComponentId> =
            self.components_of(entity.index(), from).into_iter().filter(|c| !keep.contains(c)).collect();
        // Whatever is lost counts: nobody has named it.
        let removed = self.with_dependents(&removed);
        Ok(self.remove_ids(entity.index(), from, &removed))
    }

    /// Removes and drops those of the components given that a live entity has, with the tags that depend on them; answers how many, without those tags.
    pub(crate) fn remove_ids(&mut self, index: u32, from: Location, removed: &[ComponentId]) -> usize {
        let count = removed.iter().filter(|c| self.has(index, from, **c)).count();
        let removed = &*self.with_dependents(removed);
        let archetype = self.tables[from.table.index()].archetype();
        let target = self.archetype_minus(archetype, removed);
        let mut panics = Panics::default();
        // SAFETY: the entity is alive and there; nothing arrives.
        unsafe { self.relocate(index, from, target, &mut panics) };
        for component in removed {
            if let StorageKind::Set(set) = self.registry.at(*component).kind {
                self.sets.remove(set, index, &mut panics);
            }
        }
        self.leave(archetype, target, 1, &mut panics);
        panics.resume();
        count
    }

    /// Ends an entity and drops all it has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        if self.despawn_fast(entity) { Ok(()) } else { self.despawn_slowly(entity) }
    }

    /// [`Store::despawn`] where it is nothing but moving bytes; answers whether it was.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn despawn_fast(&mut self, entity: Entity) -> bool {
        // Everything that is not simple is asked before the first change and done elsewhere: so there is no call here to keep registers for.
        if let Some(location) = self.entities.locate(entity)
            && self.entities.dies_simply(entity)
            && !self.sets.has_any(entity.index())
        {
            // SAFETY: a location names a table of the store.
            let table = unsafe { self.tables.get_unchecked_mut(location.table.index()) };
            if !table.is_attended() {
                // SAFETY: the entity is alive, and dies simply. The row is its own, and none of its values has anything to drop. Indices in
                // tables are alive, except for the one taken out.
                unsafe {
                    self.entities.free_simply(entity);
                    if let Some(moved) = table.take_row(location.row.index()) {
                        self.entities.set_location_unchecked(moved, location);
                    }
                }
                return true;
            }
        }
        false
    }

    /// [`Store::despawn`] where something is to be dropped, taken out of sparse sets or made room for.
    #[inline(never)]
    pub(crate) fn despawn_slowly(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let (index, location) = (entity.index(), self.entities.free(entity).map_err(|_| self.why(entity))?);
        let table = &mut self.tables[location.table.index()];
        let (archetype, row) = (table.archetype(), location.row.index());
        let mut panics = Panics::default();
        // SAFETY: the row is the entity's; it is dropped once and then taken out.
        let moved = unsafe {
            table.drop_row(row, &mut panics);
            table.take_row(row)
        };
        table.drop_sides(row);
        if let Some(moved) = moved {
            self.entities.set_location(moved, location);
        }
        self.sets.remove_all(index, &mut panics);
        self.leave(archetype, ArchetypeId::EMPTY, 1, &mut panics);
        panics.resume();
        Ok(())
    }
}

/// Two tables of a store at once.
///
/// # Safety
/// 1. They are tables of the store, and not the same.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn two_tables(tables: &mut [Table], a: TableId, b: TableId) -> (&mut Table, &mut Table) {
    debug_assert_ne!(a, b);
    let base = tables.as_mut_ptr();
    // SAFETY: in range and apart by (1).
    unsafe { (&mut *base.add(a.index()), &mut *base.add(b.index())) }
}
