//! One column: the values of one component in one table, type-erased.

#![expect(unsafe_code, reason = "owns memory for values whose type is known only at run time")]

use super::cell::move_cell;
use crate::component::{ComponentId, ComponentInfo, DropFn};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;

/// The position of a column in its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ColumnIndex(pub(crate) u32);

impl ColumnIndex {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How the values of a column are moved: sizes of one to four numbers, of handles and of a matrix without looking at the size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Width {
    Four,
    Eight,
    Twelve,
    Sixteen,
    Matrix,
    Other,
    /// Not a column: a list of them ends here.
    End,
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

/// Columns of at least so many bytes begin at different places of a memory page.
const STAGGERED_FROM: usize = 1 << 15;

/// What common allocators keep in front of large memory, which otherwise begins with a page.
const HEADER: usize = 16;

/// Memory for the values of one component.
///
/// A column knows neither its length nor its capacity: its table (or sparse set) does, once for all columns, and passes the
/// capacity back in. So nothing here is dropped by itself: whoever owns a column calls [`Column::free`].
pub(crate) struct Column {
    /// Aligned for the component; dangling while the capacity is 0.
    data: NonNull<u8>,
    /// Size of one value; never 0 in a table (those are tags), may be 0 in a sparse set.
    size: usize,
    drop: Option<DropFn>,
    component: ComponentId,
    /// The alignment as a power of two.
    align_bits: u8,
    width: Width,
}

/// So that a column is found by a shift.
const _: () = assert!(size_of::<Column>() == 32 || size_of::<usize>() < 8);

// SAFETY: a column is its values, and those are `Component`s: `Send` and `Sync`.
unsafe impl Send for Column {}
// SAFETY: as above; nothing here changes through a shared reference.
unsafe impl Sync for Column {}

impl Column {
    /// An empty column, without memory.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let dangling = std::ptr::without_provenance_mut::<u8>(info.layout.align());
        Self {
            data: NonNull::new(dangling).expect("an alignment is not zero"),
            size: info.layout.size(),
            align_bits: u8::try_from(info.layout.align().trailing_zeros()).expect("below 64"),
            drop: info.drop,
            component: info.id,
            width: Width::of(info.layout.size()),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    fn align(&self) -> usize {
        1 << self.align_bits
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn width(&self) -> Width {
        self.width
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn drop_fn(&self) -> Option<DropFn> {
        self.drop
    }

    pub(crate) fn component(&self) -> ComponentId {
        self.component
    }

    /// The memory for `capacity` values.
    ///
    /// # Panics
    /// If that is more than the address space; nothing has changed then.
    pub(crate) fn layout(&self, capacity: usize) -> Layout {
        let bytes = self
            .size
            .checked_mul(capacity)
            .filter(|bytes| *bytes < usize::MAX / 4)
            .and_then(|size| Layout::from_size_align(size, self.align()).ok());
        bytes.expect("a column fits into the address space")
    }

    /// Where value `row` is.
    ///
    /// # Safety
    /// 1. `row` is at most the capacity.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn cell(&self, row: usize) -> *mut u8 {
        // SAFETY: within the allocation, or one behind it, by (1).
        unsafe { self.data.as_ptr().add(row * self.size) }
    }

    /// Where value `row` is, if values have `SIZE` bytes.
    ///
    /// # Safety
    /// 1. `row` is at most the capacity.
    /// 2. Values have `SIZE` bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn place<const SIZE: usize>(&self, row: usize) -> NonNull<[MaybeUninit<u8>; SIZE]> {
        // SAFETY: within the allocation, or one behind it, by (1) and (2).
        unsafe {
            if SIZE == 16 {
                // There is no address of base plus sixteen times something: in words, or the compiler would shift again for each column.
                self.data.cast::<u64>().add(row * 2).cast()
            } else {
                self.data.cast().add(row)
            }
        }
    }

    /// How far into its memory a column of so many bytes begins.
    ///
    /// Large columns would all begin at the same place of a memory page, and a loop that reads one and writes another would then
    /// make the processor wait again and again, because the low bits of their addresses look alike. So each begins somewhere else,
    /// with a cache line: a matrix that is read by itself is in one line then, not in two.
    fn stagger(&self, bytes: usize) -> usize {
        if bytes < STAGGERED_FROM || self.align_bits > 6 {
            return 0;
        }
        let lines = (self.component.index() % 7 + 1) * 448;
        if self.align() > HEADER { lines } else { lines - HEADER }
    }

    /// The memory for `capacity` values, and where in it they begin.
    fn memory(&self, capacity: usize) -> (Layout, usize) {
        let values = self.layout(capacity);
        let offset = self.stagger(values.size());
        let layout = Layout::from_size_align(values.size() + offset, values.align());
        (layout.expect("a column fits into the address space"), offset)
    }

    /// Changes the capacity. Does not panic if [`Column::layout`] of the new capacity did not.
    ///
    /// # Safety
    /// 1. `old` is the current capacity.
    /// 2. No value at or behind `new` is used again.
    pub(crate) unsafe fn resize(&mut self, old: usize, new: usize) {
        let ((from, old_offset), (to, new_offset)) = (self.memory(old), self.memory(new));
        if from == to {
            return;
        }
        // SAFETY: the old memory begins `old_offset` before the values, was allocated with `from` by (1), and all that stays used fits into the new one, by (2).
        let data = unsafe {
            let base = self.data.as_ptr().wrapping_sub(old_offset);
            let base = match (from.size(), to.size()) {
                (0, _) => alloc(to),
                (_, 0) => {
                    dealloc(base, from);
                    std::ptr::without_provenance_mut(self.align())
                }
                _ if old_offset == new_offset => realloc(base, from, to.size()),
                _ => {
                    let fresh = alloc(to);
                    if !fresh.is_null() {
                        let used = self.size * old.min(new);
                        fresh.add(new_offset).copy_from_nonoverlapping(self.data.as_ptr(), used);
                        dealloc(base, from);
                    }
                    fresh
                }
            };
            if base.is_null() { base } else { base.wrapping_add(new_offset) }
        };
        self.data = NonNull::new(data).unwrap_or_else(|| handle_alloc_error(to));
    }

    /// Gives the memory back, without dropping values.
    ///
    /// # Safety
    /// 1. `capacity` is the current capacity.
    /// 2. The column is not used again, or only as an empty one of capacity 0.
    pub(crate) unsafe fn free(&mut self, capacity: usize) {
        // SAFETY: by (1) and (2).
        unsafe { self.resize(capacity, 0) };
    }

    /// Moves value `from` over value `to`, which may be the same.
    ///
    /// # Safety
    /// 1. Both are below the capacity.
    /// 2. Nobody uses the value at `to` at the same time, or again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn fill(&self, from: usize, to: usize) {
        // SAFETY: by (1) and (2); two cells are the same or apart.
        unsafe { move_cell(self.cell(from), self.cell(to), self.size) };
    }

