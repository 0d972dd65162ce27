//! [`Common`]: the value that all rows of a table have of a shared component.

#![expect(unsafe_code, reason = "hands out references to shared values")]

use super::access::{Access, AccessKeys};
use super::part::{Part, ReadPart, holds_pointers};
use super::parts::{Ids, Read, Values};
use super::pattern::{PatternBuilder, Wanted, name_of};
use super::term::{Terms, as_it_is};
use crate::component::{Registry, Shared};
use crate::storage::{ColumnIndex, SparseSet, Store, Table};
use std::marker::PhantomData;

/// A term for a [shared](Shared) component: as `&T`, and in [`chunks`](crate::Query::chunks) the one value that all rows of the chunk have.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component, PartialEq, Eq, Hash)]
/// #[component(shared)]
/// struct Wind { speed: i32 }
/// #[derive(Component)] struct Position(f32);
///
/// let mut world = World::new();
/// world.spawn_batch((0..10).map(|i| (Position(0.0), Wind { speed: i % 2 })));
/// for (positions, wind) in world.query::<(&mut Position, Common<Wind>)>().chunks() {
///     for position in positions {
///         position.0 += wind.speed as f32;
///     }
/// }
/// assert_eq!(world.query::<&Position>().iter().map(|p| p.0).sum::<f32>(), 5.0);
/// ```
pub struct Common<T>(PhantomData<T>);

/// `Common<T>`
pub struct ReadCommon<T>(PhantomData<T>);

impl<T: Shared> Terms for Common<T> {
    type Parts = ReadCommon<T>;
    type Item<'w> = &'w T;
    as_it_is!();
    fn describe() -> String {
        format!("Common<{}>", name_of::<T>())
    }
}

// SAFETY: as `Read<T>`, except that the slice is the one value that all its rows have.
unsafe impl<T: Shared> Part for ReadCommon<T> {
    type Item<'w> = &'w T;
    type Slice<'w> = &'w T;
    type State = Ids;
    type Columns = ColumnIndex;
    type Pointers = Values<T>;
    holds_pointers!();
    const ROWS: bool = <Read<T> as Part>::ROWS;
    const MASKED: bool = <Read<T> as Part>::MASKED;
    const SPARSE: usize = <Read<T> as Part>::SPARSE;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = <Read<T> as Part>::ACCESS;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::Read, Wanted::Present, ("Common<", ">"));
    }
    fn resolve(registry: &Registry) -> Ids {
        Read::<T>::resolve(registry)
    }
    fn fits(state: Ids, table: &Table) -> bool {
        Read::<T>::fits(state, table)
    }
    fn columns(state: Ids, table: &Table) -> ColumnIndex {
        Read::<T>::columns(state, table)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Read::<T>::pointers(state, columns, store, table) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn off(pointers: &Values<T>, block: usize) -> u64 {
        // SAFETY: passed on.
        unsafe { Read::<T>::off(pointers, block) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(pointers: &Values<T>, row: usize, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { Read::<T>::has_row(pointers, row, index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w T {
        // SAFETY: passed on.
        unsafe { Read::<T>::item(pointers, row, index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &Values<T>, start: usize, _end: usize) -> &'w T {
        const { assert!(Values::<T>::SHARED, "a shared component says so by `#[component(shared)]`, and not by hand") };
        // SAFETY: passed on; all rows have the same value, whose place does not depend on the entity.
        unsafe { Read::<T>::item(pointers, start, 0) }
    }
    unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> Values<T> {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &Values<T>, _row: usize, _index: u32) -> &'w T {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl<T: Shared> ReadPart for ReadCommon<T> {}
