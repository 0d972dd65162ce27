//! One column: the values of one component in one table, type-erased.

#![expect(unsafe_code, reason = "owns memory for values whose type is known only at run time")]

use super::cell::move_cell;
use crate::component::{ComponentId, ComponentInfo, DropFn};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

/// The position of a column in its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ColumnIndex(pub(crate) u32);

impl ColumnIndex {
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

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
        }
    }

    #[inline(always)]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    fn align(&self) -> usize {
        1 << self.align_bits
    }

    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    #[inline(always)]
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
        let bytes = self.size.checked_mul(capacity).and_then(|size| Layout::from_size_align(size, self.align()).ok());
        bytes.expect("a column fits into the address space")
    }

    /// Where value `row` is.
    ///
    /// # Safety
    /// 1. `row` is at most the capacity.
    #[inline(always)]
    pub(crate) unsafe fn cell(&self, row: usize) -> *mut u8 {
        // SAFETY: within the allocation, or one behind it, by (1).
        unsafe { self.data.as_ptr().add(row * self.size) }
    }

    /// Changes the capacity. Does not panic if [`Column::layout`] of the new capacity did not.
    ///
    /// # Safety
    /// 1. `old` is the current capacity.
    /// 2. No value at or behind `new` is used again.
    pub(crate) unsafe fn resize(&mut self, old: usize, new: usize) {
        let (from, to) = (self.layout(old), self.layout(new));
        let data = match (from.size(), to.size()) {
            (a, b) if a == b => return,
            // SAFETY: the layout has a size.
            (0, _) => unsafe { alloc(to) },
            (_, 0) => {
                // SAFETY: allocated with `from`, by (1).
                unsafe { dealloc(self.data.as_ptr(), from) };
                std::ptr::without_provenance_mut(self.align())
            }
            // SAFETY: allocated with `from`, by (1); the new size is not 0 and was checked by `layout`.
            _ => unsafe { realloc(self.data.as_ptr(), from, to.size()) },
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
    #[inline(always)]
    pub(crate) unsafe fn fill(&mut self, from: usize, to: usize) {
        // SAFETY: by (1); two cells are the same or apart.
        unsafe { move_cell(self.cell(from), self.cell(to), self.size) };
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

    #[inline(always)]
    fn slot(&self, component: ComponentId) -> usize {
        (component.raw().wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Whether the signature names the component.
    #[inline(always)]
    pub(crate) fn contains(&self, component: ComponentId) -> bool {
        self.slots.get(self.slot(component)).is_some_and(|slot| slot.0 == component.raw())
    }

    /// The column of the component, if it has one here.
    #[inline(always)]
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
                .map(|i| (ComponentId::new(i * 7 + 3), (i % 3 != 0).then_some(ColumnIndex(i as u32))))
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
