//! What the output of the derives and the schedule name; not for use by hand, and not covered by any promise of stability.
//!
//! All paths in derived code go through this module, so it is the whole surface between `phalanx-derive` and the core.

pub use crate::bundle::{Bundle, BundleParts, KeyList, refuse_duplicates};
#[cfg(feature = "parallel")]
pub use crate::claim::Hands;
pub use crate::component::{
    Bitwise, Component, Dependencies, Described, Describer, Folder, Kind, Likeness, Member, Message, OwnHooks, Plain,
    Requirements, Schema, Shared, Storage, Toggle, Tracked, TypeKey, refuse_dependent_value, same_key,
};
pub use crate::event::{Event, Retention};
pub use crate::query::{AccessKeys, FilterParts, Part, Terms, refuse_conflicts};
pub use crate::resource::Resource;
pub use crate::world::{Act, Hooks};
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

/// Asks whether `T` is copied bit by bit: `Copying::<T>::PROOF`, with [`NotCopied`] in scope. The same trick as [`Cloning`].
pub struct Copying<T>(PhantomData<T>);

impl<T: Copy> Copying<T> {
    /// It is.
    pub const PROOF: Option<Bitwise<T>> = Some(Bitwise::PROOF);
}

/// The answer of [`Copying`] where nothing is known.
pub trait NotCopied<T> {
    /// It may not be.
    const PROOF: Option<Bitwise<T>> = None;
}

impl<T> NotCopied<T> for Copying<T> {}

/// Asks what a field of type `T` is made of: `Describing::<T>::kind`, with [`NotDescribed`] in scope. The same trick as [`Cloning`].
pub struct Describing<T>(PhantomData<T>);

impl<T: Described> Describing<T> {
    /// What the field is made of.
    pub fn kind(describer: &mut Describer) -> Kind {
        describer.kind_of::<T>()
    }

    /// Folds the field into a checksum.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fold(field: &T, folder: &mut Folder) {
        field.fold_into(folder);
    }
}

/// The answer of [`Describing`] where nothing is known.
pub trait NotDescribed<T> {
    /// The field is opaque.
    fn kind(_: &mut Describer) -> Kind {
        Describer::opaque::<T>()
    }

    /// What is opaque is passed over; the schema says so.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold(_: &T, _: &mut Folder) {}
}

impl<T> NotDescribed<T> for Describing<T> {}

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
pub trait IsScalar<S> {
    /// The scalar itself.
    fn as_scalar(&self) -> &S;
    /// The scalar itself, to change.
    fn as_scalar_mut(&mut self) -> &mut S;
}

impl<S> IsScalar<S> for S {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn as_scalar(&self) -> &S {
        self
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn as_scalar_mut(&mut self) -> &mut S {
        self
    }
}

/// A field of a struct whose scalars are `S`.
#[diagnostic::on_unimplemented(
    message = "a plain type has scalars of one kind, but `{Self}` is not made of `{S}` as the first field is",
    label = "not made of `{S}`"
)]
pub trait Field<S> {
    /// Shows its scalars.
    fn visit(&self, visit: &mut impl FnMut(&S));
    /// Shows its scalars, to change.
    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut S));
}

#[diagnostic::do_not_recommend]
impl<F: Plain<Scalar: IsScalar<S>>, S> Field<S> for F {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit(&self, visit: &mut impl FnMut(&S)) {
        self.visit_scalars(&mut |scalar| visit(scalar.as_scalar()));
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit_mut(&mut self, visit: &mut impl FnMut(&mut S)) {
        self.visit_scalars_mut(&mut |scalar| visit(scalar.as_scalar_mut()));
    }
}
