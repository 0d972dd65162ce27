//! Parts that are tuples of parts, and `AnyOf`.
//!
//! Parts have up to four members: terms that are more are a tuple of tuples here, and what is handed out is laid out flat by [`Terms`](super::Terms). So sixteen take the compiler no
//! longer than a few.

#![expect(unsafe_code, reason = "passes on what it is given, to each member")]

use super::access::AccessKeys;
use super::part::{Part, ReadPart, holds_pointers};
use super::parts::{Maybe, is_on};
use super::pattern::PatternBuilder;
use crate::bundle::arity::for_each_short_tuple;
use crate::component::Registry;
use crate::storage::{SparseSet, Store, Table};
use std::marker::PhantomData;

/// `AnyOf<P>`, where `P` is a tuple of [`Maybe`]s
pub struct OneOf<P>(PhantomData<P>);

macro_rules! tuple_part {
    ($($name:ident $at:tt),*) => {
        // SAFETY: passes everything on to each member, in order; declares what they declare. That members do not conflict is checked
        // over the whole query, from what they declare.
        unsafe impl<$($name: Part),*> Part for ($($name,)*) {
            type Item<'w> = ($($name::Item<'w>,)*);
            type Slice<'w> = ($($name::Slice<'w>,)*);
            type State = ($($name::State,)*);
            type Columns = ($($name::Columns,)*);
            type Pointers = ($($name::Pointers,)*);
            type Held = ($($name::Held,)*);
            const ROWS: bool = false $(|| $name::ROWS)*;
            const SLICED: bool = true $(&& $name::SLICED)*;
            const MASKED: bool = false $(|| $name::MASKED)*;
            const MARKS: bool = false $(|| $name::MARKS)*;
            const SPARSE: usize = 0 $(+ $name::SPARSE)*;
            const TABLELESS: bool = true $(&& $name::TABLELESS)*;
            const ACCESS: AccessKeys = AccessKeys::EMPTY $(.join($name::ACCESS))*;

            fn declare(_builder: &mut PatternBuilder<'_>) {
                $($name::declare(_builder);)*
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn resolve(_registry: &Registry) -> Self::State {
                ($($name::resolve(_registry),)*)
            }
            fn fits(_state: Self::State, _table: &Table) -> bool {
                true $(&& $name::fits(_state.$at, _table))*
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn columns(_state: Self::State, _table: &Table) -> Self::Columns {
                ($($name::columns(_state.$at, _table),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn pointers(_state: Self::State, _columns: Self::Columns, _store: &Store, _table: &Table) -> Self::Pointers {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::pointers(_state.$at, _columns.$at, _store, _table) },)*)
            }
            unsafe fn begin(_state: Self::State, _columns: Self::Columns, _store: &Store, _table: &Table, _now: u32) {
                // SAFETY: passed on member by member.
                $(unsafe { $name::begin(_state.$at, _columns.$at, _store, _table, _now) };)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn off(_pointers: &Self::Pointers, _block: usize) -> u64 {
                // SAFETY: passed on member by member.
                0 $(| unsafe { $name::off(&_pointers.$at, _block) })*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn has_row(_pointers: &Self::Pointers, _row: usize, _index: u32) -> bool {
                // SAFETY: passed on member by member.
                true $(&& unsafe { $name::has_row(&_pointers.$at, _row, _index) })*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::item(&_pointers.$at, _row, _index) },)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn note_rows(_pointers: &Self::Pointers, _start: usize, _end: usize) {
                // SAFETY: passed on member by member.
                $(unsafe { $name::note_rows(&_pointers.$at, _start, _end) };)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn noted_item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::noted_item(&_pointers.$at, _row, _index) },)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn hold(_pointers: &Self::Pointers) -> Option<Self::Held> {
                // SAFETY: passed on member by member.
                Some(($(unsafe { $name::hold(&_pointers.$at)? },)*))
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn held_item<'w>(_held: &Self::Held, _row: usize, _index: u32) -> Self::Item<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::held_item(&_held.$at, _row, _index) },)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn slice<'w>(_pointers: &Self::Pointers, _start: usize, _end: usize) -> Self::Slice<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::slice(&_pointers.$at, _start, _end) },)*)
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> Self::Pointers {
                // SAFETY: passed on member by member: each is tableless.
                ($(unsafe { $name::solo_pointers(_set, _store) },)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn solo_item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::solo_item(&_pointers.$at, _row, _index) },)*)
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: only reads, as the members do.
        unsafe impl<$($name: ReadPart),*> ReadPart for ($($name,)*) {}
    };
}

