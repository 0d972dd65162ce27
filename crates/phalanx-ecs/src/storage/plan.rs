//! Move plans: how a row of one archetype becomes a row of another, worked out once per pair.
//!
//! ```text
//! {A, B, C} → {A, C, D}      copies: A₀→A₀, C₂→C₁    leaves: B₁    (D arrives: the caller writes it)
//! ```

#![expect(unsafe_code, reason = "moves rows of type-erased values between tables")]

use super::cell::move_cell;
use super::column::{Column, ColumnIndex};
use super::table::{Table, TagDrop};
use crate::component::Panics;
use crate::entity::{Entities, Location, TableId};
use std::mem::MaybeUninit;

/// How the values of a column are moved: sizes of one to four numbers, of handles and of a matrix without looking at the size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    Four,
    Eight,
    Twelve,
    Sixteen,
    Matrix,
    Other,
}

impl Width {
    fn of(size: usize) -> Self {
        match size {
            4 => Self::Four,
            8 => Self::Eight,
            12 => Self::Twelve,
            16 => Self::Sixteen,
            64 => Self::Matrix,
            _ => Self::Other,
        }
    }
}

/// A column that both tables have.
#[derive(Clone, Copy)]
pub(super) struct Copied {
    pub(super) from: ColumnIndex,
    pub(super) to: ColumnIndex,
    width: Width,
}

/// A column that only the source has.
#[derive(Clone, Copy)]
struct Left {
    from: ColumnIndex,
    width: Width,
}

/// What stays and what goes when a row moves.
pub(super) struct MovePlan {
    /// Columns both tables have.
    pub(super) copies: Box<[Copied]>,
    /// Columns only the source has.
    leaves: Box<[Left]>,
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
                Some(to) => copies.push(Copied { from: index(at), to, width: Width::of(column.size()) }),
                None => leaves.push(Left { from: index(at), width: Width::of(column.size()) }),
            }
        }
        let leaving_tags: Box<[_]> =
            from.tag_drops().iter().copied().filter(|tag| !to.map().contains(tag.component)).collect();
        let drops = !leaving_tags.is_empty() || leaves.iter().any(|left| from.columns()[left.from.index()].drop_fn().is_some());
        Self { copies: copies.into(), leaves: leaves.into(), leaving_tags, drops }
    }

    /// The positions of the columns that leave.
    pub(super) fn leaving_positions(&self) -> Vec<usize> {
        self.leaves.iter().map(|left| left.from.index()).collect()
    }

    /// Drops the values of a row that leave. The row must then be moved with [`MovePlan::execute`].
    ///
    /// # Safety
    /// 1. The plan was made for the archetype of `table`, and `row` is one of its rows.
    pub(super) unsafe fn drop_leaving(&self, table: &mut Table, row: usize, panics: &mut Panics) {
        for left in &self.leaves {
            // SAFETY: initialised, by (1); the move forgets it.
            panics.catch(|| unsafe { table.columns_mut()[left.from.index()].drop_range(row, 1) });
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
        // SAFETY: the columns are those the plan was made for, by (1); the rows are in range by (2) and (3).
        unsafe { self.copy_columns(source.columns(), target.columns(), rows) };
        // SAFETY: every column was filled; `row` is in range. Room by (3), written by (4).
        let (moved, new_row) = unsafe { (source.take_row_entity(rows.row, rows.last), target.commit_row(index)) };
        // SAFETY: indices in tables are alive.
        unsafe {
            entities.set_location_unchecked(moved, from);
            entities.set_location_unchecked(index, Location { table: to, row: new_row });
        }
        rows.new_row
    }

    /// Moves the values that stay, and the last ones into their place and into that of those that leave.
    ///
    /// # Safety
    /// 1. The columns are those of tables the plan was made for.
    /// 2. `row` and `last` (perhaps the same) are rows of the source, `new_row` is below the target's capacity.
    #[inline(never)]
    unsafe fn copy_columns(&self, source: &[Column], target: &[Column], rows: Rows) {
        for copied in &self.copies {
            // SAFETY: columns of the two tables by (1), of the width noted; rows by (2).
            unsafe {
                let from = source.get_unchecked(copied.from.index());
                let to = target.get_unchecked(copied.to.index());
                match copied.width {
                    Width::Four => rows.copy::<4>(from, to),
                    Width::Eight => rows.copy::<8>(from, to),
                    Width::Twelve => rows.copy::<12>(from, to),
                    Width::Sixteen => rows.copy::<16>(from, to),
                    Width::Matrix => rows.copy::<64>(from, to),
                    Width::Other => rows.copy_any(from, to),
                }
            }
        }
        for left in &self.leaves {
            // SAFETY: as above.
            unsafe {
                let from = source.get_unchecked(left.from.index());
                match left.width {
                    Width::Four => rows.fill::<4>(from),
                    Width::Eight => rows.fill::<8>(from),
                    Width::Twelve => rows.fill::<12>(from),
                    Width::Sixteen => rows.fill::<16>(from),
                    Width::Matrix => rows.fill::<64>(from),
                    Width::Other => rows.fill_any(from),
                }
            }
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
    /// Moves a value to the target and the last one into its place.
    ///
    /// # Safety
    /// 1. Values of both columns have `SIZE` bytes.
    /// 2. `row` and `last` are rows of the source, `new_row` is below the target's capacity.
    #[inline(always)]
    unsafe fn copy<const SIZE: usize>(self, from: &Column, to: &Column) {
        let from = from.data().cast::<[MaybeUninit<u8>; SIZE]>();
        let to = to.data().cast::<[MaybeUninit<u8>; SIZE]>();
        // SAFETY: valid by (1) and (2); everything is read before it is overwritten.
        unsafe {
            to.add(self.new_row).write(from.add(self.row).read());
            from.add(self.row).write(from.add(self.last).read());
        }
    }

    /// Moves the last value into the place of one that left.
    ///
    /// # Safety
    /// 1. Values of the column have `SIZE` bytes.
    /// 2. `row` and `last` are rows of it.
    #[inline(always)]
    unsafe fn fill<const SIZE: usize>(self, from: &Column) {
        let from = from.data().cast::<[MaybeUninit<u8>; SIZE]>();
        // SAFETY: valid by (1) and (2).
        unsafe { from.add(self.row).write(from.add(self.last).read()) };
    }

    /// The same for any size.
    ///
    /// # Safety
    /// As `fill`, whatever the size.
    #[inline(never)]
    unsafe fn fill_any(self, from: &Column) {
        // SAFETY: passed on.
        unsafe { move_cell(from.cell(self.last), from.cell(self.row), from.size()) };
    }

    /// [`Rows::copy`] for any size.
    ///
    /// # Safety
    /// As `copy`, whatever the size.
    #[inline(never)]
    unsafe fn copy_any(self, from: &Column, to: &Column) {
        let size = from.size();
        // SAFETY: passed on.
        unsafe {
            let hole = from.cell(self.row);
            move_cell(hole, to.cell(self.new_row), size);
            move_cell(from.cell(self.last), hole, size);
        }
    }
}
