//! Everything the store knows about one component type.

use super::{Constructor, Folder, OwnHooks, Registry, Schema, Storage, Telling, Watch, own_watch};
use std::alloc::Layout;
use std::any::TypeId;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The number of a component type in one world: dense, from 0, in order of registration.
///
/// Equal programs number equally; other worlds may not. Save names, not numbers.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Gold(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// assert_eq!(world.register::<Health>(), health, "again the same");
/// assert_ne!(world.register::<Gold>(), health);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(u32);

impl ComponentId {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2³² component types"))
    }

    /// The number as an index.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// assert_eq!(world.register::<Health>().index(), 0);
    /// assert_eq!(world.register::<Gold>().index(), 1);
    /// ```
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for ComponentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

/// The number of a sparse set in one world: dense, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SetId(pub(crate) u32);

impl SetId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of the pool of a shared component in one world: dense, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PoolId(pub(crate) u32);

impl PoolId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the values of a registered component really are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StorageKind {
    /// A column in each table that has the component.
    Column,
    /// Nowhere: the signature says it all.
    Tag,
    /// The sparse set of this number.
    Set(SetId),
    /// The pool of this number: one value for all entities of a table.
    Shared(PoolId),
}

pub(crate) type DropFn = unsafe fn(*mut u8, usize);
pub(crate) type CloneFn = unsafe fn(*const u8, *mut u8);

/// How a value is cloned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cloning {
    /// Not at all.
    Never,
    /// By copying its bytes (types made at run time).
    Bytes,
    /// By writing a clone of the value at the first pointer to the second.
    By(CloneFn),
}

/// Folds the value at a pointer into a checksum.
pub(crate) type FoldFn = unsafe fn(*const u8, &mut Folder);

/// Name, layout and storage of one component type.
///
/// [`World::components`](crate::World::components) has one for each type.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// let info = world.components().info(health).unwrap();
/// assert_eq!((info.name(), info.size(), info.is_tag()), ("Health", 4, false));
/// ```
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub struct ComponentInfo {
    pub(crate) id: ComponentId,
    pub(crate) full_name: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) layout: Layout,
    pub(crate) kind: StorageKind,
    pub(crate) visible: bool,
    /// `None` for a type made at run time, whose values are plain bytes.
    pub(crate) type_id: Option<TypeId>,
    /// Registers the type with another registry; `None` for a type made at run time.
    pub(crate) register: Option<fn(&mut Registry) -> ComponentId>,
    /// Drops `n` consecutive values; `None` if there is nothing to drop.
    pub(crate) drop: Option<DropFn>,
    pub(crate) cloning: Cloning,
    /// Whether values may be changed in their place.
    pub(crate) mutable: bool,
    /// How values are told apart; `None` if the component is not shared.
    pub(crate) telling: Option<Telling>,
    /// Whether the type says itself that it is not to be cloned.
    pub(crate) clone_refused: bool,
    /// Whether copies are made without it.
    pub(crate) left_out_of_clones: bool,
    /// Whether it stays behind when its entity moves to another world. It has nothing to drop then.
    pub(crate) left_out_of_moves: bool,
    /// Whether the component counts in checksums.
    pub(crate) checksum: bool,
    /// `None` if nobody described the type, and for a type made at run time, whose schema says how.
    pub(crate) fold: Option<FoldFn>,
    /// Makes the schema; called when somebody asks for it.
    pub(crate) describe: Option<fn() -> Schema>,
    /// The schema, if somebody has asked for it, or the type was made at run time.
    pub(crate) schema: OnceLock<Arc<Schema>>,
    /// For which acts somebody observes the component, in this world; and those for which it has hooks.
    pub(crate) watch: Watch,
    /// What it does by itself.
    pub(crate) hooks: Option<OwnHooks>,
    pub(crate) tracked: bool,
    pub(crate) toggle: bool,
    /// What `requires` names, with how to make it.
    pub(crate) requires: Vec<(ComponentId, Constructor)>,
    /// What the tag cannot be without. Never the tag itself.
    pub(crate) depends_on: Vec<ComponentId>,
    /// The tags that cannot be without this component: those whose `depends_on` names it.
    pub(crate) dependents: Vec<ComponentId>,
}

