//! Copies of entities, and entities that move to another world.

use super::World;
use super::edit::list;
use crate::component::{RegisterError, short_name};
use crate::entity::{EntitiesFull, Entity, NoSuchEntity, debug_as_display};
use crate::storage::{CloneRefusal, TransferRefusal};
use std::fmt;
use std::panic::Location;

/// An entity was not cloned.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloneError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The world has no room for another entity.
    Full(EntitiesFull),
    /// Some components cannot be cloned.
    #[non_exhaustive]
    NotCloneable {
        /// The entity.
        entity: Entity,
        /// Which ones.
        components: Vec<String>,
        /// The names of their types, without paths.
        types: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for CloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Full(full) => full.fmt(f),
            Self::NotCloneable { entity, components, types, caller } => write!(
                f,
                "error[C008]: entity {entity} cannot be cloned\n  found: {} {} not `Clone`\n  asked by: {}:{}\n  help: add `#[derive(Clone)]` to {}, or use `clone_entity_partly`, which leaves {} out",
                list(components),
                if components.len() == 1 { "is" } else { "are" },
                caller.file(),
                caller.line(),
                list(types),
                if types.len() == 1 { "it" } else { "them" }
            ),
        }
    }
}

impl std::error::Error for CloneError {}
debug_as_display!(CloneError);

/// An entity was not moved to another world.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransferError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The other world has no room for another entity.
    Full(EntitiesFull),
    /// The other world knows a run-time component type of the same name with another layout.
    Type(RegisterError),
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Full(full) => full.fmt(f),
            Self::Type(refused) => refused.fmt(f),
        }
    }
}

impl std::error::Error for TransferError {}
debug_as_display!(TransferError);

impl World {
    /// Spawns a copy of an entity.
    ///
    /// # Errors
    /// [`CloneError`] if it is not alive, if a component cannot be cloned, or if the world is full; nothing changes.
    #[track_caller]
    pub fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        self.clone_with(entity, false, Location::caller())
    }

    /// Spawns a copy of an entity, without the components that cannot be cloned.
    ///
    /// # Errors
    /// [`CloneError`] if it is not alive or the world is full; nothing changes.
    #[track_caller]
    pub fn clone_entity_partly(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        self.clone_with(entity, true, Location::caller())
    }

    fn clone_with(
        &mut self,
        entity: Entity,
        skip: bool,
        caller: &'static Location<'static>,
    ) -> Result<Entity, CloneError> {
        let cloned = self.store.clone_entity(entity, skip).map_err(|refusal| match refusal {
            CloneRefusal::Dead(dead) => CloneError::Dead(dead.asked_by(caller)),
            CloneRefusal::Full(full) => CloneError::Full(full.asked_by(caller)),
            CloneRefusal::NotCloneable(components) => CloneError::NotCloneable {
                entity,
                components: components.iter().map(|c| self.store.registry.name_of(*c).into()).collect(),
                types: components.iter().map(|c| short_name(self.store.registry.at(*c).full_name())).collect(),
                caller,
            },
        });
        if let Ok(copy) = cloned {
            self.tell_of_arrived(copy);
        }
        cloned
    }

    /// Tells who observes the components of an entity that has come with all it has.
    fn tell_of_arrived(&mut self, entity: Entity) {
        if self.has_observers()
            && let Some(at) = self.store.entities.locate(entity)
        {
            let components = self.store.components_of(entity.index(), at);
            self.after_spawn([entity], &components);
        }
    }

    /// Moves an entity with all its components to another world, and answers its handle there. No value is cloned or dropped.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Memory(Vec<String>);
    ///
    /// let (mut here, mut there) = (World::new(), World::new());
    /// let traveller = here.spawn(Memory(vec!["home".into()]));
    /// let arrived = here.move_entity(traveller, &mut there)?;
    /// assert!(!here.is_alive(traveller));
    /// assert_eq!(there.get::<Memory>(arrived).unwrap().0, ["home"]);
    /// # Ok::<(), phalanx_ecs::TransferError>(())
    /// ```
    ///
    /// # Errors
    /// [`TransferError`] if it is not alive, or the other world is full or knows another run-time type of the same name; nothing changes.
    #[track_caller]
    pub fn move_entity(&mut self, entity: Entity, other: &mut Self) -> Result<Entity, TransferError> {
        let caller = Location::caller();
        let moved = self.ending(&[entity], |world| world.store.transfer(entity, &mut other.store));
        let moved = moved.map_err(|refusal| match refusal {
            TransferRefusal::Dead(dead) => TransferError::Dead(dead.asked_by(caller)),
            TransferRefusal::Full(full) => TransferError::Full(full.asked_by(caller)),
            TransferRefusal::Type(refused) => TransferError::Type(refused),
        });
        if let Ok(arrived) = moved {
            other.tell_of_arrived(arrived);
        }
        moved
    }
}
