//! [`Described`]: types that say what they are made of and how they are folded into a checksum.
//!
//! `#[derive(Component)]` and `#[derive(Described)]` write it. They ask each field's type; one that is not described is opaque, which is no
//! error: schemas and checksums name it.

use super::schema::{Kind, Schema, SchemaBody, SchemaField, SchemaVariant};
use super::{Folder, short_name};
use crate::entity::Entity;
use std::any::{TypeId, type_name};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// A type that says what it is made of, and how it is folded into a checksum; write `#[derive(Described)]`.
///
/// Components have it already: it is for the types of their fields. Numbers, `bool`, `char`, texts, [`Entity`], `Option`, `Box`, `Arc`, arrays, tuples
/// and the collections of the standard library are described. Floats are folded by their bits: `0.0` is not `-0.0`, and a `NaN` equals itself.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Described;
///
/// #[derive(Described)]
/// enum Engine { Off, Running { rpm: u32 } }
///
/// #[derive(Component)]
/// struct Car { engine: Engine }
///
/// let mut world = World::new();
/// let car = world.spawn(Car { engine: Engine::Off });
/// let before = world.checksum();
/// world.get_mut::<Car>(car).unwrap().engine = Engine::Running { rpm: 900 };
/// assert_ne!(world.checksum(), before);
/// assert!(before.is_complete());
/// ```
///
/// The derive has one attribute, `#[described(crate = "path")]`: where the core is, if the derive cannot find it.
/// By hand it is written for types whose fields do not say it all:
///
/// ```
/// use phalanx_ecs::{Described, Describer, Folder, Kind};
///
/// /// An angle, in turns; whole turns do not count.
/// struct Angle(f32);
///
/// impl Described for Angle {
///     fn describe(_: &mut Describer) -> Kind {
///         Kind::F32
///     }
///     fn fold_into(&self, folder: &mut Folder) {
///         self.0.fract().fold_into(folder);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not described",
    label = "not described",
    note = "write `#[derive(Described)]` above the declaration of `{Self}`"
)]
pub trait Described: 'static {
    /// What values are made of.
    ///
    /// ```
    /// use phalanx_ecs::{Described, Describer, Folder, Kind};
    ///
    /// /// Metres, kept in millimetres.
    /// struct Length(u32);
    ///
    /// impl Described for Length {
    ///     fn describe(describer: &mut Describer) -> Kind {
    ///         describer.kind_of::<u32>()
    ///     }
    ///     fn fold_into(&self, folder: &mut Folder) {
    ///         self.0.fold_into(folder);
    ///     }
    /// }
    /// #[derive(phalanx_ecs::Component)] struct Rope(Length);
    /// assert_eq!(<Rope as phalanx_ecs::Component>::schema().to_string(), "Rope { 0: u32 }");
    /// ```
    fn describe(describer: &mut Describer) -> Kind;

    /// Folds a value into a checksum: all of it that counts, and nothing that differs from run to run, such as addresses.
    ///
    /// ```
    /// use phalanx_ecs::{Described, Folder};
    ///
    /// let sum = |value: &Vec<u32>| {
    ///     let mut folder = Folder::new();
    ///     value.fold_into(&mut folder);
    ///     folder.sum()
    /// };
    /// assert_eq!(sum(&vec![1, 2]), sum(&vec![1, 2]));
    /// assert_ne!(sum(&vec![1, 2]), sum(&vec![2, 1]));
    /// ```
    fn fold_into(&self, folder: &mut Folder);
}

/// Writes down what types are made of; knows the ones it is inside of.
///
/// ```
/// use phalanx_ecs::{Component, Described, Describer, Folder, Kind};
///
/// struct Pair<T>(T, T);
///
/// impl<T: Described> Described for Pair<T> {
///     fn describe(describer: &mut Describer) -> Kind {
///         Kind::Array(Box::new(describer.kind_of::<T>()), 2)
///     }
///     fn fold_into(&self, folder: &mut Folder) {
///         self.0.fold_into(folder);
///         self.1.fold_into(folder);
///     }
/// }
/// #[derive(Component)] struct Hands { held: Pair<u8> }
/// assert_eq!(Hands::schema().to_string(), "Hands { held: [u8; 2] }");
/// ```
#[derive(Debug)]
pub struct Describer {
    open: Vec<TypeId>,
}

