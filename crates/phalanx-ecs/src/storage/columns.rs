//! Whole columns of values, as they are given to be spawned.

#![expect(unsafe_code, reason = "moves values to where the store has room for them")]

use super::spawn::SpawnRefusal;
use crate::bundle::arity::{for_each_long_tuple, for_each_short_tuple};
use crate::bundle::{BundleParts, copy_of};
use crate::component::{Component, Wishes, is_checked};

/// A whole column of values of one component: a `Vec`, an array, or a slice of `Copy` values.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ColumnSource;
///
/// #[derive(Component, Clone, Copy)] struct Health(u32);
/// #[derive(Component)] struct Gold(u32);
///
/// let mut world = World::new();
/// fn equals<T: Component + Copy>(column: &[T]) -> impl ColumnSource<Item = T> + '_ {
///     column
/// }
/// let healths = [Health(3), Health(2)];
/// world.spawn_columns((equals(&healths), vec![Gold(5), Gold(6)]))?;
/// assert!(world.query::<&Gold>().iter().map(|gold| gold.0).eq([5, 6]));
/// # Ok::<(), phalanx_ecs::SpawnError>(())
/// ```
///
/// # Safety
/// 1. `move_to` writes exactly `len` values and does not panic.
pub unsafe trait ColumnSource {
    /// The component.
    type Item: Component;
    /// How many values.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ColumnSource;
    /// # #[derive(Component)] struct Health(u32);
    /// assert_eq!(ColumnSource::len(&vec![Health(3), Health(2)]), 2);
    /// ```
    fn len(&self) -> usize;
    /// Whether there is no value.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ColumnSource;
    /// # #[derive(Component)] struct Health(u32);
    /// assert!(ColumnSource::is_empty(&Vec::<Health>::new()));
    /// ```
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Moves the values to `target`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ColumnSource;
    /// # #[derive(Component)] struct Health(u32);
    /// let mut places = [const { std::mem::MaybeUninit::<Health>::uninit() }; 2];
    /// // SAFETY: there is room for two.
    /// unsafe { [Health(3), Health(2)].move_to(places.as_mut_ptr().cast()) };
    /// // SAFETY: both are written.
    /// assert_eq!(places.map(|place| unsafe { place.assume_init() }.0), [3, 2]);
    /// ```
    ///
    /// # Safety
    /// 1. `target` is valid for writing `len` values.
    unsafe fn move_to(self, target: *mut Self::Item);
    /// The values, where they are.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::ColumnSource;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// assert_eq!(ColumnSource::as_slice(&[Health(3), Health(4)])[1].0, 4);
    /// ```
    fn as_slice(&self) -> &[Self::Item];
    /// The values one by one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ColumnSource;
    /// # #[derive(Component)] struct Health(u32);
    /// let healths: Vec<Health> = ColumnSource::into_vec([Health(3), Health(2)]);
    /// assert_eq!(healths.len(), 2);
    /// ```
    fn into_vec(self) -> Vec<Self::Item>;
}

// SAFETY: writes all its values.
unsafe impl<T: Component> ColumnSource for Vec<T> {
    type Item = T;
    fn len(&self) -> usize {
        self.as_slice().len()
    }
    unsafe fn move_to(mut self, target: *mut T) {
        // SAFETY: room by (1); the vector forgets the values it gave away.
        unsafe {
            target.copy_from_nonoverlapping(self.as_ptr(), self.as_slice().len());
            self.set_len(0);
        }
    }
    fn as_slice(&self) -> &[T] {
        self
    }
    fn into_vec(self) -> Vec<T> {
        self
    }
}

// SAFETY: writes all its values.
unsafe impl<T: Component + Copy> ColumnSource for &[T] {
    type Item = T;
    fn len(&self) -> usize {
        <[T]>::len(self)
    }
    unsafe fn move_to(self, target: *mut T) {
        // SAFETY: room by (1); `Copy` values may be doubled.
        unsafe { target.copy_from_nonoverlapping(self.as_ptr(), <[T]>::len(self)) }
    }
    fn as_slice(&self) -> &[T] {
        self
    }
    fn into_vec(self) -> Vec<T> {
        self.to_vec()
    }
}

