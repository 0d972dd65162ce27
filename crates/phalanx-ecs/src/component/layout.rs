//! Component types described at run time.

use super::schema::{SchemaField, place};
use super::{ComponentId, ComponentInfo, Kind, Schema, Storage};
use crate::entity::debug_as_display;
use std::alloc::Layout;
use std::fmt;
use std::panic::Location;

/// Describes a component type made at run time: its values are plain bytes.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{ComponentLayout, Kind};
///
/// let mut world = World::new();
/// // With fields, size and places are worked out, as for `#[repr(C)]`.
/// let hp = world.register_dyn(ComponentLayout::new("Hp").field("value", Kind::F32).field("poisoned", Kind::Bool))?;
/// let info = world.components().info(hp).unwrap();
/// assert_eq!((info.size(), info.schema().field("poisoned").unwrap().offset), (8, Some(4)));
/// // Without, a value is so many bytes.
/// world.register_dyn(ComponentLayout::new("Mana").size(4).align(4))?;
/// # Ok::<(), phalanx_ecs::RegisterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ComponentLayout {
    pub(super) name: String,
    size: usize,
    align: usize,
    pub(super) storage: Storage,
    pub(super) visible: bool,
    fields: Vec<(String, Kind)>,
    pub(super) depends_on: Vec<ComponentId>,
    pub(super) toggle: bool,
    pub(super) left_out_of_moves: bool,
}