/// One field, as the derive names it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Member {
    name: &'static str,
    offset: Option<usize>,
    describe: fn(&mut Describer) -> Kind,
}

impl Member {
    /// A field of this name, place and type.
    pub fn new(name: &'static str, offset: Option<usize>, describe: fn(&mut Describer) -> Kind) -> Self {
        Self { name, offset, describe }
    }
}

impl Describer {
    pub(super) fn new() -> Self {
        Self { open: Vec::new() }
    }

    /// What values of `T` are made of. To be used for parts, in place of [`Described::describe`]: it ends where a type contains itself.
    ///
    /// ```
    /// use phalanx_ecs::{Component, Described, Describer, Folder, Kind};
    ///
    /// #[derive(Component)] struct Tree { branches: Branches }
    /// struct Branches(Vec<Self>);
    ///
    /// impl Described for Branches {
    ///     fn describe(describer: &mut Describer) -> Kind {
    ///         Kind::List(Box::new(describer.kind_of::<Self>()))
    ///     }
    ///     fn fold_into(&self, folder: &mut Folder) {
    ///         folder.count(self.0.len());
    ///         self.0.iter().for_each(|branch| branch.fold_into(folder));
    ///     }
    /// }
    /// assert!(matches!(&Tree::schema().field("branches").unwrap().kind, Kind::List(_)), "it ends");
    /// ```
    pub fn kind_of<T: Described>(&mut self) -> Kind {
        if self.open.contains(&TypeId::of::<T>()) {
            return Kind::Again(short_name(type_name::<T>()).into());
        }
        self.open.push(TypeId::of::<T>());
        let kind = T::describe(self);
        self.open.pop();
        kind
    }

    /// A struct; written by the derive.
    #[doc(hidden)]
    pub fn fields<T>(&mut self, members: &[Member]) -> Kind {
        let body = SchemaBody::Fields(self.members(members));
        Kind::Type(Arc::new(Schema::new::<T>(body)))
    }

