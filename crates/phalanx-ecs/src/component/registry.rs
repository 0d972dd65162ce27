//! All component types of a world.

use super::info::{Cloning, FoldFn, short_name};
use super::{
    Component, ComponentId, ComponentInfo, ComponentLayout, Constructor, Dependencies, PoolId, RegisterError,
    Requirements, SetId, Storage, StorageKind, Telling, TypeMap, Watch, clone_cell, drop_fn_of, equal_cells, fold_cell,
    hash_cell, is_mutable,
};
use crate::order::sort_by;
use std::alloc::Layout;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

/// The component types of one world, compiled and made at run time.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.register::<Health>();
/// for info in world.components().iter() {
///     println!("{}: {} bytes", info.name(), info.size());
/// }
/// assert_eq!(world.components().len(), 1);
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    infos: Vec<ComponentInfo>,
    by_type: TypeMap,
    /// Types made at run time, by name.
    by_name: BTreeMap<Box<str>, ComponentId>,
    /// Compiled types, by the name that messages use; the first of each.
    compiled: BTreeMap<Box<str>, ComponentId>,
    /// Sparse types, by the number of their set.
    sparse: Vec<ComponentId>,
    /// For which acts somebody observes any type.
    watch: Watch,
    /// Shared types, by the number of their pool.
    shared: Vec<ComponentId>,
    /// Types whose requirements are being asked for, or could not be had, with how to ask.
    unfinished: Vec<(ComponentId, Collect)>,
    /// Whether any tag depends on something.
    has_dependencies: bool,
}

/// What a type requires, and what it depends on.
type Collected = (Vec<(ComponentId, Constructor)>, Vec<ComponentId>);
type Collect = fn(&mut Registry) -> Collected;

/// What `T` requires, and what it depends on.
fn collect<T: Component>(registry: &mut Registry) -> Collected {
    let mut requirements = Requirements { registry, list: Vec::new() };
    T::require(&mut requirements);
    let requires = requirements.list;
    let mut dependencies = Dependencies { registry, list: Vec::new() };
    T::depend(&mut dependencies);
    (requires, dependencies.list)
}

impl Registry {
    /// The id of `T`, registered now if it is new.
    #[inline]
    pub(crate) fn register<T: Component>(&mut self) -> ComponentId {
        match self.by_type.get(TypeId::of::<T>()) {
            Some(index) => ComponentId::new(index as usize),
            None => self.register_new::<T>(),
        }
    }

    #[cold]
    fn register_new<T: Component>(&mut self) -> ComponentId {
        let full_name = std::any::type_name::<T>();
        let name = T::NAME.map_or_else(|| short_name(full_name), Into::into);
        let layout = Layout::new::<T>();
        let shared = T::STORAGE == Storage::Shared;
        assert!(
            !shared || T::likeness().is_some(),
            "component `{name}` is shared, but does not say when two values are equal: write `#[component(shared)]` below `#[derive(Component)]`"
        );
        let telling = Telling::By { hash: hash_cell::<T>, equal: equal_cells::<T> };
        let id = self.push(
            ComponentInfo {
                id: ComponentId::new(self.infos.len()),
                full_name: full_name.into(),
                name: name.into(),
                layout,
                kind: StorageKind::Tag,
                visible: T::VISIBLE,
                type_id: Some(TypeId::of::<T>()),
                register: Some(Self::register::<T>),
                drop: drop_fn_of::<T>(),
                cloning: if T::CLONE && T::clone_fn().is_some() {
                    Cloning::By(clone_cell::<T>)
                } else {
                    Cloning::Never
                },
                mutable: is_mutable::<T>(),
                telling: shared.then_some(telling),
                clone_refused: !T::CLONE,
                left_out_of_clones: T::LEFT_OUT_OF_CLONES,
                left_out_of_moves: const { stays_behind::<T>() },
                checksum: T::CHECKSUM,
                fold: T::fold_fn().map(|_| fold_cell::<T> as FoldFn),
                describe: Some(T::schema),
                schema: OnceLock::new(),
                watch: Watch::NOTHING,
                hooks: T::HOOKS,
                tracked: T::TRACK,
                toggle: T::TOGGLE,
                requires: Vec::new(),
                depends_on: Vec::new(),
                dependents: Vec::new(),
            },
            T::STORAGE,
        );
        self.by_type.insert(TypeId::of::<T>(), id.raw());
        self.tell_apart(id);
        // The type is known before its requirements are asked for, so that a circle of them ends.
        self.unfinished.push((id, collect::<T>));
        self.finish_one();
        id
    }

