//! New rows: one, a batch from an iterator, a batch given as columns.

#![expect(unsafe_code, reason = "writes values into rows that are not part of a table yet")]

use super::bundles::{BundleId, DuplicateInBundle, EdgeId, Missing, Target, Way};
use super::column::ColumnIndex;
use super::columns::Columns;
use super::depend::Lack;
use super::pool::Pools;
use super::sparse::SparseSets;
use super::store::Store;
use super::table::{Table, row_of};
use crate::bundle::{Bundle, BundleParts, PartVisitor};
use crate::component::{Component, DropFn, Panics, PoolId, Registry, SetId, Storage, StorageKind, granted};
use crate::entity::{Entities, EntitiesFull, Entity, Location, Spawned, TableId};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, needs_drop};

/// So many rows are made room for in advance, if an iterator promises them.
const MOST_EXPECTED: usize = 1 << 24;

/// Why nothing was spawned.
#[doc(hidden)]
pub enum SpawnRefusal {
    Full(EntitiesFull),
    Duplicate(DuplicateInBundle),
    /// A tag depends on what is not in the bundle.
    Lacks(Lack),
    /// Columns of different lengths: the first's and the odd one's.
    Lengths {
        first: usize,
        other: usize,
        position: usize,
    },
}

impl From<DuplicateInBundle> for SpawnRefusal {
    fn from(duplicate: DuplicateInBundle) -> Self {
        Self::Duplicate(duplicate)
    }
}

impl From<EntitiesFull> for SpawnRefusal {
    fn from(full: EntitiesFull) -> Self {
        Self::Full(full)
    }
}

/// Moves the parts of a bundle to where they belong; old values are dropped.
pub(super) struct WriteParts<'a> {
    targets: &'a [Target],
    next: usize,
    table: &'a Table,
    row: usize,
    beside: Beside<'a>,
    index: u32,
    now: u32,
    panics: &'a mut Panics,
}

/// Where values are that are in no column.
pub(super) struct Beside<'a> {
    pub(super) sets: &'a mut SparseSets,
    pub(super) pools: &'a mut Pools,
}

impl<'a> WriteParts<'a> {
    /// # Safety
    /// 1. `targets` are those of the bundle whose parts will be visited, for the archetype of `table`.
    /// 2. `row` is a row of `table`, and belongs to entity `index`. Its columns are initialised where the targets say `present`.
    /// 3. The values of shared parts have been sought, and nothing else in their pools since.
    pub(super) unsafe fn new(
        targets: &'a [Target],
        table: &'a Table,
        row: usize,
        beside: Beside<'a>,
        index: u32,
        now: u32,
        panics: &'a mut Panics,
    ) -> Self {
        Self { targets, next: 0, table, row, beside, index, now, panics }
    }
}

impl PartVisitor for WriteParts<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        debug_assert!(self.next < self.targets.len());
        // SAFETY: one target per part, by (1) of `new`.
        let target = unsafe { *self.targets.get_unchecked(self.next) };
        self.next += 1;
        if T::STORAGE == Storage::Sparse {
            // SAFETY: the set of `T`, by (1) of `new`; the value is ours to move.
            unsafe { self.beside.sets.insert::<T>(SetId(target.slot), self.index, value, self.panics) };
            if T::TRACK {
                self.beside.sets.note_written(SetId(target.slot), self.index, self.now);
            }
            return;
        }
        if T::STORAGE == Storage::Shared {
            let pool = self.beside.pools.get_mut(PoolId(target.slot));
            // SAFETY: the pool of `T`, by (1) of `new`; sought by (3); the value is ours to move.
            unsafe { pool.settle(value.cast(), self.panics) };
            return;
        }
        if T::TRACK && target.present {
            self.table.mark(target.component, self.row, self.now);
        }
        if size_of::<T>() == 0 {
            if target.present && needs_drop::<T>() {
                // The entity keeps one tag: of the old and the new one, this one goes.
                // SAFETY: the value is ours.
                self.panics.catch(|| unsafe { value.drop_in_place() });
            }
        } else {
            // SAFETY: a column of the table for `T`, and one of its rows, by (1) and (2) of `new`.
            let cell =
                unsafe { self.table.column_unchecked(ColumnIndex(target.slot)).data().cast::<T>().add(self.row) };
            if target.present && needs_drop::<T>() {
                // SAFETY: initialised by (2) of `new`, written anew right below.
                self.panics.catch(|| unsafe { cell.drop_in_place() });
            }
            // SAFETY: the value is ours to move.
            unsafe { cell.as_ptr().copy_from_nonoverlapping(value, 1) };
        }
    }
}

