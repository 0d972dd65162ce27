//! Pools: the values of shared components, each distinct one once.
//!
//! ```text
//! slots   0  red    archetypes 3, 7   9 rows   a value stays in its place while it lives, and tables know the place
//!         1  –      archetype 4       0 rows   free: tables of this archetype are empty, and will mean the next value that comes
//!         2  blue   archetype 5       1 row
//! index   a number that equal values have in common → 0, 2
//! ```
//!
//! Inserting goes in two steps. `seek` looks for an equal value, which is somebody's code and may panic: nothing has changed then. `settle` puts the new
//! value into the place that was found free, or drops it because there is an equal one.
//!
//! A slot counts the rows that have its value. Only what gives entities a value or takes it from them tells it so ([`Store::shift`], [`Store::leave`]); moves
//! that keep the value, which are most, know nothing of it.

#![expect(unsafe_code, reason = "owns values whose type is known only at run time")]

use super::archetype::{ArchetypeId, SharedValue};
use super::store::Store;
use crate::component::{
    ComponentId, ComponentInfo, DropFn, FixedHasher, Panics, PoolId, Registry, StorageKind, Telling,
};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::hash::Hasher;
use std::ptr::NonNull;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// There is no value.
    Free,
    /// There is one, and who looks for an equal one finds it.
    Listed,
    /// There is one that cannot be found, because comparing it panicked after it was edited.
    Unlisted,
}

struct Slot {
    /// Where the value is, or will be. `None` only where the slot is free and no archetype means it.
    cell: Option<NonNull<u8>>,
    /// Of a value that is listed.
    hash: u64,
    state: State,
    /// The archetypes that mean this slot, in order of creation.
    archetypes: Vec<ArchetypeId>,
    /// How many rows their tables have together, those of the dead included. The slot is free when there are none.
    rows: usize,
}

/// What `seek` found.
#[derive(Clone, Copy)]
struct Sought {
    number: u32,
    hash: u64,
    fresh: bool,
}

/// The values of one shared component.
pub(crate) struct Pool {
    component: ComponentId,
    layout: Layout,
    drop: Option<DropFn>,
    telling: Telling,
    slots: Vec<Slot>,
    /// Slots without a value; the last is used next.
    free: Vec<u32>,
    /// By hash, in the next place that was free: number plus one of a listed slot, 0 for none. A power of two of them, at most half used.
    index: Vec<u32>,
    /// What `seek` found, until `settle`.
    sought: Option<Sought>,
}

// SAFETY: a pool owns its values, and those are `Component`s: `Send` and `Sync`.
unsafe impl Send for Pool {}
// SAFETY: as above; nothing here changes through a shared reference.
unsafe impl Sync for Pool {}

impl Pool {
    fn new(info: &ComponentInfo) -> Self {
        Self {
            component: info.id,
            layout: info.layout,
            drop: info.drop,
            telling: info.telling.expect("a shared component says when values are equal"),
            slots: Vec::new(),
            free: Vec::new(),
            index: Vec::new(),
            sought: None,
        }
    }

    pub(crate) fn component(&self) -> ComponentId {
        self.component
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The numbers of the slots that have a value, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        let numbered = (0..).zip(&self.slots);
        numbered.filter(|(_, slot)| slot.state != State::Free).map(|(number, _)| number)
    }

    /// The slots without a value, in the order in which they will be used, from the last.
    pub(crate) fn free(&self) -> &[u32] {
        &self.free
    }

    /// The archetypes that mean a slot, in order of creation.
    pub(crate) fn archetypes(&self, number: u32) -> &[ArchetypeId] {
        &self.slots[number as usize].archetypes
    }

    /// How many rows have the value of a slot, those of the dead included.
    pub(super) fn rows(&self, number: u32) -> usize {
        self.slots[number as usize].rows
    }

    /// Where the value of a slot is, or will be.
    pub(crate) fn cell(&self, number: u32) -> NonNull<u8> {
        self.slots[number as usize].cell.expect("an archetype means it")
    }

