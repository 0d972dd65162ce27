//! Schemas: what the values of a type are made of.
//!
//! ```text
//! Schema Car, 24 bytes
//!   speed    F32              at 16
//!   owner    Option<Entity>   at 0
//!   wheels   Array<Wheel, 4>  at …       Wheel has a schema of its own
//! ```
//!
//! One description for all who look into values without knowing their types: checksums now; saving, scripts and editors later.

use super::Folder;
use super::described::{Described, Describer};
use super::info::short_name;
use std::alloc::Layout;
use std::any::type_name;
use std::fmt;
use std::sync::Arc;

/// What the values of one type are made of.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Kind;
///
/// #[derive(Component)]
/// struct Car { speed: f32, driver: Option<Entity> }
///
/// let mut world = World::new();
/// let car = world.register::<Car>();
/// let schema = world.components().info(car).unwrap().schema();
/// assert_eq!((schema.name(), schema.size()), ("Car", 16));
/// assert_eq!(schema.field("speed").unwrap().kind, Kind::F32);
/// assert_eq!(schema.field("driver").unwrap().kind.to_string(), "Option<Entity>");
/// assert!(schema.unseen().is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    name: Box<str>,
    size: usize,
    align: usize,
    body: SchemaBody,
}

/// What a type is made of.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::SchemaBody;
///
/// #[derive(Component)] enum Mood { Calm, Angry { at: Entity } }
///
/// let schema = Mood::schema();
/// let SchemaBody::Variants(variants) = schema.body() else { unreachable!() };
/// assert_eq!(variants.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaBody {
    /// A struct: its fields, in the order of the declaration.
    Fields(Vec<SchemaField>),
    /// An enum: its variants, in the order of the declaration.
    Variants(Vec<SchemaVariant>),
    /// Bytes with no more meaning: a type made at run time without fields.
    Bytes,
    /// Not known: nobody described the type.
    Opaque,
}

/// One field of a struct, or of a variant of an enum.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Kind;
///
/// #[derive(Component)] struct Car { speed: f32, owner: Entity }
///
/// let schema = Car::schema();
/// let field = schema.field("speed").unwrap();
/// assert_eq!((&*field.name, &field.kind), ("speed", &Kind::F32));
/// assert!(field.offset.is_some_and(|offset| offset % 4 == 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaField {
    /// Its name; its number in a tuple.
    pub name: Box<str>,
    /// What it holds.
    pub kind: Kind,
    /// Where it lies in the value, in bytes; not known in enums, because Rust does not tell, and in types of the standard library.
    pub offset: Option<usize>,
}

/// One variant of an enum.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::SchemaBody;
///
/// #[derive(Component)] enum Mood { Calm, Angry { at: Entity } }
///
/// let schema = Mood::schema();
/// let SchemaBody::Variants(variants) = schema.body() else { unreachable!() };
/// assert_eq!((&*variants[1].name, &*variants[1].fields[0].name), ("Angry", "at"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaVariant {
    /// Its name.
    pub name: Box<str>,
    /// Its fields; none have an offset.
    pub fields: Vec<SchemaField>,
}

/// What a field holds.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Kind;
///
/// #[derive(Component)] struct Bag { items: Vec<Entity>, size: (u8, u8) }
///
/// let schema = Bag::schema();
/// assert_eq!(schema.field("items").unwrap().kind, Kind::List(Box::new(Kind::Entity)));
/// assert_eq!(schema.field("size").unwrap().kind.to_string(), "(u8, u8)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `bool`
    Bool,
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `u128`
    U128,
    /// `usize`
    Usize,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `i128`
    I128,
    /// `isize`
    Isize,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `char`
    Char,
    /// An [`Entity`](crate::Entity). In a type made at run time it is kept as [`Entity::to_bits`](crate::Entity::to_bits) has it.
    Entity,
    /// A text of any length: `String` and its like.
    Text,
    /// `Option`
    Option(Box<Self>),
    /// Any number of values in order: `Vec` and its like.
    List(Box<Self>),
    /// Any number of different values: a set.
    Set(Box<Self>),
    /// Any number of different keys, with a value each: a map.
    Map(Box<Self>, Box<Self>),
    /// A fixed number of values.
    Array(Box<Self>, usize),
    /// One value of each kind; `()` has none.
    Tuple(Vec<Self>),
    /// A struct or enum with a schema of its own.
    Type(Arc<Schema>),
    /// A type, by name, that this one is a part of: a tree, say.
    Again(Box<str>),
    /// A type, by name, that nobody described: write `#[derive(Described)]` above it.
    Opaque(Box<str>),
}

