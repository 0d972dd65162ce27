//! Reading and writing components by entity.

#![expect(unsafe_code, reason = "turns found cells into references")]

use super::World;
use super::edit::list;
use crate::component::{
    Component, ComponentId, Name, Storage, StorageKind, called, is_shared, refuse_immutable, short_name,
};
use crate::entity::{Entity, NoSuchEntity, debug_as_display};
use std::borrow::Borrow;
use std::fmt;
use std::panic::Location;

/// A component was expected and is not there.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::LookupError;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Gold(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(3));
/// let error = world.lookup::<Gold>(orc).err().unwrap();
/// assert!(error.to_string().starts_with("error[C003]: entity 0v0 has no component `Gold`\n  present: `Health`"));
/// assert!(matches!(error, LookupError::Absent { entity, .. } if entity == orc));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The entity does not have the component.
    #[non_exhaustive]
    Absent {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// The component's name.
        component: String,
        /// The name of its type, without paths.
        type_name: String,
        /// What the entity has.
        present: Vec<String>,
        /// Whether it was to be changed.
        to_change: bool,
        /// Whether it was to be switched, or edited for all that share it.
        to_handle: bool,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Absent { entity, name, component, type_name, present, to_change, to_handle, caller } => {
                let (instead, answer) = match (to_change, to_handle) {
                    (_, true) => ("ask `world.has", ""),
                    (true, _) => ("use `world.get_mut", ", which answers `None`"),
                    _ => ("use `world.get", ", which answers `None`"),
                };
                write!(
                    f,
                    "error[C003]: entity {} has no component `{component}`\n  present: {}\n  asked by: {}:{}\n  help: insert `{type_name}` first, or {instead}::<{type_name}>(entity)`{answer}",
                    called(*entity, name.as_ref()),
                    list(present),
                    caller.file(),
                    caller.line()
                )
            }
        }
    }
}

impl std::error::Error for LookupError {}
debug_as_display!(LookupError);

/// A component that only who defines it changes in its place; others insert and remove it. See [`World::get_mut_owned`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Owned;
///
/// #[derive(Component)] #[component(immutable)] struct Link(u32);
/// struct Key;                                  // private: nobody else can make one
/// impl Owned for Link { type Key = Key; }
///
/// let mut world = World::new();
/// let link = world.spawn(Link(3));
/// world.get_mut_owned::<Link>(link, &Key).unwrap().0 = 4;
/// assert_eq!(world.get::<Link>(link).unwrap().0, 4);
/// ```
pub trait Owned: Component {
    /// Who can make one may write.
    type Key;
}

