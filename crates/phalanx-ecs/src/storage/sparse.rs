//! Sparse sets: packed values beside the tables, for components that are rare or come and go.
//!
//! ```text
//! pages    index 7 → row 0, index 2 → row 1        4 bytes per index, in pages made on demand
//! values   [  v  |  v  ]                           packed; removal moves the last value into the hole
//! owners   [  7  |  2  ]                           whose value it is, and which set of the same entity comes next
//!
//! heads    7 → set 3 ─owner.next→ set 0 ─→ end      the sets an entity is in, as a list through `owners`
//! ```
//!
//! The list makes despawning, cloning and `Exact` cost what an entity has, not how many types are registered.

#![expect(unsafe_code, reason = "owns packed values whose type is known only at run time")]

use super::column::Column;
use super::sides::Side;
use super::table::most_rows;
use crate::component::{ComponentId, ComponentInfo, Panics, Registry, SetId};

pub(super) const PAGE: usize = 1024;
pub(super) const NONE: u32 = u32::MAX;

/// Rows by index, made on demand.
pub(super) type Page = Option<Box<[u32; PAGE]>>;

/// Which set comes next in an entity's list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Link(u32);

impl Link {
    const END: Self = Self(0);

    pub(super) fn to(set: SetId) -> Self {
        Self(set.0 + 1)
    }

    fn set(self) -> Option<SetId> {
        self.0.checked_sub(1).map(SetId)
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct Owner {
    pub(super) index: u32,
    pub(super) next: Link,
}

impl Owner {
    /// Writes it in one piece: what bounds inserting is the number of stores, and the compiler would make two.
    ///
    /// # Safety
    /// 1. `place` is valid for writing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn write_to(self, place: *mut Self) {
        // SAFETY: both are eight bytes, aligned as such, without padding; the place by (1).
        unsafe { place.cast::<u64>().write(std::mem::transmute::<Self, u64>(self)) };
    }
}

/// One sparse set; see the module.
pub struct SparseSet {
    /// `owners.len()` values are initialised.
    pub(super) values: Column,
    pub(super) capacity: usize,
    pub(super) owners: Vec<Owner>,
    pub(super) pages: Vec<Page>,
    /// By row, for a component that is tracked or toggled.
    side: Option<Box<Side>>,
}

impl SparseSet {
    fn new(info: &ComponentInfo) -> Self {
        let side = Side::new(info).map(Box::new);
        Self { values: Column::new(info), capacity: 0, owners: Vec::new(), pages: Vec::new(), side }
    }

    /// What is kept beside the values, if the component is tracked or toggled.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn side(&self) -> Option<&Side> {
        self.side.as_deref()
    }

    pub(super) fn side_mut(&mut self) -> Option<&mut Side> {
        self.side.as_deref_mut()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn component(&self) -> ComponentId {
        self.values.component()
    }

    pub(crate) fn values(&self) -> &Column {
        &self.values
    }

    /// The row of an entity's value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn row(&self, index: u32) -> Option<usize> {
        let page = self.pages.get(index as usize / PAGE)?.as_deref()?;
        let row = page[index as usize % PAGE];
        (row != NONE).then_some(row as usize)
    }