impl Schema {
    /// The schema of a type.
    ///
    /// ```
    /// use phalanx_ecs::{Described, Schema};
    ///
    /// #[derive(Described)]
    /// struct Wheel { radius: f32, flat: bool }
    ///
    /// assert_eq!(Schema::of::<Wheel>().to_string(), "Wheel { radius: f32, flat: bool }");
    /// ```
    pub fn of<T: Described>() -> Self {
        Self::made_of::<T>(Describer::kind_of::<T>)
    }

    /// The schema of a type that says itself what it is made of.
    pub(crate) fn made_of<T>(describe: fn(&mut Describer) -> Kind) -> Self {
        match describe(&mut Describer::new()) {
            Kind::Type(schema) => Arc::unwrap_or_clone(schema),
            Kind::Opaque(_) => Self::opaque::<T>(),
            kind => Self::new::<T>(SchemaBody::Fields(vec![SchemaField { name: "0".into(), kind, offset: None }])),
        }
    }

    /// The schema of a type that nobody described.
    pub(crate) fn opaque<T>() -> Self {
        Self::new::<T>(SchemaBody::Opaque)
    }

    pub(super) fn new<T>(body: SchemaBody) -> Self {
        Self { name: short_name(type_name::<T>()).into(), size: size_of::<T>(), align: align_of::<T>(), body }
    }

    /// The schema of a type made at run time.
    pub(super) fn at_run_time(name: &str, layout: Layout, fields: Vec<SchemaField>) -> Self {
        let body = if fields.is_empty() && layout.size() > 0 { SchemaBody::Bytes } else { SchemaBody::Fields(fields) };
        Self { name: name.into(), size: layout.size(), align: layout.align(), body }
    }

    /// The name of the type, without its path.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// assert_eq!(Position::schema().name(), "Position");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of a value in bytes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// assert_eq!(Position::schema().size(), 8);
    /// ```
    pub fn size(&self) -> usize {
        self.size
    }

    /// Alignment of a value in bytes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// assert_eq!(Position::schema().align(), 4);
    /// ```
    pub fn align(&self) -> usize {
        self.align
    }

    /// What the type is made of.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::SchemaBody;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// let schema = Position::schema();
    /// assert!(matches!(schema.body(), SchemaBody::Fields(fields) if fields.len() == 2));
    /// ```
    pub fn body(&self) -> &SchemaBody {
        &self.body
    }

    /// The fields of a struct, in the order of the declaration; none of anything else.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// let schema = Position::schema();
    /// assert!(schema.fields().iter().map(|field| &*field.name).eq(["x", "y"]));
    /// ```
    pub fn fields(&self) -> &[SchemaField] {
        match &self.body {
            SchemaBody::Fields(fields) => fields,
            SchemaBody::Variants(_) | SchemaBody::Bytes | SchemaBody::Opaque => &[],
        }
    }

    /// A field of a struct, by name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Kind;
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// let schema = Position::schema();
    /// assert_eq!(schema.field("x").unwrap().kind, Kind::F32);
    /// assert!(schema.field("z").is_none());
    /// ```
    pub fn field(&self, name: &str) -> Option<&SchemaField> {
        self.fields().iter().find(|field| *field.name == *name)
    }

    /// The parts that nobody described, as paths with their types (`Car.engine: Engine`). Checksums do not count them.
    ///
    /// ```
    /// use phalanx_ecs::{Described, Schema};
    ///
    /// struct Engine;
    ///
    /// #[derive(Described)]
    /// struct Car { speed: f32, engines: Vec<Engine> }
    ///
    /// // Described types contain what is not described.
    /// assert_eq!(Schema::of::<Car>().unseen(), ["Car.engines: Vec<Engine>"]);
    /// ```
    pub fn unseen(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.find_unseen(&self.name, &mut found);
        found
    }