impl ComponentInfo {
    /// For which acts the type itself wants to be told, or the world keeps an index of its values.
    pub(crate) fn own_watch(&self) -> Watch {
        own_watch(self.type_id) | self.hooks.map_or(Watch::NOTHING, |own| own.watch)
    }

    /// The component's number.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert_eq!(world.components().iter().next().unwrap().id(), health);
    /// ```
    pub fn id(&self) -> ComponentId {
        self.id
    }

    /// The short display name, as editors and errors show it. A type made at run time says so if a compiled one has its name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] #[component(name = "Armour class")] struct Ac(u32);
    ///
    /// world.register::<Health>();
    /// world.register::<Ac>();
    /// assert!(world.components().iter().map(|info| info.name()).eq(["Health", "Armour class"]));
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The full name of the type, with its path; of a type made at run time, the name it was registered by.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// mod game {
    ///     #[derive(phalanx_ecs::Component)] pub struct Health(u32);
    /// }
    /// let health = world.register::<game::Health>();
    /// assert!(world.components().info(health).unwrap().full_name().ends_with("game::Health"));
    /// ```
    pub fn full_name(&self) -> &str {
        &self.full_name
    }

    /// Size of one value in bytes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert_eq!(world.components().info(health).unwrap().size(), size_of::<Health>());
    /// ```
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Alignment of a value in bytes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert_eq!(world.components().info(health).unwrap().align(), align_of::<Health>());
    /// ```
    pub fn align(&self) -> usize {
        self.layout.align()
    }

    /// Where the values live, as the type asked for it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Storage;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(storage = "sparse")] struct Burning(f32);
    ///
    /// let burning = world.register::<Burning>();
    /// assert_eq!(world.components().info(burning).unwrap().storage(), Storage::Sparse);
    /// ```
    pub fn storage(&self) -> Storage {
        match self.kind {
            StorageKind::Set(_) => Storage::Sparse,
            StorageKind::Shared(_) => Storage::Shared,
            StorageKind::Column | StorageKind::Tag => Storage::Table,
        }
    }

    /// Whether the component has no value, only presence, and is kept in the table's signature alone.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Enemy;
    /// #[derive(Component)] #[component(storage = "sparse")] struct Target;
    ///
    /// let (enemy, target) = (world.register::<Enemy>(), world.register::<Target>());
    /// assert!(world.components().info(enemy).unwrap().is_tag());
    /// assert!(!world.components().info(target).unwrap().is_tag(), "it is kept in a set");
    /// ```
    pub fn is_tag(&self) -> bool {
        self.kind == StorageKind::Tag
    }

    /// Whether editors show the component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(hidden)] struct Cache(u32);
    ///
    /// let cache = world.register::<Cache>();
    /// assert!(!world.components().info(cache).unwrap().is_visible());
    /// ```
    pub fn is_visible(&self) -> bool {
        self.visible
    }

    /// Whether equal values are stored once; see [`Shared`](super::Shared).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component, PartialEq, Eq, Hash)] #[component(shared)] struct Team(u8);
    ///
    /// let team = world.register::<Team>();
    /// assert!(world.components().info(team).unwrap().is_shared());
    /// ```
    pub fn is_shared(&self) -> bool {
        matches!(self.kind, StorageKind::Shared(_))
    }

    /// Whether entities with the component can be cloned ([`World::clone_entity`](crate::World::clone_entity)). A shared value is not cloned for that: the
    /// copy has it too.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component, Clone)] struct Health(u32);
    /// #[derive(Component)] struct Unique;
    ///
    /// let (health, unique) = (world.register::<Health>(), world.register::<Unique>());
    /// assert!(world.components().info(health).unwrap().is_cloneable());
    /// assert!(!world.components().info(unique).unwrap().is_cloneable());
    /// ```
    pub fn is_cloneable(&self) -> bool {
        if self.is_shared() { !self.clone_refused } else { !matches!(self.cloning, Cloning::Never) }
    }

    /// Whether values may be changed in their place; those of an immutable component are only inserted anew.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] #[component(immutable)] struct Team(u8);
    ///
    /// let mut world = World::new();
    /// let id = world.register::<Team>();
    /// assert!(!world.components().info(id).unwrap().is_mutable());
    /// ```
    pub fn is_mutable(&self) -> bool {
        self.mutable
    }

