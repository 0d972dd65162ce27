//! Plain-data components seen as flat slices of scalars.
//!
//! ```text
//! [Position { x, y, z }, Position { x, y, z }]   as   [x, y, z, x, y, z]
//! ```
//! A loop over flat scalars vectorises where one over structs often does not. The view is safe without trusting
//! anybody: a [`Plain`] type *shows* its scalars by reference, and before a slice is viewed flat the places it
//! showed are compared with the places a flat view would touch. Shared references prove that the bytes are initialised scalars,
//! exclusive ones that any scalar may be written there; so both are asked for. The compiler knows the answer and leaves no
//! trace of the question.

#![expect(unsafe_code, reason = "views a slice of structs as a slice of their scalars")]

mod sealed {
    pub trait Sealed {}
}

/// A number type that a [`Plain`] component can be made of.
///
/// ```
/// use phalanx_ecs::{Plain, Scalar, flat};
///
/// #[derive(Plain, Clone, Copy)] struct Position { x: f32, y: f32 }
///
/// fn sum<T: Plain<Scalar: Scalar + std::iter::Sum>>(values: &[T]) -> T::Scalar {
///     flat(values).iter().copied().sum()
/// }
/// assert_eq!(sum(&[Position { x: 1.0, y: 2.0 }, Position { x: 3.0, y: 4.0 }]), 10.0);
/// ```
pub trait Scalar: sealed::Sealed + Plain<Scalar = Self> + Send + Sync {}

/// A `Copy` type made of scalars of one kind and nothing else; write `#[derive(Plain)]`.
///
/// ```
/// use phalanx_ecs::{Plain, flat, flat_mut};
///
/// #[derive(Plain, Clone, Copy)]
/// struct Position { x: f32, y: f32, z: f32 }
///
/// let mut positions = [Position { x: 1.0, y: 2.0, z: 3.0 }; 2];
/// for scalar in flat_mut(&mut positions) {
///     *scalar *= 2.0;
/// }
/// assert_eq!(flat(&positions), [2.0, 4.0, 6.0, 2.0, 4.0, 6.0]);
/// ```
///
/// Its one attribute is `#[plain(crate = "path")]`: where the core is, if the derive cannot find it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be viewed as flat scalars",
    note = "write `#[derive(Plain)]` (with `Clone, Copy`) if all its fields are scalars of one kind, such as `f32`"
)]
pub trait Plain: Copy + 'static {
    /// The one kind of scalar.
    type Scalar: Scalar;

    /// Shows every scalar of `self`, in the order in which they lie in memory.
    ///
    /// ```
    /// use phalanx_ecs::Plain;
    ///
    /// #[derive(Plain, Clone, Copy)] struct Position { x: f32, y: f32 }
    ///
    /// let mut scalars = Vec::new();
    /// Position { x: 1.0, y: 2.0 }.visit_scalars(&mut |scalar| scalars.push(*scalar));
    /// assert_eq!(scalars, [1.0, 2.0]);
    /// ```
    fn visit_scalars(&self, visit: &mut impl FnMut(&Self::Scalar));

    /// Shows every scalar of `self`, to change, in the same order.
    ///
    /// ```
    /// use phalanx_ecs::Plain;
    ///
    /// #[derive(Plain, Clone, Copy)] struct Position { x: f32, y: f32 }
    ///
    /// let mut position = Position { x: 1.0, y: 2.0 };
    /// position.visit_scalars_mut(&mut |scalar| *scalar *= 2.0);
    /// assert_eq!((position.x, position.y), (2.0, 4.0));
    /// ```
    fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut Self::Scalar));
}

macro_rules! scalars {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}
        impl Scalar for $t {}
        impl Plain for $t {
            type Scalar = $t;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit_scalars(&self, visit: &mut impl FnMut(&$t)) {
                visit(self);
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut $t)) {
                visit(self);
            }
        }
    )*};
}
scalars!(f32, f64, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl<T: Plain, const N: usize> Plain for [T; N] {
    type Scalar = T::Scalar;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit_scalars(&self, visit: &mut impl FnMut(&T::Scalar)) {
        for item in self {
            item.visit_scalars(visit);
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut T::Scalar)) {
        for item in self {
            item.visit_scalars_mut(visit);
        }
    }
}

/// Whether `value` consists of exactly the scalars it shows, one behind the other.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_flat<T: Plain>(value: &T) -> bool {
    let mut copy = *value;
    let mut shared = Row::over(&copy);
    copy.visit_scalars(&mut |scalar| shared.next(scalar));
    let mut exclusive = Row::over(&copy);
    copy.visit_scalars_mut(&mut |scalar| exclusive.next(scalar));
    shared.is_complete() && exclusive.is_complete()
}