    fn find_unseen(&self, path: &str, found: &mut Vec<String>) {
        match &self.body {
            SchemaBody::Fields(fields) => fields.iter().for_each(|field| field.find_unseen(path, found)),
            SchemaBody::Variants(variants) => {
                for variant in variants {
                    let path = format!("{path}::{}", variant.name);
                    variant.fields.iter().for_each(|field| field.find_unseen(&path, found));
                }
            }
            SchemaBody::Bytes => {}
            SchemaBody::Opaque => found.push(path.to_owned()),
        }
    }

    /// Whether all values can be made of plain bytes, and so be of a type made at run time.
    fn is_plain(&self) -> bool {
        match &self.body {
            SchemaBody::Fields(fields) => fields.iter().all(|f| f.offset.is_some() && f.kind.layout().is_some()),
            SchemaBody::Bytes => true,
            SchemaBody::Variants(_) | SchemaBody::Opaque => false,
        }
    }

    /// Folds a value of a type made at run time: what lies between its fields does not count.
    pub(super) fn fold_bytes(&self, bytes: &[u8], folder: &mut Folder) {
        match &self.body {
            SchemaBody::Fields(fields) => {
                for field in fields {
                    if let (Some(offset), Some(layout)) = (field.offset, field.kind.layout()) {
                        field.kind.fold_bytes(&bytes[offset..offset + layout.size()], folder);
                    }
                }
            }
            SchemaBody::Bytes => folder.bytes(bytes),
            SchemaBody::Variants(_) | SchemaBody::Opaque => {}
        }
    }

    /// Bytes it takes beside itself, about.
    pub(super) fn bytes(&self) -> usize {
        let fields = |fields: &[SchemaField]| {
            size_of_val(fields) + fields.iter().map(|f| f.name.len() + f.kind.bytes()).sum::<usize>()
        };
        self.name.len()
            + match &self.body {
                SchemaBody::Fields(list) => fields(list),
                SchemaBody::Variants(list) => {
                    size_of_val(&**list) + list.iter().map(|v| v.name.len() + fields(&v.fields)).sum::<usize>()
                }
                SchemaBody::Bytes | SchemaBody::Opaque => 0,
            }
    }
}

impl SchemaField {
    fn find_unseen(&self, path: &str, found: &mut Vec<String>) {
        self.kind.find_unseen(&format!("{path}.{}", self.name), found);
    }
}

impl Kind {
    /// Size and alignment in a type made at run time, if it can be a part of one: a number, `bool`, `char` or entity, and arrays, tuples and
    /// structs of them.
    ///
    /// ```
    /// use phalanx_ecs::Kind;
    ///
    /// assert_eq!(Kind::Tuple(vec![Kind::U8, Kind::F32]).layout().unwrap().size(), 8);
    /// assert_eq!(Kind::Text.layout(), None);
    /// ```
    pub fn layout(&self) -> Option<Layout> {
        match self {
            Self::Bool => Some(Layout::new::<bool>()),
            Self::U8 | Self::I8 => Some(Layout::new::<u8>()),
            Self::U16 | Self::I16 => Some(Layout::new::<u16>()),
            Self::U32 | Self::I32 | Self::F32 | Self::Char => Some(Layout::new::<u32>()),
            Self::U64 | Self::I64 | Self::F64 => Some(Layout::new::<u64>()),
            Self::U128 | Self::I128 => Some(Layout::new::<u128>()),
            Self::Usize | Self::Isize => Some(Layout::new::<usize>()),
            Self::Entity => Layout::from_size_align(8, 8).ok(),
            Self::Array(kind, count) => {
                let one = kind.layout()?;
                Layout::from_size_align(one.size().checked_mul(*count)?, one.align()).ok()
            }
            Self::Tuple(kinds) => place(kinds).map(|(layout, _)| layout),
            Self::Type(schema) if schema.is_plain() => Layout::from_size_align(schema.size, schema.align).ok(),
            _ => None,
        }
    }

    fn find_unseen(&self, path: &str, found: &mut Vec<String>) {
        match self {
            Self::Opaque(name) => found.push(format!("{path}: {name}")),
            Self::Option(kind) | Self::List(kind) | Self::Set(kind) | Self::Array(kind, _) => {
                kind.find_unseen(path, found);
            }
            Self::Map(key, value) => [key, value].into_iter().for_each(|kind| kind.find_unseen(path, found)),
            Self::Tuple(kinds) => {
                kinds.iter().enumerate().for_each(|(at, kind)| kind.find_unseen(&format!("{path}.{at}"), found));
            }
            Self::Type(schema) => schema.find_unseen(path, found),
            _ => {}
        }
    }

