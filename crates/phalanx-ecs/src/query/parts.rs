//! The parts: read, write, maybe, the entity itself, presence, any of several, and tuples.

#![expect(unsafe_code, reason = "hands out references into tables and sparse sets")]

use super::access::{Access, AccessKeys};
use super::chunks::EntitySlice;
use super::part::{Part, ReadPart};
use super::pattern::{PatternBuilder, Wanted};
use crate::component::{Component, ComponentId, Registry, SetId, Storage, StorageKind};
use crate::entity::{Entities, Entity};
use crate::storage::{ColumnIndex, SparseSet, Store, Table};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// `&T`
pub struct Read<T>(PhantomData<T>);
/// `&mut T`
pub struct Write<T>(PhantomData<T>);
/// `Option<P>`
pub struct Maybe<P>(PhantomData<P>);
/// `Entity`
pub struct TheEntity;
/// `Has<T>`
pub struct Presence<T>(PhantomData<T>);
/// `AnyOf<P>`, where `P` is a tuple of [`Maybe`]s
pub struct OneOf<P>(PhantomData<P>);

/// The registered id of a component and its sparse set, if it is one.
type Ids = Option<(ComponentId, Option<SetId>)>;

fn resolve<T: Component>(registry: &Registry) -> Ids {
    let id = registry.id_of::<T>()?;
    match registry.at(id).kind {
        StorageKind::Set(set) => Some((id, Some(set))),
        StorageKind::Column | StorageKind::Tag => Some((id, None)),
    }
}

/// Where the values of one component are: a column, or a sparse set.
pub struct Values<T> {
    column: NonNull<T>,
    set: *const SparseSet,
}

impl<T> Clone for Values<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Values<T> {}

impl<T: Component> Values<T> {
    const SPARSE: bool = matches!(T::STORAGE, Storage::Sparse);

    fn fits(ids: Ids, table: &Table) -> bool {
        ids.is_some_and(|(id, _)| Self::SPARSE || table.map().contains(id))
    }

    fn columns(ids: Ids, table: &Table) -> ColumnIndex {
        let id = ids.expect("a table fits only if the component is registered").0;
        table.map().column(id).unwrap_or(ColumnIndex(0))
    }

    /// # Safety
    /// As (1) of [`Part::pointers`].
    #[inline(always)]
    unsafe fn new(ids: Ids, column: ColumnIndex, store: &Store, table: &Table) -> Self {
        if Self::SPARSE {
            // SAFETY: of a fitting table: the component is registered.
            let set = unsafe { ids.unwrap_unchecked().1.unwrap_unchecked() };
            Self { column: NonNull::dangling(), set: store.sets.get(set) }
        } else if size_of::<T>() == 0 {
            Self { column: NonNull::dangling(), set: std::ptr::null() }
        } else {
            // SAFETY: the column was found in the map of a table of this archetype.
            let column = unsafe { table.column_unchecked(column) };
            Self { column: column.data().cast(), set: std::ptr::null() }
        }
    }

    /// # Safety
    /// As [`Part::solo_pointers`].
    unsafe fn solo(ids: Ids, store: &Store) -> Self {
        let set = ids.and_then(|(_, set)| set).expect("a registered sparse component");
        let set = store.sets.get(set);
        Self { column: set.values().data().cast(), set }
    }

    /// # Safety
    /// As (1) of [`Part::has_row`].
    #[inline(always)]
    unsafe fn has(&self, index: u32) -> bool {
        // SAFETY: the set is borrowed with the store.
        !Self::SPARSE || unsafe { (*self.set).row(index).is_some() }
    }

    /// # Safety
    /// As (1) and (2) of [`Part::item`].
    #[inline(always)]
    unsafe fn cell(&self, row: usize, index: u32) -> NonNull<T> {
        // SAFETY: a row of the column; or the entity has a value in the set, which holds `T`s.
        unsafe {
            if Self::SPARSE {
                NonNull::new_unchecked((*self.set).cell(index).unwrap_unchecked().cast())
            } else {
                self.column.add(row)
            }
        }
    }
}

