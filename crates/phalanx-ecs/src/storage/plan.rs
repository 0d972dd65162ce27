//! Move plans: how a row of one archetype becomes a row of another, worked out once per pair.
//!
//! ```text
//! {A, B, C} → {A, C, D}      copies: A₀→A₀, C₂→C₁    leaves: B₁    (D arrives: the caller writes it)
//! ```

#![expect(unsafe_code, reason = "moves rows of type-erased values between tables")]

use super::cell::move_cell;
use super::column::ColumnIndex;
use super::table::{Table, TagDrop};
use crate::component::Panics;
use crate::entity::{Entities, Location, TableId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PlanId(pub(super) u32);

/// What stays and what goes when a row moves.
pub(super) struct MovePlan {
    /// Columns both tables have: (source, target).
    pub(super) copies: Box<[(ColumnIndex, ColumnIndex)]>,
    /// Columns only the source has.
    pub(super) leaves: Box<[ColumnIndex]>,
    /// Tags only the source has, if they have something to drop.
    pub(super) leaving_tags: Box<[TagDrop]>,
    /// Whether anything that leaves has something to drop.
    pub(super) drops: bool,
}

impl MovePlan {
    pub(super) fn new(from: &Table, to: &Table) -> Self {
        let index = |at: usize| ColumnIndex(u32::try_from(at).expect("fewer than 2³² columns"));
        let mut copies = Vec::new();
        let mut leaves = Vec::new();
        for (at, column) in from.columns().iter().enumerate() {
            match to.map().column(column.component()) {
                Some(target) => copies.push((index(at), target)),
                None => leaves.push(index(at)),
            }
        }
        let leaving_tags: Box<[_]> =
            from.tag_drops().iter().copied().filter(|tag| !to.map().contains(tag.component)).collect();
        let drops = !leaving_tags.is_empty() || leaves.iter().any(|c| from.columns()[c.index()].drop_fn().is_some());
        Self { copies: copies.into(), leaves: leaves.into(), leaving_tags, drops }
    }

    /// The positions of the columns that leave.
    pub(super) fn leaving_positions(&self) -> Vec<usize> {
        self.leaves.iter().map(|column| column.index()).collect()
    }

    /// Drops the values of a row that leave. The row must then be moved with [`MovePlan::execute`].
    ///
    /// # Safety
    /// 1. The plan was made for the archetype of `table`, and `row` is one of its rows.
    pub(super) unsafe fn drop_leaving(&self, table: &mut Table, row: usize, panics: &mut Panics) {
        for &column in &self.leaves {
            // SAFETY: initialised, by (1); the move forgets it.
            panics.catch(|| unsafe { table.columns_mut()[column.index()].drop_range(row, 1) });
        }
        for tag in &self.leaving_tags {
            // SAFETY: the entity owned one and loses it by the move.
            panics.catch(|| unsafe { tag.drop(1) });
        }
    }

    /// Moves a row to the end of another table and fills the hole, locations included. Values that leave are forgotten; those that
    /// arrive are not written yet.
    ///
    /// # Safety
    /// 1. The plan was made for the archetypes of the two tables, which are not the same.
    /// 2. `from` is the location of the live entity `index`.
    /// 3. The target has room for one more row.
    /// 4. The caller writes what arrives before anything reads the row or can panic.
    #[inline(always)]
    pub(super) unsafe fn execute(
        &self,
        tables: &mut [Table],
        entities: &mut Entities,
        index: u32,
        from: Location,
        to: TableId,
    ) -> Location {
        debug_assert_ne!(from.table, to);
        let base = tables.as_mut_ptr();
        // SAFETY: two tables of this store, not the same by (1).
        let (source, target) = unsafe { (&mut *base.add(from.table.index()), &mut *base.add(to.index())) };
        let row = from.row.index();
        let last = source.len() - 1;
        let new_row = target.len();
        for &(from_column, to_column) in &self.copies {
            // SAFETY: columns of the two tables by (1); rows in range by (2) and (3). `last` may be `row`.
            unsafe {
                let from_column = source.column_unchecked(from_column);
                let size = from_column.size();
                let hole = from_column.cell(row);
                move_cell(hole, target.column_unchecked(to_column).cell(new_row), size);
                move_cell(from_column.cell(last), hole, size);
            }
        }
        for &column in &self.leaves {
            // SAFETY: as above.
            unsafe {
                let column = source.column_unchecked(column);
                move_cell(column.cell(last), column.cell(row), column.size());
            }
        }
        // SAFETY: every column was filled; `row` is in range.
        let moved = unsafe { source.take_row_entity(row, last) };
        entities.set_location(moved, from);
        // SAFETY: room by (3), written by (4).
        let new_row = unsafe { target.commit_row(index) };
        let location = Location { table: to, row: new_row };
        entities.set_location(index, location);
        location
    }
}
