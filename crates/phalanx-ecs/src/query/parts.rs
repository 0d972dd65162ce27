//! The parts: read, write, maybe, the entity itself, presence.

#![expect(unsafe_code, reason = "hands out references into tables and sparse sets")]

use super::access::{Access, AccessKeys};
use super::chunks::EntitySlice;
use super::part::{Part, ReadPart, holds_pointers};
use super::pattern::{PatternBuilder, Wanted};
use crate::component::{Component, ComponentId, Registry, SetId, Storage, StorageKind};
use crate::entity::{Entities, Entity};
use crate::storage::{ColumnIndex, Marker, Side, SparseSet, Store, Table};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// `&T`
pub struct Read<T>(PhantomData<T>);
/// `&mut T`
pub struct Write<T>(PhantomData<T>);
/// `Option<P>`
pub struct Maybe<P>(PhantomData<P>);
/// `Entity`
pub struct TheEntity;
/// `Has<T>`
pub struct Presence<T>(PhantomData<T>);

/// The registered id of a component and its sparse set, if it is one.
pub(super) type Ids = Option<(ComponentId, Option<SetId>)>;

pub(super) fn resolve<T: Component>(registry: &Registry) -> Ids {
    let id = registry.id_of::<T>()?;
    match registry.at(id).kind {
        StorageKind::Set(set) => Some((id, Some(set))),
        StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => Some((id, None)),
    }
}

/// Where the values of one component are: a column, or a sparse set.
pub struct Values<T> {
    column: NonNull<T>,
    /// The sparse set; or what a table keeps beside the values of a tracked or toggled component.
    beside: Beside,
}

#[derive(Clone, Copy)]
union Beside {
    set: *const SparseSet,
    side: *const Side,
}

impl<T> Clone for Values<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Values<T> {}

impl<T: Component> Values<T> {
    pub(super) const SPARSE: bool = matches!(T::STORAGE, Storage::Sparse);
    /// One value for all rows of a table.
    pub(super) const SHARED: bool = matches!(T::STORAGE, Storage::Shared);
    /// Its ticks stand beside the rows of tables.
    const TICKS_BY_ROW: bool = T::TRACK && !Self::SPARSE;

    pub(super) fn fits(ids: Ids, table: &Table) -> bool {
        ids.is_some_and(|(id, _)| Self::SPARSE || table.map().contains(id))
    }

    pub(super) fn columns(ids: Ids, table: &Table) -> ColumnIndex {
        let id = ids.expect("a table fits only if the component is registered").0;
        table.map().column(id).unwrap_or(ColumnIndex(0))
    }