/// # Components of one entity
impl World {
    /// Where the value of a component is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cell<T: Component>(&self, entity: Entity) -> Option<*mut T> {
        let at = self.store.entities.locate(entity)?;
        let id = self.store.registry.id_of::<T>()?;
        if T::STORAGE == Storage::Sparse {
            let set = self.store.set_of(id)?;
            return self.store.sets.get(set).cell(entity.index()).map(<*mut u8>::cast);
        }
        // SAFETY: a location names a table of the store.
        let table = unsafe { self.store.tables.get_unchecked(at.table.index()) };
        if T::STORAGE == Storage::Shared {
            // SAFETY: the place comes from the map of this table.
            return table.map().column(id).map(|place| unsafe { table.shared_cell(place) }.as_ptr().cast());
        }
        if size_of::<T>() == 0 {
            return table.map().contains(id).then(std::ptr::dangling_mut);
        }
        let column = table.map().column(id)?;
        // SAFETY: a column of this table, and one of its rows.
        Some(unsafe { table.cell(column, at.row.index()).cast() })
    }

    /// Notes that a component of an entity is about to be changed, if it is tracked.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mark<T: Component>(&self, entity: Entity) {
        if T::TRACK
            && let (Some(at), Some(id)) = (self.store.entities.locate(entity), self.store.registry.id_of::<T>())
        {
            self.store.mark_tracked(entity.index(), at, id);
        }
    }

    /// A component of an entity; `None` if it is not alive or has none. [`World::lookup`] says which.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
    /// assert!(world.get::<Gold>(orc).is_none());
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<&T> {
        // SAFETY: the cell of a `T`, shared with `self`.
        self.cell(entity).map(|cell| unsafe { &*cell })
    }

    /// A component of an entity, to change; `None` if it is not alive or has none. For immutable components the build stops.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// if let Some(health) = world.get_mut::<Health>(orc) {
    ///     health.0 -= 1;
    /// }
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.value_mut(entity)
    }

    /// A component to write, also if it is immutable, for who [owns](Owned) it. Nobody is told.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// mod chain {
    ///     use phalanx_ecs::prelude::*;
    ///     use phalanx_ecs::Owned;
    ///
    ///     #[derive(Component)] #[component(immutable)] pub struct Link(u32);
    ///     pub struct Key(());
    ///     impl Owned for Link { type Key = Key; }
    ///
    ///     pub fn forge(world: &mut World, strength: u32) -> Entity { world.spawn(Link(strength)) }
    ///     pub fn strength(world: &World, link: Entity) -> u32 { world.get::<Link>(link).unwrap().0 }
    ///     pub fn harden(world: &mut World, link: Entity) {
    ///         // Only here can a key be made.
    ///         world.get_mut_owned::<Link>(link, &Key(())).unwrap().0 += 1;
    ///     }
    /// }
    /// let mut world = World::new();
    /// let link = chain::forge(&mut world, 3);
    /// chain::harden(&mut world, link);
    /// assert_eq!(chain::strength(&world, link), 4);
    /// ```
    #[inline]
    pub fn get_mut_owned<T: Owned>(&mut self, entity: Entity, key: &T::Key) -> Option<&mut T> {
        let _ = key;
        const { assert!(!is_shared::<T>(), "a shared component is changed by `edit_shared`") };
        self.value_mut(entity)
    }

    /// [`World::get_mut`], also of what is immutable, for who puts another value in its place and tells observers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn value_mut<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        let cell = self.cell(entity)?;
        self.mark::<T>(entity);
        // SAFETY: the cell of a `T`, exclusive with `self`.
        Some(unsafe { &mut *cell })
    }

    /// A component of several entities, in their order, each present or missing.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, stone] = [world.spawn(Health(3)), world.spawn(())];
    /// let healths = world.get_many::<Health>([stone, orc]);
    /// assert!(healths[0].is_none());
    /// assert_eq!(healths[1].unwrap().0, 3);
    /// ```
    pub fn get_many<T: Component>(&self, entities: impl IntoIterator<Item: Borrow<Entity>>) -> Vec<Option<&T>> {
        entities.into_iter().map(|entity| self.get(*entity.borrow())).collect()
    }

    /// A component of an entity that must have it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// assert_eq!(world.lookup::<Health>(orc)?.0, 3);
    ///
    /// let stone = world.spawn(());
    /// let error = world.lookup::<Health>(stone).err().unwrap();
    /// assert!(error.to_string().starts_with("error[C003]: entity 1v0 has no component `Health`"));
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// [`LookupError`], which says whether the entity or the component is missing.
    #[doc(alias("get_or_error", "try_get"))]
    #[track_caller]
    pub fn lookup<T: Component>(&self, entity: Entity) -> Result<&T, LookupError> {
        let caller = Location::caller();
        self.get(entity).ok_or_else(|| self.missing::<T>(entity, (false, false), caller))
    }

    /// A component of an entity that must have it, to change. For immutable components the build stops.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.lookup_mut::<Health>(orc)?.0 -= 1;
    /// assert_eq!(world.lookup::<Health>(orc)?.0, 2);
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// [`LookupError`], which says whether the entity or the component is missing.
    #[track_caller]
    pub fn lookup_mut<T: Component>(&mut self, entity: Entity) -> Result<&mut T, LookupError> {
        const { refuse_immutable::<T>() };
        let caller = Location::caller();
        match self.cell(entity) {
            Some(cell) => {
                self.mark::<T>(entity);
                // SAFETY: the cell of a `T`, exclusive with `self`.
                Ok(unsafe { &mut *cell })
            }
            None => Err(self.missing::<T>(entity, (true, false), caller)),
        }
    }

    /// That an entity lacks a component, which was to be changed, or switched or edited for all.
    #[cold]
    pub(super) fn missing<T: Component>(
        &self,
        entity: Entity,
        (to_change, to_handle): (bool, bool),
        caller: &'static Location<'static>,
    ) -> LookupError {
        if let Err(dead) = self.store.locate(entity) {
            return LookupError::Dead(self.dead(&dead, caller));
        }
        let type_name = short_name(std::any::type_name::<T>());
        let component = T::NAME.map_or_else(|| type_name.clone(), Into::into);
        let (name, present) = (self.get::<Name>(entity).cloned(), self.names_on(entity));
        LookupError::Absent { entity, name, component, type_name, present, to_change, to_handle, caller }
    }

    /// Whether an entity is alive and has a component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Enemy);
    /// assert!(world.has::<Enemy>(orc) && !world.has::<Health>(orc));
    /// world.despawn(orc)?;
    /// assert!(!world.has::<Enemy>(orc));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    #[doc(alias("contains", "has_component", "satisfies"))]
    #[inline]
    pub fn has<T: Component>(&self, entity: Entity) -> bool {
        self.cell::<T>(entity).is_some()
    }

    /// Whether an entity is alive and has the component with this id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let enemy = world.register::<Enemy>();
    /// let [orc, stone] = [world.spawn(Enemy), world.spawn(())];
    /// assert!(world.has_dyn(orc, enemy) && !world.has_dyn(stone, enemy));
    /// ```
    pub fn has_dyn(&self, entity: Entity, component: ComponentId) -> bool {
        let Some(at) = self.store.entities.locate(entity) else { return false };
        component.index() < self.store.registry.len() && self.store.has(entity.index(), at, component)
    }

    /// The ids of all components an entity has, its signature: table components first, then sparse ones, each by id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let (enemy, health) = (world.register::<Enemy>(), world.register::<Health>());
    /// let orc = world.spawn((Health(3), Enemy));
    /// assert_eq!(world.signature(orc)?, [enemy, health]);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[doc(alias("archetype", "component_types"))]
    #[track_caller]
    pub fn signature(&self, entity: Entity) -> Result<Vec<ComponentId>, NoSuchEntity> {
        let caller = Location::caller();
        let at = self.store.locate(entity).map_err(|dead| self.dead(&dead, caller))?;
        Ok(self.store.components_of(entity.index(), at))
    }

    /// All entities that have the component with this id, in [walking order](struct@crate::Query#order).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let enemy = world.register::<Enemy>();
    /// world.spawn(());
    /// let orc = world.spawn(Enemy);
    /// assert_eq!(world.entities_with(enemy), [orc]);
    /// ```
    pub fn entities_with(&self, component: ComponentId) -> Vec<Entity> {
        let Some(info) = self.store.registry.info(component) else { return Vec::new() };
        let entity = |index: u32| self.store.entities.entity_at(index);
        match info.kind {
            StorageKind::Set(set) => self.store.sets.get(set).owners().map(entity).collect(),
            StorageKind::Column | StorageKind::Tag | StorageKind::Shared(_) => {
                let archetypes = self.store.archetypes_with(component).iter();
                archetypes.flat_map(|id| self.store.entities_of(*id)).collect()
            }
        }
    }

    /// A component of an entity, without checking anything.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// // SAFETY: it was spawned with one, and nobody has touched it.
    /// assert_eq!(unsafe { world.get_unchecked::<Health>(orc) }.0, 3);
    /// ```
    ///
    /// # Safety
    /// 1. The entity is alive and has a `T`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn get_unchecked<T: Component>(&self, entity: Entity) -> &T {
        // SAFETY: there is a cell, by (1).
        unsafe { &*self.cell::<T>(entity).unwrap_unchecked() }
    }

    /// A component of an entity, to change, without checking anything.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// // SAFETY: it was spawned with one, and nobody has touched it.
    /// unsafe { world.get_unchecked_mut::<Health>(orc) }.0 = 4;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
    /// ```
    ///
    /// # Safety
    /// 1. The entity is alive and has a `T`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn get_unchecked_mut<T: Component>(&mut self, entity: Entity) -> &mut T {
        const { refuse_immutable::<T>() };
        self.mark::<T>(entity);
        // SAFETY: there is a cell, by (1).
        unsafe { &mut *self.cell::<T>(entity).unwrap_unchecked() }
    }
}