    /// Lets messages tell a compiled type from one made at run time that had its name first.
    fn tell_apart(&mut self, compiled: ComponentId) {
        let name = self.infos[compiled.index()].name.clone();
        if let Some(known) = self.by_name.get(&name) {
            self.infos[known.index()].name = format!("{name} (made at run time)").into();
        }
        self.compiled.entry(name).or_insert(compiled);
    }

    /// Asks for the requirements of the type that came last. If that panics, it is asked again before anything else is registered.
    fn finish_one(&mut self) {
        if let Some(&(id, collect)) = self.unfinished.last() {
            let (mut requires, depends_on) = collect(self);
            requires.retain(|(required, _)| *required != id);
            self.infos[id.index()].requires = requires;
            // Refused each time, if it is refused.
            self.set_dependencies(id, depends_on);
            self.unfinished.retain(|(unfinished, _)| *unfinished != id);
        }
    }

    /// Notes what a new type depends on.
    fn set_dependencies(&mut self, id: ComponentId, mut depends_on: Vec<ComponentId>) {
        depends_on.retain(|known| *known != id);
        sort_by(&mut depends_on, |a, b| a < b);
        depends_on.dedup();
        if depends_on.is_empty() {
            return;
        }
        let info = &self.infos[id.index()];
        assert!(
            info.is_tag(),
            "error[C017]: component `{}` cannot depend on others: it is more than a tag\n  found: {} bytes, storage {:?}\n  help: declare a type without fields and with table storage for the tag",
            info.name,
            info.size(),
            info.storage()
        );
        self.has_dependencies = true;
        for component in &depends_on {
            self.infos[component.index()].dependents.push(id);
        }
        self.infos[id.index()].depends_on = depends_on;
    }