    /// Bytes of values, and bytes reserved for them with what finding them takes.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let cells = self.slots.iter().filter(|slot| slot.cell.is_some()).count();
        let lists: usize = self.slots.iter().map(|slot| slot.archetypes.capacity() * size_of::<ArchetypeId>()).sum();
        let beside = self.slots.capacity() * size_of::<Slot>() + (self.free.capacity() + self.index.capacity()) * 4;
        (self.len() * self.layout.size(), cells * self.layout.size() + lists + beside)
    }

    /// # Safety
    /// 1. `value` points to a valid value of the component.
    unsafe fn hash(&self, value: *const u8) -> u64 {
        match self.telling {
            // SAFETY: by (1).
            Telling::By { hash, .. } => unsafe { hash(value) },
            Telling::Bytes => {
                let mut hasher = FixedHasher::default();
                // SAFETY: the bytes of a value of a type made at run time, by (1).
                hasher.write(unsafe { std::slice::from_raw_parts(value, self.layout.size()) });
                hasher.finish()
            }
        }
    }

    /// # Safety
    /// 1. Both point to valid values of the component.
    unsafe fn equal(&self, a: *const u8, b: *const u8) -> bool {
        // SAFETY: by (1); types made at run time are bytes.
        unsafe {
            match self.telling {
                Telling::By { equal, .. } => equal(a, b),
                Telling::Bytes => {
                    let bytes = |value| std::slice::from_raw_parts(value, self.layout.size());
                    bytes(a) == bytes(b)
                }
            }
        }
    }

    /// Where in the index one begins to look for a hash.
    fn home(&self, hash: u64) -> usize {
        // A hash may be as poor as a number itself: the upper half of a product depends on all of its bits.
        (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.index.len() - 1)
    }

    /// The slot with a value equal to this one, if it is listed.
    ///
    /// # Safety
    /// 1. `value` points to a valid value of the component.
    unsafe fn find(&self, hash: u64, value: *const u8) -> Option<u32> {
        if self.index.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let number = self.index[at].checked_sub(1)?;
            let slot = &self.slots[number as usize];
            // SAFETY: a listed slot has a valid value; the other by (1).
            if slot.hash == hash && unsafe { self.equal(self.cell(number).as_ptr(), value) } {
                return Some(number);
            }
            at = (at + 1) & (self.index.len() - 1);
        }
    }

    fn list(&mut self, number: u32, hash: u64) {
        let slot = &mut self.slots[number as usize];
        (slot.hash, slot.state) = (hash, State::Listed);
        // Half of the places stay free, so that looking ends soon.
        if (self.len() + 1) * 2 > self.index.len() {
            let size = ((self.len() + 1) * 4).next_power_of_two();
            self.index = vec![0; size];
            for other in 0..self.slots.len() {
                let listed = self.slots[other].state == State::Listed;
                if listed && other != number as usize {
                    self.place(u32::try_from(other).expect("a number"));
                }
            }
        }
        self.place(number);
    }

    fn place(&mut self, number: u32) {
        let mut at = self.home(self.slots[number as usize].hash);
        while self.index[at] != 0 {
            at = (at + 1) & (self.index.len() - 1);
        }
        self.index[at] = number + 1;
    }

    /// Takes a slot off the index, if it is listed: nobody finds its value any more.
    pub(super) fn unlist(&mut self, number: u32) {
        if self.slots[number as usize].state != State::Listed {
            return;
        }
        self.slots[number as usize].state = State::Unlisted;
        let mask = self.index.len() - 1;
        let mut hole = self.home(self.slots[number as usize].hash);
        while self.index[hole] != number + 1 {
            hole = (hole + 1) & mask;
        }
        // What stands behind the hole moves up, unless it would then stand before where one begins to look for it.
        let mut next = (hole + 1) & mask;
        while let Some(other) = self.index[next].checked_sub(1) {
            let home = self.home(self.slots[other as usize].hash);
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(hole) & mask {
                self.index[hole] = self.index[next];
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.index[hole] = 0;
    }

    /// Lists a slot whose value was edited; or answers another one with an equal value, and leaves it off the list. Runs somebody's code, which may panic.
    pub(super) fn relist(&mut self, number: u32) -> Option<u32> {
        let value = self.cell(number).as_ptr();
        // SAFETY: the slot has a value.
        let (hash, other) = unsafe {
            let hash = self.hash(value);
            (hash, self.find(hash, value))
        };
        if other.is_none() {
            self.list(number, hash);
        }
        other
    }

    /// The slot that will be used next, with a place for its value.
    fn next_free(&mut self) -> u32 {
        if self.free.is_empty() {
            let number = u32::try_from(self.slots.len()).expect("fewer than 2³² values");
            assert!(number < u32::MAX, "fewer than 2³² values");
            self.slots.push(Slot { cell: None, hash: 0, state: State::Free, archetypes: Vec::new(), rows: 0 });
            self.free.push(number);
        }
        let number = self.free[self.free.len() - 1];
        let layout = self.layout;
        self.slots[number as usize].cell.get_or_insert_with(|| {
            let place = if layout.size() == 0 {
                std::ptr::without_provenance_mut(layout.align())
            } else {
                // SAFETY: the layout has a size.
                unsafe { alloc(layout) }
            };
            NonNull::new(place).unwrap_or_else(|| handle_alloc_error(layout))
        });
        number
    }

    /// Looks for the slot of a value: one with an equal value, or the one that will be used next. Runs somebody's code, which may panic; nothing has changed
    /// then. If the value is to come, [`Pool::settle`] follows, before anything else is sought here.
    ///
    /// # Safety
    /// 1. `value` points to a valid value of the component.
    pub(super) unsafe fn seek(&mut self, value: *const u8) -> u32 {
        // SAFETY: passed on.
        let (hash, found) = unsafe {
            let hash = self.hash(value);
            (hash, self.find(hash, value))
        };
        let number = found.unwrap_or_else(|| self.next_free());
        self.sought = Some(Sought { number, hash, fresh: found.is_none() });
        number
    }

    /// Whether what was sought is not there yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.sought.is_some_and(|sought| sought.fresh)
    }

    /// Moves the value that was sought into its slot, or drops it if an equal one is there.
    ///
    /// # Safety
    /// 1. `value` is what `seek` was called with, is the caller's to move, and is not used again.
    pub(super) unsafe fn settle(&mut self, value: *mut u8, panics: &mut Panics) {
        let Sought { number, hash, fresh } = self.sought.take().expect("it was sought");
        if fresh {
            // SAFETY: a place for a value of this component, which holds none; the value by (1).
            unsafe { self.cell(number).as_ptr().copy_from_nonoverlapping(value, self.layout.size()) };
            self.occupy(number, hash);
        } else if let Some(drop) = self.drop {
            // SAFETY: the value is ours by (1).
            panics.catch(|| unsafe { drop(value, 1) });
        }
    }

    /// A free slot has a value now.
    fn occupy(&mut self, number: u32, hash: u64) {
        let at = self.free.iter().rposition(|free| *free == number).expect("it was free");
        self.free.remove(at);
        self.list(number, hash);
    }

    /// The value that was sought has come, if it was fresh: somebody has written it to its place.
    ///
    /// # Safety
    /// 1. If what was sought is fresh, there is a valid value in its place, which is the pool's now.
    pub(super) unsafe fn settle_in_place(&mut self) {
        let Sought { number, hash, fresh } = self.sought.take().expect("it was sought");
        if fresh {
            self.occupy(number, hash);
        }
    }

    /// Frees a slot, and answers where its value was, which is the caller's now.
    fn vacate(&mut self, number: u32) -> *mut u8 {
        self.unlist(number);
        self.slots[number as usize].state = State::Free;
        self.free.push(number);
        self.cell(number).as_ptr()
    }

    /// Forgets a value that was moved away, and which nobody uses.
    pub(super) fn forget(&mut self, number: u32) {
        self.vacate(number);
    }

    /// Drops a value that nobody uses, if it is still there.
    fn release(&mut self, number: u32, panics: &mut Panics) {
        if self.slots[number as usize].state == State::Free {
            return;
        }
        let value = self.vacate(number);
        if let Some(drop) = self.drop {
            // SAFETY: the value is ours, and nobody knows of it any more.
            panics.catch(|| unsafe { drop(value, 1) });
        }
    }

    /// Drops all values.
    fn clear(&mut self, panics: &mut Panics) {
        for number in 0..u32::try_from(self.slots.len()).expect("fewer than 2³² values") {
            self.slots[number as usize].rows = 0;
            self.release(number, panics);
        }
        // As in a new pool: the first is used first.
        self.free.clear();
        self.free.extend((0..u32::try_from(self.slots.len()).expect("fewer than 2³² values")).rev());
    }

    /// Gives back the memory of places that no archetype means.
    fn reclaim(&mut self) {
        for slot in &mut self.slots {
            if slot.state == State::Free && slot.archetypes.is_empty() {
                release_memory(slot.cell.take(), self.layout);
            }
        }
        while self.slots.last().is_some_and(|slot| slot.state == State::Free && slot.cell.is_none()) {
            self.slots.pop();
        }
        let kept = self.slots.len();
        self.free.retain(|number| (*number as usize) < kept);
    }

    /// The first thing that does not fit together, if any; `rows` says how many an archetype has.
    fn fault(&self, rows: impl Fn(ArchetypeId) -> usize) -> Option<String> {
        let mut listed = 0;
        let mut times_free = vec![0_usize; self.slots.len()];
        for free in &self.free {
            match times_free.get_mut(*free as usize) {
                Some(times) => *times += 1,
                None => return Some(format!("value {free} is on the free list and not there")),
            }
        }
        for (number, slot) in (0..).zip(&self.slots) {
            let free = times_free[number as usize];
            if free != usize::from(slot.state == State::Free) {
                return Some(format!("value {number} is {:?} and {free} times on the free list", slot.state));
            }
            let mut used = 0;
            for archetype in &slot.archetypes {
                used += rows(*archetype);
            }
            if used != slot.rows || (used > 0) == (slot.state == State::Free) {
                let Slot { state, rows, .. } = slot;
                return Some(format!("value {number} is {state:?}, knows of {rows} rows, and {used} have it"));
            }
            if !slot.archetypes.is_sorted_by(|a, b| a < b) {
                return Some(format!("the archetypes of value {number} are not in order"));
            }
            if slot.state == State::Listed {
                listed += 1;
                let mut at = self.home(slot.hash);
                while self.index[at] != number + 1 {
                    if self.index[at] == 0 {
                        return Some(format!("value {number} is not found"));
                    }
                    at = (at + 1) & (self.index.len() - 1);
                }
            }
        }
        let entries = self.index.iter().filter(|entry| **entry != 0).count();
        (entries != listed).then(|| format!("{entries} values can be found, and {listed} should be"))
    }
}

