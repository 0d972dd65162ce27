//! One living entity, to look at.

use super::World;
use crate::component::{Component, ComponentId, ComponentInfo, DynRef};
use crate::entity::{Entity, Location, NoSuchEntity};
use std::fmt;

/// A living entity and the world it is in.
///
/// [`World::entity`] makes one; its place is looked up once, for any number of questions.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Enemy;
///
/// let mut world = World::new();
/// let orc = world.spawn((Health(3), Enemy));
/// let orc = world.entity(orc)?;
/// assert_eq!(orc.get::<Health>().unwrap().0, 3);
/// assert!(orc.has::<Enemy>());
/// assert_eq!(format!("{orc:?}"), "0v0 {Health, Enemy}");
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    world: &'w World,
    entity: Entity,
    at: Location,
}

/// # All of one entity
impl World {
    /// A living entity, to look at.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// assert!(world.entity(orc)?.has::<Health>());
    /// world.despawn(orc)?;
    /// assert!(world.entity(orc).is_err());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[track_caller]
    pub fn entity(&self, entity: Entity) -> Result<EntityRef<'_>, NoSuchEntity> {
        let caller = std::panic::Location::caller();
        match self.store.locate(entity) {
            Ok(at) => Ok(EntityRef { world: self, entity, at }),
            Err(dead) => Err(self.dead(&dead, caller)),
        }
    }
}

impl<'w> EntityRef<'w> {
    /// The entity's handle.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// assert_eq!(world.entity(orc)?.id(), orc);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// A component, if the entity has it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let orc = world.entity(orc)?;
    /// assert_eq!(orc.get::<Health>().unwrap().0, 3);
    /// assert!(orc.get::<Gold>().is_none());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        self.world.get(self.entity)
    }

    /// A component by id, if the entity has it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(Health(3));
    /// let value = world.entity(orc)?.get_dyn(health).unwrap();
    /// assert_eq!(value.downcast::<Health>().unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn get_dyn(&self, component: ComponentId) -> Option<DynRef<'w>> {
        self.world.store.get_dyn(self.entity, component)
    }

    /// Whether the entity has a component.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Enemy));
    /// assert!(world.entity(orc)?.has::<Enemy>());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn has<T: Component>(&self) -> bool {
        self.world.has::<T>(self.entity)
    }

    /// The types of all components the entity has.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Enemy));
    /// assert!(world.entity(orc)?.components().map(|info| info.name()).eq(["Health", "Enemy"]));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn components(&self) -> impl Iterator<Item = &'w ComponentInfo> + use<'w> {
        let store = &self.world.store;
        store.components_of(self.entity.index(), self.at).into_iter().map(|c| store.registry.at(c))
    }
}

impl<'w> EntityRef<'w> {
    /// The world it is in, and where.
    pub(super) fn place(&self) -> (&'w World, Location) {
        (self.world, self.at)
    }
}

impl fmt::Debug for EntityRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.entity)?;
        f.debug_set().entries(self.components().map(|info| fmt::from_fn(|f| f.write_str(info.name())))).finish()
    }
}