/// Moves the parts of a bundle into new cells of a row. Made for plain edges only: no part is sparse, and none replaces a value.
pub(super) struct WritePlain<'a> {
    /// Those of the bundle whose parts will be visited, for the archetype of `table`.
    pub(super) targets: &'a [Target],
    pub(super) next: usize,
    pub(super) table: &'a Table,
    /// A row of `table` whose new columns are not written yet.
    pub(super) row: usize,
}

impl PartVisitor for WritePlain<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        debug_assert!(self.next < self.targets.len());
        // SAFETY: one target per part: a column of the table for `T` (or nothing, for a tag), and one of its rows; the value is ours to move.
        unsafe {
            let target = *self.targets.get_unchecked(self.next);
            self.next += 1;
            if size_of::<T>() > 0 {
                let column = self.table.column_unchecked(ColumnIndex(target.slot)).data().cast::<T>();
                column.add(self.row).as_ptr().copy_from_nonoverlapping(value, 1);
            }
        }
    }
}

/// Where a new entity goes: made by [`Store::vacancy`] only, for plain edges.
pub(crate) struct Vacancy<'a, P> {
    /// Those of the bundle, for the archetype of `table`.
    targets: &'a [Target],
    table: &'a mut Table,
    id: TableId,
    entities: &'a mut Entities,
    parts: PhantomData<P>,
}

impl<P: BundleParts> Vacancy<'_, P> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fill(self, parts: P) -> Result<Entity, EntitiesFull> {
        self.table.reserve_one();
        let entity = self.entities.alloc()?;
        let mut parts = ManuallyDrop::new(parts);
        // SAFETY: the targets are those of these parts for this table. There is room, and the parts, which are all there is to the row, are written as soon as
        // it is part of the table; nothing in between can panic.
        unsafe {
            let row = self.table.commit_row(entity.index());
            self.entities.set_location_unchecked(entity.index(), Location { table: self.id, row });
            let mut write = WritePlain { targets: self.targets, next: 0, table: self.table, row: row.index() };
            P::each_part(&raw mut *parts, &mut write);
        }
        Ok(entity)
    }
}