    /// Copies the value of row 0 into the others.
    ///
    /// # Safety
    /// 1. There are as many rows as `rows` says, at least one; row 0 is initialised, and nobody uses the others.
    /// 2. Values of this type may be copied bit by bit.
    pub(crate) unsafe fn repeat_first(&self, rows: usize) {
        /// What is copied at once: it stays in the nearest cache.
        const BLOCK: usize = 4096;
        if self.size == 0 {
            return;
        }
        let (block, all) = ((BLOCK / self.size).max(1) * self.size, rows * self.size);
        let mut done = self.size;
        while done < all {
            let next = done.min(block).min(all - done);
            // SAFETY: `done` bytes are written, and `next` more fit, by (1); the copies are whole values, by (2).
            unsafe { self.data.as_ptr().add(done).copy_from_nonoverlapping(self.data.as_ptr(), next) };
            done += next;
        }
    }

    /// Drops the values of a range of rows; the first panic goes on when all are dropped.
    ///
    /// # Safety
    /// 1. All of them are initialised and not used again.
    pub(crate) unsafe fn drop_range(&mut self, first: usize, count: usize) {
        if let Some(drop) = self.drop {
            // SAFETY: initialised values of this column's type, by (1).
            unsafe { drop(self.cell(first), count) };
        }
    }
}

/// Moves the values of row `from` over those of row `to`, in every column.
///
/// # Safety
/// 1. Both are below the capacity of the columns, and not the same.
/// 2. Nobody uses the values at `to` at the same time, or again.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn fill_all(columns: &[Column], from: usize, to: usize) {
    let Range { start: mut next, end } = columns.as_ptr_range();
    // SAFETY: `next` is below `end` where it is read; rows by (1) and (2), values are as wide as the column says.
    unsafe {
        while next != end {
            next = match (*next).width {
                Width::Four => fill_run::<4>(next, end, Width::Four, from, to),
                Width::Eight => fill_run::<8>(next, end, Width::Eight, from, to),
                Width::Twelve => fill_run::<12>(next, end, Width::Twelve, from, to),
                Width::Sixteen => fill_run::<16>(next, end, Width::Sixteen, from, to),
                Width::Matrix => fill_run::<64>(next, end, Width::Matrix, from, to),
                Width::Other | Width::End => fill_any(next, from, to),
            };
        }
    }
}

/// [`fill_all`] for columns of one width that stand side by side; answers where to go on.
///
/// # Safety
/// As [`fill_all`]; `next` is a column of values of `SIZE` bytes, as are all of this width from there to `end`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn fill_run<const SIZE: usize>(
    mut next: *const Column,
    end: *const Column,
    width: Width,
    from: usize,
    to: usize,
) -> *const Column {
    // SAFETY: passed on.
    unsafe {
        loop {
            (*next).place::<SIZE>(to).write((*next).place::<SIZE>(from).read());
            next = next.add(1);
            if next == end || (*next).width != width {
                return next;
            }
        }
    }
}