    /// Where an entity's value is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cell(&self, index: u32) -> Option<*mut u8> {
        // SAFETY: rows in pages are below the length.
        self.row(index).map(|row| unsafe { self.values.cell(row) })
    }

    /// The index of the entity that owns value `row`.
    ///
    /// # Safety
    /// 1. `row` is below the length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn owner_unchecked(&self, row: usize) -> u32 {
        debug_assert!(row < self.owners.len());
        // SAFETY: by (1).
        unsafe { self.owners.get_unchecked(row).index }
    }

    pub(crate) fn owners(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.owners.iter().map(|owner| owner.index)
    }

    /// Makes room for one more value and a page for `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make_room(&mut self, index: u32) -> &mut u32 {
        if self.owners.len() == self.capacity {
            self.grow(1);
        }
        let page = index as usize / PAGE;
        if !matches!(self.pages.get(page), Some(Some(_))) {
            self.make_page(page);
        }
        // SAFETY: the page was made just now, if it was not there.
        let page = unsafe { self.pages.get_unchecked_mut(page).as_deref_mut().unwrap_unchecked() };
        &mut page[index as usize % PAGE]
    }

    #[cold]
    pub(super) fn make_page(&mut self, page: usize) {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page] = Some(Box::new([NONE; PAGE]));
    }

    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) {
        let needed = self.owners.len() + additional;
        assert!(needed <= most_rows(), "a sparse set holds fewer than 2³² values");
        let grown = if self.capacity < 4096 { self.capacity * 4 } else { self.capacity * 2 };
        let least = if self.values.size() > 1024 { 1 } else { 8 };
        self.set_capacity(needed.max(grown).max(least));
    }

    fn set_capacity(&mut self, capacity: usize) {
        self.values.layout(capacity);
        if capacity > self.owners.capacity() {
            self.owners.reserve_exact(capacity - self.owners.len());
        } else {
            self.owners.shrink_to(capacity);
        }
        // SAFETY: this is its capacity, and all values fit into the new one.
        unsafe { self.values.resize(self.capacity, capacity) };
        self.capacity = capacity;
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        if self.capacity - self.owners.len() < additional {
            self.grow(additional);
        }
    }

    fn shrink(&mut self) {
        if self.capacity > self.owners.len() {
            self.set_capacity(self.owners.len());
        }
        for page in &mut self.pages {
            if page.as_deref().is_some_and(|page| page.iter().all(|row| *row == NONE)) {
                *page = None;
            }
        }
        self.side_mut().into_iter().for_each(Side::shrink);
        while matches!(self.pages.last(), Some(None)) {
            self.pages.pop();
        }
        self.pages.shrink_to_fit();
    }

    /// Bytes reserved beside the values.
    pub(crate) fn overhead(&self) -> usize {
        let pages = self.pages.iter().flatten().count() * PAGE * 4;
        let side = self.side().map_or(0, |side| size_of::<Side>() + side.bytes());
        side + self.owners.capacity() * size_of::<Owner>() + self.pages.capacity() * size_of::<usize>() + pages
    }
}

impl Drop for SparseSet {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        let len = self.owners.len();
        self.owners.clear();
        // SAFETY: `len` values are initialised; the set is going away.
        panics.catch(|| unsafe { self.values.drop_range(0, len) });
        // SAFETY: this is its capacity; the set is going away.
        unsafe { self.values.free(self.capacity) };
        panics.resume();
    }
}

/// All sparse sets of a world, and which of them each entity is in.
#[derive(Default)]
pub(crate) struct SparseSets {
    sets: Vec<SparseSet>,
    /// By entity index; entities beyond the end are in no set.
    heads: Vec<Link>,
}

