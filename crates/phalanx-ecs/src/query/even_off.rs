//! [`EvenOff`]: terms that find what is switched off too.

#![expect(unsafe_code, reason = "hands out references into tables and sparse sets")]

use super::access::{Access, AccessKeys};
use super::part::{Part, ReadPart, holds_pointers};
use super::parts::{Ids, Read, Values, Write, resolve};
use super::pattern::{PatternBuilder, Test};
use super::term::{Terms, as_it_is};
use crate::component::{Component, Registry, Toggle};
use crate::storage::{ColumnIndex, SparseSet, Store, Table};
use std::marker::PhantomData;

/// A term that finds a component even where it is switched off: `EvenOff<&T>`, `EvenOff<&mut T>`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[component(toggle)]
/// struct Shield(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Shield(5));
/// world.switch_off::<Shield>(orc)?;
/// assert_eq!(world.query::<&Shield>().count(), 0);
/// assert_eq!(world.query::<EvenOff<&Shield>>().count(), 1);
/// # Ok::<(), phalanx_ecs::LookupError>(())
/// ```
pub struct EvenOff<Q>(PhantomData<Q>);

/// `EvenOff<&T>` or `EvenOff<&mut T>`
pub struct Even<P>(PhantomData<P>);

impl<T: Toggle> Terms for EvenOff<&T> {
    type Parts = Even<Read<T>>;
    type Item<'w> = &'w T;
    as_it_is!();
}

impl<T: Toggle> Terms for EvenOff<&mut T> {
    type Parts = Even<Write<T>>;
    type Item<'w> = &'w mut T;
    as_it_is!();
}

macro_rules! even_off {
    ($part:ident, $item:ty, $slice:ty, $access:ident, $around:literal) => {
        // SAFETY: as the part inside, for rows that are switched off as well.
        unsafe impl<T: Component> Part for Even<$part<T>> {
            type Item<'w> = $item;
            type Slice<'w> = $slice;
            type State = Ids;
            type Columns = ColumnIndex;
            type Pointers = Values<T>;
            holds_pointers!();
            const ROWS: bool = <$part<T> as Part>::ROWS;
            const SLICED: bool = <$part<T> as Part>::SLICED;
            const MARKS: bool = <$part<T> as Part>::MARKS;
            const SPARSE: usize = <$part<T> as Part>::SPARSE;
            const TABLELESS: bool = Values::<T>::SPARSE;
            const ACCESS: AccessKeys = <$part<T> as Part>::ACCESS;

            fn declare(builder: &mut PatternBuilder<'_>) {
                builder.tested::<T>(Access::$access, Test::EvenOff, ($around, ">"));
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
                unsafe { <$part<T>>::begin(state, columns, store, table, now) };
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
                // SAFETY: passed on.
                unsafe { Values::new(state, columns, store, table) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn has_row(pointers: &Values<T>, _row: usize, index: u32) -> bool {
                // SAFETY: passed on.
                unsafe { pointers.has_even_off(index) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> $item {
                // SAFETY: passed on.
                unsafe { <$part<T>>::item(pointers, row, index) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn slice<'w>(pointers: &Values<T>, start: usize, end: usize) -> $slice {
                // SAFETY: passed on.
                unsafe { <$part<T>>::slice(pointers, start, end) }
            }
            unsafe fn solo_pointers(set: &SparseSet, store: &Store) -> Values<T> {
                // SAFETY: passed on.
                unsafe { <$part<T>>::solo_pointers(set, store) }
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn solo_item<'w>(pointers: &Values<T>, row: usize, index: u32) -> $item {
                // SAFETY: passed on.
                unsafe { <$part<T>>::solo_item(pointers, row, index) }
            }
        }
    };
}

even_off!(Read, &'w T, &'w [T], Read, "EvenOff<&");
even_off!(Write, &'w mut T, &'w mut [T], Write, "EvenOff<&mut ");

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl<T: Component> ReadPart for Even<Read<T>> {}
