//! What the engine makes of a term: column pointers per table, an item per row.

#![expect(unsafe_code, reason = "the contract between walking tables and handing out references")]

use super::access::AccessKeys;
use super::pattern::PatternBuilder;
use crate::component::Registry;
use crate::storage::{SparseSet, Store, Table};

/// One term, or a tuple of them, as the engine sees it.
///
/// Lifecycle: `resolve` once per registry → `columns` once per archetype → `pointers` once per table and walk → `item` once per row.
///
/// # Safety
/// 1. `declare` names every component that `item`, `slice` and `solo_item` hand out, with the access they hand it out with.
/// 2. `ACCESS` names no access that `declare` does not name.
/// 3. `pointers` answers pointers for which `item` and `slice` keep their promises.
/// 4. `ROWS` is true if `has_row` can answer false.
#[doc(hidden)]
pub unsafe trait Part: 'static {
    /// What one row yields.
    type Item<'w>;
    /// What a range of rows yields.
    type Slice<'w>;
    /// Ids, resolved with a registry.
    type State: Copy + Send + Sync + 'static;
    /// Column positions in the tables of one archetype.
    type Columns: Copy + Send + Sync + 'static;
    /// Where the values of one table are.
    type Pointers: Copy;
    /// The same with more at hand, for loops that look up rows of one table one by one.
    type Held: Copy;

    /// Whether rows of a matching table must be looked at one by one.
    const ROWS: bool;
    /// Whether a range of rows can be seen as a slice: not if all rows of a table have one value.
    const SLICED: bool = true;
    /// Whether rows of a matching table may be switched off.
    const MASKED: bool = false;
    /// Whether items note changes: `begin` must be called before.
    const MARKS: bool = false;
    /// How many sparse components a row must have for an item.
    const SPARSE: usize;
    /// Whether items need nothing but an entity's index and sparse values: then a sparse set can be walked like a table.
    const TABLELESS: bool;
    const ACCESS: AccessKeys;

    fn declare(builder: &mut PatternBuilder<'_>);

    fn resolve(registry: &Registry) -> Self::State;

    /// Whether tables shaped like this one have what the part needs, as far as tables decide it.
    fn fits(state: Self::State, table: &Table) -> bool;

    /// # Panics
    /// If the table does not fit.
    fn columns(state: Self::State, table: &Table) -> Self::Columns;

    /// # Safety
    /// 1. `state` was resolved with the registry of `store`, `table` is one of its tables and fits, `columns` were made for its archetype.
    unsafe fn pointers(state: Self::State, columns: Self::Columns, store: &Store, table: &Table) -> Self::Pointers;

    /// Begins to note changes at a tick.
    ///
    /// # Safety
    /// 1. As (1) of `pointers`.
    unsafe fn begin(state: Self::State, columns: Self::Columns, store: &Store, table: &Table, now: u32) {
        let _ = (state, columns, store, table, now);
    }

    /// The rows of a block of 64 that are switched off, as a mask.
    ///
    /// # Safety
    /// 1. `pointers` were made by `pointers` from a table and store that are still borrowed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn off(pointers: &Self::Pointers, block: usize) -> u64 {
        let _ = (pointers, block);
        0
    }

    /// Whether the entity with this index has the sparse values the part needs, switched on.
    ///
    /// # Safety
    /// 1. `pointers` were made by `pointers` from a table and store that are still borrowed.
    /// 2. `row` is a row of the table, and belongs to entity `index`.
    unsafe fn has_row(pointers: &Self::Pointers, row: usize, index: u32) -> bool;

    /// # Safety
    /// 1. `pointers` were made by `pointers` from a table and store that are still borrowed for `'w`.
    /// 2. `row` is a row of the table, and belongs to entity `index`, for which `has_row` holds.
    /// 3. As long as `'w`, nobody else has what `declare` says is written, and nobody writes what it says is read, for this row.
    unsafe fn item<'w>(pointers: &Self::Pointers, row: usize, index: u32) -> Self::Item<'w>;

    /// Notes changes of all rows of a range, which are to be handed out by `noted_item`.
    ///
    /// # Safety
    /// 1. `pointers` were made by `pointers` from a table and store that are still borrowed; `begin` was called if `MARKS`.
    /// 2. `start <= end`, and there are `end` rows; `ROWS` is false.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn note_rows(pointers: &Self::Pointers, start: usize, end: usize) {
        let _ = (pointers, start, end);
    }

    /// The item of a row whose changes may have been noted by `note_rows`. What that does not note, this does.
    ///
    /// # Safety
    /// As `item`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn noted_item<'w>(pointers: &Self::Pointers, row: usize, index: u32) -> Self::Item<'w> {
        // SAFETY: passed on.
        unsafe { Self::item(pointers, row, index) }
    }

    /// `None` if several threads may note changes at the same time.
    ///
    /// # Safety
    /// 1. `pointers` were made by `pointers` from a table and store that are still borrowed; `begin` was called if `MARKS`, and is not again as long as what is
    ///    held is used.
    unsafe fn hold(pointers: &Self::Pointers) -> Option<Self::Held>;

    /// # Safety
    /// As `item`; `held` was made by `hold`.
    unsafe fn held_item<'w>(held: &Self::Held, row: usize, index: u32) -> Self::Item<'w>;

    /// # Safety
    /// As `item`, for all rows of `start..end`; `ROWS` is false, and `SLICED` is true.
    unsafe fn slice<'w>(pointers: &Self::Pointers, start: usize, end: usize) -> Self::Slice<'w>;

    /// Pointers for walking the one sparse set the part needs.
    ///
    /// # Safety
    /// 1. `TABLELESS`, and `SPARSE` is 1.
    /// 2. `set` is that of its component, and one of `store`.
    unsafe fn solo_pointers(set: &SparseSet, store: &Store) -> Self::Pointers;

    /// # Safety
    /// 1. `pointers` were made by `solo_pointers` from a store that is still borrowed for `'w`.
    /// 2. `row` is a row of the set, and belongs to entity `index`.
    /// 3. As (3) of `item`.
    unsafe fn solo_item<'w>(pointers: &Self::Pointers, row: usize, index: u32) -> Self::Item<'w>;
}

/// A part that only reads, and so may be shared.
///
/// # Safety
/// 1. `declare` names no access that writes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this query writes, so it cannot be shared",
    label = "this query has a `&mut` term",
    note = "use `world.query` instead of `world.read`, and of a query `iter_mut`, `get_mut`, `get_many_mut`, `single_mut`, `first_mut`, `for_each` or `pairs_mut`; of a `Prepared` query `on(&mut world)`; or ask for `&T` instead of `&mut T`"
)]
pub unsafe trait ReadPart: Part {}

/// What is held is where the values are.
macro_rules! holds_pointers {
    () => {
        type Held = Self::Pointers;
        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn hold(pointers: &Self::Pointers) -> Option<Self::Pointers> {
            Some(*pointers)
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn held_item<'w>(held: &Self::Pointers, row: usize, index: u32) -> Self::Item<'w> {
            // SAFETY: passed on.
            unsafe { Self::item(held, row, index) }
        }
    };
}
pub(super) use holds_pointers;