/// A tuple of [`Maybe`]s, or of such tuples, of which at least one is asked for.
///
/// # Safety
/// 1. As [`Part`]'s: `has_any` says that a row has what one of the members needs only if it has it.
pub unsafe trait Choices: Part {
    fn list(members: &mut Vec<fn(&mut PatternBuilder<'_>)>);
    fn fits_any(state: Self::State, table: &Table) -> bool;
    /// # Safety
    /// As [`Part::has_row`]'s.
    unsafe fn has_any(pointers: &Self::Pointers, row: usize, index: u32) -> bool;
}

// SAFETY: asks its one member, in a table that it fits.
unsafe impl<P: Part> Choices for Maybe<P> {
    fn list(members: &mut Vec<fn(&mut PatternBuilder<'_>)>) {
        members.push(P::declare);
    }
    fn fits_any(state: Self::State, table: &Table) -> bool {
        P::fits(state, table)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_any(pointers: &Self::Pointers, row: usize, index: u32) -> bool {
        // SAFETY: passed on.
        pointers.as_ref().is_some_and(|p| unsafe { is_on::<P>(p, row) && P::has_row(p, row, index) })
    }
}

// SAFETY: as the tuple of `Maybe`s, except that a row has at least one of them.
unsafe impl<P: Choices> Part for OneOf<P> {
    type Item<'w> = P::Item<'w>;
    type Slice<'w> = P::Slice<'w>;
    type State = P::State;
    type Columns = P::Columns;
    type Pointers = P::Pointers;
    holds_pointers!();
    const ROWS: bool = P::ROWS;
    const SLICED: bool = P::SLICED;
    const MARKS: bool = P::MARKS;
    const SPARSE: usize = 0;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = P::ACCESS;

    fn declare(builder: &mut PatternBuilder<'_>) {
        let mut members = Vec::new();
        P::list(&mut members);
        builder.any_of("AnyOf", &members);
    }
    fn resolve(registry: &Registry) -> P::State {
        P::resolve(registry)
    }
    fn fits(state: P::State, table: &Table) -> bool {
        P::fits_any(state, table)
    }
    fn columns(state: P::State, table: &Table) -> P::Columns {
        P::columns(state, table)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn pointers(state: P::State, columns: P::Columns, store: &Store, table: &Table) -> P::Pointers {
        // SAFETY: passed on.
        unsafe { P::pointers(state, columns, store, table) }
    }
    unsafe fn begin(state: P::State, columns: P::Columns, store: &Store, table: &Table, now: u32) {
        // SAFETY: passed on.
        unsafe { P::begin(state, columns, store, table, now) };
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn has_row(pointers: &P::Pointers, row: usize, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { P::has_any(pointers, row, index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn item<'w>(pointers: &P::Pointers, row: usize, index: u32) -> P::Item<'w> {
        // SAFETY: passed on; every row has what a `Maybe` needs.
        unsafe { P::item(pointers, row, index) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slice<'w>(pointers: &P::Pointers, start: usize, end: usize) -> P::Slice<'w> {
        // SAFETY: passed on.
        unsafe { P::slice(pointers, start, end) }
    }
    unsafe fn solo_pointers(_set: &SparseSet, _store: &Store) -> P::Pointers {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &P::Pointers, _row: usize, _index: u32) -> P::Item<'w> {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads, as the members do.
unsafe impl<P: Choices + ReadPart> ReadPart for OneOf<P> {}

macro_rules! one_of {
    ($($name:ident $at:tt),+) => {
        // SAFETY: asks each member.
        unsafe impl<$($name: Choices),+> Choices for ($($name,)+) {
            fn list(members: &mut Vec<fn(&mut PatternBuilder<'_>)>) {
                $($name::list(members);)+
            }
            fn fits_any(state: Self::State, table: &Table) -> bool {
                false $(|| $name::fits_any(state.$at, table))+
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn has_any(pointers: &Self::Pointers, row: usize, index: u32) -> bool {
                // SAFETY: passed on member by member.
                false $(|| unsafe { $name::has_any(&pointers.$at, row, index) })+
            }
        }
    };
}

tuple_part!();
for_each_short_tuple!(tuple_part);
for_each_short_tuple!(one_of);
