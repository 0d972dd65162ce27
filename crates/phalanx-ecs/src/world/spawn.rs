//! New entities, one or many.

use super::World;
use super::check::{Refused, Unwelcome};
use super::dependency::MissingDependency;
use crate::bundle::{Bundle, BundleParts, note_wishes, refuse_duplicates};
use crate::component::{ComponentId, Panics, Waiting, Watch, Wishes, granted};
use crate::entity::{EntitiesFull, Entity, Spawned, UuidTaken, debug_as_display};
use crate::storage::{Columns, SpawnRefusal};
use std::fmt;
use std::panic::Location;

/// Nothing was spawned.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::SpawnError;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Component)] struct Gold(u32);
///
/// let mut world = World::new();
/// let error = world.spawn_columns((vec![Health(3), Health(2)], vec![Gold(5)])).unwrap_err();
/// assert!(error.to_string().starts_with("error[C007]: columns of different lengths cannot be spawned"));
/// assert!(matches!(error, SpawnError::Uneven { first: 2, position: 1, length: 1, .. }));
/// assert_eq!(world.alive(), 0);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnError {
    /// The world has no room for so many entities.
    Full(EntitiesFull),
    /// The bundle has a component twice.
    #[non_exhaustive]
    Duplicate {
        /// The component's name.
        component: String,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// A tag depends on what is not in the bundle.
    Lacks(MissingDependency),
    /// Columns of different lengths were given.
    #[non_exhaustive]
    Uneven {
        /// The length of the first column.
        first: usize,
        /// The position of the first column that differs.
        position: usize,
        /// Its length.
        length: usize,
        /// Who asked.
        caller: &'static Location<'static>,
    },
    /// Another entity has the uuid.
    Uuid(UuidTaken),
    /// A component refused to come.
    Refused(Refused),
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(full) => full.fmt(f),
            Self::Uuid(taken) => taken.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
            Self::Duplicate { component, caller } => write_duplicate(f, component, caller),
            Self::Lacks(lacks) => lacks.fmt(f),
            Self::Uneven { first, position, length, caller } => write!(
                f,
                "error[C007]: columns of different lengths cannot be spawned\n  found: column 0 has {first} values, column {position} has {length}\n  asked by: {}:{}\n  help: give every column one value per entity",
                caller.file(),
                caller.line()
            ),
        }
    }
}

/// Whether a bundle has a component twice, so that what is to be done with it will be refused.
pub(super) fn has_twice(components: &[ComponentId]) -> bool {
    (1..components.len()).any(|at| components[..at].contains(&components[at]))
}

/// The message about a bundle with a component twice.
pub(super) fn write_duplicate(f: &mut fmt::Formatter<'_>, component: &str, caller: &Location<'_>) -> fmt::Result {
    write!(
        f,
        "error[C002]: the bundle contains component `{component}` twice\n  asked by: {}:{}\n  help: leave one of them out, or wrap one in a type of its own",
        caller.file(),
        caller.line()
    )
}

impl std::error::Error for SpawnError {}
debug_as_display!(SpawnError);

impl From<Unwelcome> for SpawnError {
    fn from(unwelcome: Unwelcome) -> Self {
        match unwelcome {
            Unwelcome::Uuid(taken) => Self::Uuid(taken),
            Unwelcome::Refused(refused) => Self::Refused(refused),
        }
    }
}

/// # Spawning
impl World {
    fn spawn_error(&self, refusal: &SpawnRefusal, caller: &'static Location<'static>) -> SpawnError {
        match *refusal {
            SpawnRefusal::Full(full) => SpawnError::Full(full.asked_by(caller)),
            SpawnRefusal::Duplicate(ref duplicate) => {
                SpawnError::Duplicate { component: self.store.registry.name_of(duplicate.0).into(), caller }
            }
            SpawnRefusal::Lacks(ref lack) => SpawnError::Lacks(self.missing_dependency(lack, None, caller)),
            SpawnRefusal::Lengths { first, other, position } => {
                SpawnError::Uneven { first, position, length: other, caller }
            }
        }
    }