// SAFETY: declares one read, and hands out `&T`.
unsafe impl<T: Component> Part for Read<T> {
    type Item<'w> = &'w T;
    type Slice<'w> = &'w [T];
    type State = Ids;
    type Columns = ColumnIndex;
    type Pointers = Values<T>;
    const ROWS: bool = Values::<T>::SPARSE;
    const SPARSE: usize = Values::<T>::SPARSE as usize;
    const TABLELESS: bool = Values::<T>::SPARSE;
    const ACCESS: AccessKeys = AccessKeys::one(&T::KEY, false);

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::Read, Wanted::Present, ("&", ""));
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
    #[inline(always)]
    unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::new(state, columns, store, table) }
    }
    #[inline(always)]
    unsafe fn has_row(pointers: &Values<T>, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { pointers.has(index) }
    }
    #[inline(always)]
    unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w T {
        // SAFETY: a valid value by (1) and (2), shared by (3).
        unsafe { pointers.cell(row, index).as_ref() }
    }
    #[inline(always)]
    unsafe fn slice<'w>(pointers: &Values<T>, start: usize, end: usize) -> &'w [T] {
        // SAFETY: all those rows are valid, and shared.
        unsafe { std::slice::from_raw_parts(pointers.column.add(start).as_ptr(), end - start) }
    }
    unsafe fn solo_pointers(state: Ids, store: &Store) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::solo(state, store) }
    }
    #[inline(always)]
    unsafe fn solo_item<'w>(pointers: &Values<T>, row: usize, _index: u32) -> &'w T {
        // SAFETY: a row of the set's values.
        unsafe { pointers.column.add(row).as_ref() }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl<T: Component> ReadPart for Read<T> {}

// SAFETY: declares one write, and hands out `&mut T`.
unsafe impl<T: Component> Part for Write<T> {
    type Item<'w> = &'w mut T;
    type Slice<'w> = &'w mut [T];
    type State = Ids;
    type Columns = ColumnIndex;
    type Pointers = Values<T>;
    const ROWS: bool = Values::<T>::SPARSE;
    const SPARSE: usize = Values::<T>::SPARSE as usize;
    const TABLELESS: bool = Values::<T>::SPARSE;
    const ACCESS: AccessKeys = AccessKeys::one(&T::KEY, true);

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::Write, Wanted::Present, ("&mut ", ""));
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
    #[inline(always)]
    unsafe fn pointers(state: Ids, columns: ColumnIndex, store: &Store, table: &Table) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::new(state, columns, store, table) }
    }
    #[inline(always)]
    unsafe fn has_row(pointers: &Values<T>, index: u32) -> bool {
        // SAFETY: passed on.
        unsafe { pointers.has(index) }
    }
    #[inline(always)]
    unsafe fn item<'w>(pointers: &Values<T>, row: usize, index: u32) -> &'w mut T {
        // SAFETY: a valid value by (1) and (2), ours by (3).
        unsafe { pointers.cell(row, index).as_mut() }
    }
    #[inline(always)]
    unsafe fn slice<'w>(pointers: &Values<T>, start: usize, end: usize) -> &'w mut [T] {
        // SAFETY: all those rows are valid, and ours.
        unsafe { std::slice::from_raw_parts_mut(pointers.column.add(start).as_ptr(), end - start) }
    }
    unsafe fn solo_pointers(state: Ids, store: &Store) -> Values<T> {
        // SAFETY: passed on.
        unsafe { Values::solo(state, store) }
    }
    #[inline(always)]
    unsafe fn solo_item<'w>(pointers: &Values<T>, row: usize, _index: u32) -> &'w mut T {
        // SAFETY: a row of the set's values.
        unsafe { pointers.column.add(row).as_mut() }
    }
}

// SAFETY: declares what `P` declares, and hands it out only where it is.
unsafe impl<P: Part> Part for Maybe<P> {
    type Item<'w> = Option<P::Item<'w>>;
    type Slice<'w> = Option<P::Slice<'w>>;
    type State = P::State;
    type Columns = Option<P::Columns>;
    type Pointers = Option<P::Pointers>;
    /// Every row matches, but a slice cannot say which rows have a sparse value.
    const ROWS: bool = P::ROWS;
    const SPARSE: usize = 0;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = P::ACCESS;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.maybe(P::declare);
    }
    fn resolve(registry: &Registry) -> P::State {
        P::resolve(registry)
    }
    fn fits(_state: P::State, _table: &Table) -> bool {
        true
    }
    fn columns(state: P::State, table: &Table) -> Option<P::Columns> {
        P::fits(state, table).then(|| P::columns(state, table))
    }
    #[inline(always)]
    unsafe fn pointers(
        state: P::State,
        columns: Option<P::Columns>,
        store: &Store,
        table: &Table,
    ) -> Option<P::Pointers> {
        // SAFETY: passed on; columns were found only where the table fits.
        columns.map(|columns| unsafe { P::pointers(state, columns, store, table) })
    }
    #[inline(always)]
    unsafe fn has_row(_pointers: &Option<P::Pointers>, _index: u32) -> bool {
        true
    }
    #[inline(always)]
    unsafe fn item<'w>(pointers: &Option<P::Pointers>, row: usize, index: u32) -> Option<P::Item<'w>> {
        // SAFETY: passed on, where the row has what `P` needs.
        unsafe {
            match pointers {
                Some(pointers) if P::has_row(pointers, index) => Some(P::item(pointers, row, index)),
                _ => None,
            }
        }
    }
    #[inline(always)]
    unsafe fn slice<'w>(pointers: &Option<P::Pointers>, start: usize, end: usize) -> Option<P::Slice<'w>> {
        // SAFETY: passed on.
        pointers.as_ref().map(|pointers| unsafe { P::slice(pointers, start, end) })
    }
    unsafe fn solo_pointers(_state: P::State, _store: &Store) -> Option<P::Pointers> {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &Option<P::Pointers>, _row: usize, _index: u32) -> Option<P::Item<'w>> {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads, as `P` does.
