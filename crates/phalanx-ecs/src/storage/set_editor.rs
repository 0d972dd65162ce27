//! Editing one sparse set many times: everything an edit needs is at hand, in registers.

#![expect(unsafe_code, reason = "moves values in and out of a sparse set through pointers taken once")]

use super::sparse::{Link, NONE, Owner, PAGE, Page, SparseSet, SparseSets};
use crate::component::{Panics, SetId};
use std::marker::PhantomData;
use std::mem::needs_drop;

/// One sparse set of a store, borrowed exclusively for many edits.
///
/// The pointers are those of the set and are taken anew whenever it grows. The set itself is always in order between two calls: only its
/// length is kept here a second time, and written through at once, so forgetting an editor harms nothing.
pub(crate) struct SetEditor<'a, T> {
    /// Exclusively ours for `'a`. A pointer, because those in `at` are made from it and must outlive each use of it.
    sets: *mut SparseSets,
    id: SetId,
    at: Pointers<T>,
    _borrow: PhantomData<(&'a mut SparseSets, &'a mut T)>,
}

/// Where the parts of a set (and the lists of entities) are, for as long as it does not grow.
///
/// They are passed by value, also by what happens seldom and out of line: so they can stay in registers.
struct Pointers<T> {
    set: *mut SparseSet,
    values: *mut T,
    owners: *mut Owner,
    pages: *mut Page,
    heads: *mut Link,
    len: usize,
    capacity: usize,
}

// SAFETY: stands for `&mut SparseSets`; values are components.
unsafe impl<T: Send> Send for SetEditor<'_, T> {}
// SAFETY: as above; a shared editor only reads.
unsafe impl<T: Sync> Sync for SetEditor<'_, T> {}

impl<T> Pointers<T> {
    fn of(sets: &mut SparseSets, set: SetId) -> Self {
        let (set, heads) = sets.parts_mut(set);
        Self {
            set,
            values: set.values.data().as_ptr().cast(),
            owners: set.owners.as_mut_ptr(),
            pages: set.pages.as_mut_ptr(),
            heads: heads.as_mut_ptr(),
            len: set.owners.len(),
            capacity: set.capacity,
        }
    }

    /// Field by field: returned in one piece they would be written to memory, and stay there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_over(&mut self, other: &Self) {
        self.set = other.set;
        self.values = other.values;
        self.owners = other.owners;
        self.pages = other.pages;
        self.heads = other.heads;
        self.len = other.len;
        self.capacity = other.capacity;
    }

    /// After a page was made, or if it is there, room for one more value.
    #[cold]
    #[inline(never)]
    fn after_making_room(sets: &mut SparseSets, id: SetId, page: usize) -> Self {
        let set = sets.get_mut(id);
        if matches!(set.pages.get(page), Some(Some(_))) {
            set.grow(1);
        } else {
            set.make_page(page);
        }
        Self::of(sets, id)
    }
}

impl<'a, T> SetEditor<'a, T> {
    /// Edits a set for entities with indices below `indices`.
    ///
    /// # Safety
    /// 1. `T` is the set's type.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn new(sets: &'a mut SparseSets, set: SetId, indices: u32) -> Self {
        sets.cover(set, indices);
        let sets: *mut SparseSets = sets;
        // SAFETY: just borrowed, exclusively.
        let at = Pointers::of(unsafe { &mut *sets }, set);
        Self { sets, id: set, at, _borrow: PhantomData }
    }

    /// # Safety
    /// 1. So many values and owners are initialised.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn set_len(&mut self, len: usize) {
        self.at.len = len;
        // SAFETY: by (1).
        unsafe { (*self.at.set).owners.set_len(len) };
    }

    /// Moves a value into the set, over an older one, which is dropped.
    ///
    /// # Safety
    /// 1. `index` is below the number given to `new`, and alive.
    /// 2. `value` is valid for reads and not used again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn insert(&mut self, index: u32, value: *mut T) {
        let at = index as usize;
        // SAFETY: pages and heads cover all indices, by (1); rows in pages are below the length. There is room when something is written.
        unsafe {
            loop {
                if let Some(page) = &mut *self.at.pages.add(at / PAGE) {
                    let place = &mut page[at % PAGE];
                    // What is no row is `NONE`, and compared with what is at hand.
                    if (*place as usize) < self.at.len {
                        return Self::replace(self.at.values.add(*place as usize), value);
                    }
                    if self.at.len < self.at.capacity {
                        #[expect(clippy::cast_possible_truncation, reason = "fewer rows than entity indices")]
                        let row = self.at.len as u32;
                        *place = row;
                        let head = self.at.heads.add(at);
                        self.at.values.add(self.at.len).copy_from_nonoverlapping(value, 1);
                        Owner { index, next: *head }.write_to(self.at.owners.add(self.at.len));
                        *head = Link::to(self.id);
                        self.set_len(self.at.len + 1);
                        return;
                    }
                }
                self.at.take_over(&Pointers::after_making_room(&mut *self.sets, self.id, at / PAGE));
            }
        }
    }

    /// Moves a value over an older one, which is dropped.
    ///
    /// # Safety
    /// 1. `cell` holds a value of the set, which is ours for now.
    /// 2. `value` is valid for reads and not used again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn replace(cell: *mut T, value: *mut T) {
        let mut panics = Panics::default();
        if needs_drop::<T>() {
            // SAFETY: by (1); written anew right below.
            panics.catch(|| unsafe { cell.drop_in_place() });
        }
        // SAFETY: by (1) and (2).
        unsafe { cell.copy_from_nonoverlapping(value, 1) };
        if needs_drop::<T>() {
            panics.resume();
        }
    }

    /// Takes a value out.
    ///
    /// # Safety
    /// 1. `index` is below the number given to `new`, and alive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn remove(&mut self, index: u32) -> Option<T> {
        let at = index as usize;
        // SAFETY: pages and heads cover all indices, by (1). Rows in pages are below the length, so there is a last row, whose owner has a page.
        unsafe {
            let page = (*self.at.pages.add(at / PAGE)).as_deref_mut()?;
            // `NONE` may be written over `NONE`; and what is no row is compared with what is at hand.
            let row = std::mem::replace(&mut page[at % PAGE], NONE);
            if row as usize >= self.at.len {
                return None;
            }
            // First the entity's list, so that less is to be remembered while the last value moves.
            let next = (*self.at.owners.add(row as usize)).next;
            let head = self.at.heads.add(at);
            if *head == Link::to(self.id) {
                *head = next;
            } else {
                (*self.sets).unlink(self.id, index, next);
                self.at.take_over(&Pointers::of(&mut *self.sets, self.id));
            }
            let value = self.at.values.add(row as usize).read();
            let last = self.at.len - 1;
            self.set_len(last);
            if row as usize != last {
                let moved = *self.at.owners.add(last);
                self.at.values.add(row as usize).copy_from_nonoverlapping(self.at.values.add(last), 1);
                *self.at.owners.add(row as usize) = moved;
                let page = (*self.at.pages.add(moved.index as usize / PAGE)).as_deref_mut().unwrap_unchecked();
                page[moved.index as usize % PAGE] = row;
            }
            Some(value)
        }
    }

    /// Where the value of an entity is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cell(&self, index: u32) -> Option<*mut T> {
        self.set().cell(index).map(<*mut u8>::cast)
    }

    pub(crate) fn set(&self) -> &SparseSet {
        // SAFETY: ours for as long as `self`.
        unsafe { &*self.at.set }
    }
}
