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
use crate::order::sort_by;

/// The size of a column's head, by which positions are multiplied in advance.
#[expect(clippy::cast_possible_truncation, reason = "a few words")]
const COLUMN: u32 = size_of::<Column>() as u32;

/// A column that both tables have.
#[derive(Clone, Copy)]
pub(super) struct Copied {
    /// How far behind the first column it is: a position, multiplied in advance.
    from_bytes: u32,
    to_bytes: u32,
    width: Width,
}

impl Copied {
    const END: Self = Self { from_bytes: 0, to_bytes: 0, width: Width::End };

    fn new(from: ColumnIndex, to: ColumnIndex, width: Width) -> Self {
        let bytes = |at: ColumnIndex| at.0.checked_mul(COLUMN).expect("fewer than 2²⁷ columns");
        Self { from_bytes: bytes(from), to_bytes: bytes(to), width }
    }

    /// Its position in the source.
    pub(super) fn from(self) -> ColumnIndex {
        ColumnIndex(self.from_bytes / COLUMN)
    }

    /// Its position in the target.
    pub(super) fn to(self) -> ColumnIndex {
        ColumnIndex(self.to_bytes / COLUMN)
    }
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
                Some(to) => copies.push(Copied::new(index(at), to, column.width())),
                None => leaves.push(index(at)),
            }
        }
        sort_by(&mut copies, |a: &Copied, b: &Copied| (a.width, a.from_bytes) < (b.width, b.from_bytes));
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

    /// Bytes of the plan, shared as it is.
    pub(super) fn bytes(&self) -> usize {
        let counts = 2 * size_of::<usize>();
        let lists = size_of_val(&*self.copies) + size_of_val(&*self.leaves) + size_of_val(&*self.leaving_tags);
        counts + size_of::<Self>() + lists
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
        // SAFETY: there is room by (3), the index is alive by (2); the values that stay are moved right now, those that arrive by (4). The rest is passed on.
        unsafe {
            let row = target.commit_row(index);
            entities.set_location_unchecked(index, Location { table: to, row });
            self.move_values(source, target, entities, from, row.index());
            row.index()
        }
    }

    /// The part of [`MovePlan::execute`] after the entity has its new row and location.
    ///
    /// # Safety
    /// 1. The plan was made for the archetypes of the two tables, which are not the same.
    /// 2. `from` is where the entity was, in `source`; its new row, `row`, is the last one of `target`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn move_values(
        &self,
        source: &mut Table,
        target: &Table,
        entities: &mut Entities,
        from: Location,
        row: usize,
    ) {
        // SAFETY: rows by (2), columns by (1). Nobody uses the old row again, and indices in tables are alive.
        unsafe {
            self.copy_columns(source.columns().as_ptr(), target.columns().as_ptr(), from.row.index(), row);
            if let Some(moved) = source.take_row(from.row.index()) {
                entities.set_location_unchecked(moved, from);
            }
        }
    }

    /// Copies the values that stay.
    ///
    /// # Safety
    /// 1. The columns are those of tables the plan was made for.
    /// 2. `row` is a row of the source, `new_row` is below the target's capacity.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn copy_columns(&self, source: *const Column, target: *const Column, row: usize, new_row: usize) {
        let mut next = self.copies.as_ptr();
        // SAFETY: the list ends with an entry of width `End`, behind which nothing is read; the columns are of the two tables by (1), of the width noted;
        // rows by (2).
        unsafe {
            loop {
                next = match (*next).width {
                    Width::Four => copy_run::<4>(next, Width::Four, source, target, row, new_row),
                    Width::Eight => copy_run::<8>(next, Width::Eight, source, target, row, new_row),
                    Width::Twelve => copy_run::<12>(next, Width::Twelve, source, target, row, new_row),
                    Width::Sixteen => copy_run::<16>(next, Width::Sixteen, source, target, row, new_row),
                    Width::Matrix => copy_run::<64>(next, Width::Matrix, source, target, row, new_row),
                    Width::Other => copy_any(next, source, target, row, new_row),
                    Width::End => break,
                }
            }
        }
    }
}

/// Copies values to the target for as long as the width stays the same; answers where to go on.
///
/// # Safety
/// 1. `next` is an entry of a list that ends with `End`, of columns of the two tables.
/// 2. The values of columns of this width have `SIZE` bytes.
/// 3. `row` is a row of the source, `new_row` is below the target's capacity.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn copy_run<const SIZE: usize>(
    mut next: *const Copied,
    width: Width,
    source: *const Column,
    target: *const Column,
    row: usize,
    new_row: usize,
) -> *const Copied {
    // SAFETY: entries and columns by (1), cells by (2) and (3).
    unsafe {
        loop {
            let from = (*source.byte_add((*next).from_bytes as usize)).place::<SIZE>(row);
            let to = (*target.byte_add((*next).to_bytes as usize)).place::<SIZE>(new_row);
            to.write(from.read());
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
unsafe fn copy_any(
    next: *const Copied,
    source: *const Column,
    target: *const Column,
    row: usize,
    new_row: usize,
) -> *const Copied {
    // SAFETY: passed on.
    unsafe {
        let from = &*source.byte_add((*next).from_bytes as usize);
        let to = &*target.byte_add((*next).to_bytes as usize);
        move_cell(from.cell(row), to.cell(new_row), from.size());
        next.add(1)
    }
}