impl ComponentLayout {
    /// A type of this name; size 0 (a tag), alignment 1, table storage and visible unless said otherwise.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let marked = world.register_dyn(ComponentLayout::new("Marked"))?;
    /// assert!(world.components().info(marked).unwrap().is_tag());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            size: 0,
            align: 1,
            storage: Storage::Table,
            visible: true,
            fields: Vec::new(),
            depends_on: Vec::new(),
            toggle: false,
            left_out_of_moves: false,
        }
    }

    /// Makes it a tag that cannot be without these components of the world, and goes when one of them goes; see [`Component::depend`](crate::Component::depend).
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{ComponentLayout, DynValue};
    ///
    /// #[derive(Component)] struct Mesh(u32);
    ///
    /// let mut world = World::new();
    /// let mesh = world.register::<Mesh>();
    /// let drawn = world.register_dyn(ComponentLayout::new("Drawn").depends_on([mesh]))?;
    /// let house = world.spawn(Mesh(7));
    /// world.insert_dyn(house, drawn, DynValue::bytes(&[]))?;
    /// world.remove::<Mesh>(house)?;
    /// assert!(world.get_dyn(house, drawn).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn depends_on(mut self, components: impl IntoIterator<Item = ComponentId>) -> Self {
        self.depends_on.extend(components);
        self
    }

    /// One more field, behind those that are there; its place, and the size of a value, follow from what it holds.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, Kind};
    /// # let mut world = World::new();
    /// let mana = ComponentLayout::new("Mana").field("full", Kind::Bool).field("value", Kind::F32);
    /// let mana = world.register_dyn(mana)?;
    /// assert_eq!(world.components().info(mana).unwrap().schema().to_string(), "Mana { full: bool, value: f32 }");
    ///
    /// let text = ComponentLayout::new("Label").field("text", Kind::Text);
    /// assert!(world.register_dyn(text).is_err(), "a text is more than plain bytes");
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, kind: Kind) -> Self {
        self.fields.push((name.into(), kind));
        self
    }

    /// Size of a value in bytes; a multiple of the alignment. Not for a type with fields.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(8).align(4))?;
    /// assert_eq!(world.components().info(mana).unwrap().size(), 8);
    /// assert!(world.register_dyn(ComponentLayout::new("Odd").size(6).align(4)).is_err());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    #[must_use]
    pub fn size(mut self, bytes: usize) -> Self {
        self.size = bytes;
        self
    }

    /// Alignment of a value in bytes; a power of two. Fields can ask for more.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(8).align(8))?;
    /// assert_eq!(world.components().info(mana).unwrap().align(), 8);
    /// assert!(world.register_dyn(ComponentLayout::new("Odd").size(6).align(3)).is_err());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    #[must_use]
    pub fn align(mut self, bytes: usize) -> Self {
        self.align = bytes;
        self
    }

    /// Where the values live.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, Storage};
    /// # let mut world = World::new();
    /// let buff = world.register_dyn(ComponentLayout::new("Buff").size(4).storage(Storage::Sparse))?;
    /// assert_eq!(world.components().info(buff).unwrap().storage(), Storage::Sparse);
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Editors do not show it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let cache = world.register_dyn(ComponentLayout::new("Cache").size(4).hidden())?;
    /// assert!(!world.components().info(cache).unwrap().is_visible());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.visible = false;
        self
    }

    /// It can be switched off and on, like a compiled [`Toggle`](crate::Toggle): with [`World::switch_dyn`](crate::World::switch_dyn).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let awake = world.register_dyn(ComponentLayout::new("Awake").toggle())?;
    /// assert!(world.components().info(awake).unwrap().is_toggle());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    #[must_use]
    pub fn toggle(mut self) -> Self {
        self.toggle = true;
        self
    }

    /// It stays behind when its entity [moves](crate::World::move_entity) to another world, as
    /// [`Component::LEFT_OUT_OF_MOVES`](crate::Component::LEFT_OUT_OF_MOVES) says of compiled types.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynValue};
    /// # let (mut here, mut there) = (World::new(), World::new());
    /// let seat = here.register_dyn(ComponentLayout::new("Seat").size(4).left_out_of_moves())?;
    /// let guest = here.spawn(());
    /// here.insert_dyn(guest, seat, DynValue::bytes(&[0; 4]))?;
    /// let guest = here.move_entity(guest, &mut there)?;
    /// assert_eq!(there.entity(guest)?.components().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn left_out_of_moves(mut self) -> Self {
        self.left_out_of_moves = true;
        self
    }

    /// The layout that registers a type like this one, which was made at run time.
    pub(super) fn like(info: &ComponentInfo) -> Self {
        let fields = info.schema().fields().iter().map(|f| (f.name.to_string(), f.kind.clone()));
        let fields: Vec<_> = fields.collect();
        Self {
            name: info.full_name.to_string(),
            size: if fields.is_empty() { info.size() } else { 0 },
            align: info.align(),
            storage: info.storage(),
            visible: info.visible,
            fields,
            depends_on: Vec::new(),
            toggle: info.is_toggle(),
            left_out_of_moves: info.left_out_of_moves,
        }
    }

    pub(super) fn refuse(&self, found: String, help: &str, caller: &'static Location<'static>) -> RegisterError {
        RegisterError { name: self.name.clone(), found, help: help.into(), caller }
    }

    /// Size, alignment and schema of a value, if they are possible.
    pub(super) fn measure(&self, caller: &'static Location<'static>) -> Result<(Layout, Schema), RegisterError> {
        let Ok(asked) = Layout::from_size_align(self.size, self.align) else {
            return Err(self.refuse(
                format!("size {} with alignment {}", self.size, self.align),
                "the alignment must be a power of two, and size and alignment must fit into memory",
                caller,
            ));
        };
        if !self.fields.is_empty() {
            return self.measure_fields(asked, caller);
        }
        if !self.size.is_multiple_of(self.align) {
            let padded = asked.pad_to_align().size();
            return Err(self.refuse(
                format!("size {} is not a multiple of alignment {}", self.size, self.align),
                &format!("ComponentLayout::new(\"{}\").size({padded}).align({})", self.name, self.align),
                caller,
            ));
        }
        Ok((asked, Schema::at_run_time(&self.name, asked, Vec::new())))
    }

    fn measure_fields(
        &self,
        asked: Layout,
        caller: &'static Location<'static>,
    ) -> Result<(Layout, Schema), RegisterError> {
        if self.size != 0 {
            let found = format!("size {} beside fields", self.size);
            return Err(self.refuse(found, "leave `size` out: it follows from the fields", caller));
        }
        for (at, (name, kind)) in self.fields.iter().enumerate() {
            if self.fields[..at].iter().any(|(other, _)| other == name) {
                return Err(self.refuse(format!("two fields `{name}`"), "give each field a name of its own", caller));
            }
            if kind.layout().is_none() {
                return Err(self.refuse(
                    format!("field `{name}` holds `{kind}`, which is more than plain bytes"),
                    "fields are numbers, `bool`, `char`, entities, and arrays, tuples and structs of them",
                    caller,
                ));
            }
        }
        let kinds: Vec<Kind> = self.fields.iter().map(|(_, kind)| kind.clone()).collect();
        let placed = place(&kinds).and_then(|(all, offsets)| Some((all.align_to(asked.align()).ok()?, offsets)));
        let Some((all, offsets)) = placed else {
            return Err(self.refuse("fields that do not fit into memory".into(), "leave some out", caller));
        };
        let all = all.pad_to_align();
        let field = |((name, kind), offset): (&(String, Kind), usize)| SchemaField {
            name: name.as_str().into(),
            kind: kind.clone(),
            offset: Some(offset),
        };
        let fields = self.fields.iter().zip(offsets).map(field).collect();
        Ok((all, Schema::at_run_time(&self.name, all, fields)))
    }
}

/// A run-time component type was refused.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::ComponentLayout;
///
/// let mut world = World::new();
/// let error = world.register_dyn(ComponentLayout::new("Mana").size(6).align(4)).unwrap_err();
/// assert_eq!((&*error.name, &*error.found), ("Mana", "size 6 is not a multiple of alignment 4"));
/// assert!(error.to_string().starts_with("error[C001]: component type `Mana` cannot be registered"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisterError {
    /// The name that was asked for.
    pub name: String,
    /// What was found.
    pub found: String,
    help: String,
    caller: &'static Location<'static>,
}

impl RegisterError {
    /// Names another place as the one that asked.
    pub(crate) fn asked_by(self, caller: &'static Location<'static>) -> Self {
        Self { caller, ..self }
    }
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[C001]: component type `{}` cannot be registered\n  found: {}\n  asked by: {}:{}\n  help: {}",
            self.name,
            self.found,
            self.caller.file(),
            self.caller.line(),
            self.help
        )
    }
}

impl std::error::Error for RegisterError {}
debug_as_display!(RegisterError);
