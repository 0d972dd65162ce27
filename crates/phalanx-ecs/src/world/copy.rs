//! Copies of entities, and entities that move to another world.

use super::World;
use super::check::{Refused, Unwelcome};
use super::edit::list;
use crate::component::{ComponentId, Name, Panics, RegisterError, Watch, called, short_name};
use crate::entity::{EntitiesFull, Entity, NoSuchEntity, Uuid, UuidTaken, debug_as_display};
use crate::storage::{CloneRefusal, TransferRefusal};
use std::fmt;
use std::panic::Location;

/// An entity was not cloned.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::CloneError;
///
/// #[derive(Component)] struct Unique(u32);
///
/// let mut world = World::new();
/// let ring = world.spawn(Unique(1));
/// let error = world.clone_entity(ring).unwrap_err();
/// assert!(error.to_string().starts_with("error[C008]: entity 0v0 cannot be cloned\n  found: `Unique` is not `Clone`"));
/// assert!(matches!(error, CloneError::NotCloneable { components, .. } if components == ["Unique"]));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloneError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The world has no room for another entity.
    Full(EntitiesFull),
    /// A component refused to come into the copy.
    Refused(Refused),
    /// Some components cannot be cloned.
    #[non_exhaustive]
    NotCloneable {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// Which ones.
        components: Vec<String>,
        /// The names of their types, without paths.
        types: Vec<String>,
        /// Those that say `#[component(no_clone)]`; the others are not `Clone`.
        refused: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for CloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Full(full) => full.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
            Self::NotCloneable { entity, name, components, types, refused, caller } => {
                let are = |list: &[String]| if list.len() == 1 { "is" } else { "are" };
                let (mut unable, mut marked, mut uuid) = (Vec::new(), Vec::new(), false);
                for name in components {
                    match refused.contains(name) {
                        false => unable.push(name.clone()),
                        // Nobody can take the attribute off the one of this crate.
                        true if name == "Uuid" => uuid = true,
                        true => marked.push(name.clone()),
                    }
                }
                let mut found = Vec::new();
                if !unable.is_empty() {
                    found.push(format!("{} {} not `Clone`", list(&unable), are(&unable)));
                }
                if !marked.is_empty() {
                    let (names, are) = (list(&marked), are(&marked));
                    found.push(format!("{names} {are} not to be cloned (`#[component(no_clone)]`)"));
                }
                if uuid {
                    found.push("a `Uuid` belongs to one entity".to_owned());
                }
                let whom = called(*entity, name.as_ref());
                writeln!(f, "error[C008]: entity {whom} cannot be cloned\n  found: {}", found.join("; "))?;
                write!(f, "  asked by: {}:{}\n  help: ", caller.file(), caller.line())?;
                if refused.is_empty() {
                    write!(f, "add `#[derive(Clone)]` to {}, or ", list(types))?;
                }
                let them = if components.len() == 1 { "it" } else { "them" };
                write!(f, "use `clone_entity_partly`, which leaves {them} out")
            }
        }
    }
}

impl std::error::Error for CloneError {}
debug_as_display!(CloneError);

/// An entity was not moved to another world.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::TransferError;
///
/// let mut here = World::new();
/// let mut there = World::builder().limit(0).build();
/// let orc = here.spawn(());
/// let error = here.move_entity(orc, &mut there).unwrap_err();
/// assert!(matches!(error, TransferError::Full(_)));
/// assert!(here.is_alive(orc), "it stays where it was");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransferError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The other world has no room for another entity.
    Full(EntitiesFull),
    /// The other world knows a run-time component type of the same name with another layout.
    Type(RegisterError),
    /// An entity of the other world has the uuid.
    Uuid(UuidTaken),
    /// A component refused to come into the other world.
    Refused(Refused),
    /// Other entities have the same value of a shared component, so it cannot leave, and it cannot be cloned.
    #[non_exhaustive]
    Shared {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Full(full) => full.fmt(f),
            Self::Type(refused) => refused.fmt(f),
            Self::Uuid(taken) => taken.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
            Self::Shared { entity, name, component, caller } => write!(
                f,
                "error[C011]: entity {} cannot move to another world with its value of shared component `{component}`\n  found: other entities have it too, the other world has no equal one, and it cannot be cloned\n  asked by: {}:{}\n  help: add `#[derive(Clone)]` to the type, or remove the component first",
                called(*entity, name.as_ref()),
                caller.file(),
                caller.line()
            ),
        }
    }
}