    /// # Safety
    /// As (1) of [`Part::pointers`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn new(ids: Ids, column: ColumnIndex, store: &Store, table: &Table) -> Self {
        if Self::SPARSE {
            // SAFETY: of a fitting table: the component is registered.
            let set = unsafe { ids.unwrap_unchecked().1.unwrap_unchecked() };
            return Self { column: NonNull::dangling(), beside: Beside { set: store.sets.get(set) } };
        }
        let side = if T::TRACK || T::TOGGLE {
            // SAFETY: as above.
            let id = unsafe { ids.unwrap_unchecked().0 };
            std::ptr::from_ref(table.sides().get(id).expect("a table has sides for such components"))
        } else {
            std::ptr::null()
        };
        let column = if Self::SHARED {
            // SAFETY: the place was found in the map of a table of this archetype.
            unsafe { table.shared_cell(column) }.cast()
        } else if size_of::<T>() == 0 {
            NonNull::dangling()
        } else {
            // SAFETY: the column was found in the map of a table of this archetype.
            unsafe { table.column_unchecked(column) }.data().cast()
        };
        Self { column, beside: Beside { side } }
    }

    /// # Safety
    /// As (1) of [`Part::pointers`], and `T` is tracked.
    unsafe fn begin(ids: Ids, store: &Store, table: &Table, now: u32) {
        let (id, set) = ids.expect("a table fits only if the component is registered");
        let side = match set {
            Some(set) => store.sets.get(set).side(),
            None => table.sides().get(id),
        };
        side.expect("a tracked component has sides").ticks.begin(now);
    }

    /// The set of a sparse component.
    ///
    /// # Safety
    /// 1. `SPARSE`, and the store is still borrowed for `'w`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn set<'w>(&self) -> &'w SparseSet {
        // SAFETY: by (1), for a sparse component it is the set.
        unsafe { &*self.beside.set }
    }

    /// What is kept beside the value of a row, and its row there.
    ///
    /// # Safety
    /// 1. As (1) and (2) of [`Part::item`]; and `T` is tracked or a toggle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn side<'w>(&self, row: usize, index: u32) -> (&'w Side, usize) {
        // SAFETY: a set of such a component has sides, and a value for the entity; a table has sides, found in `new`.
        unsafe {
            if Self::SPARSE {
                let set = self.set();
                (set.side().unwrap_unchecked(), set.row(index).unwrap_unchecked())
            } else {
                (&*self.beside.side, row)
            }
        }
    }

    /// Notes a change, if `T` is tracked.
    ///
    /// # Safety
    /// As (1) and (2) of [`Part::item`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn mark(&self, row: usize, index: u32) {
        if T::TRACK {
            // SAFETY: a row beside which there is a tick.
            unsafe {
                let (side, row) = self.side(row, index);
                side.ticks.mark(row);
            }
        }
    }

    /// # Safety
    /// As [`Part::off`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn off(&self, block: usize) -> u64 {
        if T::TOGGLE && !Self::SPARSE {
            // SAFETY: a table has sides for a toggle, found in `new`.
            unsafe { (*self.beside.side).off.word(block) }
        } else {
            0
        }
    }

    /// # Safety
    /// As [`Part::solo_pointers`].
    unsafe fn solo(set: &SparseSet) -> Self {
        Self { column: set.values().data().cast(), beside: Beside { set } }
    }

    /// # Safety
    /// As (1) of [`Part::has_row`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn has(&self, index: u32) -> bool {
        if !Self::SPARSE {
            return true;
        }
        // SAFETY: the set is borrowed with the store.
        let set = unsafe { self.set() };
        match set.row(index) {
            Some(row) if T::TOGGLE => !set.side().is_some_and(|side| side.off.get(row)),
            row => row.is_some(),
        }
    }

    /// Whether the entity has a value, switched on or not.
    ///
    /// # Safety
    /// As (1) of [`Part::has_row`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn has_even_off(&self, index: u32) -> bool {
        // SAFETY: the set is borrowed with the store.
        !Self::SPARSE || unsafe { self.set().row(index).is_some() }
    }

    /// # Safety
    /// As (1) and (2) of [`Part::item`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn cell(&self, row: usize, index: u32) -> NonNull<T> {
        // SAFETY: a row of the column; or the entity has a value in the set, which holds `T`s.
        unsafe {
            if Self::SPARSE {
                NonNull::new_unchecked(self.set().cell(index).unwrap_unchecked().cast())
            } else if Self::SHARED {
                self.column
            } else {
                self.column.add(row)
            }
        }
    }
}