fn release_memory(cell: Option<NonNull<u8>>, layout: Layout) {
    if let Some(cell) = cell
        && layout.size() > 0
    {
        // SAFETY: allocated in `next_free` with this layout, and taken off its slot.
        unsafe { dealloc(cell.as_ptr(), layout) };
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut panics = Panics::default();
        self.clear(&mut panics);
        for slot in &mut self.slots {
            release_memory(slot.cell.take(), self.layout);
        }
        panics.resume();
    }
}

/// The pools of a store.
#[derive(Default)]
pub(crate) struct Pools(Vec<Pool>);

impl Pools {
    /// Makes pools for shared components that are new.
    pub(super) fn add_missing(&mut self, registry: &Registry) {
        for component in &registry.shared()[self.0.len()..] {
            self.0.push(Pool::new(registry.at(*component)));
        }
    }

    pub(crate) fn get(&self, pool: PoolId) -> &Pool {
        &self.0[pool.index()]
    }

    pub(super) fn get_mut(&mut self, pool: PoolId) -> &mut Pool {
        &mut self.0[pool.index()]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pool> {
        self.0.iter()
    }

    /// An archetype is new: the slots it means know it.
    pub(super) fn note(&mut self, registry: &Registry, values: &[SharedValue], archetype: ArchetypeId) {
        for value in values {
            self.get_mut(pool_of(registry, value.component)).slots[value.number as usize].archetypes.push(archetype);
        }
    }

    /// Archetypes get other numbers: the slots will be told anew.
    pub(super) fn forget_archetypes(&mut self) {
        for pool in &mut self.0 {
            pool.slots.iter_mut().for_each(|slot| slot.archetypes.clear());
        }
    }

    pub(super) fn reclaim(&mut self) {
        self.0.iter_mut().for_each(Pool::reclaim);
    }

    /// Drops all values.
    pub(super) fn clear(&mut self, panics: &mut Panics) {
        self.0.iter_mut().for_each(|pool| pool.clear(panics));
    }
}

/// The pool of a component that is known to be shared.
pub(super) fn pool_of(registry: &Registry, component: ComponentId) -> PoolId {
    match registry.at(component).kind {
        StorageKind::Shared(pool) => pool,
        _ => unreachable!("a shared component"),
    }
}

impl Store {
    /// The pool of a shared component.
    pub(crate) fn pool(&self, component: ComponentId) -> &Pool {
        self.pools.get(pool_of(&self.registry, component))
    }

