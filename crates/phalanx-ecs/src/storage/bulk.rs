//! Changing whole tables at once.
//!
//! Where all rows of a table make the same move and the target has none, the table is *relabelled*: it gets the target's columns (the
//! old ones, plus or minus a few) and changes archetypes with the empty table. No row and no location is touched. Otherwise the columns are
//! appended to the target's, one copy per column.

#![expect(unsafe_code, reason = "moves whole columns between tables")]

use super::archetype::ArchetypeId;
use super::bundles::{DuplicateInBundle, EdgeId, Way};
use super::column::Column;
use super::spawn::{Beside, WriteParts};
use super::store::Store;
use super::table::{TagDrop, row_of};
use crate::bundle::BundleParts;
use crate::component::{ComponentId, Panics, Registry, SetId, StorageKind};
use crate::entity::{Entity, Location};
use std::mem::ManuallyDrop;

/// Columns being filled that belong to no table yet.
struct Detached {
    columns: Vec<Column>,
    capacity: usize,
    written: usize,
    tags: Vec<TagDrop>,
}

impl Detached {
    fn new(components: &[ComponentId], registry: &Registry, capacity: usize) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        let mut tags = Vec::new();
        for component in components {
            let info = registry.at(*component);
            match info.kind {
                StorageKind::Column => columns.push(Column::new(info)),
                StorageKind::Tag => tags.extend(TagDrop::new(info)),
                StorageKind::Set(_) | StorageKind::Shared(_) => unreachable!("filled by column"),
            }
        }
        for column in &columns {
            column.layout(capacity);
        }
        for column in &mut columns {
            // SAFETY: new columns have capacity 0.
            unsafe { column.resize(0, capacity) };
        }
        Self { columns, capacity, written: 0, tags }
    }

    fn pointers<P: BundleParts>(&self, components: &[ComponentId], registry: &Registry) -> P::Columns {
        let mut columns = self.columns.iter();
        let mut components = components.iter();
        P::columns(&mut || {
            let component = components.next().expect("one component per part");
            match registry.at(*component).kind {
                StorageKind::Column => columns.next().expect("one column per component").data().as_ptr(),
                // A tag: nothing is written there, but the pointer must be aligned for it.
                StorageKind::Tag | StorageKind::Set(_) | StorageKind::Shared(_) => {
                    std::ptr::without_provenance_mut(1 << 29)
                }
            }
        })
    }

    /// Drops the values; the memory goes with the columns.
    fn drop_values(&mut self, panics: &mut Panics) {
        let written = std::mem::take(&mut self.written);
        for column in &mut self.columns {
            // SAFETY: so many rows are written, and with `written` at 0 nobody drops them again.
            panics.catch(|| unsafe { column.drop_range(0, written) });
        }
        for tag in std::mem::take(&mut self.tags) {
            // SAFETY: so many were made or taken off, and belong to nobody else.
            panics.catch(|| unsafe { tag.drop(written) });
        }
    }

    /// Hands the columns on; their values are somebody else's now.
    fn release(mut self) -> Vec<Column> {
        self.written = 0;
        self.capacity = 0;
        self.tags.clear();
        std::mem::take(&mut self.columns)
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        self.drop_values(&mut panics);
        for column in &mut self.columns {
            // SAFETY: this is its capacity; the columns are going away.
            unsafe { column.free(self.capacity) };
        }
        // A panic is on its way already, or this is the last act of a removal that reports its own.
        panics.ignore();
    }
}