/// Scalars seen so far, which should lie one behind the other.
struct Row {
    next: usize,
    end: usize,
    in_order: bool,
}

impl Row {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn over<T>(value: &T) -> Self {
        let start = (&raw const *value).addr();
        Self { next: start, end: start + size_of::<T>(), in_order: true }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next<S>(&mut self, scalar: &S) {
        self.in_order &= (&raw const *scalar).addr() == self.next;
        self.next += size_of::<S>();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_complete(&self) -> bool {
        self.in_order && self.next == self.end
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_flat<T>() -> ! {
    panic!(
        "`{}` cannot be viewed flat: its `Plain` implementation does not show all of its memory, in order\n  help: use `#[derive(Plain)]` and `#[repr(C)]`, with fields of one scalar kind and no padding",
        std::any::type_name::<T>()
    );
}

/// Views a slice of plain values as the slice of all their scalars.
///
/// A loop over numbers vectorises where one over structs may not.
///
/// ```
/// use phalanx_ecs::{Plain, flat};
///
/// #[derive(Plain, Clone, Copy)] struct Position { x: f32, y: f32 }
///
/// let positions = [Position { x: 1.0, y: 2.0 }, Position { x: 3.0, y: 4.0 }];
/// assert_eq!(flat(&positions), [1.0, 2.0, 3.0, 4.0]);
/// ```
///
/// # Panics
/// If `T`'s implementation of [`Plain`] was written by hand and is wrong, or if the compiler reordered fields.
#[inline]
#[track_caller]
pub fn flat<T: Plain>(values: &[T]) -> &[T::Scalar] {
    let Some(first) = values.first() else { return &[] };
    if !is_flat(first) {
        not_flat::<T>();
    }
    // SAFETY: `is_flat` has just seen, through references that only safe code can have made, that every byte of a `T` belongs to an initialised
    // scalar (`visit_scalars`) into which any scalar may be written (`visit_scalars_mut`), at multiples of the scalar's size. So the bytes of a `T` are
    // scalars, any such scalars are a `T`, and alignment fits. `T: Copy`, so there is no interior mutability: the shared view cannot change under us.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values) / size_of::<T::Scalar>()) }
}

/// Views a mutable slice of plain values as the slice of all their scalars; see [`flat`].
///
/// ```
/// use phalanx_ecs::{Plain, flat_mut};
///
/// #[derive(Plain, Clone, Copy)] struct Position { x: f32, y: f32 }
///
/// let mut positions = [Position { x: 1.0, y: 2.0 }; 2];
/// flat_mut(&mut positions).fill(7.0);
/// assert_eq!((positions[0].y, positions[1].x), (7.0, 7.0));
/// ```
///
/// # Panics
/// As [`flat`].
#[inline]
#[track_caller]
pub fn flat_mut<T: Plain>(values: &mut [T]) -> &mut [T::Scalar] {
    let Some(first) = values.first() else { return &mut [] };
    if !is_flat(first) {
        not_flat::<T>();
    }
    let scalars = size_of_val(values) / size_of::<T::Scalar>();
    // SAFETY: as in `flat`; the exclusive borrow passes on to the view.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), scalars) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Liar {
        _a: f32,
        b: f32,
    }
    impl Plain for Liar {
        type Scalar = f32;
        fn visit_scalars(&self, visit: &mut impl FnMut(&f32)) {
            visit(&self.b);
            visit(&self.b);
        }
        fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut f32)) {
            visit(&mut self.b);
            visit(&mut self.b);
        }
    }

    #[derive(Clone, Copy)]
    struct Hole(std::mem::MaybeUninit<u32>);
    impl Plain for Hole {
        type Scalar = u32;
        // There is no safe way to show an uninitialised scalar by shared reference.
        fn visit_scalars(&self, visit: &mut impl FnMut(&u32)) {
            visit(&0);
        }
        fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut u32)) {
            visit(self.0.write(0));
        }
    }

    #[test]
    #[should_panic(expected = "does not show all of its memory")]
    fn uninitialised_memory_is_not_plain() {
        flat(&[Hole(std::mem::MaybeUninit::uninit())]);
    }

    #[test]
    #[should_panic(expected = "does not show all of its memory")]
    fn a_wrong_implementation_is_caught() {
        flat(&[Liar { _a: 0.0, b: 1.0 }]);
    }

    #[test]
    fn arrays_and_empty_slices_are_flat() {
        assert_eq!(flat(&[[1u8, 2], [3, 4]]), [1, 2, 3, 4]);
        assert!(flat::<[f32; 3]>(&[]).is_empty());
        let mut a = [[1.0f64; 2]; 2];
        flat_mut(&mut a)[3] = 9.0;
        assert!((a[1][1] - 9.0).abs() < f64::EPSILON);
    }
}