impl Store {
    /// Spawns one entity.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn spawn<P: BundleParts>(&mut self, parts: P) -> Result<Entity, SpawnRefusal> {
        if let Some(vacancy) = self.vacancy::<P>() {
            return Ok(vacancy.fill(parts)?);
        }
        let mut panics = Panics::default();
        let spawned = self.spawn_slowly(parts, &mut panics);
        panics.resume();
        spawned
    }

    /// Where a new entity with these parts goes, if spawning it is nothing but writing bytes. Found before the parts move: to hand them in and, where it is
    /// more than that, back again would copy them in pieces that no processor likes to read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn vacancy<P: BundleParts>(&mut self) -> Option<Vacancy<'_, P>> {
        let shortcut = self.bundles.insert_shortcut::<P>(self.nothing())?;
        // SAFETY: the target is a table of this store.
        let table = unsafe { self.tables.get_unchecked_mut(shortcut.target.index()) };
        let (id, targets) = (shortcut.target, &*shortcut.parts);
        Some(Vacancy { targets, table, id, entities: &mut self.entities, parts: PhantomData })
    }

    /// [`Store::spawn`] off the shortcut. Keeps panics of drops; if something else panics there is no entity.
    #[inline(never)]
    pub(crate) fn spawn_slowly<P: BundleParts>(
        &mut self,
        parts: P,
        panics: &mut Panics,
    ) -> Result<Entity, SpawnRefusal> {
        let (parts, id) = granted(parts, || self.spawnable::<P>(1))?;
        if self.bundles.way(id) != Way::Typed {
            let entity = self.entities.alloc()?;
            self.spawn_by_value(id, entity, parts, panics);
            return Ok(entity);
        }
        let edge = self.insert_edge(self.nothing(), id);
        let table = self.bundles.edge(edge).target_table;
        self.tables[table.index()].reserve_one();
        let entity = self.entities.alloc()?;
        self.spawn_at(edge, entity, parts, panics);
        Ok(entity)
    }

    /// The number of a bundle that so many new entities can have.
    fn spawnable<P: BundleParts>(&mut self, count: usize) -> Result<BundleId, SpawnRefusal> {
        let bundle = self.bundle::<P>()?;
        // Before a table is made that would then stay empty.
        self.entities.check_room(count)?;
        self.lack_for(bundle, self.nothing(), None).map_or(Ok(bundle), |lack| Err(SpawnRefusal::Lacks(lack)))
    }

    /// The table of entities without table components.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn nothing(&self) -> TableId {
        self.archetypes[0].table
    }

    /// Gives a new entity its row, for which there is room. Keeps panics of drops; if a constructor panics, the entity is gone again.
    pub(super) fn spawn_at<P: BundleParts>(&mut self, edge: EdgeId, entity: Entity, parts: P, panics: &mut Panics) {
        let index = entity.index();
        let table = self.bundles.edge(edge).target_table;
        if !self.bundles.edge(edge).missing.is_empty()
            && let Err(mut panics) = self.build_for_new(edge, entity, table)
        {
            panics.catch(|| drop(parts));
            panics.resume();
            unreachable!("a constructor panicked");
        }
        let now = self.era.now();
        let edge = self.bundles.edge(edge);
        let table_ref = &mut self.tables[table.index()];
        let mut parts = ManuallyDrop::new(parts);
        // From here to the end nothing panics but drops, which are caught.
        // SAFETY: there is room, and the values are written right now: required ones were, the parts below.
        unsafe {
            let row = table_ref.commit_row(index);
            self.entities.set_location(index, Location { table, row });
            table_ref.settle_sides(now);
            let beside = Beside { sets: &mut self.sets, pools: &mut self.pools };
            let mut write = WriteParts::new(&edge.parts, table_ref, row.index(), beside, index, now, panics);
            P::each_part(&raw mut *parts, &mut write);
        }
        commit_required(&self.registry, &mut self.sets, &edge.missing, index, now);
    }

    /// Makes what a new entity's bundle requires; if that panics, the entity is gone again.
    #[cold]
    fn build_for_new(&mut self, edge: EdgeId, entity: Entity, table: TableId) -> Result<(), Panics> {
        let place = NewRow { table: &self.tables[table.index()], index: entity.index() };
        let missing = &self.bundles.edge(edge).missing;
        build_required(&self.registry, &mut self.sets, missing, place).inspect_err(|_| {
            // The id was never seen by anybody.
            let _ = self.entities.free(entity);
        })
    }

    /// Spawns one entity per bundle of an iterator: all, or if the iterator panics or the limit is reached, none.
    pub(crate) fn spawn_batch<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B>,
    ) -> Result<Spawned, SpawnRefusal> {
        let iter = bundles.into_iter();
        // A hint is only a hint: one that promises too much must not take all memory.
        let expected = iter.size_hint().0;
        let (mut iter, id) = granted(iter, || self.spawnable::<B::Parts>(expected))?;
        if self.bundles.way(id) != Way::Typed || !self.spawns_by_column(id) {
            // One more than there is room for is enough to know; an endless iterator must end here.
            let most = self.entities.room().saturating_add(1);
            let mut rows = Unplaced(Vec::new());
            rows.0.reserve(expected.min(MOST_EXPECTED / size_of::<B::Parts>().max(1)));
            for bundle in iter.take(most) {
                rows.0.push(bundle.into_parts());
            }
            return self.spawn_batch_one_by_one::<B::Parts>(id, rows);
        }
        let edge_id = self.insert_edge(self.nothing(), id);
        let edge = self.bundles.edge(edge_id);
        let table = edge.target_table;
        let room = self.entities.room();
        let table_ref = &mut self.tables[table.index()];
        table_ref.reserve(expected.min(MOST_EXPECTED));
        let mut rows = NewRows { first: table_ref.len(), written: 0, table: table_ref };
        loop {
            let columns = rows.columns::<B::Parts>(&edge.parts);
            let capacity = rows.table.capacity() - rows.first;
            // In here nothing is called but the iterator: so what the rows have in common stays in registers.
            while rows.written < capacity
                && let Some(bundle) = iter.next()
            {
                let mut parts = ManuallyDrop::new(bundle.into_parts());
                // SAFETY: the parts are ours, and there is room for one more row in every column.
                unsafe { B::Parts::write_row(&raw mut *parts, columns, rows.first + rows.written) };
                rows.written += 1;
            }
            if rows.written < capacity {
                break;
            }
            let Some(bundle) = iter.next() else { break };
            if rows.written >= room {
                return Err(self.entities.check_room(room + 1).expect_err("there is room for fewer").into());
            }
            rows.table.reserve(rows.written + 1);
            let columns = rows.columns::<B::Parts>(&edge.parts);
            let mut parts = ManuallyDrop::new(bundle.into_parts());
            // SAFETY: as above.
            unsafe { B::Parts::write_row(&raw mut *parts, columns, rows.first + rows.written) };
            rows.written += 1;
        }
        let count = rows.written;
        // Now, so that nothing is spawned if this panics.
        drop(iter);
        let spawned = self.entities.alloc_many(count)?;
        // From here on the rows belong to the table.
        rows.written = 0;
        drop(rows);
        self.adopt_rows(table, &spawned);
        Ok(spawned)
    }

    /// Whether spawning a bundle is nothing but writing columns, and noting tags.
    pub(super) fn spawns_by_column(&mut self, bundle: BundleId) -> bool {
        let edge = self.insert_edge(self.nothing(), bundle);
        let edge = self.bundles.edge(edge);
        edge.sets.is_empty() && edge.missing.is_empty()
    }

    /// For bundles with sparse, shared or required components.
    fn spawn_batch_one_by_one<P: BundleParts>(
        &mut self,
        bundle: BundleId,
        mut rows: Unplaced<P>,
    ) -> Result<Spawned, SpawnRefusal> {
        self.entities.check_room(rows.0.len())?;
        let edge = self.typed_edge(bundle, rows.0.len());
        let spawned = self.entities.alloc_many(rows.0.len())?;
        let entities: Vec<Entity> = spawned.to_vec();
        // Ids first and values later: an entity without its row must not be seen, so a panic in between takes all of them back.
        let mut panics = Panics::default();
        let mut done = 0;
        let mut rest = std::mem::take(&mut rows.0).into_iter();
        for parts in rest.by_ref() {
            let mut placed = false;
            panics.catch(|| {
                let mut superfluous = Panics::default();
                self.spawn_one_of_many(bundle, edge, entities[done], parts, &mut superfluous);
                superfluous.resume();
                placed = true;
            });
            if !placed {
                break;
            }
            done += 1;
        }
        if done < entities.len() {
            // What panicked may be the drop of a value that an equal one made superfluous: then the entity has its row.
            let placed = done + usize::from(self.entities.is_alive(entities[done]));
            for entity in &entities[..placed] {
                panics.catch(|| self.despawn(*entity).expect("spawned just now"));
            }
            for entity in &entities[placed..] {
                let _ = self.entities.free(*entity);
            }
        }
        rows.0 = rest.collect();
        drop(rows);
        panics.resume();
        Ok(spawned)
    }

    /// Where spawning a bundle leads, if its type says so, with room for so many.
    pub(super) fn typed_edge(&mut self, bundle: BundleId, count: usize) -> Option<EdgeId> {
        if self.bundles.way(bundle) != Way::Typed {
            return None;
        }
        let edge = self.insert_edge(self.nothing(), bundle);
        let table = self.bundles.edge(edge).target_table;
        self.tables[table.index()].reserve(count);
        Some(edge)
    }

    /// Gives a new entity its row; `edge` is that of [`Store::typed_edge`]. Keeps panics of drops; if something else panics, the entity is gone again.
    pub(super) fn spawn_one_of_many<P: BundleParts>(
        &mut self,
        bundle: BundleId,
        edge: Option<EdgeId>,
        entity: Entity,
        parts: P,
        panics: &mut Panics,
    ) {
        match edge {
            Some(edge) => self.spawn_at(edge, entity, parts, panics),
            None => self.spawn_by_value(bundle, entity, parts, panics),
        }
    }

    /// Makes rows that were written behind the last one of a table its own.
    fn adopt_rows(&mut self, table: TableId, spawned: &Spawned) {
        let table_ref = &mut self.tables[table.index()];
        let (lead, fresh, trail) = spawned.runs();
        // SAFETY: the caller wrote the rows, so there is room for them.
        unsafe {
            for entity in lead {
                let row = table_ref.commit_row(entity.index());
                self.entities.set_location(entity.index(), Location { table, row });
            }
            let row = row_of(table_ref.len());
            table_ref.commit_rows(fresh.clone());
            if !fresh.is_empty() {
                self.entities.set_location_range(fresh.start, fresh.end - fresh.start, Location { table, row });
            }
            for entity in trail {
                let row = table_ref.commit_row(entity.index());
                self.entities.set_location(entity.index(), Location { table, row });
            }
        }
        table_ref.settle_sides(self.era.now());
    }

    /// Spawns entities from whole columns.
    pub(crate) fn spawn_columns<C: Columns>(&mut self, columns: C) -> Result<Spawned, SpawnRefusal> {
        let count = columns.common_len()?;
        let (columns, id) = granted(columns, || self.spawnable::<C::Parts>(count))?;
        if self.bundles.way(id) != Way::Typed || !self.spawns_by_column(id) {
            return self.spawn_batch_one_by_one::<C::Parts>(id, Unplaced(columns.into_rows()));
        }
        let edge_id = self.insert_edge(self.nothing(), id);
        let edge = self.bundles.edge(edge_id);
        if has_tags(&edge.parts) {
            return self.spawn_batch_one_by_one::<C::Parts>(id, Unplaced(columns.into_rows()));
        }
        let table = edge.target_table;
        let table_ref = &mut self.tables[table.index()];
        table_ref.reserve(count);
        let first = table_ref.len();
        let mut targets = edge.parts.iter();
        let spawned = self.entities.alloc_many(count)?;
        columns.move_into(&mut || {
            let target = targets.next().expect("one target per part");
            // SAFETY: a column of this table, with room for `count` rows from `first` on.
            unsafe { table_ref.cell(ColumnIndex(target.slot), first) }
        });
        self.adopt_rows(table, &spawned);
        Ok(spawned)
    }

    /// Makes room for `count` more entities with these components.
    pub(crate) fn reserve<B: Bundle>(&mut self, count: usize) -> Result<(), DuplicateInBundle> {
        let id = self.bundle::<B::Parts>()?;
        let Some(edge) = self.typed_edge(id, count) else {
            // In which tables they will be depends on their values.
            self.entities.reserve(count);
            return Ok(());
        };
        let edge = self.bundles.edge(edge);
        for set in &edge.sets {
            self.sets.get_mut(*set).reserve(count);
        }
        self.entities.reserve(count);
        Ok(())
    }
}