unsafe impl<P: ReadPart> ReadPart for Maybe<P> {}

/// The entity column of a table, and the book of generations.
#[derive(Clone, Copy)]
pub struct EntityPointers {
    indices: *const u32,
    entities: *const Entities,
}

// SAFETY: hands out copies of handles, no component.
unsafe impl Part for TheEntity {
    type Item<'w> = Entity;
    type Slice<'w> = EntitySlice<'w>;
    type State = ();
    type Columns = ();
    type Pointers = EntityPointers;
    const ROWS: bool = false;
    const SPARSE: usize = 0;
    const TABLELESS: bool = true;
    const ACCESS: AccessKeys = AccessKeys::EMPTY;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.entity();
    }
    fn resolve(_registry: &Registry) {}
    fn fits((): (), _table: &Table) -> bool {
        true
    }
    fn columns((): (), _table: &Table) {}
    #[inline(always)]
    unsafe fn pointers((): (), (): (), store: &Store, table: &Table) -> EntityPointers {
        EntityPointers { indices: table.entities_ptr(), entities: &raw const store.entities }
    }
    #[inline(always)]
    unsafe fn has_row(_pointers: &EntityPointers, _index: u32) -> bool {
        true
    }
    #[inline(always)]
    unsafe fn item<'w>(pointers: &EntityPointers, _row: usize, index: u32) -> Self::Item<'w> {
        // SAFETY: the row belongs to a live entity by (2); the book is borrowed by (1).
        unsafe { (*pointers.entities).entity_at_unchecked(index) }
    }
    #[inline(always)]
    unsafe fn slice<'w>(pointers: &EntityPointers, start: usize, end: usize) -> Self::Slice<'w> {
        // SAFETY: those rows of the entity column are initialised, and borrowed with the book for `'w`.
        unsafe {
            EntitySlice::new(std::slice::from_raw_parts(pointers.indices.add(start), end - start), &*pointers.entities)
        }
    }
    unsafe fn solo_pointers((): (), store: &Store) -> EntityPointers {
        EntityPointers { indices: std::ptr::null(), entities: &raw const store.entities }
    }
    #[inline(always)]
    unsafe fn solo_item<'w>(pointers: &EntityPointers, _row: usize, index: u32) -> Self::Item<'w> {
        // SAFETY: a value in a sparse set belongs to a live entity; the book is borrowed.
        unsafe { (*pointers.entities).entity_at_unchecked(index) }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl ReadPart for TheEntity {}

// SAFETY: hands out whether a component is there, not the component.
unsafe impl<T: Component> Part for Presence<T> {
    type Item<'w> = bool;
    type Slice<'w> = bool;
    type State = Ids;
    type Columns = bool;
    type Pointers = (bool, *const SparseSet);
    const ROWS: bool = Values::<T>::SPARSE;
    const SPARSE: usize = 0;
    const TABLELESS: bool = false;
    const ACCESS: AccessKeys = AccessKeys::EMPTY;

    fn declare(builder: &mut PatternBuilder<'_>) {
        builder.typed::<T>(Access::None, Wanted::Either, ("Has<", ">"));
    }
    fn resolve(registry: &Registry) -> Ids {
        resolve::<T>(registry)
    }
    fn fits(_state: Ids, _table: &Table) -> bool {
        true
    }
    fn columns(state: Ids, table: &Table) -> bool {
        state.is_some_and(|(id, _)| table.map().contains(id))
    }
    #[inline(always)]
    unsafe fn pointers(state: Ids, here: bool, store: &Store, _table: &Table) -> Self::Pointers {
        let set = state.and_then(|(_, set)| set);
        (here, set.map_or(std::ptr::null(), |set| store.sets.get(set)))
    }
    #[inline(always)]
    unsafe fn has_row(_pointers: &Self::Pointers, _index: u32) -> bool {
        true
    }
    #[inline(always)]
    unsafe fn item<'w>((here, set): &Self::Pointers, _row: usize, index: u32) -> Self::Item<'w> {
        if Values::<T>::SPARSE {
            // SAFETY: null, or borrowed with the store.
            unsafe { set.as_ref() }.is_some_and(|set| set.row(index).is_some())
        } else {
            *here
        }
    }
    #[inline(always)]
    unsafe fn slice<'w>((here, _): &Self::Pointers, _start: usize, _end: usize) -> Self::Slice<'w> {
        *here
    }
    unsafe fn solo_pointers(_state: Ids, _store: &Store) -> Self::Pointers {
        unreachable!("not tableless")
    }
    unsafe fn solo_item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
        unreachable!("not tableless")
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: only reads.
unsafe impl<T: Component> ReadPart for Presence<T> {}

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
            const ROWS: bool = false $(|| $name::ROWS)*;
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
            #[inline(always)]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn pointers(_state: Self::State, _columns: Self::Columns, _store: &Store, _table: &Table) -> Self::Pointers {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::pointers(_state.$at, _columns.$at, _store, _table) },)*)
            }
            #[inline(always)]
            unsafe fn has_row(_pointers: &Self::Pointers, _index: u32) -> bool {
                // SAFETY: passed on member by member.
                true $(&& unsafe { $name::has_row(&_pointers.$at, _index) })*
            }
            #[inline(always)]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::item(&_pointers.$at, _row, _index) },)*)
            }
            #[inline(always)]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn slice<'w>(_pointers: &Self::Pointers, _start: usize, _end: usize) -> Self::Slice<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { $name::slice(&_pointers.$at, _start, _end) },)*)
            }
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn solo_pointers(_state: Self::State, _store: &Store) -> Self::Pointers {
                // SAFETY: passed on member by member: each is tableless.
                ($(unsafe { $name::solo_pointers(_state.$at, _store) },)*)
            }
            #[inline(always)]
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