    pub(super) fn pool_mut(&mut self, component: ComponentId) -> &mut Pool {
        self.pools.get_mut(pool_of(&self.registry, component))
    }

    /// Whether an archetype has rows, those of the dead included.
    pub(super) fn has_rows(&self, archetype: ArchetypeId) -> bool {
        self.table_of(archetype).len() > 0
    }

    /// Rows have left an archetype for one that has no shared values but some of its own, or are gone ([`ArchetypeId::EMPTY`]): values that nobody has any more
    /// are dropped, and panics of that are kept.
    #[inline]
    pub(super) fn leave(&mut self, from: ArchetypeId, to: ArchetypeId, rows: usize, panics: &mut Panics) {
        if !self.archetypes[from.index()].values.is_empty() {
            self.shift(from, to, rows, panics);
        }
    }

    /// Rows have gone from one archetype to another, and their values are there; [`ArchetypeId::EMPTY`] stands for where the new come from and the dead go to.
    /// Values that nobody has any more are dropped, and panics of that are kept.
    #[cold]
    #[inline(never)]
    pub(super) fn shift(&mut self, from: ArchetypeId, to: ArchetypeId, rows: usize, panics: &mut Panics) {
        let (left, entered) = (&self.archetypes[from.index()].values, &self.archetypes[to.index()].values);
        for value in entered {
            if !left.contains(value) {
                let pool = self.pools.get_mut(pool_of(&self.registry, value.component));
                pool.slots[value.number as usize].rows += rows;
            }
        }
        for value in left {
            if !entered.contains(value) {
                let pool = self.pools.get_mut(pool_of(&self.registry, value.component));
                let slot = &mut pool.slots[value.number as usize];
                slot.rows -= rows;
                if slot.rows == 0 {
                    pool.release(value.number, panics);
                }
            }
        }
    }

    /// The first thing about shared values that does not fit together, if any.
    pub(super) fn fault_in_pools(&self) -> Option<String> {
        for (at, archetype) in self.archetypes.iter().enumerate() {
            let table = &self.tables[archetype.table.index()];
            let shared: Vec<ComponentId> =
                archetype.components.iter().copied().filter(|c| self.registry.at(*c).is_shared()).collect();
            if !archetype.values.iter().map(|value| value.component).eq(shared) {
                return Some(format!("archetype {at} has not one value for each of its shared components"));
            }
            for (place, value) in archetype.values.iter().enumerate() {
                let pool = self.pool(value.component);
                if table.shared_cells().get(place) != Some(&pool.cell(value.number)) {
                    return Some(format!(
                        "the table of archetype {at} has another {:?} than it should",
                        value.component
                    ));
                }
                if pool.archetypes(value.number).binary_search(&ArchetypeId::at(at)).is_err() {
                    return Some(format!("the value of {:?} does not know archetype {at}", value.component));
                }
            }
        }
        self.pools.iter().find_map(|pool| {
            let fault = pool.fault(|archetype| self.table_of(archetype).len());
            fault.map(|fault| format!("shared {:?}: {fault}", pool.component()))
        })
    }
}
