//! One living entity, to look at.

use super::World;
use crate::component::{Component, ComponentId, ComponentInfo, DynRef};
use crate::entity::{Entity, Location, NoSuchEntity};
use std::fmt;

/// A living entity and the world it is in.
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    world: &'w World,
    entity: Entity,
    at: Location,
}

impl World {
    /// A living entity, to look at.
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[track_caller]
    pub fn entity(&self, entity: Entity) -> Result<EntityRef<'_>, NoSuchEntity> {
        let caller = std::panic::Location::caller();
        match self.store.locate(entity) {
            Ok(at) => Ok(EntityRef { world: self, entity, at }),
            Err(dead) => Err(dead.asked_by(caller)),
        }
    }
}

impl<'w> EntityRef<'w> {
    /// The entity's handle.
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// A component, if the entity has it.
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        self.world.get(self.entity)
    }

    /// A component by id, if the entity has it.
    pub fn get_dyn(&self, component: ComponentId) -> Option<DynRef<'w>> {
        self.world.store.get_dyn(self.entity, component)
    }

    /// Whether the entity has a component.
    pub fn has<T: Component>(&self) -> bool {
        self.world.has::<T>(self.entity)
    }

    /// The types of all components the entity has.
    pub fn components(&self) -> impl Iterator<Item = &'w ComponentInfo> + use<'w> {
        let store = &self.world.store;
        store.components_of(self.entity.index(), self.at).into_iter().map(|c| store.registry.at(c))
    }
}

impl fmt::Debug for EntityRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.entity)?;
        f.debug_set().entries(self.components().map(|info| fmt::from_fn(|f| f.write_str(info.name())))).finish()
    }
}