/// [`fill_all`] for one column of any width; answers where to go on.
///
/// # Safety
/// As [`fill_all`].
#[inline(never)]
unsafe fn fill_any(column: *const Column, from: usize, to: usize) -> *const Column {
    // SAFETY: passed on.
    unsafe {
        (*column).fill(from, to);
        column.add(1)
    }
}

/// Finds the column of a component in one table: a hash without collisions, chosen when the table is made.
///
/// A dense array would be faster still, but 10⁴ types × 10⁵ tables of it are gigabytes. Tags are in here too, so the map
/// answers "has" for everything a table's signature names.
#[derive(Clone, Default)]
pub(crate) struct ColumnMap {
    /// `(component, column)`; a power of two of them. Free slots hold `FREE`.
    slots: Box<[(u32, u32)]>,
    factor: u32,
    /// `32 - log2(slots.len())`
    shift: u32,
}

const FREE: u32 = u32::MAX;
/// What the map answers for a tag.
const NO_COLUMN: u32 = u32::MAX;

impl ColumnMap {
    /// `columns` lists each component with its column, or `None` for a tag.
    pub(crate) fn new(columns: &[(ComponentId, Option<ColumnIndex>)]) -> Self {
        let mut bits = (columns.len().max(1) * 2).next_power_of_two().trailing_zeros().max(1);
        loop {
            // A few odd factors, then twice the room: small tables succeed at once.
            for attempt in 0..64u32 {
                let factor = 0x9E37_79B1_u32.wrapping_add(attempt.wrapping_mul(0x3C6E_F372)) | 1;
                if let Some(map) = Self::try_new(columns, factor, bits) {
                    return map;
                }
            }
            bits += 1;
        }
    }

    fn try_new(columns: &[(ComponentId, Option<ColumnIndex>)], factor: u32, bits: u32) -> Option<Self> {
        let mut map = Self { slots: vec![(FREE, FREE); 1 << bits].into(), factor, shift: 32 - bits };
        for &(component, column) in columns {
            let slot = map.slot(component);
            if map.slots[slot].0 != FREE {
                return None;
            }
            map.slots[slot] = (component.raw(), column.map_or(NO_COLUMN, |c| c.0));
        }
        Some(map)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(&self, component: ComponentId) -> usize {
        (component.raw().wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Whether the signature names the component.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn contains(&self, component: ComponentId) -> bool {
        self.slots.get(self.slot(component)).is_some_and(|slot| slot.0 == component.raw())
    }

    /// The column of the component, if it has one here.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn column(&self, component: ComponentId) -> Option<ColumnIndex> {
        match self.slots.get(self.slot(component)) {
            Some(&(found, column)) if found == component.raw() && column != NO_COLUMN => Some(ColumnIndex(column)),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_finds_every_column_and_nothing_else() {
        for count in [0usize, 1, 2, 3, 7, 16, 100, 1000] {
            let columns: Vec<_> = (0..count)
                .map(|i| {
                    (ComponentId::new(i * 7 + 3), (i % 3 != 0).then_some(ColumnIndex(u32::try_from(i).expect("small"))))
                })
                .collect();
            let map = ColumnMap::new(&columns);
            for (component, column) in &columns {
                assert!(map.contains(*component));
                assert_eq!(map.column(*component), *column);
            }
            assert!(!map.contains(ComponentId::new(4)));
            assert_eq!(map.column(ComponentId::new(5)), None);
        }
    }
}
