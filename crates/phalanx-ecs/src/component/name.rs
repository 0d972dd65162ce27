//! [`Name`], and [`Uuid`] as a component: what an entity is known by.
//!
//! Both are immutable, so that the world's index of them is right as long as it hears of what comes and goes.

use super::{Bitwise, Component, Described, Describer, Folder, Kind, Schema, TypeKey, Watch};
use crate::entity::{Entity, Uuid};
use std::any::TypeId;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A name that people give an entity. Several entities may have the same; [`World::named`](crate::World::named) finds them.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Name;
///
/// let mut world = World::new();
/// let orc = world.spawn(Name::new("Grub"));
/// assert_eq!(world.named("Grub"), Some(orc));
/// world.insert(orc, Name::new("Sir Grub"))?;
/// assert_eq!(world.named("Grub"), None);
/// assert_eq!(world.get::<Name>(orc).unwrap().as_str(), "Sir Grub");
/// # Ok::<(), phalanx_ecs::InsertError>(())
/// ```
///
/// The text is shared: a clone costs as much as counting to one. The component is immutable: a name changes by inserting another one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// A name of this text.
    ///
    /// ```
    /// use phalanx_ecs::Name;
    ///
    /// assert_eq!(Name::new("Grub"), Name::from("Grub".to_owned()));
    /// ```
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The text.
    ///
    /// ```
    /// use phalanx_ecs::Name;
    ///
    /// assert_eq!(Name::new("Grub").as_str(), "Grub");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, shared.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.0
    }
}

/// `3v1`, or `3v1 "orc"`.
pub(crate) fn called(entity: Entity, name: Option<&Name>) -> String {
    name.map_or_else(|| entity.to_string(), |name| format!("{entity} {name:?}"))
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[diagnostic::do_not_recommend]
impl Component for Name {
    const MUTABLE: bool = false;
    const KEY: Option<TypeKey> = Some(TypeKey::new(module_path!(), "Name", None, file!(), line!(), 0));

    fn clone_fn() -> Option<fn(&Self) -> Self> {
        Some(Self::clone)
    }

    fn schema() -> Schema {
        Schema::of::<Self>()
    }

    fn fold_fn() -> Option<fn(&Self, &mut Folder)> {
        Some(Self::fold_into)
    }
}

impl Described for Name {
    fn describe(describer: &mut Describer) -> Kind {
        <Arc<str>>::describe(describer)
    }

    fn fold_into(&self, folder: &mut Folder) {
        self.0.fold_into(folder);
    }
}

#[diagnostic::do_not_recommend]
impl Component for Uuid {
    const MUTABLE: bool = false;
    const CLONE: bool = false;
    const UNIQUE: bool = true;
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
    const KEY: Option<TypeKey> = Some(TypeKey::new(module_path!(), "Uuid", None, file!(), line!(), 0));

    fn schema() -> Schema {
        Schema::of::<Self>()
    }

    fn fold_fn() -> Option<fn(&Self, &mut Folder)> {
        Some(Self::fold_into)
    }
}

impl Described for Uuid {
    fn describe(describer: &mut Describer) -> Kind {
        u128::describe(describer)
    }

    fn fold_into(&self, folder: &mut Folder) {
        self.as_u128().fold_into(folder);
    }
}

/// Of which acts on a type the world itself wants to know, because it keeps an index of the values.
pub(crate) fn own_watch(type_id: Option<TypeId>) -> Watch {
    if type_id == Some(TypeId::of::<Name>()) || type_id == Some(TypeId::of::<Uuid>()) {
        Watch::INSERT | Watch::REPLACE | Watch::REMOVE | Watch::INDEX
    } else {
        Watch::default()
    }
}
