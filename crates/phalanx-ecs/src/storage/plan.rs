//! Move plans: how a row of one archetype becomes a row of another, worked out once per pair.
//!
//! ```text
//! {A, B, C} → {A, C, D}      copies: A₀→A₀, C₂→C₁    leaves: B₁    (D arrives: the caller writes it)
//! ```

#![expect(unsafe_code, reason = "moves rows of type-erased values between tables")]

use super::cell::move_cell;
use super::column::{Column, ColumnIndex, Width};
use super::table::{Table, TagDrop};
use crate::component::Panics;
use crate::entity::{Entities, Location, TableId};
use std::mem::MaybeUninit;

/// A column that both tables have.
#[derive(Clone, Copy)]
pub(super) struct Copied {
    pub(super) from: ColumnIndex,
    pub(super) to: ColumnIndex,
    width: Width,
}

impl Copied {
    const END: Self = Self { from: ColumnIndex(0), to: ColumnIndex(0), width: Width::End };
}

/// What stays and what goes when a row moves.
pub(super) struct MovePlan {
    /// Columns both tables have, those of one width side by side, and one entry of width `End` behind them.
    copies: Box<[Copied]>,
    /// Columns only the source has.
    leaves: Box<[ColumnIndex]>,
    /// Tags only the source has, if they have something to drop.
    pub(super) leaving_tags: Box<[TagDrop]>,
    /// Whether anything that leaves has something to drop.
    pub(super) drops: bool,
}

impl Default for MovePlan {
    /// Nothing moves.
    fn default() -> Self {
        Self { copies: Box::new([Copied::END]), leaves: Box::default(), leaving_tags: Box::default(), drops: false }
    }
}

impl MovePlan {
    pub(super) fn new(from: &Table, to: &Table) -> Self {
        let index = |at: usize| ColumnIndex(u32::try_from(at).expect("fewer than 2³² columns"));
        let mut copies = Vec::new();
        let mut leaves = Vec::new();
        for (at, column) in from.columns().iter().enumerate() {
            match to.map().column(column.component()) {
                Some(to) => copies.push(Copied { from: index(at), to, width: column.width() }),
                None => leaves.push(index(at)),
            }
        }
        copies.sort_by_key(|copied: &Copied| copied.width);
        copies.push(Copied::END);
        let leaving_tags: Box<[_]> =
            from.tag_drops().iter().copied().filter(|tag| !to.map().contains(tag.component)).collect();
        let drops =
            !leaving_tags.is_empty() || leaves.iter().any(|left| from.columns()[left.index()].drop_fn().is_some());
        Self { copies: copies.into(), leaves: leaves.into(), leaving_tags, drops }
    }

    /// Columns both tables have.
    pub(super) fn copies(&self) -> &[Copied] {
        &self.copies[..self.copies.len() - 1]
    }

    /// The positions of the columns that leave.
    pub(super) fn leaving_positions(&self) -> Vec<usize> {
        self.leaves.iter().map(|left| left.index()).collect()
    }

    /// Drops the values of a row that leave. The row must then be moved with [`MovePlan::execute`].
    ///
    /// # Safety
    /// 1. The plan was made for the archetype of `table`, and `row` is one of its rows.
    pub(super) unsafe fn drop_leaving(&self, table: &mut Table, row: usize, panics: &mut Panics) {
        for left in &self.leaves {
            // SAFETY: initialised, by (1); the move forgets it.
            panics.catch(|| unsafe { table.columns_mut()[left.index()].drop_range(row, 1) });
        }
        for tag in &self.leaving_tags {
            // SAFETY: the entity owned one and loses it by the move.
            panics.catch(|| unsafe { tag.drop(1) });
        }
    }

