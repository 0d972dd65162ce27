//! Components known by id at run time. Everything is checked; nothing here is unsafe to call.

use super::World;
use super::check::{Refused, Unwelcome, note_dyn_wish};
use super::dependency::MissingDependency;
use super::edit::list;
use super::spawn::write_duplicate;
use crate::bundle::BundleBuilder;
use crate::component::{
    ComponentId, DynRef, DynRefMut, DynValue, Name, Panics, Wishes, bytes_in_words, called, granted,
};
use crate::entity::{EntitiesFull, Entity, Location as Place, NoSuchEntity, UuidTaken, debug_as_display};
use crate::storage::{Changes, DynRefusal};
use std::fmt;
use std::panic::Location;

/// A value or component chosen at run time was refused.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{DynError, DynValue};
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register::<Health>();
/// let orc = world.spawn(());
/// let error = world.insert_dyn(orc, health, DynValue::bytes(&[7])).unwrap_err();
/// assert!(error.to_string().starts_with("error[C005]: the value is not one of component `Health`"));
/// assert!(matches!(error, DynError::Mismatch { expected, .. } if expected == "a value of type `Health`"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DynError {
    /// The entity is not alive.
    Dead(NoSuchEntity),
    /// The world has no room for another entity.
    Full(EntitiesFull),
    /// No component of this world has the id.
    #[non_exhaustive]
    Unknown {
        /// The id.
        component: ComponentId,
        /// How many types the world knows.
        known: usize,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The bundle has a component twice.
    #[non_exhaustive]
    Duplicate {
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The value is not one of the component.
    #[non_exhaustive]
    Mismatch {
        /// The component's name.
        component: String,
        /// What it expects.
        expected: String,
        /// What was given.
        given: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Another entity has the uuid.
    Uuid(UuidTaken),
    /// A component refused to come.
    Refused(Refused),
    /// The entity does not have the component.
    #[non_exhaustive]
    Absent {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// The component's name.
        component: String,
        /// What the entity has.
        present: Vec<String>,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The component is immutable, and was to be changed in its place.
    #[non_exhaustive]
    Immutable {
        /// The entity.
        entity: Entity,
        /// What the entity is called, if it has a name.
        name: Option<Name>,
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A tag depends on what the entity would not have.
    Lacks(MissingDependency),
    /// The component is sparse, and was chosen for a query that walks whole tables.
    #[non_exhaustive]
    Sparse {
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The component cannot be switched off and on.
    #[non_exhaustive]
    NoToggle {
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// The component is not shared, and was to be edited for all that have its value.
    #[non_exhaustive]
    NotShared {
        /// The component's name.
        component: String,
        /// Whether it is immutable, so that the value of one entity cannot be changed in its place either.
        immutable: bool,
        /// Who asked.
        caller: &'static Location<'static>,
    },
}

impl fmt::Display for DynError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(dead) => dead.fmt(f),
            Self::Full(full) => full.fmt(f),
            Self::Uuid(taken) => taken.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
            Self::Lacks(lacks) => lacks.fmt(f),
            Self::Duplicate { component, caller } => write_duplicate(f, component, caller),
            Self::Unknown { component, known, caller } => write!(
                f,
                "error[C006]: no component of this world has the id {component:?}\n  found: {known} types are registered\n  asked by: {}:{}\n  help: ids belong to one world; ask `world.components()` for them",
                caller.file(),
                caller.line()
            ),
            Self::Mismatch { component, expected, given, caller } => write!(
                f,
                "error[C005]: the value is not one of component `{component}`\n  expected: {expected}\n  found: {given}\n  asked by: {}:{}\n  help: DynValue::new(value) for a compiled type, DynValue::bytes(&bytes) for one made at run time",
                caller.file(),
                caller.line()
            ),
            Self::Absent { entity, name, component, present, caller } => write!(
                f,
                "error[C003]: entity {} has no component `{component}`\n  present: {}\n  asked by: {}:{}\n  help: insert it first, or ask `world.has_dyn` whether it is there",
                called(*entity, name.as_ref()),
                list(present),
                caller.file(),
                caller.line()
            ),
            Self::Immutable { entity, name, component, caller } => write!(
                f,
                "error[C010]: component `{component}` of entity {} is immutable and cannot be changed in its place\n  asked by: {}:{}\n  help: insert another value, as `world.insert_dyn` does; it takes the place of the old one",
                called(*entity, name.as_ref()),
                caller.file(),
                caller.line()
            ),
            Self::Sparse { component, caller } => write!(
                f,
                "error[C020]: component `{component}` is sparse, and cannot be chosen for `WithDyn`, which walks whole tables\n  asked by: {}:{}\n  help: `DynQuery::builder().with(component)` walks sparse sets too",
                caller.file(),
                caller.line()
            ),
            Self::NoToggle { component, caller } => write!(
                f,
                "error[C021]: component `{component}` cannot be switched off and on\n  asked by: {}:{}\n  help: `#[component(toggle)]` for a compiled type, `ComponentLayout::toggle` for one made at run time",
                caller.file(),
                caller.line()
            ),
            Self::NotShared { component, immutable, caller } => write!(
                f,
                "error[C018]: component `{component}` is not shared, so there is no value that several entities have\n  asked by: {}:{}\n  help: {}",
                caller.file(),
                caller.line(),
                if *immutable {
                    "insert another value into one entity, with `world.insert_dyn`"
                } else {
                    "change the value of one entity, with `world.get_dyn_mut`"
                }
            ),
        }
    }
}

impl From<Unwelcome> for DynError {
    fn from(unwelcome: Unwelcome) -> Self {
        match unwelcome {
            Unwelcome::Uuid(taken) => Self::Uuid(taken),
            Unwelcome::Refused(refused) => Self::Refused(refused),
        }
    }
}

impl std::error::Error for DynError {}
debug_as_display!(DynError);

/// # Components by id, of types known at run time
impl World {
    pub(super) fn dyn_error(&self, refusal: DynRefusal, caller: &'static Location<'static>) -> DynError {
        match refusal {
            DynRefusal::Unknown(component) => DynError::Unknown { component, known: self.store.registry.len(), caller },
            DynRefusal::Mismatch(component, given) => {
                let info = self.store.registry.at(component);
                let expected = if info.is_runtime() {
                    bytes_in_words(info.size())
                } else {
                    format!("a value of type `{}`", info.name())
                };
                DynError::Mismatch { component: info.name().into(), expected, given, caller }
            }
        }
    }

    /// Inserts a component by id, in place of an older value.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::DynValue;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(());
    /// world.insert_dyn(orc, health, DynValue::new(Health(3)))?;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the entity is not alive, the id is unknown, the value is not one of that component, another entity has the uuid, or it is a tag that
    /// depends on what is not there; nothing changes.
    #[track_caller]
    pub fn insert_dyn(&mut self, entity: Entity, component: ComponentId, value: DynValue) -> Result<(), DynError> {
        let mut bundle = BundleBuilder::new();
        bundle.add_dyn(component, value);
        self.insert_bundle_dyn(entity, bundle)
    }

    /// Inserts a bundle put together at run time, in one move.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut loot = BundleBuilder::new();
    /// loot.add(Health(3)).add(Gold(5));
    /// world.insert_bundle_dyn(orc, loot)?;
    /// assert_eq!(world.get::<Gold>(orc).unwrap().0, 5);
    ///
    /// let mut twice = BundleBuilder::new();
    /// twice.add(Gold(1)).add(Gold(2));
    /// assert!(world.insert_bundle_dyn(orc, twice).is_err());
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::insert_dyn`], and if a component is there twice; it is all or nothing.
    #[track_caller]
    pub fn insert_bundle_dyn(&mut self, entity: Entity, bundle: BundleBuilder) -> Result<(), DynError> {
        let caller = Location::caller();
        let place = self.store.locate(entity).map_err(|dead| DynError::Dead(self.dead(&dead, caller)));
        let (bundle, _) = granted(bundle, || place)?;
        let changes = self.check_bundle(bundle, Some(entity), caller)?;
        self.apply_changes(entity, changes);
        Ok(())
    }

    /// Spawns an entity with a bundle put together at run time.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let mut orc = BundleBuilder::new();
    /// orc.add(Health(3));
    /// if world.alive() == 0 {
    ///     orc.add(Gold(5));
    /// }
    /// let orc = world.spawn_dyn(orc)?;
    /// assert!(world.has::<Gold>(orc));
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the world is full, an id is unknown, a value is not one of its component, a component is there twice or another entity has the
    /// uuid; nothing is spawned.
    #[track_caller]
    pub fn spawn_dyn(&mut self, bundle: BundleBuilder) -> Result<Entity, DynError> {
        let caller = Location::caller();
        let changes = self.check_bundle(bundle, None, caller)?;
        let added = changes.added();
        match self.store.spawn_changed(changes) {
            Ok(entity) => {
                self.after_spawn(&[entity], &added);
                Ok(entity)
            }
            Err(full) => Err(DynError::Full(full.asked_by(caller))),
        }
    }

    /// Makes changes to a living entity, and tells who observes its components.
    pub(super) fn apply_changes(&mut self, entity: Entity, changes: Changes) {
        if !self.has_observers() {
            self.store.apply(entity.index(), changes);
            return;
        }
        let (added, removed) = (changes.added(), changes.removed());
        self.removing_for(&[entity], &removed, &added, |world| {
            let arrivals = world.before_insert(&[entity], &added, &removed);
            world.inserting(arrivals, |world, progress| {
                world.store.apply_keeping(entity.index(), changes, &mut progress.panics);
            });
        });
    }

    /// Checks every value, and adds what they require on an entity (`None`: one to be spawned).
    fn check_bundle(
        &mut self,
        bundle: BundleBuilder,
        entity: Option<Entity>,
        caller: &'static Location<'static>,
    ) -> Result<Changes, DynError> {
        let mut changes = Changes::default();
        let mut panics = Panics::default();
        let mut refusal = None;
        for (component, value) in bundle.values {
            // Values that come after a refusal are dropped like those before it.
            let (go_on, mut checked) = (refusal.is_none() && !panics.any(), None);
            panics.catch(|| checked = go_on.then(|| self.store.check_value(component, &value)));
            let mut wishes = Wishes::default();
            if let Some(Ok(id)) = checked {
                note_dyn_wish(entity, &value, self.store.registry.at(id).hooks, &mut wishes);
            }
            let mut welcome = Ok(());
            panics.catch(|| welcome = self.check_wishes(&wishes, caller));
            let refused = match checked {
                Some(Ok(_)) if let Err(unwelcome) = welcome => Some(unwelcome.into()),
                Some(Ok(_)) if panics.any() => None,
                Some(Ok(id)) if !changes.adds(id) => {
                    let None = changes.add(id, value) else { unreachable!("not added yet") };
                    continue;
                }
                Some(Ok(id)) => Some(DynError::Duplicate { component: self.store.registry.name_of(id).into(), caller }),
                Some(Err(refused)) => Some(self.dyn_error(refused, caller)),
                None => None,
            };
            refusal = refusal.or(refused);
            panics.catch(|| drop(value));
        }
        let index = entity.map(Entity::index);
        if refusal.is_none() && !panics.any() {
            let lack = self.store.lack_after(index, &changes.added(), &Changes::default());
            refusal = lack.map(|lack| DynError::Lacks(self.missing_dependency(&lack, entity, caller)));
        }
        let mut required = None;
        if refusal.is_none() && !panics.any() {
            panics.catch(|| required = Some(self.store.make_required(index, &changes.added(), &changes)));
        }
        if let Some(required) = required {
            for (component, value) in required {
                let None = changes.add(component, value) else { unreachable!("what is there is not made") };
            }
            return Ok(changes);
        }
        changes.drop_all(&mut panics);
        panics.resume();
        Err(refusal.expect("a refusal or a panic"))
    }

    /// A component of an entity, by id; `None` if it is not alive or has none.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let [health, gold] = [world.register::<Health>(), world.register::<Gold>()];
    /// let orc = world.spawn(Health(3));
    /// assert_eq!(world.get_dyn(orc, health).unwrap().downcast::<Health>().unwrap().0, 3);
    /// assert!(world.get_dyn(orc, gold).is_none());
    /// ```
    pub fn get_dyn(&self, entity: Entity, component: ComponentId) -> Option<DynRef<'_>> {
        self.store.get_dyn(entity, component)
    }

    /// A component of an entity, by id, to change; `None` if it is not alive or has none, or if the component is immutable.
    /// [`World::lookup_dyn_mut`] says which.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(Health(3));
    /// if let Some(value) = world.get_dyn_mut(orc, health) {
    ///     value.downcast::<Health>().unwrap().0 += 1;
    /// }
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
    /// ```
    pub fn get_dyn_mut(&mut self, entity: Entity, component: ComponentId) -> Option<DynRefMut<'_>> {
        self.store.get_dyn_mut(entity, component)
    }

    /// A component of an entity that must have it, by id, to change.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] #[component(immutable)] struct Team(u8);
    ///
    /// let mut world = World::new();
    /// let (orc, team) = (world.spawn(Team(1)), world.register::<Team>());
    /// let error = world.lookup_dyn_mut(orc, team).err().unwrap();
    /// assert!(error.to_string().starts_with("error[C010]: component `Team` of entity 0v0 is immutable"));
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the entity is not alive or lacks it, the id is unknown, or the component is immutable.
    #[track_caller]
    pub fn lookup_dyn_mut(&mut self, entity: Entity, component: ComponentId) -> Result<DynRefMut<'_>, DynError> {
        let caller = Location::caller();
        self.locate_with(entity, component, caller)?;
        let info = self.store.registry.at(component);
        if !info.is_mutable() {
            let (name, component) = (self.store.name_of(entity), info.name().into());
            return Err(DynError::Immutable { entity, name, component, caller });
        }
        Ok(self.store.get_dyn_mut(entity, component).expect("it is there"))
    }

    /// Where an entity is that has a component, by id.
    pub(super) fn locate_with(
        &self,
        entity: Entity,
        component: ComponentId,
        caller: &'static Location<'static>,
    ) -> Result<Place, DynError> {
        let at = self.store.locate(entity).map_err(|dead| DynError::Dead(self.dead(&dead, caller)))?;
        let Some(info) = self.store.registry.info(component) else {
            return Err(self.dyn_error(DynRefusal::Unknown(component), caller));
        };
        if !self.store.has(entity.index(), at, component) {
            let (name, present) = (self.get::<Name>(entity).cloned(), self.names_on(entity));
            return Err(DynError::Absent { entity, name, component: info.name().into(), present, caller });
        }
        Ok(at)
    }

    /// Removes and drops a component by id, with the tags that depend on it; answers whether the entity had it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// let orc = world.spawn(Health(3));
    /// assert!(world.remove_dyn(orc, health)?);
    /// assert!(!world.remove_dyn(orc, health)?, "it is gone already");
    /// # Ok::<(), phalanx_ecs::DynError>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the entity is not alive or the id is unknown.
    #[track_caller]
    pub fn remove_dyn(&mut self, entity: Entity, component: ComponentId) -> Result<bool, DynError> {
        let caller = Location::caller();
        let at = self.store.locate(entity).map_err(|dead| DynError::Dead(self.dead(&dead, caller)))?;
        if self.store.registry.info(component).is_none() {
            return Err(self.dyn_error(DynRefusal::Unknown(component), caller));
        }
        Ok(self.removing(&[entity], &[component], |world| world.store.remove_ids(entity.index(), at, &[component]) > 0))
    }
}