impl SparseSets {
    /// Makes the sets of newly registered components.
    pub(crate) fn add_missing(&mut self, registry: &Registry) {
        for component in &registry.sparse()[self.sets.len()..] {
            self.sets.push(SparseSet::new(registry.at(*component)));
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self, set: SetId) -> &SparseSet {
        &self.sets[set.index()]
    }

    pub(crate) fn get_mut(&mut self, set: SetId) -> &mut SparseSet {
        &mut self.sets[set.index()]
    }

    /// A set, and the lists of entities.
    pub(super) fn parts_mut(&mut self, set: SetId) -> (&mut SparseSet, &mut [Link]) {
        (&mut self.sets[set.index()], &mut self.heads)
    }

    /// Makes the lists of entities and the pages of a set long enough for so many indices.
    pub(super) fn cover(&mut self, set: SetId, indices: u32) {
        if self.heads.len() < indices as usize {
            self.grow_heads(indices);
        }
        let pages = (indices as usize).div_ceil(PAGE);
        let set = self.get_mut(set);
        if set.pages.len() < pages {
            set.pages.resize_with(pages, || None);
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &SparseSet> {
        self.sets.iter()
    }

    /// The sets an entity is in, the last joined first.
    #[inline]
    pub(crate) fn of(&self, index: u32) -> impl Iterator<Item = SetId> + '_ {
        let mut link = self.head(index);
        std::iter::from_fn(move || {
            let set = link.set()?;
            let set_ref = self.get(set);
            link = set_ref.row(index).map_or(Link::END, |row| set_ref.owners[row].next);
            Some(set)
        })
    }

    /// Whether an entity is in any set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn has_any(&self, index: u32) -> bool {
        self.head(index) != Link::END
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn head(&self, index: u32) -> Link {
        self.heads.get(index as usize).copied().unwrap_or(Link::END)
    }

    #[cold]
    #[inline(never)]
    fn grow_heads(&mut self, index: u32) {
        let len = (index as usize + 1).next_power_of_two().max(64);
        self.heads.resize(len, Link::END);
    }

    /// Makes room for a value of an entity that has none, and answers where it goes.
    ///
    /// Nothing is visible until [`SparseSets::commit`].
    pub(crate) fn prepare(&mut self, set: SetId, index: u32) -> *mut u8 {
        if self.heads.len() <= index as usize {
            self.grow_heads(index);
        }
        let set = self.get_mut(set);
        set.make_room(index);
        let row = set.owners.len();
        // SAFETY: there is room for one more.
        unsafe { set.values.cell(row) }
    }

    /// Makes a value that was written to the place [`SparseSets::prepare`] answered part of the set.
    ///
    /// # Safety
    /// 1. `prepare` was called with the same arguments, nothing was done with the set since, and a value was written.
    pub(crate) unsafe fn commit(&mut self, set: SetId, index: u32, now: u32) {
        // SAFETY: the head exists since `prepare`.
        let head = unsafe { self.heads.get_unchecked_mut(index as usize) };
        let link = std::mem::replace(head, Link::to(set));
        let set = &mut self.sets[set.index()];
        let row = u32::try_from(set.owners.len()).expect("fewer than 2³² values");
        *set.make_room(index) = row;
        set.owners.push(Owner { index, next: link });
        let len = set.len();
        if let Some(side) = &mut set.side {
            side.extend_to(len, now);
        }
    }

    /// Notes that a value of a tracked component was written, over an older one or as the last of the set.
    pub(crate) fn note_written(&mut self, set: SetId, index: u32, now: u32) {
        let set = self.get_mut(set);
        let (row, len) = (set.row(index), set.len());
        if let (Some(row), Some(side)) = (row, &mut set.side) {
            side.extend_to(len, now);
            side.mark(row, now);
        }
    }

    /// Makes all ticks smaller by `by`.
    pub(super) fn rebase_ticks(&mut self, by: u32) {
        self.sets.iter_mut().filter_map(SparseSet::side_mut).for_each(|side| side.rebase(by));
    }

    /// Moves a value into the set, over an older one if there is one, which is dropped.
    ///
    /// # Safety
    /// 1. `T` is the set's type.
    /// 2. `value` is valid for reads and not used again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn insert<T>(&mut self, set: SetId, index: u32, value: *mut T, panics: &mut Panics) {
        if self.heads.len() <= index as usize {
            self.grow_heads(index);
        }
        let link = Link::to(set);
        let set = &mut self.sets[set.index()];
        let row = set.owners.len();
        let place = set.make_room(index);
        if *place == NONE {
            // A set has fewer values than there are indices, so the cast is exact.
            #[expect(clippy::cast_possible_truncation, reason = "fewer rows than entity indices")]
            let new = row as u32;
            *place = new;
            // SAFETY: there is room for one more; the value is a `T` by (1) and (2). The head exists. `owners` has the room `make_room` reserved.
            unsafe {
                set.values.cell(row).cast::<T>().copy_from_nonoverlapping(value, 1);
                let head = self.heads.get_unchecked_mut(index as usize);
                Owner { index, next: *head }.write_to(set.owners.as_mut_ptr().add(row));
                set.owners.set_len(row + 1);
                *head = link;
            }
        } else {
            let row = *place as usize;
            // SAFETY: rows in pages are below the length, and hold a `T` by (1).
            let cell = unsafe { set.values.cell(row).cast::<T>() };
            if std::mem::needs_drop::<T>() {
                // SAFETY: initialised, and written anew before anybody sees it.
                panics.catch(|| unsafe { cell.drop_in_place() });
            }
            // SAFETY: by (1) and (2).
            unsafe { cell.copy_from_nonoverlapping(value, 1) };
        }
    }

    /// Takes a value out of a set without dropping it. `visit` sees where it lies; it must move it away or drop it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn take(&mut self, set_id: SetId, index: u32, visit: impl FnOnce(*mut u8)) -> bool {
        let Some(set) = self.sets.get_mut(set_id.index()) else { return false };
        let Some(Some(page)) = set.pages.get_mut(index as usize / PAGE) else { return false };
        let place = &mut page[index as usize % PAGE];
        if *place == NONE {
            return false;
        }
        let row = std::mem::replace(place, NONE) as usize;
        // SAFETY: rows in pages are below the length, so the set has a last row too.
        unsafe {
            visit(set.values.cell(row));
            let last = set.owners.len() - 1;
            let next = set.owners.get_unchecked(row).next;
            let moved = *set.owners.get_unchecked(last);
            set.values.fill(last, row);
            *set.owners.get_unchecked_mut(row) = moved;
            set.owners.set_len(last);
            if row != last {
                // The owner of the last value has a page, or it would have no value.
                let page = set.pages.get_unchecked_mut(moved.index as usize / PAGE).as_deref_mut().unwrap_unchecked();
                #[expect(clippy::cast_possible_truncation, reason = "it came from a page")]
                let row = row as u32;
                page[moved.index as usize % PAGE] = row;
            }
            if let Some(side) = &mut set.side {
                side.swap_remove(row, last + 1);
            }
            let head = self.heads.get_unchecked_mut(index as usize);
            if *head == Link::to(set_id) {
                *head = next;
            } else {
                self.unlink(set_id, index, next);
            }
        }
        true
    }

