//! Changing what an entity has.

use super::World;
use super::check::{Refused, Unwelcome};
use super::dependency::MissingDependency;
use super::spawn::write_duplicate;
use crate::bundle::{Bundle, BundleParts, note_wishes, refuse_duplicates};
use crate::component::{Component, Message, Name, Panics, Watch, Wishes, called, granted, is_shared};
use crate::entity::{Entity, NoSuchEntity, UuidTaken, debug_as_display};
use crate::storage::{Changes, EditRefusal};
use std::fmt;
use std::panic::Location;

/// The components of an entity were not changed: nothing was inserted, and nothing removed.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::InsertError;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(());
/// world.despawn(orc).unwrap();
/// let error = world.insert(orc, Health(3)).unwrap_err();
/// assert!(error.to_string().starts_with("error[E001]: entity 0v0 is not alive"));
/// assert!(matches!(error, InsertError::Dead(dead) if dead.entity == orc));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The bundle has a component twice.
    #[non_exhaustive]
    Duplicate {
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Another entity has the uuid.
    Uuid(UuidTaken),
    /// A tag depends on what the entity would not have.
    Lacks(MissingDependency),
    /// A component refused to come.
    Refused(Refused),
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Duplicate { component, caller } => write_duplicate(f, component, caller),
            Self::Uuid(taken) => taken.fmt(f),
            Self::Lacks(lacks) => lacks.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
        }
    }
}

impl std::error::Error for InsertError {}
debug_as_display!(InsertError);

impl From<NoSuchEntity> for InsertError {
    fn from(dead: NoSuchEntity) -> Self {
        Self::Dead(dead)
    }
}

impl From<Unwelcome> for InsertError {
    fn from(unwelcome: Unwelcome) -> Self {
        match unwelcome {
            Unwelcome::Uuid(taken) => Self::Uuid(taken),
            Unwelcome::Refused(refused) => Self::Refused(refused),
        }
    }
}

/// Nothing was taken.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::TakeError;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Gold(u32);
///
/// let mut world = World::new();
/// let orc = world.spawn(Health(3));
/// let error = world.take::<(Health, Gold)>(orc).err().unwrap();
/// assert!(error.to_string().starts_with("error[C004]: entity 0v0 cannot give away what it does not have"));
/// assert!(matches!(error, TakeError::Absent { missing, .. } if missing == ["Gold"]));
/// assert!(world.has::<Health>(orc), "all or nothing");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TakeError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The bundle has a component twice.
    #[non_exhaustive]
    Duplicate {
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The entity lacks some of what was asked for.
    #[non_exhaustive]
    Absent {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// What is missing.
        missing: Vec<String>,
        /// What the entity has.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Duplicate { component, caller } => write_duplicate(f, component, caller),
            Self::Absent { entity, name, missing, present, caller } => write!(
                f,
                "error[C004]: entity {} cannot give away what it does not have\n  missing: {}\n  present: {}\n  asked by: {}:{}\n  help: `remove` takes off what is there and ignores the rest",
                called(*entity, name.as_ref()),
                list(missing),
                list(present),
                caller.file(),
                caller.line()
            ),
        }
    }
}

impl std::error::Error for TakeError {}
debug_as_display!(TakeError);

/// Stops the build where a shared value would be handed out.
#[track_caller]
const fn refuse_shared(shared: bool, what: &str, instead: &str) {
    if shared {
        let message = Message::new()
            .say(what)
            .say(", and a shared value is not one entity's to give away: use ")
            .say(instead)
            .say(" for the shared component");
        panic!("{}", message.as_str());
    }
}

/// Names of components, or a word for none.
pub(super) fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".into() } else { format!("`{}`", names.join("`, `")) }
}

/// # Changing what an entity has, and ending it
impl World {
    /// The names of all components a living entity has.
    pub(super) fn names_on(&self, entity: Entity) -> Vec<String> {
        let Some(at) = self.store.entities.locate(entity) else { return Vec::new() };
        let all = self.store.components_of(entity.index(), at);
        all.into_iter().map(|c| self.store.registry.name_of(c).to_string()).collect()
    }