macro_rules! one_of {
    ($($name:ident $at:tt),+) => {
        // SAFETY: as the tuple of `Maybe`s, except that a row has at least one of them.
        unsafe impl<$($name: Part),+> Part for OneOf<($(Maybe<$name>,)+)> {
            type Item<'w> = ($(Option<$name::Item<'w>>,)+);
            type Slice<'w> = ($(Option<$name::Slice<'w>>,)+);
            type State = ($($name::State,)+);
            type Columns = ($(Option<$name::Columns>,)+);
            type Pointers = ($(Option<$name::Pointers>,)+);
            const ROWS: bool = false $(|| $name::ROWS)+;
            const SPARSE: usize = 0;
            const TABLELESS: bool = false;
            const ACCESS: AccessKeys = AccessKeys::EMPTY $(.join($name::ACCESS))+;

            fn declare(builder: &mut PatternBuilder<'_>) {
                builder.any_of("AnyOf", &[$($name::declare),+]);
            }
            fn resolve(registry: &Registry) -> Self::State {
                ($($name::resolve(registry),)+)
            }
            fn fits(state: Self::State, table: &Table) -> bool {
                false $(|| $name::fits(state.$at, table))+
            }
            fn columns(state: Self::State, table: &Table) -> Self::Columns {
                ($(Maybe::<$name>::columns(state.$at, table),)+)
            }
            #[inline(always)]
            unsafe fn pointers(state: Self::State, columns: Self::Columns, store: &Store, table: &Table) -> Self::Pointers {
                // SAFETY: passed on member by member.
                ($(unsafe { Maybe::<$name>::pointers(state.$at, columns.$at, store, table) },)+)
            }
            #[inline(always)]
            unsafe fn has_row(pointers: &Self::Pointers, index: u32) -> bool {
                // SAFETY: passed on member by member.
                false $(|| pointers.$at.as_ref().is_some_and(|p| unsafe { $name::has_row(p, index) }))+
            }
            #[inline(always)]
            unsafe fn item<'w>(pointers: &Self::Pointers, row: usize, index: u32) -> Self::Item<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { Maybe::<$name>::item(&pointers.$at, row, index) },)+)
            }
            #[inline(always)]
            unsafe fn slice<'w>(pointers: &Self::Pointers, start: usize, end: usize) -> Self::Slice<'w> {
                // SAFETY: passed on member by member.
                ($(unsafe { Maybe::<$name>::slice(&pointers.$at, start, end) },)+)
            }
            unsafe fn solo_pointers(_state: Self::State, _store: &Store) -> Self::Pointers {
                unreachable!("not tableless")
            }
            unsafe fn solo_item<'w>(_pointers: &Self::Pointers, _row: usize, _index: u32) -> Self::Item<'w> {
                unreachable!("not tableless")
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: only reads, as the members do.
        unsafe impl<$($name: ReadPart),+> ReadPart for OneOf<($(Maybe<$name>,)+)> {}
    };
}

tuple_part!();
super::term::for_each_tuple!(tuple_part);
super::term::for_each_tuple!(one_of);