    /// Folds the bytes of a value, which are as many as its layout says.
    fn fold_bytes(&self, bytes: &[u8], folder: &mut Folder) {
        match self {
            Self::Array(kind, _) => {
                let size = kind.layout().map_or(0, |layout| layout.size()).max(1);
                bytes.chunks_exact(size).for_each(|bytes| kind.fold_bytes(bytes, folder));
            }
            Self::Tuple(kinds) => {
                let Some((_, offsets)) = place(kinds) else { return };
                for (kind, offset) in kinds.iter().zip(offsets) {
                    let size = kind.layout().map_or(0, |layout| layout.size());
                    kind.fold_bytes(&bytes[offset..offset + size], folder);
                }
            }
            Self::Type(schema) => schema.fold_bytes(bytes, folder),
            _ => {
                for part in bytes.chunks(8) {
                    let mut word = [0; 8];
                    word[..part.len()].copy_from_slice(part);
                    folder.word(u64::from_le_bytes(word));
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Option(kind) | Self::List(kind) | Self::Set(kind) | Self::Array(kind, _) => {
                size_of::<Self>() + kind.bytes()
            }
            Self::Map(key, value) => 2 * size_of::<Self>() + key.bytes() + value.bytes(),
            Self::Tuple(kinds) => size_of_val(&**kinds) + kinds.iter().map(Self::bytes).sum::<usize>(),
            Self::Type(schema) => size_of::<Schema>() + schema.bytes(),
            Self::Again(name) | Self::Opaque(name) => name.len(),
            _ => 0,
        }
    }
}

/// Where values of these kinds lie one behind the other, and how much room they take together, padded at the end; nothing if one of them
/// has no layout or they do not fit into memory.
pub(super) fn place(kinds: &[Kind]) -> Option<(Layout, Vec<usize>)> {
    let mut all = Layout::new::<()>();
    let mut offsets = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let (extended, offset) = all.extend(kind.layout()?).ok()?;
        all = extended;
        offsets.push(offset);
    }
    Some((all.pad_to_align(), offsets))
}

/// As one would write it in Rust.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("String"),
            Self::Option(kind) => write!(f, "Option<{kind}>"),
            Self::List(kind) => write!(f, "Vec<{kind}>"),
            Self::Set(kind) => write!(f, "Set<{kind}>"),
            Self::Map(key, value) => write!(f, "Map<{key}, {value}>"),
            Self::Array(kind, count) => write!(f, "[{kind}; {count}]"),
            Self::Tuple(kinds) => {
                f.write_str("(")?;
                for (at, kind) in kinds.iter().enumerate() {
                    write!(f, "{}{kind}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str(if kinds.len() == 1 { ",)" } else { ")" })
            }
            Self::Type(schema) => f.write_str(&schema.name),
            Self::Again(name) | Self::Opaque(name) => f.write_str(name),
            Self::Entity => f.write_str("Entity"),
            scalar => write!(f, "{}", format!("{scalar:?}").to_lowercase()),
        }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write_fields = |f: &mut fmt::Formatter<'_>, fields: &[SchemaField]| {
            for (at, field) in fields.iter().enumerate() {
                write!(f, "{} {}: {}", if at > 0 { "," } else { " {" }, field.name, field.kind)?;
            }
            f.write_str(if fields.is_empty() { "" } else { " }" })
        };
        f.write_str(&self.name)?;
        match &self.body {
            SchemaBody::Fields(fields) => write_fields(f, fields),
            SchemaBody::Variants(variants) => {
                for (at, variant) in variants.iter().enumerate() {
                    write!(f, "{} {}", if at > 0 { " |" } else { ":" }, variant.name)?;
                    write_fields(f, &variant.fields)?;
                }
                Ok(())
            }
            SchemaBody::Bytes => write!(f, ": {}", super::bytes_in_words(self.size)),
            SchemaBody::Opaque => f.write_str(": not described"),
        }
    }
}