    /// Inserts a bundle. Components that are there already are replaced, and their old values dropped.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Component)] struct Poisoned;
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn(Health(10));
    /// world.insert(orc, (Health(9), Poisoned))?;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 9);
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if the entity is not alive, another one has the [`Uuid`](crate::Uuid), the bundle has a component twice, or a tag of it
    /// [depends](crate::Component::depend) on what is not there; the bundle is dropped and nothing changes.
    #[doc(alias("add", "insert_one", "add_component"))]
    #[inline]
    #[track_caller]
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), InsertError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.insert_unpacked(entity, bundle.into_parts(), Location::caller())
    }

    /// [`World::insert`] of the parts of a bundle.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn insert_unpacked<P: BundleParts>(
        &mut self,
        entity: Entity,
        parts: P,
        caller: &'static Location<'static>,
    ) -> Result<(), InsertError> {
        match self.store.insert_fast(entity, parts) {
            Ok(()) => Ok(()),
            Err(parts) => self.insert_parts(entity, parts, caller),
        }
    }

    /// [`World::insert`] where it is more than moving bytes.
    #[inline(never)]
    fn insert_parts<P: BundleParts>(
        &mut self,
        entity: Entity,
        mut parts: P,
        caller: &'static Location<'static>,
    ) -> Result<(), InsertError> {
        // What a type says of itself may panic.
        (parts, ()) = granted(parts, || {
            self.store.make_known::<P>();
            Ok::<(), InsertError>(())
        })?;
        if P::CHECKED && self.is_alive(entity) {
            let mut wishes = Wishes::default();
            note_wishes(&mut parts, Some(entity), &mut wishes);
            (parts, ()) = granted(parts, || self.check_wishes(&wishes, caller))?;
        }
        let inserted = if self.observes(Watch::INSERT | Watch::REPLACE) {
            self.insert_observed(entity, parts)
        } else {
            let mut panics = Panics::default();
            let inserted = self.store.insert_keeping(entity, parts, &mut panics);
            if self.observes(Watch::INSERT) {
                self.tell_of_first(entity);
            }
            panics.resume();
            inserted
        };
        match inserted {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.insert_error(&refusal, entity, caller)),
        }
    }

    /// [`World::insert`] where somebody may have to be told.
    #[inline(never)]
    fn insert_observed<P: BundleParts>(&mut self, entity: Entity, parts: P) -> Result<(), EditRefusal> {
        // Asked first, so that observers are not told of what is then refused.
        let (parts, ()) = granted(parts, || self.store.check_insert::<P>(&[entity])).map_err(|(_, refusal)| refusal)?;
        let components = self.store.register_all::<P>();
        let arrivals = self.before_insert(&[entity], &components, &[]);
        self.inserting(arrivals, |world, progress| world.store.insert_keeping(entity, parts, &mut progress.panics))
    }

    #[cold]
    pub(super) fn insert_error(
        &self,
        refusal: &EditRefusal,
        entity: Entity,
        caller: &'static Location<'static>,
    ) -> InsertError {
        match refusal {
            EditRefusal::Dead(dead) => InsertError::Dead(self.dead(dead, caller)),
            EditRefusal::Duplicate(duplicate) => {
                InsertError::Duplicate { component: self.store.registry.name_of(duplicate.0).into(), caller }
            }
            EditRefusal::Absent(_) => unreachable!("inserting asks for nothing"),
            EditRefusal::Lacks(lack) => InsertError::Lacks(self.missing_dependency(lack, Some(entity), caller)),
        }
    }

    /// Inserts a component unless the entity has it; answers whether it was inserted.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// assert!(world.insert_if_new(orc, Health(3))?);
    /// assert!(!world.insert_if_new(orc, Health(9))?);
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::insert`].
    #[track_caller]
    pub fn insert_if_new<T: Component>(&mut self, entity: Entity, value: T) -> Result<bool, InsertError> {
        let caller = Location::caller();
        let (value, (at, id)) = granted(value, || {
            let at = self.store.locate(entity).map_err(|dead| self.dead(&dead, caller))?;
            Ok::<_, InsertError>((at, self.store.register::<T>()))
        })?;
        if self.store.has(entity.index(), at, id) {
            return Ok(false);
        }
        self.insert(entity, value).map(|()| true)
    }

    /// Puts a component in the place of an old value, if there was one, and hands that back. What the component requires comes along, as with
    /// [`World::insert`].
    ///
    /// For [shared](crate::Shared) components the build stops: an old value may be that of others too.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Sword(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// assert_eq!(world.replace(orc, Sword(1))?, None);
    /// assert_eq!(world.replace(orc, Sword(2))?, Some(Sword(1)));
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::insert`].
    #[track_caller]
    pub fn replace<T: Component>(&mut self, entity: Entity, mut value: T) -> Result<Option<T>, InsertError> {
        const { refuse_shared(is_shared::<T>(), "`replace` hands the old value out", "`get`, then `insert`") };
        if !self.has::<T>(entity) {
            return self.insert(entity, value).map(|()| None);
        }
        let (id, caller) = (self.store.register::<T>(), Location::caller());
        let mut wishes = Wishes::default();
        note_wishes(&mut value, Some(entity), &mut wishes);
        let (value, ()) = granted(value, || self.check_wishes(&wishes, caller))?;
        let lack = self.store.lack_after(Some(entity.index()), &[id], &Changes::default());
        let lack = lack.map(|lack| self.missing_dependency(&lack, Some(entity), caller));
        let (value, ()) = granted(value, || lack.map_or(Ok(()), |lack| Err(InsertError::Lacks(lack))))?;
        let arrivals = self.before_insert(&[entity], &[id], &[]);
        self.inserting(arrivals, |world, _| {
            let value = world.store.bring_required(entity.index(), id, value);
            let place = world.value_mut::<T>(entity).expect("it was there");
            Ok(Some(std::mem::replace(place, value)))
        })
    }

    /// Removes and drops those components of a bundle that the entity has; answers how many it had. Tags that [depend](crate::Component::depend) on them go with them.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Burning));
    /// assert_eq!(world.remove::<Burning>(orc)?, 1);
    /// assert_eq!(world.remove::<(Burning, Health)>(orc)?, 1, "one was left");
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if the entity is not alive, or if the bundle has a component twice.
    #[doc(alias("remove_one", "remove_component"))]
    #[inline]
    #[track_caller]
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> Result<usize, InsertError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        let caller = Location::caller();
        match self.store.remove_fast::<B::Parts>(entity) {
            Some(removed) => Ok(removed),
            None => self.remove_parts::<B::Parts>(entity, caller),
        }
    }

    /// [`World::remove`] where it is more than moving bytes.
    #[inline(never)]
    fn remove_parts<P: BundleParts>(
        &mut self,
        entity: Entity,
        caller: &'static Location<'static>,
    ) -> Result<usize, InsertError> {
        let components = if self.observes(Watch::REMOVE) { self.store.register_all::<P>() } else { Vec::new() };
        match self.removing(&[entity], &components, |world| world.store.remove_slowly::<P>(entity)) {
            Ok(removed) => Ok(removed),
            Err(refusal) => Err(self.insert_error(&refusal, entity, caller)),
        }
    }

    /// Removes a bundle and hands it back.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component, Debug, PartialEq)] struct Gold(u32);
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn(Gold(3));
    /// assert_eq!(world.take::<Gold>(orc)?, Gold(3));
    /// let error = world.take::<Gold>(orc).unwrap_err();
    /// assert!(error.to_string().contains("missing: `Gold`"));
    /// # Ok::<(), phalanx_ecs::TakeError>(())
    /// ```
    ///
    /// For bundles with [shared](crate::Shared) components the build stops: their values may be those of others too.
    ///
    /// # Errors
    /// [`TakeError`] if the entity is not alive or lacks any of it; nothing changes then.
    #[doc(alias = "exchange")]
    #[track_caller]
    pub fn take<B: Bundle>(&mut self, entity: Entity) -> Result<B, TakeError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        const { refuse_shared(B::Parts::SHARED, "`take` hands values out", "`get`, then `remove`") };
        let caller = Location::caller();
        let whole = self.observes(Watch::REMOVE) && self.has_all::<B::Parts>(entity);
        let components = if whole { self.store.register_all::<B::Parts>() } else { Vec::new() };
        let taken = self.removing(&[entity], &components, |world| world.store.take::<B::Parts>(entity));
        taken.map(B::from_parts).map_err(|refusal| match refusal {
            EditRefusal::Dead(dead) => TakeError::Dead(self.dead(&dead, caller)),
            EditRefusal::Duplicate(duplicate) => {
                TakeError::Duplicate { component: self.store.registry.name_of(duplicate.0).into(), caller }
            }
            EditRefusal::Absent(absent) => TakeError::Absent {
                entity,
                name: self.get::<Name>(entity).cloned(),
                missing: absent.into_iter().map(|c| self.store.registry.name_of(c).into()).collect(),
                present: self.names_on(entity),
                caller,
            },
            EditRefusal::Lacks(_) => unreachable!("nothing comes"),
        })
    }

    /// Removes and drops everything but the components of a bundle; answers how many went. A tag that [depends](crate::Component::depend) on what goes goes too.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Title(&'static str);
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Title("Grub"), Health(3), Burning));
    /// assert_eq!(world.retain::<Title>(orc)?, 2);
    /// assert!(world.has::<Title>(orc) && !world.has::<Health>(orc));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if the entity is not alive.
    #[track_caller]
    pub fn retain<B: Bundle>(&mut self, entity: Entity) -> Result<usize, NoSuchEntity> {
        const { refuse_duplicates(B::Parts::KEYS) };
        let caller = Location::caller();
        let keep = self.store.register_all::<B::Parts>();
        let going = match self.store.entities.locate(entity) {
            Some(at) if self.observes(Watch::REMOVE) => self.store.components_of(entity.index(), at),
            _ => Vec::new(),
        };
        let going: Vec<_> = going.into_iter().filter(|c| !keep.contains(c)).collect();
        let retained = self.removing(&[entity], &going, |world| world.store.retain(entity, &keep));
        retained.map_err(|dead| self.dead(&dead, caller))
    }

    /// Ends an entity and drops all its components.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.despawn(orc)?;
    /// assert!(!world.is_alive(orc) && world.get::<Health>(orc).is_none());
    /// assert!(world.despawn(orc).is_err());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive; nothing changes then.
    #[doc(alias("delete", "destroy", "kill"))]
    #[inline]
    #[track_caller]
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let caller = Location::caller();
        if self.store.despawn_fast(entity) {
            self.note_death(entity, caller);
            return Ok(());
        }
        if self.is_alive(entity) {
            // Noted first: the entity is dead even if a drop panics.
            self.note_death(entity, caller);
        }
        match self.despawn_slowly(entity) {
            Ok(()) => Ok(()),
            Err(dead) => Err(self.dead(&dead, caller)),
        }
    }

    /// [`World::despawn`] where it is more than moving bytes.
    #[inline(never)]
    pub(super) fn despawn_slowly(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.ending(&[entity], |world| world.store.despawn_slowly(entity))
    }

    /// Whether an entity is alive and has all components of a bundle.
    fn has_all<P: BundleParts>(&mut self, entity: Entity) -> bool {
        let components = self.store.register_all::<P>();
        let at = self.store.entities.locate(entity);
        at.is_some_and(|at| components.iter().all(|c| self.store.has(entity.index(), at, *c)))
    }
}
