//! The traits behind bundles, implemented for components and tuples.

#![expect(unsafe_code, reason = "hands out pointers to the fields of tuples")]

use super::KeyList;
use super::arity::{for_each_long_tuple, for_each_short_tuple};
use crate::component::{Component, Storage, is_checked, is_shared};

/// Visits the component types of a bundle, in order.
#[doc(hidden)]
pub trait TypeVisitor {
    fn visit<T: Component>(&mut self);
}

/// Visits the values of a bundle, in order.
#[doc(hidden)]
pub trait PartVisitor {
    /// # Safety
    /// 1. `value` is valid for reads and the visitor may move the value out of it.
    unsafe fn part<T: Component>(&mut self, value: *mut T);
}

/// Components that are inserted, removed and spawned together: a component, a tuple of up to 16 bundles, or a struct with `#[derive(Bundle)]`.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Title(&'static str);
/// #[derive(Component)] struct Shield;
///
/// #[derive(Bundle)]
/// struct Knight { health: Health, name: Title, shield: Shield }
///
/// let mut world = World::new();
/// let knight = world.spawn(Knight { health: Health(10), name: Title("Gawain"), shield: Shield });
/// assert!(world.has::<Shield>(knight));
/// ```
///
/// The fields of a derived bundle are components or bundles, and the struct may be generic. Its one attribute is
/// `#[bundle(crate = "path")]`: where the core is, if the derive cannot find it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bundle of components",
    label = "not a component, a tuple of components or a derived bundle",
    note = "a component has `#[derive(Component)]` above its declaration; a struct whose fields are components has `#[derive(Bundle)]`",
    note = "each member of a tuple must be a component or a bundle; a tuple has at most 16, which can be tuples themselves",
    note = "to see which member it is, spawn or insert them one by one: only the one that is none is refused"
)]
pub trait Bundle: Sized + 'static {
    /// The bundle as nested tuples of components.
    #[doc(hidden)]
    type Parts: BundleParts;
    /// Takes the bundle apart.
    #[doc(hidden)]
    fn into_parts(self) -> Self::Parts;
    /// Puts the bundle together.
    #[doc(hidden)]
    fn from_parts(parts: Self::Parts) -> Self;
}

/// Components and nested tuples of them.
///
/// # Safety
/// 1. `each_type` and `each_part` visit the same components in the same order, `COUNT` of them.
/// 2. `each_part` visits pointers into `*this`, each to a valid value, disjoint, and together all there is to drop in `Self`.
/// 3. `read` reads `Self` from the pointers `next` hands out, one call per component, in the same order.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of components only",
    label = "each field of a bundle is a component or a bundle"
)]
pub unsafe trait BundleParts: Send + Sync + Sized + 'static {
    /// How many components.
    const COUNT: usize;
    /// Their compile-time identities.
    const KEYS: KeyList;
    /// Whether one of them is asked first whether it may come.
    const CHECKED: bool;
    /// Whether all of them are known to be copied bit by bit.
    const COPY: bool;
    /// Whether one of them is shared.
    const SHARED: bool;
    /// Whether all of them are in tables, and nothing is kept beside their values.
    const SIMPLE: bool;
    /// Typed pointers to one column per component (meaningless for what has no column).
    type Columns: Copy;

    fn each_type(visit: &mut impl TypeVisitor);

    /// # Safety
    /// `this` points to a valid `Self` whose parts the visitor may move out.
    unsafe fn each_part(this: *mut Self, visit: &mut impl PartVisitor);

    /// Collects column pointers; `next` is called once per component.
    fn columns(next: &mut impl FnMut() -> *mut u8) -> Self::Columns;

    /// Moves the parts of `this` into row `row` of the columns.
    ///
    /// # Safety
    /// 1. `this` points to a valid `Self` that nobody uses again.
    /// 2. Each column is valid for a write at `row`.
    unsafe fn write_row(this: *mut Self, columns: Self::Columns, row: usize);

    /// Moves a bundle out of its cells.
    ///
    /// # Safety
    /// `next` returns, for each component in order, a pointer to a valid value that nobody uses again.
    unsafe fn read(next: &mut impl FnMut() -> *mut u8) -> Self;
}

/// A copy of parts that are all known to be copied bit by bit.
#[inline]
pub(crate) fn copy_of<P: BundleParts>(parts: &P) -> P {
    assert!(P::COPY, "copied bit by bit");
    // SAFETY: parts are components and tuples of them, and each of these is `Copy`: its type has proved it.
    unsafe { std::ptr::from_ref(parts).read() }
}