impl Store {
    /// Inserts a bundle into every entity of an archetype; `make` is asked for each, in row order. Panics of drops are kept.
    ///
    /// `alike` says that `make` does nothing but clone one bundle: where clones are copies, one is made and copied.
    pub(crate) fn insert_into_all<P: BundleParts>(
        &mut self,
        archetype: ArchetypeId,
        alike: bool,
        make: &mut impl FnMut(Entity) -> P,
        panics: &mut Panics,
    ) -> Result<(), DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        let table_id = self.archetypes[archetype.index()].table;
        self.collect_table(table_id, panics);
        if self.tables[table_id.index()].len() == 0 {
            return Ok(());
        }
        if self.bundles.way(bundle) != Way::Typed {
            self.insert_one_by_one(archetype, make, panics);
            return Ok(());
        }
        let edge_id = self.insert_edge(table_id, bundle);
        let edge = self.bundles.edge(edge_id);
        let simple = edge.sets.is_empty() && edge.missing.is_empty();
        if simple && edge.target == archetype {
            self.replace_in_all(archetype, edge_id, make, panics);
        } else if simple && edge.parts.iter().all(|part| !part.present) {
            let target = edge.target;
            self.reserve_for_all(archetype, target);
            let components = self.bundles.components(bundle);
            let table = &self.tables[table_id.index()];
            let mut fresh = Detached::new(components, &self.registry, table.capacity());
            let columns = fresh.pointers::<P>(components, &self.registry);
            let repeat = P::COPY && alike;
            let rows = if repeat { &table.entities()[..1] } else { table.entities() };
            for (row, &index) in rows.iter().enumerate() {
                // SAFETY: an index in a table is alive.
                let entity = unsafe { self.entities.entity_at_unchecked(index) };
                let mut parts = ManuallyDrop::new(make(entity));
                // SAFETY: the parts are ours; every column has room for all rows of the table.
                unsafe { P::write_row(&raw mut *parts, columns, row) };
                fresh.written += 1;
            }
            if repeat {
                // SAFETY: row 0 is written, and there is room for all rows of the table; all parts are `Copy`.
                fresh.columns.iter().for_each(|column| unsafe { column.repeat_first(table.len()) });
                fresh.written = table.len();
            }
            let fresh = fresh.release();
            // SAFETY: the new columns have the table's capacity and a value for each of its rows; room was made.
            unsafe { self.move_all(archetype, target, fresh) };
        } else {
            self.insert_one_by_one(archetype, make, panics);
        }
        Ok(())
    }

    fn insert_one_by_one<P: BundleParts>(
        &mut self,
        archetype: ArchetypeId,
        make: &mut impl FnMut(Entity) -> P,
        panics: &mut Panics,
    ) {
        for entity in self.entities_of(archetype) {
            let parts = make(entity);
            if self.insert_keeping(entity, parts, panics).is_err() {
                unreachable!("the entity is alive and the bundle is known");
            }
        }
    }

    /// Whether inserting a bundle, which has no shared parts, would move no entity of an archetype.
    pub(crate) fn has_all_of<P: BundleParts>(&mut self, archetype: ArchetypeId) -> Result<bool, DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        let table = self.archetypes[archetype.index()].table;
        let edge = self.insert_edge(table, bundle);
        Ok(self.bundles.edge(edge).target == archetype)
    }

    fn replace_in_all<P: BundleParts>(
        &mut self,
        archetype: ArchetypeId,
        edge: EdgeId,
        make: &mut impl FnMut(Entity) -> P,
        panics: &mut Panics,
    ) {
        let table = &self.tables[self.archetypes[archetype.index()].table.index()];
        let (edge, now) = (self.bundles.edge(edge), self.era.now());
        for (row, &index) in table.entities().iter().enumerate() {
            // SAFETY: an index in a table is alive.
            let entity = unsafe { self.entities.entity_at_unchecked(index) };
            let mut parts = ManuallyDrop::new(make(entity));
            // SAFETY: the edge's targets are for this bundle and archetype; the row is initialised; the parts are ours.
            unsafe {
                let beside = Beside { sets: &mut self.sets, pools: &mut self.pools };
                let mut write = WriteParts::new(&edge.parts, table, row, beside, index, now, panics);
                P::each_part(&raw mut *parts, &mut write);
            }
        }
    }

    /// Removes those components of a bundle that the entities of an archetype have, from all of them; answers how many values went.
    pub(crate) fn remove_from_all<P: BundleParts>(
        &mut self,
        archetype: ArchetypeId,
    ) -> Result<usize, DuplicateInBundle> {
        let bundle = self.bundle::<P>()?;
        let table_id = self.archetypes[archetype.index()].table;
        let mut panics = Panics::default();
        self.collect_table(table_id, &mut panics);
        let rows = self.tables[table_id.index()].len();
        if rows == 0 {
            panics.resume();
            return Ok(0);
        }
        let edge_id = self.remove_edge(table_id, bundle);
        let edge = self.bundles.edge(edge_id);
        let (target, present, sets) = (edge.target, edge.present, edge.sets.clone());
        let removed = rows * present + self.take_from_all(archetype, target, &sets, &mut panics);
        panics.resume();
        Ok(removed)
    }

    /// Removes those of the components given that the entities of an archetype have, from all of them, with the tags that depend on them; answers how many
    /// values went, without those tags. Panics of drops are kept.
    #[inline]
    pub(crate) fn remove_ids_from_all(
        &mut self,
        archetype: ArchetypeId,
        components: &[ComponentId],
        panics: &mut Panics,
    ) -> usize {
        let table_id = self.archetypes[archetype.index()].table;
        self.collect_table(table_id, panics);
        let rows = self.tables[table_id.index()].len();
        if rows == 0 {
            return 0;
        }
        let removed = self.with_dependents(components);
        let present = components.iter().filter(|c| self.archetypes[archetype.index()].has(**c)).count();
        let target = self.archetype_minus(archetype, &removed);
        let mut sets = Vec::new();
        for component in &removed {
            if let StorageKind::Set(set) = self.registry.at(*component).kind {
                sets.push(set);
            }
        }
        rows * present + self.take_from_all(archetype, target, &sets, panics)
    }

    /// Gives a tag of a type made at run time to every entity of an archetype that has what the tag depends on. Panics of drops are kept.
    #[inline]
    pub(crate) fn tag_all(&mut self, archetype: ArchetypeId, tag: ComponentId, panics: &mut Panics) {
        let info = self.registry.at(tag);
        assert!(
            info.is_tag() && info.drop.is_none() && info.requires.is_empty(),
            "nothing is written, nothing else comes"
        );
        let table_id = self.archetypes[archetype.index()].table;
        self.collect_table(table_id, panics);
        if self.archetypes[archetype.index()].has(tag) || self.tables[table_id.index()].len() == 0 {
            return;
        }
        let target = self.archetype_plus(archetype, vec![tag], &[]);
        self.reserve_for_all(archetype, target);
        // SAFETY: a tag has no column, so none arrives; room was made.
        unsafe { self.move_all(archetype, target, Vec::new()) };
    }

    /// Gives a tag of a type made at run time to living entities that have what it depends on. Panics of drops are kept.
    #[inline]
    pub(crate) fn tag_each(&mut self, entities: &[Entity], tag: ComponentId, panics: &mut Panics) {
        let info = self.registry.at(tag);
        assert!(
            info.is_tag() && info.drop.is_none() && info.requires.is_empty(),
            "nothing is written, nothing else comes"
        );
        // Where the last one went: neighbours in a list are mostly neighbours in a table.
        let mut last = None;
        for entity in entities {
            let from = self.entities.locate(*entity).expect("alive, as the caller has asked");
            let archetype = self.tables[from.table.index()].archetype();
            if self.archetypes[archetype.index()].has(tag) {
                continue;
            }
            let target = match last {
                Some((source, target)) if source == archetype => target,
                _ => self.archetype_plus(archetype, vec![tag], &[]),
            };
            last = Some((archetype, target));
            let table = self.archetypes[target.index()].table;
            self.tables[table.index()].reserve_one();
            // SAFETY: alive and there; a tag has no column, so nothing has to be written.
            unsafe { self.relocate(entity.index(), from, target, panics) };
        }
    }

    /// Moves all rows of an archetype to one that has no more than it, and takes them out of sparse sets; answers how many values went from those. What leaves
    /// is dropped, and panics of that are kept.
    fn take_from_all(
        &mut self,
        archetype: ArchetypeId,
        target: ArchetypeId,
        sets: &[SetId],
        panics: &mut Panics,
    ) -> usize {
        let table_id = self.archetypes[archetype.index()].table;
        let (rows, mut removed) = (self.tables[table_id.index()].len(), 0);
        if target != archetype {
            self.reserve_for_all(archetype, target);
        }
        if !sets.is_empty() {
            for &index in self.tables[table_id.index()].entities() {
                for set in sets {
                    removed += usize::from(self.sets.remove(*set, index, panics));
                }
            }
        }
        if target != archetype {
            let tags = self.plan(archetype, target).leaving_tags.clone();
            let capacity = self.tables[table_id.index()].capacity();
            // SAFETY: nothing arrives, and room was made.
            let columns = unsafe { self.move_all(archetype, target, Vec::new()) };
            let mut leaving = Detached { columns, capacity, written: rows, tags: tags.into() };
            leaving.drop_values(panics);
            self.leave(archetype, target, rows, panics);
        }
        removed
    }

    /// Makes room for all rows of an archetype in another one, if that takes more than changing labels. Done before the first value moves: this can panic.
    pub(super) fn reserve_for_all(&mut self, from: ArchetypeId, to: ArchetypeId) {
        let rows = self.table_of(from).len();
        let target = &mut self.tables[self.archetypes[to.index()].table.index()];
        if target.len() > 0 {
            target.reserve(rows);
        }
    }

    /// Moves all rows of an archetype to another one; answers the columns that left, with the capacity the table had.
    ///
    /// # Safety
    /// 1. `arriving` are the columns that the target has and the source has not, with the table's capacity and a value per row.
    /// 2. There is room (`reserve_for_all`).
    pub(super) unsafe fn move_all(&mut self, from: ArchetypeId, to: ArchetypeId, arriving: Vec<Column>) -> Vec<Column> {
        let target = self.archetypes[to.index()].table;
        if self.tables[target.index()].len() == 0 {
            // SAFETY: passed on; the target is empty.
            unsafe { self.relabel(from, to, arriving) }
        } else {
            // SAFETY: passed on.
            unsafe { self.append(from, to, arriving) }
        }
    }

    /// # Safety
    /// 1. As (1) of `move_all`.
    /// 2. The target has no rows.
    unsafe fn relabel(&mut self, from: ArchetypeId, to: ArchetypeId, arriving: Vec<Column>) -> Vec<Column> {
        let (full, empty) = (self.archetypes[from.index()].table, self.archetypes[to.index()].table);
        let plan = self.plan(from, to);
        let leaves = plan.leaving_positions();
        let mut shape = self.shape_of(to);
        let table = &mut self.tables[full.index()];
        for copied in plan.copies() {
            std::mem::swap(&mut table.columns_mut()[copied.from().index()], &mut shape.columns[copied.to().index()]);
        }
        for column in arriving {
            let at = shape.map.column(column.component()).expect("an arriving column is one of the target's");
            shape.columns[at.index()] = column;
        }
        shape.sides.take_over(std::mem::take(table.sides_mut()), table.len(), self.era.now());
        // SAFETY: each column of the new shape came from this table or arrived with its capacity and rows, by (1).
        let old = unsafe { table.reshape(shape) };
        table.archetype = to;
        let shape = self.shape_of(from);
        self.tables[empty.index()].replace(from, shape);
        self.archetypes[from.index()].table = empty;
        self.archetypes[to.index()].table = full;
        self.bundles.retarget(&self.archetypes, [from, to]);
        self.redraw_epoch_for_tables();
        // What was swapped out is empty and without memory; the others are those that leave.
        old.into_iter().enumerate().filter(|(at, _)| leaves.contains(at)).map(|(_, column)| column).collect()
    }

    /// # Safety
    /// As `move_all`.
    unsafe fn append(&mut self, from: ArchetypeId, to: ArchetypeId, arriving: Vec<Column>) -> Vec<Column> {
        let (plan, shape) = (self.plan(from, to), self.shape_of(from));
        let (source_id, target_id) = (self.archetypes[from.index()].table, self.archetypes[to.index()].table);
        let [source, target] =
            self.tables.get_disjoint_mut([source_id.index(), target_id.index()]).expect("two different tables");
        let (rows, capacity) = (source.len(), source.capacity());
        let first = target.len();
        debug_assert!(target.capacity() - first >= rows, "room was made before anything moved");
        // SAFETY: the plan's columns are of these tables; the target has room for `rows` more by (2); values are moved, the source forgets them.
        unsafe {
            for copied in plan.copies() {
                let column = source.column_unchecked(copied.from());
                target.cell(copied.to(), first).copy_from_nonoverlapping(column.cell(0), rows * column.size());
            }
        }
        for mut column in arriving {
            let at = target.map().column(column.component()).expect("an arriving column is one of the target's");
            // SAFETY: as above; the arriving column gave its values away and is freed with the capacity it has by (1).
            unsafe {
                target.cell(at, first).copy_from_nonoverlapping(column.cell(0), rows * column.size());
                column.free(capacity);
            }
        }
        for (offset, &index) in source.entities().iter().enumerate() {
            self.entities.set_location(index, Location { table: target_id, row: row_of(first + offset) });
        }
        // SAFETY: room was reserved, and every column was written.
        unsafe { target.commit_rows(source.entities().iter().copied()) };
        target.carry_all_sides(source, first, self.era.now());
        let leaves = plan.leaving_positions();
        // SAFETY: all values that stay were moved to the target, those that leave belong to the caller.
        let old = unsafe { source.dismantle(shape) };
        let mut gone = Vec::with_capacity(leaves.len());
        for (at, mut column) in old.into_iter().enumerate() {
            if leaves.contains(&at) {
                gone.push(column);
            } else {
                // SAFETY: this was its capacity, and its values were moved away.
                unsafe { column.free(capacity) };
            }
        }
        gone
    }

    /// The entities of an archetype, in row order.
    pub(crate) fn entities_of(&self, archetype: ArchetypeId) -> Vec<Entity> {
        self.table_of(archetype).living().map(|index| self.entities.entity_at(index)).collect()
    }

    /// Ends all entities of an archetype.
    pub(crate) fn despawn_all(&mut self, archetype: ArchetypeId) {
        let mut panics = Panics::default();
        self.collect_table(self.archetypes[archetype.index()].table, &mut panics);
        let table = &mut self.tables[self.archetypes[archetype.index()].table.index()];
        self.entities.free_indices(table.entities());
        for &index in table.entities() {
            if self.sets.has_any(index) {
                self.sets.remove_all(index, &mut panics);
            }
        }
        let rows = table.len();
        table.clear(&mut panics);
        self.leave(archetype, ArchetypeId::EMPTY, rows, &mut panics);
        panics.resume();
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::MOST_ROWS;
    use super::*;
    use crate::component::{Component, Storage};
    use crate::entity::EntityConfig;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    /// Counted by its handle.
    struct Held<const SPARSE: bool>(Arc<()>);
    impl<const SPARSE: bool> Component for Held<SPARSE> {
        const STORAGE: Storage = if SPARSE { Storage::Sparse } else { Storage::Table };
        fn clone_fn() -> Option<fn(&Self) -> Self> {
            Some(|held| Self(Arc::clone(&held.0)))
        }
    }
    struct X(#[expect(dead_code, reason = "has a size")] u8);
    impl Component for X {}

    /// Does something while tables and sets can have no more rows than `rows`; it must panic.
    fn without_room(rows: usize, act: impl FnOnce()) {
        MOST_ROWS.set(rows);
        let result = catch_unwind(AssertUnwindSafe(act));
        MOST_ROWS.set(u32::MAX as usize);
        assert!(result.is_err(), "there was room");
    }

    fn store() -> Store {
        Store::new(EntityConfig::default())
    }

    fn spawn<P: BundleParts>(store: &mut Store, parts: P) -> Entity {
        store.spawn(parts).unwrap_or_else(|_| panic!("room"))
    }

    #[test]
    fn a_table_without_room_for_another_leaves_both_as_they_are() {
        let (count, mut store) = (Arc::new(()), store());
        let held = || Held::<false>(Arc::clone(&count));
        for _ in 0..6 {
            spawn(&mut store, (X(0), held(), Held::<true>(Arc::clone(&count))));
        }
        for _ in 0..6 {
            spawn(&mut store, X(0));
        }
        let archetypes: Vec<ArchetypeId> = [&[0_usize, 1][..], &[0]]
            .map(|at| store.archetype(at.iter().map(|c| ComponentId::new(*c)).collect(), &[]))
            .into();
        let mut panics = Panics::default();
        // Values that arrive, and values that leave together with sparse ones.
        without_room(8, || {
            assert!(store.insert_into_all(archetypes[1], false, &mut |_| held(), &mut panics).is_ok());
        });
        assert_eq!((Arc::strong_count(&count), store.table_of(archetypes[1]).len()), (13, 6));
        without_room(8, || {
            assert!(store.remove_from_all::<(Held<false>, Held<true>)>(archetypes[0]).is_ok());
        });
        assert_eq!((Arc::strong_count(&count), store.table_of(archetypes[0]).len()), (13, 6));
        store.validate().expect("consistent");
        drop(store);
        assert_eq!(Arc::strong_count(&count), 1);
    }

    fn a_copy_or_a_move_without_room<const SPARSE: bool>() {
        let (count, mut here, mut there) = (Arc::new(()), store(), store());
        for store in [&mut here, &mut there] {
            // Room in the table of entities without table components, so that only the set is full.
            store.tables[0].reserve(32);
            for _ in 0..8 {
                spawn(store, Held::<SPARSE>(Arc::clone(&count)));
            }
        }
        let original = here.entities.entity_at(3);
        let before = (Arc::strong_count(&count), here.entities.stats(), there.entities.stats());
        without_room(8, || drop(here.clone_entity(original, false)));
        without_room(8, || drop(here.prepare_transfer(original, &mut there)));
        let after = (Arc::strong_count(&count), here.entities.stats(), there.entities.stats());
        assert_eq!(before, after, "no id is taken, no value lost");
        here.validate().expect("consistent");
        there.validate().expect("consistent");
        drop((here, there));
        assert_eq!(Arc::strong_count(&count), 1);
    }

    #[test]
    fn a_copy_or_a_move_without_room_in_the_table_changes_nothing() {
        a_copy_or_a_move_without_room::<false>();
    }

    #[test]
    fn a_copy_or_a_move_without_room_in_the_set_changes_nothing() {
        a_copy_or_a_move_without_room::<true>();
    }
}