impl std::error::Error for TransferError {}
debug_as_display!(TransferError);

/// # Copies, and moving to another world
impl World {
    /// Spawns a copy of an entity. What is switched off is so in the copy too.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)] struct Health(u32);
    /// #[derive(Component, Clone)] #[component(no_clone)] struct Serial(u64);
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn((Health(10), Serial(1)));
    /// assert!(world.clone_entity(orc).is_err());
    /// let copy = world.clone_entity_partly(orc)?;
    /// assert!(world.has::<Health>(copy) && !world.has::<Serial>(copy));
    /// # Ok::<(), phalanx_ecs::CloneError>(())
    /// ```
    ///
    /// # Errors
    /// [`CloneError`] if it is not alive, if a component cannot be cloned, or if the world is full; nothing changes.
    #[track_caller]
    pub fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        self.clone_with(entity, false, Location::caller())
    }

    /// Spawns a copy of an entity, without the components that cannot be cloned.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Unique(u32);
    ///
    /// let orc = world.spawn((Health(3), Unique(1)));
    /// let copy = world.clone_entity_partly(orc)?;
    /// assert!(world.has::<Health>(copy) && !world.has::<Unique>(copy));
    /// # Ok::<(), phalanx_ecs::CloneError>(())
    /// ```
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
        // What else is to be refused is refused below.
        let copied = self.store.copied(entity, skip).unwrap_or_default();
        let wishes = self.wishes_of_copy(entity, &copied);
        if let Err(Unwelcome::Refused(refused)) = self.check_wishes(&wishes, caller) {
            return Err(CloneError::Refused(refused));
        }
        let cloned = self.store.clone_entity(entity, skip).map_err(|refusal| match refusal {
            CloneRefusal::Dead(dead) => CloneError::Dead(self.dead(&dead, caller)),
            CloneRefusal::Full(full) => CloneError::Full(full.asked_by(caller)),
            CloneRefusal::NotCloneable(components) => CloneError::NotCloneable {
                entity,
                name: self.store.name_of(entity),
                components: components.iter().map(|c| self.store.registry.name_of(*c).into()).collect(),
                types: components.iter().map(|c| short_name(self.store.registry.at(*c).full_name())).collect(),
                refused: (components.iter().map(|c| self.store.registry.at(*c)))
                    .filter(|info| info.clone_refused)
                    .map(|info| info.name().into())
                    .collect(),
                caller,
            },
        });
        if let Ok(copy) = cloned {
            let off = self.off_in(entity);
            self.switch_all_off(copy, off);
            self.tell_of_arrived(copy);
        }
        cloned
    }

    /// What is switched off in an entity, by id.
    fn off_in(&self, entity: Entity) -> Vec<ComponentId> {
        let Some(at) = self.store.entities.locate(entity) else { return Vec::new() };
        let mut all = self.store.components_of(entity.index(), at);
        all.retain(|component| {
            self.store.registry.at(*component).is_toggle() && !self.store.is_on(entity.index(), at, *component)
        });
        all
    }

    /// Switches components of a new entity off.
    fn switch_all_off(&mut self, entity: Entity, components: impl IntoIterator<Item = ComponentId>) {
        if let Some(at) = self.store.entities.locate(entity) {
            for component in components {
                self.store.switch(entity.index(), at, component, false);
            }
        }
    }

    /// Tells who observes the components of an entity that has come with all it has.
    fn tell_of_arrived(&mut self, entity: Entity) {
        if self.observes(Watch::INSERT)
            && let Some(at) = self.store.entities.locate(entity)
        {
            let components = self.store.components_of(entity.index(), at);
            self.after_spawn(&[entity], &components);
        }
    }

    /// Moves an entity with all its components to another world, and answers its handle there. No value is cloned or dropped but [shared](crate::Shared) ones;
    /// what is switched off stays so.
    ///
    /// Of a shared component the entity gets the equal value of the other world, if there is one; the value it had is dropped if nobody else has it. If there
    /// is none, its value moves, or a clone of it if other entities have it too.
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
    /// [`TransferError`] if it is not alive, if the other world is full, knows another run-time type of the same name or has an entity with the same [`Uuid`],
    /// or if a shared value would have to be cloned and cannot. The entity stays where it was; the other world may know more types than before, but not if
    /// it is full: then nothing changes.
    ///
    /// # Panics
    /// If comparing or cloning a shared value panics, or the drop of a component of the dead, whose rows are collected if only they have the same shared value:
    /// the entity stays where it was, and nobody is told of anything.
    ///
    /// If an observer of either world panics, or what one has deferred, a clone for [`Removed::with_values`](crate::Removed::with_values) or the drop of a
    /// shared value that nobody has any more: the entity has moved then, with all that belongs to it, and the panic goes on afterwards.
    #[track_caller]
    pub fn move_entity(&mut self, entity: Entity, other: &mut Self) -> Result<Entity, TransferError> {
        let caller = Location::caller();
        if let Some(uuid) = self.get::<Uuid>(entity)
            && let Some(holder) = other.by_uuid(uuid)
        {
            let taken = other.uuid_taken(*uuid, Some(holder), Some(entity), caller);
            let wanted_name = self.get::<Name>(entity).map(|name| name.text().clone());
            return Err(TransferError::Uuid(UuidTaken { elsewhere: true, wanted_name, ..taken }));
        }
        let wishes = self.wishes_of_copy(entity, &self.store.travelling(entity));
        if let Err(Unwelcome::Refused(refused)) = other.check_wishes(&wishes, caller) {
            return Err(TransferError::Refused(refused));
        }
        // Prepared first, so that nobody is told of what is then refused, or panics. Observers cannot change what an entity has, only its values.
        let mut prepared = self.store.prepare_transfer(entity, &mut other.store);
        if let Err(TransferRefusal::Shared(component)) = prepared
            && self.store.collect_dead_holders(entity, component)
        {
            prepared = self.store.prepare_transfer(entity, &mut other.store);
        }
        let transfer = match prepared {
            Ok(transfer) => transfer,
            Err(refusal) => return Err(self.transfer_error(refusal, entity, caller)),
        };
        // Noted first: observers may ask.
        self.note_death(entity, caller);
        let (arrived, mut off, mut panics) = (transfer.arrives_as(), Vec::new(), Panics::default());
        // Whoever panics here, the entity moves.
        panics.catch(|| {
            self.ending(&[entity], |world| {
                // Their ids there; later there may be another world in the place of this one.
                off = world.off_in(entity).into_iter().filter_map(|component| transfer.adopted(component)).collect();
                world.store.complete_transfer(transfer, &mut other.store);
            });
        });
        other.switch_all_off(arrived, off);
        panics.catch(|| other.tell_of_arrived(arrived));
        panics.resume();
        Ok(arrived)
    }

    fn transfer_error(
        &self,
        refusal: TransferRefusal,
        entity: Entity,
        caller: &'static Location<'static>,
    ) -> TransferError {
        match refusal {
            TransferRefusal::Dead(dead) => TransferError::Dead(self.dead(&dead, caller)),
            TransferRefusal::Full(full) => TransferError::Full(full.asked_by(caller)),
            TransferRefusal::Type(refused) => TransferError::Type(refused.asked_by(caller)),
            TransferRefusal::Shared(component) => {
                let (name, component) = (self.store.name_of(entity), self.store.registry.name_of(component).into());
                TransferError::Shared { entity, name, component, caller }
            }
        }
    }
}