    /// Spawns an entity with the components of a bundle; `()` for none.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Velocity(f32);
    ///
    /// let mut world = World::new();
    /// let ball = world.spawn((Position(0.0), Velocity(1.5)));
    /// assert_eq!(world.get::<Velocity>(ball).unwrap().0, 1.5);
    /// let nothing = world.spawn(());
    /// assert!(world.is_alive(nothing));
    /// ```
    ///
    /// # Panics
    /// If the world is full (only with a limit, or after four billion entities), if another entity has the [`Uuid`](crate::Uuid), if the bundle has a
    /// component twice and the compiler could not see it, or if a tag of it [depends](crate::Component::depend) on what is not in it. [`World::try_spawn`]
    /// answers an error instead.
    #[doc(alias("spawn_empty", "create", "create_entity"))]
    #[inline]
    #[track_caller]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Entity {
        const { refuse_duplicates(B::Parts::KEYS) };
        match self.spawn_bundle(bundle, Location::caller()) {
            Ok(entity) => entity,
            Err(error) => refuse(&error),
        }
    }

    /// Spawns an entity with the components of a bundle.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::builder().limit(1).build();
    /// assert!(world.try_spawn(()).is_ok());
    /// let error = world.try_spawn(()).unwrap_err();
    /// assert!(error.to_string().contains("limit: 1, alive: 1"));
    /// ```
    ///
    /// # Errors
    /// [`SpawnError`] if the world is full, another entity has the uuid, the bundle has a component twice, or a tag depends on what is not in it; the bundle
    /// is dropped.
    #[inline]
    #[track_caller]
    pub fn try_spawn<B: Bundle>(&mut self, bundle: B) -> Result<Entity, SpawnError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.spawn_bundle(bundle, Location::caller())
    }

    /// The bundle is taken apart where its parts go: before, they would be copied for the slow way, too.
    #[inline]
    fn spawn_bundle<B: Bundle>(&mut self, bundle: B, caller: &'static Location<'static>) -> Result<Entity, SpawnError> {
        match self.store.vacancy() {
            Some(vacancy) => vacancy.fill(bundle.into_parts()).map_err(|full| SpawnError::Full(full.asked_by(caller))),
            None => self.spawn_slowly(bundle.into_parts(), caller),
        }
    }

    /// [`World::spawn`] where it is more than writing bytes.
    #[inline(never)]
    fn spawn_slowly<P: BundleParts>(
        &mut self,
        mut parts: P,
        caller: &'static Location<'static>,
    ) -> Result<Entity, SpawnError> {
        if P::CHECKED {
            let mut wishes = Wishes::default();
            note_wishes(&mut parts, None, &mut wishes);
            (parts, ()) = granted(parts, || self.check_wishes(&wishes, caller))?;
        }
        let mut panics = Panics::default();
        match self.store.spawn_slowly(parts, &mut panics) {
            Ok(entity) => {
                self.tell_of_spawned::<P>(&[entity]);
                panics.resume();
                Ok(entity)
            }
            Err(refusal) => Err(self.spawn_error(&refusal, caller)),
        }
    }

    /// Tells who observes the components of new entities.
    fn tell_of_spawned<P: BundleParts>(&mut self, entities: &[Entity]) {
        if self.observes(Watch::INSERT) {
            let components = self.store.register_all::<P>();
            self.after_spawn(entities, &components);
        }
    }

    /// Spawns an entity per bundle of an iterator, much faster than one by one.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Velocity(f32);
    ///
    /// let mut world = World::new();
    /// let balls = world.spawn_batch((0..1000).map(|i| (Position(i as f32), Velocity(1.0))));
    /// assert_eq!(balls.len(), 1000);
    /// ```
    ///
    /// If the iterator panics, nothing is spawned.
    ///
    /// # Panics
    /// As [`World::spawn`].
    #[doc(alias("spawn_many", "extend"))]
    #[inline]
    #[track_caller]
    pub fn spawn_batch<B: Bundle>(&mut self, bundles: impl IntoIterator<Item = B>) -> Spawned {
        const { refuse_duplicates(B::Parts::KEYS) };
        match self.spawn_all(bundles, Location::caller()) {
            Ok(spawned) => spawned,
            Err(error) => refuse(&error),
        }
    }

    /// Spawns an entity per bundle of an iterator.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// let mut world = World::builder().limit(3).build();
    /// assert_eq!(world.try_spawn_batch([3, 2].map(Health))?.len(), 2);
    /// assert!(world.try_spawn_batch([3, 2].map(Health)).is_err());
    /// assert_eq!(world.alive(), 2, "all or nothing");
    /// # Ok::<(), phalanx_ecs::SpawnError>(())
    /// ```
    ///
    /// # Errors
    /// [`SpawnError`] if not all of them have room, a uuid is taken or there twice, the bundle has a component twice, or a tag depends on what is not in it;
    /// then nothing is spawned.
    #[inline]
    #[track_caller]
    pub fn try_spawn_batch<B: Bundle>(&mut self, bundles: impl IntoIterator<Item = B>) -> Result<Spawned, SpawnError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.spawn_all(bundles, Location::caller())
    }

    #[inline]
    fn spawn_all<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B>,
        caller: &'static Location<'static>,
    ) -> Result<Spawned, SpawnError> {
        if B::Parts::CHECKED {
            return self.spawn_welcome(bundles.into_iter(), caller);
        }
        self.spawn_checked(bundles, caller)
    }

    /// Spawns all bundles of an iterator unless one has something that may not come.
    fn spawn_welcome<B: Bundle>(
        &mut self,
        bundles: impl Iterator<Item = B>,
        caller: &'static Location<'static>,
    ) -> Result<Spawned, SpawnError> {
        // One more than there is room for is enough to know; an endless iterator must end here.
        let (most, mut wishes) = (self.store.entities.room().saturating_add(1), Wishes::default());
        let mut waiting = Waiting::collect(bundles.take(most).map(|bundle| noting_wishes(bundle, None, &mut wishes)));
        self.check_wishes(&wishes, caller)?;
        self.spawn_checked(std::iter::from_fn(|| waiting.next()), caller)
    }

    #[inline]
    fn spawn_checked<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B>,
        caller: &'static Location<'static>,
    ) -> Result<Spawned, SpawnError> {
        match self.store.spawn_batch(bundles) {
            Ok(spawned) => {
                if self.is_attended::<B::Parts>(Watch::INSERT) {
                    self.tell_of_spawned::<B::Parts>(&spawned.to_vec());
                }
                Ok(spawned)
            }
            Err(refusal) => Err(self.spawn_error(&refusal, caller)),
        }
    }

    /// Spawns entities from whole columns, each a `Vec`, an array or a slice of `Copy` values; the fastest way there is.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone, Copy)] struct Position(f32);
    /// #[derive(Component)] struct Title(String);
    ///
    /// let mut world = World::new();
    /// let positions = [Position(1.0), Position(2.0)];
    /// let names = vec![Title("Castor".into()), Title("Pollux".into())];
    /// let twins = world.spawn_columns((&positions[..], names))?;
    /// assert_eq!(twins.len(), 2);
    /// # Ok::<(), phalanx_ecs::SpawnError>(())
    /// ```
    ///
    /// # Errors
    /// [`SpawnError`] if the columns have different lengths, the world is full, a uuid is taken or there twice, or a component is there twice; then nothing is
    /// spawned.
    #[inline]
    #[track_caller]
    pub fn spawn_columns<C: Columns>(&mut self, mut columns: C) -> Result<Spawned, SpawnError> {
        const { refuse_duplicates(<C::Parts as BundleParts>::KEYS) };
        let caller = Location::caller();
        if C::Parts::CHECKED {
            let mut wishes = Wishes::default();
            columns.note_wishes(&mut wishes);
            (columns, ()) = granted(columns, || self.check_wishes(&wishes, caller))?;
        }
        match self.store.spawn_columns(columns) {
            Ok(spawned) => {
                if self.is_attended::<C::Parts>(Watch::INSERT) {
                    self.tell_of_spawned::<C::Parts>(&spawned.to_vec());
                }
                Ok(spawned)
            }
            Err(refusal) => Err(self.spawn_error(&refusal, caller)),
        }
    }

    /// Makes room for so many more entities with the components of a bundle.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # let mut world = World::new();
    /// world.reserve::<(Position, Velocity)>(1000);
    /// let before = world.memory().components[0].reserved;
    /// for _ in 0..1000 {
    ///     world.spawn((Position(0.0), Velocity(1.0)));
    /// }
    /// assert_eq!(world.memory().components[0].reserved, before, "there was room");
    /// ```
    ///
    /// # Panics
    /// If the bundle has a component twice and the compiler could not see it, or if so many do not fit into a table or into memory; ask [`World::room`] before where the number
    /// comes from outside.
    #[track_caller]
    pub fn reserve<B: Bundle>(&mut self, entities: usize) {
        const { refuse_duplicates(B::Parts::KEYS) };
        let caller = Location::caller();
        if let Err(duplicate) = self.store.reserve::<B>(entities) {
            refuse(&self.spawn_error(&duplicate.into(), caller));
        }
    }
}

/// Notes what in a bundle for an entity, `None` for one to be spawned, is asked first whether it may come, and hands the bundle back.
pub(super) fn noting_wishes<B: Bundle>(bundle: B, entity: Option<Entity>, wishes: &mut Wishes) -> B {
    let mut parts = bundle.into_parts();
    note_wishes(&mut parts, entity, wishes);
    B::from_parts(parts)
}

#[cold]
#[inline(never)]
#[track_caller]
fn refuse(error: &SpawnError) -> ! {
    panic!("{error}");
}
