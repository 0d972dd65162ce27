//! What the output of the derives names; not for use by hand, and not covered by any promise of stability.
//!
//! All paths in derived code go through this module, so it is the whole surface between `phalanx-derive` and the core.

pub use crate::bundle::{Bundle, BundleParts, refuse_duplicates};
pub use crate::component::{Component, Plain, Requirements, Storage, TypeKey};
pub use crate::query::{Part, Terms, refuse_conflicts};
use std::marker::PhantomData;

/// Asks whether `T` can be cloned: `Cloning::<T>::FUNCTION`, with [`NotCloneable`] in scope.
///
/// The inherent constant below exists for what is `Clone` only, and where it exists it goes before the trait's.
pub struct Cloning<T>(PhantomData<T>);

impl<T: Clone> Cloning<T> {
    /// How to clone a `T`.
    pub const FUNCTION: Option<fn(&T) -> T> = Some(T::clone);
}

/// The answer of [`Cloning`] where nothing is known.
pub trait NotCloneable<T> {
    /// `T` cannot be cloned.
    const FUNCTION: Option<fn(&T) -> T> = None;
}

impl<T> NotCloneable<T> for Cloning<T> {}

/// A component that `requires(…)` can name without saying how to make it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default value",
    label = "required without a value",
    note = "write `requires({Self} = …)` with a value, or `#[derive(Default)]` above the declaration of `{Self}`"
)]
pub trait HasDefault {
    /// Makes the default value.
    fn make() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> HasDefault for T {
    #[inline]
    fn make() -> Self {
        Self::default()
    }
}

/// A scalar that is an `S`: every `S`, and nothing else.
#[diagnostic::on_unimplemented(
    message = "a plain type has scalars of one kind, but this field has `{Self}` and the first field has `{S}`",
    label = "has `{Self}` scalars, not `{S}`"
)]
pub trait IsScalar<S> {
    /// The scalar itself.
    fn as_scalar(&self) -> &S;
    /// The scalar itself, to change.
    fn as_scalar_mut(&mut self) -> &mut S;
}

impl<S> IsScalar<S> for S {
    #[inline(always)]
    fn as_scalar(&self) -> &S {
        self
    }
    #[inline(always)]
    fn as_scalar_mut(&mut self) -> &mut S {
        self
    }
}

/// Shows the scalars of one field of a struct whose scalars are `S`.
#[inline(always)]
pub fn visit_field<F: Plain<Scalar: IsScalar<S>>, S>(field: &F, visit: &mut impl FnMut(&S)) {
    field.visit_scalars(&mut |scalar| visit(scalar.as_scalar()));
}

/// Shows the scalars of one field of a struct whose scalars are `S`, to change.
#[inline(always)]
pub fn visit_field_mut<F: Plain<Scalar: IsScalar<S>>, S>(field: &mut F, visit: &mut impl FnMut(&mut S)) {
    field.visit_scalars_mut(&mut |scalar| visit(scalar.as_scalar_mut()));
}