/// The row behind the last one of a table, for which there is room, and the entity that will get it.
#[derive(Clone, Copy)]
pub(super) struct NewRow<'a> {
    pub(super) table: &'a Table,
    pub(super) index: u32,
}

/// Makes values of required components in a new row and beside sparse sets. Sparse ones the entity has are left alone. If one
/// panics, those made before are dropped again.
pub(super) fn build_required(
    registry: &Registry,
    sets: &mut SparseSets,
    missing: &[Missing],
    new: NewRow<'_>,
) -> Result<(), Panics> {
    let mut panics = Panics::default();
    let mut made: Vec<(*mut u8, Option<DropFn>)> = Vec::with_capacity(missing.len());
    for Missing { component, constructor } in missing {
        let info = registry.at(*component);
        let place = match info.kind {
            StorageKind::Set(set) if sets.get(set).row(new.index).is_some() => continue,
            StorageKind::Set(set) => sets.prepare(set, new.index),
            StorageKind::Tag => std::ptr::without_provenance_mut(info.align()),
            StorageKind::Shared(_) => unreachable!("bundles that require shared components go by way of made values"),
            StorageKind::Column => {
                let column = new.table.map().column(*component).expect("the target has what is required");
                let row = new.table.len();
                assert!(row < new.table.capacity(), "room was made for the row");
                // SAFETY: a column of this table; the row is below its capacity.
                unsafe { new.table.cell(column, row) }
            }
        };
        let mut done = false;
        panics.catch(|| {
            // SAFETY: `place` is for a value of this component, and holds none.
            unsafe { constructor.write(place) };
            done = true;
        });
        if !done {
            for (place, drop) in made {
                if let Some(drop) = drop {
                    // SAFETY: made above, and nobody knows of it.
                    panics.catch(|| unsafe { drop(place, 1) });
                }
            }
            return Err(panics);
        }
        made.push((place, info.drop));
    }
    Ok(())
}