    /// Moves a row to the end of another table and fills the hole, locations included. Values that leave are forgotten; those that
    /// arrive are not written yet. Answers the new row.
    ///
    /// # Safety
    /// 1. The plan was made for the archetypes of the two tables, which are not the same.
    /// 2. `from` is the location of the live entity `index`, in `source`.
    /// 3. `to` is the number of `target`, which has room for one more row.
    /// 4. The caller writes what arrives before anything reads the row or can panic.
    #[inline(always)]
    pub(super) unsafe fn execute(
        &self,
        source: &mut Table,
        target: &mut Table,
        entities: &mut Entities,
        index: u32,
        from: Location,
        to: TableId,
    ) -> usize {
        debug_assert_ne!(from.table, to);
        let rows = Rows { row: from.row.index(), last: source.len() - 1, new_row: target.len() };
        // Who is where comes first and the values last: so the loop over columns has the registers to itself.
        // SAFETY: `row` is in range by (2), room by (3), and all values are moved before anybody looks; the columns are those the plan was made for, by (1).
        unsafe {
            let new_row = target.commit_row(index);
            entities.set_location_unchecked(index, Location { table: to, row: new_row });
            let moved = source.take_row_entity(rows.row, rows.last);
            if moved != index {
                entities.set_location_unchecked(moved, from);
            }
            self.copy_columns(source.columns(), target.columns(), rows);
        }
        rows.new_row
    }

    /// Moves the values that stay, and the last ones into their place and into that of those that leave.
    ///
    /// # Safety
    /// 1. The columns are those of tables the plan was made for.
    /// 2. `row` and `last` (perhaps the same) are rows of the source, `new_row` is below the target's capacity.
    #[inline(always)]
    unsafe fn copy_columns(&self, source: &[Column], target: &[Column], rows: Rows) {
        let mut next = self.copies.as_ptr();
        // SAFETY: the list ends with an entry of width `End`, behind which nothing is read; the columns are of the two tables by (1), of the width noted;
        // rows by (2).
        unsafe {
            loop {
                next = match (*next).width {
                    Width::Four => rows.copy_run::<4>(next, Width::Four, source, target),
                    Width::Eight => rows.copy_run::<8>(next, Width::Eight, source, target),
                    Width::Twelve => rows.copy_run::<12>(next, Width::Twelve, source, target),
                    Width::Sixteen => rows.copy_run::<16>(next, Width::Sixteen, source, target),
                    Width::Matrix => rows.copy_run::<64>(next, Width::Matrix, source, target),
                    Width::Other => rows.copy_any(next, source, target),
                    Width::End => break,
                }
            }
        }
        for left in &self.leaves {
            // SAFETY: as above.
            unsafe { source.get_unchecked(left.index()).fill(rows.last, rows.row) };
        }
    }
}

/// The rows of one move.
#[derive(Clone, Copy)]
struct Rows {
    row: usize,
    last: usize,
    new_row: usize,
}

impl Rows {
    /// Moves values to the target and the last ones into their place, for as long as the width stays the same; answers where to go on.
    ///
    /// # Safety
    /// 1. `next` is an entry of a list that ends with `End`, of columns of the two tables.
    /// 2. The values of columns of this width have `SIZE` bytes.
    /// 3. `row` and `last` are rows of the source, `new_row` is below the target's capacity.
    #[inline(always)]
    unsafe fn copy_run<const SIZE: usize>(
        self,
        mut next: *const Copied,
        width: Width,
        source: &[Column],
        target: &[Column],
    ) -> *const Copied {
        // SAFETY: entries and columns by (1), cells by (2) and (3); everything is read before it is overwritten.
        unsafe {
            loop {
                let from = source.get_unchecked((*next).from.index()).data().cast::<[MaybeUninit<u8>; SIZE]>();
                let to = target.get_unchecked((*next).to.index()).data().cast::<[MaybeUninit<u8>; SIZE]>();
                to.add(self.new_row).write(from.add(self.row).read());
                from.add(self.row).write(from.add(self.last).read());
                next = next.add(1);
                if (*next).width != width {
                    return next;
                }
            }
        }
    }

    /// The same for one column of any size.
    ///
    /// # Safety
    /// As `copy_run`, whatever the size.
    #[inline(never)]
    unsafe fn copy_any(self, next: *const Copied, source: &[Column], target: &[Column]) -> *const Copied {
        // SAFETY: passed on.
        unsafe {
            let (from, to) = (source.get_unchecked((*next).from.index()), target.get_unchecked((*next).to.index()));
            let hole = from.cell(self.row);
            move_cell(hole, to.cell(self.new_row), from.size());
            move_cell(from.cell(self.last), hole, from.size());
            next.add(1)
        }
    }
}