    /// An enum; written by the derive.
    #[doc(hidden)]
    pub fn variants<T>(&mut self, variants: &[(&'static str, &[Member])]) -> Kind {
        let variant = |(name, members): &(&'static str, &[Member])| SchemaVariant {
            name: (*name).into(),
            fields: self.members(members),
        };
        let body = SchemaBody::Variants(variants.iter().map(variant).collect());
        Kind::Type(Arc::new(Schema::new::<T>(body)))
    }

    fn members(&mut self, members: &[Member]) -> Vec<SchemaField> {
        let field = |member: &Member| SchemaField {
            name: member.name.into(),
            kind: (member.describe)(self),
            offset: member.offset,
        };
        members.iter().map(field).collect()
    }

    /// A type that nobody described.
    #[doc(hidden)]
    pub fn opaque<T: ?Sized>() -> Kind {
        Kind::Opaque(short_name(type_name::<T>()).into())
    }
}

macro_rules! numbers {
    ($($t:ty: $kind:ident, |$value:ident, $folder:ident| $fold:expr;)*) => {$(
        impl Described for $t {
            fn describe(_: &mut Describer) -> Kind {
                Kind::$kind
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn fold_into(&self, $folder: &mut Folder) {
                let $value = *self;
                $fold;
            }
        }
    )*};
}
numbers! {
    bool: Bool, |value, folder| folder.word(value.into());
    u8: U8, |value, folder| folder.word(value.into());
    u16: U16, |value, folder| folder.word(value.into());
    u32: U32, |value, folder| folder.word(value.into());
    u64: U64, |value, folder| folder.word(value);
    u128: U128, |value, folder| folder.halves(value);
    usize: Usize, |value, folder| folder.count(value);
    i8: I8, |value, folder| value.cast_unsigned().fold_into(folder);
    i16: I16, |value, folder| value.cast_unsigned().fold_into(folder);
    i32: I32, |value, folder| value.cast_unsigned().fold_into(folder);
    i64: I64, |value, folder| value.cast_unsigned().fold_into(folder);
    i128: I128, |value, folder| value.cast_unsigned().fold_into(folder);
    isize: Isize, |value, folder| value.cast_unsigned().fold_into(folder);
    f32: F32, |value, folder| folder.word(value.to_bits().into());
    f64: F64, |value, folder| folder.word(value.to_bits());
    char: Char, |value, folder| folder.word(value.into());
    Entity: Entity, |value, folder| folder.word(value.to_bits());
}

macro_rules! not_zero {
    ($($t:ty: $base:ident),*) => {$(
        impl Described for $t {
            fn describe(_: &mut Describer) -> Kind {
                Kind::$base
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn fold_into(&self, folder: &mut Folder) {
                self.get().fold_into(folder);
            }
        }
    )*};
}
not_zero!(
    std::num::NonZeroU8: U8, std::num::NonZeroU16: U16, std::num::NonZeroU32: U32, std::num::NonZeroU64: U64,
    std::num::NonZeroU128: U128, std::num::NonZeroUsize: Usize, std::num::NonZeroI8: I8, std::num::NonZeroI16: I16,
    std::num::NonZeroI32: I32, std::num::NonZeroI64: I64, std::num::NonZeroI128: I128, std::num::NonZeroIsize: Isize
);

macro_rules! texts {
    ($($t:ty),*) => {$(
        impl Described for $t {
            fn describe(_: &mut Describer) -> Kind {
                Kind::Text
            }
            fn fold_into(&self, folder: &mut Folder) {
                folder.bytes(self.as_bytes());
            }
        }
    )*};
}
texts!(String, &'static str, Box<str>, Arc<str>);

/// What is in order: how many, then each.
macro_rules! lists {
    ($($t:ty),*) => {$(
        impl<T: Described> Described for $t {
            fn describe(describer: &mut Describer) -> Kind {
                Kind::List(Box::new(describer.kind_of::<T>()))
            }
            fn fold_into(&self, folder: &mut Folder) {
                folder.count(self.len());
                for item in self.iter() {
                    item.fold_into(folder);
                }
            }
        }
    )*};
}
lists!(Vec<T>, VecDeque<T>, Box<[T]>, Arc<[T]>, &'static [T]);

/// What is behind a pointer counts as if it were there.
macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Described> Described for $t {
            fn describe(describer: &mut Describer) -> Kind {
                describer.kind_of::<T>()
            }
            fn fold_into(&self, folder: &mut Folder) {
                T::fold_into(self, folder);
            }
        }
    )*};
}
pointers!(Box<T>, Arc<T>);

impl<T: Described> Described for Option<T> {
    fn describe(describer: &mut Describer) -> Kind {
        Kind::Option(Box::new(describer.kind_of::<T>()))
    }
    fn fold_into(&self, folder: &mut Folder) {
        folder.word(self.is_some().into());
        if let Some(value) = self {
            value.fold_into(folder);
        }
    }
}

impl<T: Described, const N: usize> Described for [T; N] {
    fn describe(describer: &mut Describer) -> Kind {
        Kind::Array(Box::new(describer.kind_of::<T>()), N)
    }
    #[inline]
    fn fold_into(&self, folder: &mut Folder) {
        for item in self {
            item.fold_into(folder);
        }
    }
}

impl<T: 'static> Described for PhantomData<T> {
    fn describe(_: &mut Describer) -> Kind {
        Kind::Tuple(Vec::new())
    }
    fn fold_into(&self, _: &mut Folder) {}
}

impl Described for Duration {
    fn describe(_: &mut Describer) -> Kind {
        let field = |name: &str, kind| SchemaField { name: name.into(), kind, offset: None };
        let fields = vec![field("secs", Kind::U64), field("nanos", Kind::U32)];
        Kind::Type(Arc::new(Schema::new::<Self>(SchemaBody::Fields(fields))))
    }
    fn fold_into(&self, folder: &mut Folder) {
        folder.word(self.as_secs());
        folder.word(self.subsec_nanos().into());
    }
}

macro_rules! tuples {
    ($(($($t:ident $at:tt),*))*) => {$(
        impl<$($t: Described),*> Described for ($($t,)*) {
            fn describe(_describer: &mut Describer) -> Kind {
                Kind::Tuple(vec![$(_describer.kind_of::<$t>()),*])
            }
            #[inline]
            fn fold_into(&self, _folder: &mut Folder) {
                $(self.$at.fold_into(_folder);)*
            }
        }
    )*};
}
tuples! {
    () (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6) (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

/// What has no order, or one that depends on chance, counts without it.
fn fold_without_order(len: usize, each: impl Iterator<Item = u64>, folder: &mut Folder) {
    folder.count(len);
    folder.word(each.fold(0, u64::wrapping_add));
}

fn sum_of(fold: impl FnOnce(&mut Folder)) -> u64 {
    let mut folder = Folder::new();
    fold(&mut folder);
    folder.sum()
}

macro_rules! sets {
    ($(<$($p:ident),*> $t:ty;)*) => {$(
        impl<T: Described, $($p: 'static),*> Described for $t {
            fn describe(describer: &mut Describer) -> Kind {
                Kind::Set(Box::new(describer.kind_of::<T>()))
            }
            fn fold_into(&self, folder: &mut Folder) {
                fold_without_order(self.len(), self.iter().map(|item| sum_of(|f| item.fold_into(f))), folder);
            }
        }
    )*};
}
sets! { <> BTreeSet<T>; <S> HashSet<T, S>; }

macro_rules! maps {
    ($(<$($p:ident),*> $t:ty;)*) => {$(
        impl<K: Described, V: Described, $($p: 'static),*> Described for $t {
            fn describe(describer: &mut Describer) -> Kind {
                Kind::Map(Box::new(describer.kind_of::<K>()), Box::new(describer.kind_of::<V>()))
            }
            fn fold_into(&self, folder: &mut Folder) {
                let sum = |(key, value): (&K, &V)| {
                    sum_of(|f| {
                        key.fold_into(f);
                        value.fold_into(f);
                    })
                };
                fold_without_order(self.len(), self.iter().map(sum), folder);
            }
        }
    )*};
}
maps! { <> BTreeMap<K, V>; <S> HashMap<K, V, S>; }

#[cfg(test)]
mod tests {
    use super::*;

    fn sum<T: Described>(value: &T) -> u64 {
        sum_of(|folder| value.fold_into(folder))
    }

    #[test]
    fn floats_count_by_bits() {
        assert_ne!(sum(&0.0f32), sum(&-0.0f32));
        assert_eq!(sum(&f64::NAN), sum(&f64::NAN));
        assert_ne!(sum(&f32::NAN), sum(&f32::from_bits(f32::NAN.to_bits() | 1)));
    }

    #[test]
    fn lengths_keep_neighbours_apart() {
        assert_ne!(sum(&(vec![1u8, 2], vec![3u8])), sum(&(vec![1u8], vec![2u8, 3])));
        assert_ne!(sum(&("ab".to_owned(), "c".to_owned())), sum(&("a".to_owned(), "bc".to_owned())));
        assert_ne!(sum(&(None::<u32>, Some(0u32))), sum(&(Some(0u32), None::<u32>)));
        assert_ne!(sum(&Vec::<u8>::new()), sum(&vec![0u8]));
    }

    #[test]
    fn order_counts_in_lists_and_not_in_sets() {
        assert_ne!(sum(&vec![1, 2]), sum(&vec![2, 1]));
        let (a, b): (HashSet<u32>, HashSet<u32>) = ((0..50).collect(), (0..50).rev().collect());
        assert_eq!(sum(&a), sum(&b));
        let (a, b): (HashMap<u32, u8>, HashMap<u32, u8>) = ([(1, 2), (3, 4)].into(), [(3, 2), (1, 4)].into());
        assert_ne!(sum(&a), sum(&b));
        assert_eq!(sum(&a), sum(&BTreeMap::from([(3u32, 4u8), (1, 2)])));
    }

    #[test]
    fn pointers_count_as_what_they_point_to() {
        assert_eq!(sum(&Box::new(7u32)), sum(&7u32));
        assert_eq!(sum(&Arc::new(7u32)), sum(&7u32));
        assert_eq!(sum(&Box::<str>::from("a")), sum(&"a".to_owned()));
    }
}