impl<T: Component> Bundle for T {
    type Parts = T;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn into_parts(self) -> T {
        self
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_parts(parts: T) -> T {
        parts
    }
}

// SAFETY: one component, one visit, one pointer: to the value itself.
unsafe impl<T: Component> BundleParts for T {
    const COUNT: usize = 1;
    const KEYS: KeyList = KeyList::one(&T::KEY);
    const CHECKED: bool = is_checked::<T>();
    const COPY: bool = T::COPY.is_some();
    const SHARED: bool = is_shared::<T>();
    const SIMPLE: bool = matches!(T::STORAGE, Storage::Table) && !T::TRACK && !T::TOGGLE;
    type Columns = *mut T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each_type(visit: &mut impl TypeVisitor) {
        visit.visit::<T>();
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn each_part(this: *mut Self, visit: &mut impl PartVisitor) {
        // SAFETY: passed on.
        unsafe { visit.part::<T>(this) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn columns(next: &mut impl FnMut() -> *mut u8) -> *mut T {
        next().cast()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn write_row(this: *mut Self, column: *mut T, row: usize) {
        // SAFETY: readable by (1), writable by (2).
        unsafe { column.add(row).copy_from_nonoverlapping(this, 1) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn read(next: &mut impl FnMut() -> *mut u8) -> Self {
        // SAFETY: a valid value by the contract.
        unsafe { next().cast::<T>().read() }
    }
}

macro_rules! tuple_bundle {
    ($($name:ident $at:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: Bundle),*> Bundle for ($($name,)*) {
            type Parts = ($($name::Parts,)*);
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn into_parts(self) -> Self::Parts {
                ($(self.$at.into_parts(),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            fn from_parts(_parts: Self::Parts) -> Self {
                ($($name::from_parts(_parts.$at),)*)
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: passes every call on to each member, in order; the members are disjoint fields of the tuple and all it has.
        unsafe impl<$($name: BundleParts),*> BundleParts for ($($name,)*) {
            const COUNT: usize = 0 $(+ $name::COUNT)*;
            const KEYS: KeyList = KeyList::EMPTY $(.join($name::KEYS))*;
            const CHECKED: bool = false $(|| $name::CHECKED)*;
            const COPY: bool = true $(&& $name::COPY)*;
            const SHARED: bool = false $(|| $name::SHARED)*;
            const SIMPLE: bool = true $(&& $name::SIMPLE)*;
            type Columns = ($($name::Columns,)*);

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn each_type(_visit: &mut impl TypeVisitor) {
                $($name::each_type(_visit);)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn each_part(_this: *mut Self, _visit: &mut impl PartVisitor) {
                // SAFETY: a valid tuple has valid members, and the permission to move out covers them.
                $(unsafe { $name::each_part(&raw mut (*_this).$at, _visit) };)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, clippy::semicolon_if_nothing_returned, reason = "the empty tuple")]
            fn columns(_next: &mut impl FnMut() -> *mut u8) -> Self::Columns {
                ($($name::columns(_next),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn write_row(_this: *mut Self, _columns: Self::Columns, _row: usize) {
                // SAFETY: passed on member by member.
                $(unsafe { $name::write_row(&raw mut (*_this).$at, _columns.$at, _row) };)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[allow(clippy::unused_unit, reason = "the empty tuple")]
            unsafe fn read(_next: &mut impl FnMut() -> *mut u8) -> Self {
                // SAFETY: passed on member by member, in order.
                ($(unsafe { $name::read(_next) },)*)
            }
        }
    };
}

/// More than four bundles: their parts are a tuple of tuples, so that parts have no more than four members.
macro_rules! long_tuple_bundle {
    ($([$group:tt: $($name:ident $at:tt $in_group:tt),+])+) => {
        #[diagnostic::do_not_recommend]
        impl<$($($name: Bundle),+),+> Bundle for ($($($name,)+)+) {
            type Parts = ($(($($name::Parts,)+),)+);
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn into_parts(self) -> Self::Parts {
                ($(($(self.$at.into_parts(),)+),)+)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_parts(parts: Self::Parts) -> Self {
                ($($($name::from_parts(parts.$group.$in_group),)+)+)
            }
        }
    };
}

tuple_bundle!();
for_each_short_tuple!(tuple_bundle);
for_each_long_tuple!(long_tuple_bundle);