/// Makes required sparse values that [`build_required`] made part of their sets, unless the entity had one before.
#[inline]
pub(super) fn commit_required(registry: &Registry, sets: &mut SparseSets, missing: &[Missing], index: u32, now: u32) {
    for missing in missing {
        if let StorageKind::Set(set) = registry.at(missing.component).kind
            && sets.get(set).row(index).is_none()
        {
            // SAFETY: `build_required` prepared this place and wrote the value; nothing else has touched the set since: a
            // required component is not one of the bundle's own.
            unsafe { sets.commit(set, index, now) };
        }
    }
}

fn has_tags(parts: &[Target]) -> bool {
    parts.iter().any(|part| part.slot == u32::MAX)
}

/// Bundles that have no row yet. Where they are dropped another panic or an error is on its way, which says more than a panic of theirs.
pub(super) struct Unplaced<P>(pub(super) Vec<P>);

impl<P> Drop for Unplaced<P> {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        for parts in self.0.drain(..) {
            panics.catch(|| drop(parts));
        }
        panics.ignore();
    }
}

/// Rows being written behind the last row of a table; dropped again unless they are adopted.
pub(super) struct NewRows<'a> {
    pub(super) table: &'a mut Table,
    pub(super) first: usize,
    pub(super) written: usize,
}

impl NewRows<'_> {
    pub(super) fn columns<P: BundleParts>(&self, parts: &[Target]) -> P::Columns {
        let mut parts = parts.iter();
        P::columns(&mut || {
            let target = parts.next().expect("one target per part");
            match self.table.columns().get(target.slot as usize) {
                Some(column) => column.data().as_ptr(),
                // A tag: nothing is written there, but the pointer must be aligned for it.
                None => std::ptr::without_provenance_mut(1 << 29),
            }
        })
    }
}

impl Drop for NewRows<'_> {
    /// Inlined, so that how many are written can stay in a register.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        if self.written > 0 {
            let mut panics = Panics::default();
            // SAFETY: these rows are written and not part of the table; nobody else knows of them.
            unsafe { self.table.drop_behind(self.first, self.written, &mut panics) };
            // This happens while another panic or an error is on its way, which says more.
            panics.ignore();
        }
    }
}