    /// Whether any tag depends on something.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn has_dependencies(&self) -> bool {
        self.has_dependencies
    }

    /// Asks again for requirements that could not be had because of a panic.
    pub(crate) fn finish(&mut self) {
        while !self.unfinished.is_empty() {
            self.finish_one();
        }
    }

    /// Registers a type by layout. The same name with the same layout again answers the same id.
    pub(crate) fn register_dyn(
        &mut self,
        layout: ComponentLayout,
        caller: &'static Location<'static>,
    ) -> Result<ComponentId, RegisterError> {
        let (memory, schema) = layout.measure(caller)?;
        let refuse = |layout: &ComponentLayout, found, help| Err(layout.refuse(found, help, caller));
        if let Some(&id) = self.by_name.get(layout.name.as_str()) {
            let known = &self.infos[id.index()];
            let same_flags = (known.toggle, known.left_out_of_moves) == (layout.toggle, layout.left_out_of_moves);
            let alike =
                same_flags && known.layout == memory && known.storage() == layout.storage && *known.schema() == schema;
            let others = |these: &[ComponentId], those: &[ComponentId]| these.iter().any(|c| !those.contains(c));
            let other = others(&known.depends_on, &layout.depends_on) || others(&layout.depends_on, &known.depends_on);
            if alike && !other {
                return Ok(id);
            }
            if alike {
                let names = |list: &[ComponentId]| {
                    let names: Vec<&str> = list.iter().map(|c| self.name_of(*c)).collect();
                    if names.is_empty() { "nothing".to_owned() } else { format!("`{}`", names.join("`, `")) }
                };
                let found = format!("the name is taken by a tag that depends on {}", names(&known.depends_on));
                return refuse(&layout, found, "choose another name, or name the same components in `depends_on`");
            }
            let fields = if *known.schema() != schema && known.layout == memory {
                format!(", made of other fields: {}", known.schema())
            } else {
                String::new()
            };
            let mut flags = String::new();
            if known.toggle != layout.toggle {
                flags += if known.toggle { ", which can be switched off" } else { ", which cannot be switched off" };
            }
            if known.left_out_of_moves != layout.left_out_of_moves {
                flags += if known.left_out_of_moves { ", left out of moves" } else { ", not left out of moves" };
            }
            let found = format!(
                "the name is taken by a component of size {}, alignment {}, storage {:?}{flags}{fields}",
                known.size(),
                known.align(),
                known.storage()
            );
            return refuse(&layout, found, "choose another name, or register it with the same layout");
        }
        if let Some(&id) = self.compiled.get(layout.name.as_str()) {
            let found = format!("the name is taken by the compiled type `{}`", self.infos[id.index()].full_name);
            return refuse(&layout, found, "choose another name, or use the compiled type by its id");
        }
        if !layout.depends_on.is_empty() {
            if memory.size() > 0 || layout.storage != Storage::Table {
                let found = "what depends on other components is more than a tag".into();
                return refuse(&layout, found, "leave out `size`, fields and sparse storage, or `depends_on`");
            }
            if let Some(unknown) = layout.depends_on.iter().find(|c| c.index() >= self.infos.len()) {
                let found = format!("it depends on {unknown:?}, and {} types are registered", self.infos.len());
                return refuse(&layout, found, "ids belong to one world; ask `world.components()` for them");
            }
        }
        let id = self.push(
            ComponentInfo {
                id: ComponentId::new(self.infos.len()),
                full_name: layout.name.as_str().into(),
                name: layout.name.as_str().into(),
                layout: memory,
                kind: StorageKind::Tag,
                visible: layout.visible,
                type_id: None,
                register: None,
                drop: None,
                cloning: Cloning::Bytes,
                mutable: layout.storage != Storage::Shared,
                telling: (layout.storage == Storage::Shared).then_some(Telling::Bytes),
                clone_refused: false,
                left_out_of_clones: false,
                left_out_of_moves: layout.left_out_of_moves,
                checksum: true,
                fold: None,
                describe: None,
                schema: OnceLock::from(Arc::new(schema)),
                watch: Watch::NOTHING,
                hooks: None,
                tracked: false,
                toggle: layout.toggle,
                requires: Vec::new(),
                depends_on: Vec::new(),
                dependents: Vec::new(),
            },
            layout.storage,
        );
        self.set_dependencies(id, layout.depends_on);
        self.by_name.insert(layout.name.into(), id);
        Ok(id)
    }

    fn push(&mut self, mut info: ComponentInfo, storage: Storage) -> ComponentId {
        info.kind = match storage {
            Storage::Table if info.layout.size() == 0 => StorageKind::Tag,
            Storage::Table => StorageKind::Column,
            Storage::Sparse => {
                self.sparse.push(info.id);
                StorageKind::Set(SetId(u32::try_from(self.sparse.len() - 1).expect("fewer than 2³² sparse types")))
            }
            Storage::Shared => {
                self.shared.push(info.id);
                StorageKind::Shared(PoolId(u32::try_from(self.shared.len() - 1).expect("fewer than 2³² shared types")))
            }
        };
        let id = info.id;
        info.watch = info.own_watch();
        self.watch = self.watch | info.watch;
        self.infos.push(info);
        id
    }

    /// The id of `T`, if it is registered.
    ///
    /// Unlike [`World::register`](crate::World::register) it needs no `&mut World`, and registers nothing.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert_eq!(world.components().id_of::<Health>(), Some(health));
    /// assert_eq!(world.components().id_of::<Gold>(), None);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn id_of<T: Component>(&self) -> Option<ComponentId> {
        self.by_type.get(TypeId::of::<T>()).map(|index| ComponentId::new(index as usize))
    }

    /// The id of the run-time type registered by this name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(4))?;
    /// world.register::<Health>();
    /// assert_eq!(world.components().id_by_name("Mana"), Some(mana));
    /// assert_eq!(world.components().id_by_name("Health"), None, "a compiled type");
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    pub fn id_by_name(&self, name: &str) -> Option<ComponentId> {
        self.by_name.get(name).copied()
    }

    /// Everything about one type, if this world knows the id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert_eq!(world.components().info(health).unwrap().name(), "Health");
    /// assert!(World::new().components().info(health).is_none());
    /// ```
    pub fn info(&self, id: ComponentId) -> Option<&ComponentInfo> {
        self.infos.get(id.index())
    }

    /// All types, by id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(3), Gold(5)));
    /// assert!(world.components().iter().map(|info| info.name()).eq(["Health", "Gold"]));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ComponentInfo> {
        self.infos.iter()
    }

    /// Notes for which acts somebody observes a component.
    pub(crate) fn set_watch(&mut self, id: ComponentId, watch: Watch) {
        self.infos[id.index()].watch = watch;
        self.watch = self.infos.iter().fold(Watch::default(), |all, info| all | info.watch);
    }

    /// For which acts somebody observes any type.
    #[inline]
    pub(crate) fn watch(&self) -> Watch {
        self.watch
    }

    /// How many types are registered.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(3), Gold(5)));
    /// assert_eq!(world.components().len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether no type is registered yet.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// assert!(world.components().is_empty());
    /// world.spawn(Health(3));
    /// assert!(!world.components().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// The type with an id that is known to be of this world.
    pub(crate) fn at(&self, id: ComponentId) -> &ComponentInfo {
        &self.infos[id.index()]
    }

    /// A type of another registry, registered here too, with what it depends on.
    pub(crate) fn adopt(
        &mut self,
        other: &Self,
        id: ComponentId,
        caller: &'static Location<'static>,
    ) -> Result<ComponentId, RegisterError> {
        let info = other.at(id);
        if let Some(register) = info.register {
            return Ok(register(self));
        }
        // A type made at run time depends on types that were there before it, so this comes to an end.
        let mut layout = ComponentLayout::like(info);
        for component in &info.depends_on {
            layout.depends_on.push(self.adopt(other, *component, caller)?);
        }
        self.register_dyn(layout, caller)
    }

    /// The sparse types, by the number of their set.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }

    /// The shared types, by the number of their pool.
    pub(crate) fn shared(&self) -> &[ComponentId] {
        &self.shared
    }

    pub(crate) fn name_of(&self, id: ComponentId) -> &str {
        self.infos.get(id.index()).map_or("?", |info| &info.name)
    }

    pub(crate) fn bytes(&self) -> usize {
        let requires = |info: &ComponentInfo| {
            info.requires.capacity() * size_of::<(ComponentId, Constructor)>()
                + (info.depends_on.capacity() + info.dependents.capacity()) * size_of::<ComponentId>()
        };
        let schema =
            |info: &ComponentInfo| info.schema.get().map_or(0, |schema| size_of_val(&**schema) + schema.bytes());
        let infos =
            self.infos.iter().map(|info| info.name.len() + info.full_name.len() + requires(info) + schema(info));
        // A name and what it stands for; what a tree needs beside that differs.
        let named = |names: &BTreeMap<Box<str>, ComponentId>| {
            names.keys().map(|name| name.len() + size_of::<(Box<str>, ComponentId)>()).sum::<usize>()
        };
        self.infos.capacity() * size_of::<ComponentInfo>()
            + infos.sum::<usize>()
            + named(&self.by_name)
            + named(&self.compiled)
            + (self.sparse.capacity() + self.shared.capacity()) * size_of::<ComponentId>()
            + self.by_type.bytes()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.infos).finish()
    }
}

/// Whether values stay behind when their entity moves to another world. They are forgotten there: the build stops if they have something to drop.
#[track_caller]
const fn stays_behind<T: Component>() -> bool {
    assert!(
        !T::LEFT_OUT_OF_MOVES || !std::mem::needs_drop::<T>(),
        "a component that is left out of moves has nothing to drop: no `Drop`, and no field that owns memory"
    );
    T::LEFT_OUT_OF_MOVES
}