// SAFETY: declares one read, and hands out `&T`.
unsafe impl<T: Component> Part for Read<T> {
    type Item<'w> = &'w T;
    type Slice<'w> = &'w [T];
    type State = Ids;
    type Columns = ColumnIndex;
    type Pointers = Values<T>;
    holds_pointers!();
    const ROWS: bool = Values::<T>::SPARSE;
    const SLICED: bool = !Values::<T>::SHARED;
    const MASKED: bool = T::TOGGLE && !Values::<T>::SPARSE;
    const SPARSE: usize = Values::<T>::SPARSE as usize;
    /// A walk over a set alone would not pass over what is switched off.
    const TABLELESS: bool = Values::<T>::SPARSE && !T::TOGGLE;
    const ACCESS: AccessKeys = AccessKeys::read::<T>();

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::Read, Wanted::Present, ("&", ""));
    }
    fn resolve(registry: &Registry) -> Ids {
        resolve::<T>(registry)
    }
    fn fits(state: Ids, table: &Table) -> bool {
        Values::<T>::fits(state, table)
    }
    fn columns(state: Ids, table: &Table) -> ColumnIndex {
        Values::<T>::columns(state, table)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::new(state, columns, store, table) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn off(pointers: &Values<T>, block: usize) -> u64 {
        // SAFETY: passed on.
        unsafe { pointers.off(block) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(pointers: &Values<T>, _row: usize, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { pointers.has(index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w T {
        // SAFETY: a valid value by (1) and (2), shared by (3).
        unsafe { pointers.cell(row, index).as_ref() }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &Values<T>, start: usize, end: usize) -> &'w [T] {
        // SAFETY: all those rows are valid, and shared.
        unsafe { std::slice::from_raw_parts(pointers.column.add(start).as_ptr(), end - start) }
    }
    unsafe fn solo_pointers(set: &SparseSet, _store: &Store) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::solo(set) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn solo_item<'w>(pointers: &Values<T>, row: usize, _index: u32) -> &'w T {
        // SAFETY: a row of the set's values.
        unsafe { pointers.column.add(row).as_ref() }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl<T: Component> ReadPart for Read<T> {}

// SAFETY: declares one write, and hands out `&mut T`.
unsafe impl<T: Component> Part for Write<T> {
    type Item<'w> = &'w mut T;
    type Slice<'w> = &'w mut [T];
    type State = Ids;
    type Columns = ColumnIndex;
    type Pointers = Values<T>;
    type Held = (Values<T>, Marker);
    const ROWS: bool = Values::<T>::SPARSE;
    const MASKED: bool = T::TOGGLE && !Values::<T>::SPARSE;
    const MARKS: bool = T::TRACK;
    const SPARSE: usize = Values::<T>::SPARSE as usize;
    /// A walk over a set alone would not pass over what is switched off.
    const TABLELESS: bool = Values::<T>::SPARSE && !T::TOGGLE;
    const ACCESS: AccessKeys = AccessKeys::write::<T>();

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::Write, Wanted::Present, ("&mut ", ""));
    }
    fn resolve(registry: &Registry) -> Ids {
        resolve::<T>(registry)
    }
    fn fits(state: Ids, table: &Table) -> bool {
        Values::<T>::fits(state, table)
    }
    fn columns(state: Ids, table: &Table) -> ColumnIndex {
        Values::<T>::columns(state, table)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::new(state, columns, store, table) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn off(pointers: &Values<T>, block: usize) -> u64 {
        // SAFETY: passed on.
        unsafe { pointers.off(block) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(pointers: &Values<T>, _row: usize, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { pointers.has(index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w mut T {
        // SAFETY: a valid value by (1) and (2), ours by (3).
        unsafe {
            pointers.mark(row, index);
            pointers.cell(row, index).as_mut()
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn note_rows(pointers: &Values<T>, start: usize, end: usize) {
        if Values::<T>::TICKS_BY_ROW {
            // SAFETY: a table has sides for a tracked component, found in `new`; there is a tick for each row.
            unsafe { (*pointers.beside.side).ticks.mark_rows(start, end) };
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn noted_item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w mut T {
        // SAFETY: as `item`.
        unsafe {
            if !Values::<T>::TICKS_BY_ROW {
                pointers.mark(row, index);
            }
            pointers.cell(row, index).as_mut()
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn hold(pointers: &Values<T>) -> Option<Self::Held> {
        let mut marker = Marker::NONE;
        if Values::<T>::TICKS_BY_ROW {
            // SAFETY: a table has sides for a tracked component, found in `new`.
            marker = unsafe { (*pointers.beside.side).ticks.marker()? };
        }
        Some((*pointers, marker))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn held_item<'w>((pointers, marker): &Self::Held, row: usize, index: u32) -> &'w mut T {
        // SAFETY: as `item`; the ticks are borrowed with the store, and there is one for each row.
        unsafe {
            if Values::<T>::TICKS_BY_ROW {
                marker.mark(row);
            } else {
                pointers.mark(row, index);
            }
            pointers.cell(row, index).as_mut()
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &Values<T>, start: usize, end: usize) -> &'w mut [T] {
        // SAFETY: all those rows are valid, and ours.
        unsafe {
            Self::note_rows(pointers, start, end);
            std::slice::from_raw_parts_mut(pointers.column.add(start).as_ptr(), end - start)
        }
    }
    unsafe fn solo_pointers(set: &SparseSet, _store: &Store) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::solo(set) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn solo_item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w mut T {
        // SAFETY: a row of the set's values.
        unsafe {
            pointers.mark(row, index);
            pointers.column.add(row).as_mut()
        }
    }
    unsafe fn begin(state: Ids, _columns: ColumnIndex, store: &Store, table: &Table, now: u32) {
        if T::TRACK {
            // SAFETY: passed on; `T` is tracked.
            unsafe { Values::<T>::begin(state, store, table, now) };
        }
    }
}

/// Whether a row of a table is not switched off.
///
/// # Safety
/// As [`Part::off`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn is_on<P: Part>(pointers: &P::Pointers, row: usize) -> bool {
    // SAFETY: passed on.
    !P::MASKED || unsafe { P::off(pointers, row / 64) } >> (row % 64) & 1 == 0
}

// SAFETY: declares what `P` declares, and hands it out only where it is.
unsafe impl<P: Part> Part for Maybe<P> {
    type Item<'w> = Option<P::Item<'w>>;
    type Slice<'w> = Option<P::Slice<'w>>;
    type State = P::State;
    type Columns = Option<P::Columns>;
    type Pointers = Option<P::Pointers>;
    holds_pointers!();
    /// Every row matches, but a slice cannot say which rows have a sparse value, or one that is switched on.
    const ROWS: bool = P::ROWS || P::MASKED;
    const SLICED: bool = P::SLICED;
    const MARKS: bool = P::MARKS;
    const SPARSE: usize = 0;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = P::ACCESS;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.maybe(P::declare);
    }
    fn resolve(registry: &Registry) -> P::State {
        P::resolve(registry)
    }
    fn fits(_state: P::State, _table: &Table) -> bool {
        true
    }
    fn columns(state: P::State, table: &Table) -> Option<P::Columns> {
        P::fits(state, table).then(|| P::columns(state, table))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(
        state: P::State,
        columns: Option<P::Columns>,
        store: &Store,
        table: &Table,
    ) -> Option<P::Pointers> {
        // SAFETY: passed on; columns were found only where the table fits.
        columns.map(|columns| unsafe { P::pointers(state, columns, store, table) })
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(_pointers: &Option<P::Pointers>, _row: usize, _index: u32) -> bool {
        true
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &Option<P::Pointers>, row: usize, index: u32) -> Option<P::Item<'w>> {
        // SAFETY: passed on, where the row has what `P` needs.
        unsafe {
            match pointers {
                Some(pointers) if is_on::<P>(pointers, row) && P::has_row(pointers, row, index) => {
                    Some(P::item(pointers, row, index))
                }
                _ => None,
            }
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn note_rows(pointers: &Option<P::Pointers>, start: usize, end: usize) {
        if let Some(pointers) = pointers {
            // SAFETY: passed on: no row is looked at by itself, so all are handed out.
            unsafe { P::note_rows(pointers, start, end) };
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn noted_item<'w>(pointers: &Option<P::Pointers>, row: usize, index: u32) -> Option<P::Item<'w>> {
        if Self::ROWS {
            // SAFETY: passed on.
            return unsafe { Self::item(pointers, row, index) };
        }
        // SAFETY: passed on; each row of the table has what `P` needs, if one has.
        pointers.as_ref().map(|pointers| unsafe { P::noted_item(pointers, row, index) })
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &Option<P::Pointers>, start: usize, end: usize) -> Option<P::Slice<'w>> {
        // SAFETY: passed on.
        pointers.as_ref().map(|pointers| unsafe { P::slice(pointers, start, end) })
    }
    unsafe fn begin(state: P::State, columns: Option<P::Columns>, store: &Store, table: &Table, now: u32) {
        if let Some(columns) = columns {
            // SAFETY: passed on; columns were found only where the table fits.
            unsafe { P::begin(state, columns, store, table, now) };
        }
    }
    unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> Option<P::Pointers> {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &Option<P::Pointers>, _row: usize, _index: u32) -> Option<P::Item<'w>> {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads, as `P` does.
unsafe impl<P: ReadPart> ReadPart for Maybe<P> {}

/// The entity column of a table, and the book of generations.
#[derive(Clone, Copy)]
pub struct EntityPointers {
    indices: *const u32,
    entities: *const Entities,
}

// SAFETY: hands out copies of handles, no component.
unsafe impl Part for TheEntity {
    type Item<'w> = Entity;
    type Slice<'w> = EntitySlice<'w>;
    type State = ();
    type Columns = ();
    type Pointers = EntityPointers;
    holds_pointers!();
    const ROWS: bool = false;
    const SPARSE: usize = 0;
    const TABLELESS: bool = true;
    const ACCESS: AccessKeys = AccessKeys::EMPTY;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.always("Entity");
    }
    fn resolve(_registry: &Registry) {}
    fn fits((): (), _table: &Table) -> bool {
        true
    }
    fn columns((): (), _table: &Table) {}
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers((): (), (): (), store: &Store, table: &Table) -> EntityPointers {
        EntityPointers { indices: table.entities_ptr(), entities: &raw const store.entities }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(_pointers: &EntityPointers, _row: usize, _index: u32) -> bool {
        true
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &EntityPointers, _row: usize, index: u32) -> Self::Item<'w> {
        // SAFETY: the row belongs to a live entity by (2); the book is borrowed by (1).
        unsafe { (*pointers.entities).entity_at_unchecked(index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &EntityPointers, start: usize, end: usize) -> Self::Slice<'w> {
        // SAFETY: those rows of the entity column are initialised, and borrowed with the book for `'w`.
        unsafe {
            EntitySlice::new(std::slice::from_raw_parts(pointers.indices.add(start), end - start), &*pointers.entities)
        }
    }
    unsafe fn solo_pointers(_set: &SparseSet, store: &Store) -> EntityPointers {
        EntityPointers { indices: std::ptr::null(), entities: &raw const store.entities }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn solo_item<'w>(pointers: &EntityPointers, _row: usize, index: u32) -> Self::Item<'w> {
        // SAFETY: a value in a sparse set belongs to a live entity; the book is borrowed.
        unsafe { (*pointers.entities).entity_at_unchecked(index) }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl ReadPart for TheEntity {}

// SAFETY: hands out whether a component is there, not the component.
unsafe impl<T: Component> Part for Presence<T> {
    type Item<'w> = bool;
    type Slice<'w> = bool;
    type State = Ids;
    type Columns = bool;
    type Pointers = (bool, *const SparseSet, *const Side);
    holds_pointers!();
    const ROWS: bool = Values::<T>::SPARSE || T::TOGGLE;
    const SPARSE: usize = 0;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = AccessKeys::EMPTY;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::None, Wanted::Either, ("Has<", ">"));
    }
    fn resolve(registry: &Registry) -> Ids {
        resolve::<T>(registry)
    }
    fn fits(_state: Ids, _table: &Table) -> bool {
        true
    }
    fn columns(state: Ids, table: &Table) -> bool {
        state.is_some_and(|(id, _)| table.map().contains(id))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(state: Ids, here: bool, store: &Store, table: &Table) -> Self::Pointers {
        let set = state.and_then(|(_, set)| set).map(|set| store.sets.get(set));
        let side = match state {
            Some((id, None)) if T::TOGGLE => table.sides().get(id),
            _ => None,
        };
        (here, set.map_or(std::ptr::null(), std::ptr::from_ref), side.map_or(std::ptr::null(), std::ptr::from_ref))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(_pointers: &Self::Pointers, _row: usize, _index: u32) -> bool {
        true
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>((here, set, side): &Self::Pointers, row: usize, index: u32) -> Self::Item<'w> {
        let is_off = |side: Option<&Side>, row| T::TOGGLE && side.is_some_and(|side| side.off.get(row));
        if Values::<T>::SPARSE {
            // SAFETY: null, or borrowed with the store.
            unsafe { set.as_ref() }.is_some_and(|set| set.row(index).is_some_and(|row| !is_off(set.side(), row)))
        } else {
            // SAFETY: as above.
            *here && !is_off(unsafe { side.as_ref() }, row)
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>((here, ..): &Self::Pointers, _start: usize, _end: usize) -> Self::Slice<'w> {
        *here
    }
    unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> Self::Pointers {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl<T: Component> ReadPart for Presence<T> {}
