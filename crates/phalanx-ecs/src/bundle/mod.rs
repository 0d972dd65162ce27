//! Bundles: components that are inserted, removed and spawned together.
//!
//! A [`Bundle`] is a component, a tuple of bundles (nested as you like) or a struct with `#[derive(Bundle)]`. A derived bundle only
//! says, in safe code, how it turns into a tuple; the unsafe work of handing out pointers to the parts is done here, once, for tuples.

pub(crate) mod arity;
mod builder;
mod duplicate;
mod parts;
mod wishes;

pub use builder::BundleBuilder;
pub use duplicate::{KeyList, refuse_duplicates};
pub(crate) use parts::copy_of;
pub use parts::{Bundle, BundleParts, PartVisitor, TypeVisitor};
pub(crate) use wishes::note_wishes;
