//! [`Mut`]: a reference that notes only what is written through it.

#![expect(unsafe_code, reason = "marks the row of the value it refers to")]

use super::access::{Access, AccessKeys};
use super::part::{Part, holds_pointers};
use super::parts::{Ids, Values, Write, resolve};
use super::pattern::{PatternBuilder, Wanted};
use crate::component::{Registry, Tracked};
use crate::storage::{ColumnIndex, Side, SparseSet, Store, Table};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A component to change, which counts as changed once it is written: the careful form of `&mut T` for tracked components.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([Health(3), Health(100)]);
/// let mut changed = Prepared::<&Health, Changed<Health>>::new();
/// changed.on(&mut world);
/// for mut health in world.query::<Mut<Health>>() {
///     if health.0 < 50 { health.0 = 50; }
/// }
/// assert_eq!(changed.on(&mut world).count(), 1);
/// ```
pub struct Mut<'w, T: Tracked> {
    value: &'w mut T,
    side: &'w Side,
    row: usize,
}

impl<'w, T: Tracked> Mut<'w, T> {
    /// # Safety
    /// 1. `row` is a row of `side`, which is that of a tracked component.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn new(value: &'w mut T, side: &'w Side, row: usize) -> Self {
        Self { value, side, row }
    }

    /// The value, to change without anybody taking notice.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(track)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut changed = Prepared::<Entity, Changed<Health>>::new();
    /// changed.skip_to_now(&world);
    /// for mut health in world.query::<Mut<Health>>() {
    ///     Mut::bypass(&mut health).0 = 2;
    /// }
    /// assert!(changed.on(&mut world).is_empty());
    /// ```
    pub fn bypass(this: &mut Self) -> &mut T {
        this.value
    }

    /// Writes a value if it is another one; answers whether it was.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component, PartialEq)] #[component(track)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// for mut health in world.query::<Mut<Health>>() {
    ///     assert!(!Mut::set_if_neq(&mut health, Health(3)), "nobody learns of it");
    ///     assert!(Mut::set_if_neq(&mut health, Health(2)), "this is a change");
    /// }
    /// ```
    pub fn set_if_neq(this: &mut Self, value: T) -> bool
    where
        T: PartialEq,
    {
        let differs = *this.value != value;
        if differs {
            **this = value;
        }
        differs
    }
}

impl<T: Tracked> Deref for Mut<'_, T> {
    type Target = T;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T: Tracked> DerefMut for Mut<'_, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: (1) by the contract of `new`. Others may have been sent to other threads.
        unsafe { self.side.ticks.mark_together(self.row) };
        self.value
    }
}

impl<T: Tracked + fmt::Debug> fmt::Debug for Mut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// `Mut<T>`
pub struct WriteMarked<T>(PhantomData<T>);

// SAFETY: declares one write, and hands out a `Mut<T>`, which stands for `&mut T`.
unsafe impl<T: Tracked> Part for WriteMarked<T> {
    type Item<'w> = Mut<'w, T>;
    type Slice<'w> = &'w mut [T];
    type State = Ids;
    type Columns = ColumnIndex;
    type Pointers = Values<T>;
    holds_pointers!();
    const ROWS: bool = <Write<T> as Part>::ROWS;
    const MASKED: bool = <Write<T> as Part>::MASKED;
    const MARKS: bool = true;
    const SPARSE: usize = <Write<T> as Part>::SPARSE;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = <Write<T> as Part>::ACCESS;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::Write, Wanted::Present, ("Mut<", ">"));
    }
    fn resolve(registry: &Registry) -> Ids {
        resolve::<T>(registry)
    }
    fn fits(state: Ids, table: &Table) -> bool {
        Values::<T>::fits(state, table)
    }
    fn columns(state: Ids, table: &Table) -> ColumnIndex {
        Values::<T>::columns(state, table)
    }
    unsafe fn begin(state: Ids, columns: ColumnIndex, store: &Store, table: &Table, now: u32) {
        // SAFETY: passed on.
        unsafe { Write::<T>::begin(state, columns, store, table, now) };
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::new(state, columns, store, table) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn off(pointers: &Values<T>, block: usize) -> u64 {
        // SAFETY: passed on.
        unsafe { pointers.off(block) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(pointers: &Values<T>, _row: usize, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { pointers.has(index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> Mut<'w, T> {
        const { assert!(T::TRACK, "a tracked component says so by `#[component(track)]`, and not by hand") };
        // SAFETY: a valid value by (1) and (2), ours by (3); `T` is tracked, as was just checked, so there is a tick beside it.
        unsafe {
            let (side, place) = pointers.side(row, index);
            Mut::new(pointers.cell(row, index).as_mut(), side, place)
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &Values<T>, start: usize, end: usize) -> &'w mut [T] {
        // SAFETY: passed on.
        unsafe { Write::<T>::slice(pointers, start, end) }
    }
    unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> Values<T> {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &Values<T>, _row: usize, _index: u32) -> Mut<'w, T> {
        unreachable!("not tableless")
    }
}