    /// Takes `set` out of an entity's list where it is not the head.
    #[cold]
    pub(super) fn unlink(&mut self, set: SetId, index: u32, next: Link) {
        let mut at = self.head(index);
        while let Some(previous) = at.set() {
            let previous = self.get_mut(previous);
            let row = previous.row(index).expect("an entity's list names sets it is in");
            let link = &mut previous.owners[row].next;
            if *link == Link::to(set) {
                *link = next;
                return;
            }
            at = *link;
        }
        unreachable!("a set was not in the list of its entity");
    }

    /// Removes and drops an entity's value; answers whether there was one.
    pub(crate) fn remove(&mut self, set: SetId, index: u32, panics: &mut Panics) -> bool {
        let drop = self.get(set).values.drop_fn();
        self.take(set, index, |cell| {
            if let Some(drop) = drop {
                // SAFETY: `cell` holds a value of the set's type, which is taken out right after.
                panics.catch(|| unsafe { drop(cell, 1) });
            }
        })
    }

    /// Removes and drops everything an entity has in any set.
    pub(crate) fn remove_all(&mut self, index: u32, panics: &mut Panics) {
        while let Some(set) = self.head(index).set() {
            self.remove(set, index, panics);
        }
    }

    /// Drops all values of all sets.
    pub(crate) fn clear(&mut self, panics: &mut Panics) {
        self.heads.fill(Link::END);
        for set in &mut self.sets {
            let len = set.owners.len();
            set.owners.clear();
            set.side_mut().into_iter().for_each(Side::clear);
            for page in set.pages.iter_mut().flatten() {
                page.fill(NONE);
            }
            // SAFETY: `len` values were initialised, and the set no longer shows them.
            panics.catch(|| unsafe { set.values.drop_range(0, len) });
        }
    }

    pub(crate) fn shrink(&mut self) {
        for set in &mut self.sets {
            set.shrink();
        }
        while self.heads.last() == Some(&Link::END) {
            self.heads.pop();
        }
        self.heads.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Link>() + self.sets.capacity() * size_of::<SparseSet>()
    }

    /// Checks every invariant; `is_alive` answers for an index.
    pub(crate) fn validate(&self, is_alive: impl Fn(u32) -> bool) -> Result<(), String> {
        let mut values = 0;
        for (at, set) in self.sets.iter().enumerate() {
            values += set.len();
            if set.capacity < set.len() || set.owners.capacity() < set.capacity {
                return Err(format!("sparse set {at} has less room than values"));
            }
            if let Some(fault) = set.side().and_then(|side| side.fault(set.len())) {
                return Err(format!("beside sparse set {at}: {fault}"));
            }
            for (row, owner) in set.owners.iter().enumerate() {
                if set.row(owner.index) != Some(row) {
                    return Err(format!("sparse set {at}: the page of index {} does not name row {row}", owner.index));
                }
                if !is_alive(owner.index) {
                    return Err(format!("sparse set {at}: index {} is dead but has a value", owner.index));
                }
            }
            let placed = set.pages.iter().flatten().flat_map(|page| page.iter()).filter(|row| **row != NONE).count();
            if placed != set.len() {
                return Err(format!("sparse set {at} has {} values but {placed} places", set.len()));
            }
        }
        let mut listed = 0;
        for index in 0..self.heads.len() {
            let index = u32::try_from(index).expect("an entity index");
            let sets: Vec<SetId> = self.of(index).take(self.sets.len() + 1).collect();
            if sets.len() > self.sets.len() {
                return Err(format!("the list of index {index} runs in a circle"));
            }
            listed += sets.len();
            if let Some(set) = sets.iter().find(|set| self.get(**set).row(index).is_none()) {
                return Err(format!("the list of index {index} names set {} which has no value for it", set.0));
            }
        }
        if listed != values {
            return Err(format!("{values} sparse values, but the lists of entities name {listed}"));
        }
        Ok(())
    }
}