    /// Whether the component counts in [checksums](crate::World::checksum).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(no_checksum)] struct Blinking(f32);
    ///
    /// let blinking = world.register::<Blinking>();
    /// assert!(!world.components().info(blinking).unwrap().is_in_checksums());
    /// ```
    pub fn is_in_checksums(&self) -> bool {
        self.checksum
    }

    /// What values of the type are made of.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position { x: f32, y: f32 }
    ///
    /// let mut world = World::new();
    /// let id = world.register::<Position>();
    /// let schema = world.components().info(id).unwrap().schema();
    /// assert_eq!(schema.to_string(), "Position { x: f32, y: f32 }");
    /// assert_eq!(schema.field("y").unwrap().offset, Some(4));
    /// ```
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| Arc::new(self.describe.expect("a compiled type")()))
    }

    /// Whether arrivals and changes are noted.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(track)] struct Health(u32);
    ///
    /// let health = world.register::<Health>();
    /// assert!(world.components().info(health).unwrap().is_tracked());
    /// ```
    pub fn is_tracked(&self) -> bool {
        self.tracked
    }

    /// Whether the component can be switched off and on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(toggle)] struct Shield(u32);
    ///
    /// let shield = world.register::<Shield>();
    /// assert!(world.components().info(shield).unwrap().is_toggle());
    /// ```
    pub fn is_toggle(&self) -> bool {
        self.toggle
    }

    /// Whether tables keep something beside the values of this component.
    pub(crate) fn has_sides(&self) -> bool {
        self.tracked || self.toggle
    }

    /// Whether the type was described by layout at run time.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(4))?;
    /// assert!(!world.components().info(health).unwrap().is_runtime());
    /// assert!(world.components().info(mana).unwrap().is_runtime());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    pub fn is_runtime(&self) -> bool {
        self.type_id.is_none()
    }

    /// The components that come with this one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component, Default)] struct Velocity(f32);
    /// # let mut world = World::new();
    /// #[derive(Component)] #[component(requires(Velocity))] struct Ball;
    ///
    /// let ball = world.register::<Ball>();
    /// let velocity = world.register::<Velocity>();
    /// assert!(world.components().info(ball).unwrap().requires().eq([velocity]));
    /// ```
    pub fn requires(&self) -> impl ExactSizeIterator<Item = ComponentId> + '_ {
        self.requires.iter().map(|(id, _)| *id)
    }

    /// The components that this one, a tag, cannot be without.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Body(f32);
    /// #[derive(Component)] #[component(depends_on(Body))] struct Falling;
    ///
    /// let (body, falling) = (world.register::<Body>(), world.register::<Falling>());
    /// assert_eq!(world.components().info(falling).unwrap().depends_on(), [body]);
    /// ```
    pub fn depends_on(&self) -> &[ComponentId] {
        &self.depends_on
    }

    /// The tags that cannot be without this component, and go when it goes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Body(f32);
    /// #[derive(Component)] #[component(depends_on(Body))] struct Falling;
    ///
    /// let (body, falling) = (world.register::<Body>(), world.register::<Falling>());
    /// assert_eq!(world.components().info(body).unwrap().dependents(), [falling]);
    /// ```
    pub fn dependents(&self) -> &[ComponentId] {
        &self.dependents
    }
}

impl fmt::Debug for ComponentInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentInfo")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("size", &self.size())
            .field("align", &self.align())
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// `game::physics::Velocity<game::Fast>` → `Velocity<Fast>`.
pub(crate) fn short_name(full: &str) -> String {
    let mut out = String::with_capacity(full.len());
    let mut word_start = 0;
    let mut rest = full;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("::") {
            out.truncate(word_start);
            rest = &rest[2..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        if !(c.is_alphanumeric() || c == '_') {
            word_start = out.len();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn short_names_drop_every_path() {
        assert_eq!(short_name("game::physics::Velocity"), "Velocity");
        assert_eq!(short_name("game::Pair<a::b::X, (c::Y, u8)>"), "Pair<X, (Y, u8)>");
        assert_eq!(short_name("Plain"), "Plain");
    }
}