// SAFETY: writes all its values.
unsafe impl<T: Component, const N: usize> ColumnSource for [T; N] {
    type Item = T;
    fn len(&self) -> usize {
        N
    }
    unsafe fn move_to(self, target: *mut T) {
        // SAFETY: room by (1).
        unsafe { target.cast::<[T; N]>().write(self) }
    }
    fn as_slice(&self) -> &[T] {
        self
    }
    fn into_vec(self) -> Vec<T> {
        self.into()
    }
}

/// Columns of one length, one per component: a tuple of up to 16 [`ColumnSource`]s.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Columns;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// let mut world = World::new();
/// fn bodies() -> impl Columns {
///     (vec![Position(0.0), Position(1.0)], [Velocity(1.0), Velocity(2.0)])
/// }
/// assert_eq!(world.spawn_columns(bodies())?.len(), 2);
/// # Ok::<(), phalanx_ecs::SpawnError>(())
/// ```
///
/// # Safety
/// 1. `move_into` asks for one place per component of `Parts`, in order, and writes `common_len` values there; it does not panic.
pub unsafe trait Columns {
    /// One row.
    #[doc(hidden)]
    type Parts: BundleParts;
    #[doc(hidden)]
    fn common_len(&self) -> Result<usize, SpawnRefusal>;
    #[doc(hidden)]
    fn move_into(self, next: &mut dyn FnMut() -> *mut u8);
    #[doc(hidden)]
    fn into_rows(self) -> Vec<Self::Parts>;
    /// Notes what is asked first whether it may come.
    #[doc(hidden)]
    fn note_wishes(&self, wishes: &mut Wishes);
}

/// Notes the values of a column that are asked first whether they may come.
fn note_column<S: ColumnSource>(source: &S, wishes: &mut Wishes) {
    if is_checked::<S::Item>() {
        for value in source.as_slice() {
            wishes.note(None, copy_of(value));
        }
    }
}

/// The length that all columns have.
fn common(lengths: &[usize]) -> Result<usize, SpawnRefusal> {
    match lengths.iter().position(|len| *len != lengths[0]) {
        None => Ok(lengths[0]),
        Some(position) => Err(SpawnRefusal::Lengths { first: lengths[0], other: lengths[position], position }),
    }
}

const ONE_LENGTH: &str = "columns have one length";

macro_rules! tuple_columns {
    // The members; a row of them; the columns as they are taken; what one row takes of each.
    ($($name:ident $at:tt),+) => {
        tuple_columns!(($($name $at),+) ($($name::Item,)+) columns ($(columns.$at.next().expect(ONE_LENGTH),)+));
    };
    // More than four: a row is a tuple of tuples.
    ($([$group:tt: $($name:ident $at:tt $in_group:tt),+])+) => {
        tuple_columns!(
            ($($($name $at),+),+) ($(($($name::Item,)+),)+) columns
            ($(($(columns.$at.next().expect(ONE_LENGTH),)+),)+)
        );
    };
    (($($name:ident $at:tt),+) $parts:tt $columns:ident $row:tt) => {
        // SAFETY: each member writes all its values, of which there are equally many.
        unsafe impl<$($name: ColumnSource),+> Columns for ($($name,)+) {
            type Parts = $parts;

            fn common_len(&self) -> Result<usize, SpawnRefusal> {
                common(&[$(self.$at.len()),+])
            }

            fn move_into(self, next: &mut dyn FnMut() -> *mut u8) {
                // SAFETY: the store hands out a place with room for the common length, per component in order.
                $(unsafe { self.$at.move_to(next().cast()) };)+
            }

            fn into_rows(self) -> Vec<Self::Parts> {
                let count = self.0.len();
                let mut $columns = ($(self.$at.into_vec().into_iter(),)+);
                (0..count).map(|_| $row).collect()
            }

            fn note_wishes(&self, wishes: &mut Wishes) {
                $(note_column(&self.$at, wishes);)+
            }
        }
    };
}

for_each_short_tuple!(tuple_columns);
for_each_long_tuple!(tuple_columns);
