//! [`World`]: entities and their components.

use super::collect::Random;
use super::names::Indexes;
use super::observers::Observers;
use super::queries::QueryCache;
use crate::component::{Component, ComponentId, ComponentLayout, RegisterError, Registry, Watch};
use crate::entity::{Entity, EntityConfig, HandleLayout, LaneBook};
use crate::event::EventQueues;
use crate::outcome::{Application, Deaths, Underway};
use crate::resource::Resources;
use crate::storage::{ArchetypeId, Store};
use crate::tick::Clock;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Entities and their components.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// let mut world = World::new();
/// let ball = world.spawn((Position(0.0), Velocity(1.5)));
/// for (position, velocity) in world.query::<(&mut Position, &Velocity)>() {
///     position.0 += velocity.0;
/// }
/// assert_eq!(world.get::<Position>(ball).unwrap().0, 1.5);
/// ```
///
/// A program can have any number of worlds; they share nothing. What belongs together stands below under one heading; the front page of the crate has a table by task.
///
/// A program that depends on `phalanx` writes `phalanx::` where examples say `phalanx_ecs::`: all names are the same there.
pub struct World {
    pub(crate) store: Store,
    pub(super) queries: QueryCache,
    pub(crate) resources: Resources,
    pub(crate) events: EventQueues,
    pub(super) random: Random,
    /// The numbers that uuids are made of, apart from the others so that neither depends on the other.
    pub(super) random_uuids: Random,
    pub(super) observers: Observers,
    pub(super) indexes: Indexes,
    /// The ticks of writes to resources.
    pub(crate) clock: Clock,
    pub(crate) lanes: LaneBook,
    pub(crate) deaths: Deaths,
    /// The queue that is applied now.
    pub(crate) application: Application,
    /// How many queues were applied.
    pub(crate) applications: u64,
    pub(crate) underway: Arc<Underway>,
}

/// Sets up a [`World`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::HandleLayout;
///
/// let mut world = World::builder().layout(HandleLayout::Compact).limit(1000).build();
/// assert!(world.try_spawn(()).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "call `build` to get the world"]
pub struct WorldBuilder {
    config: EntityConfig,
    seed: u64,
    deaths: Option<usize>,
}

impl WorldBuilder {
    /// How handles are laid out: 64 bits (the default), or few enough to fit into 32.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{CompactEntity, HandleLayout};
    /// let mut world = World::builder().layout(HandleLayout::Compact).build();
    /// let orc = world.spawn(());
    /// assert!(CompactEntity::try_from(orc).is_ok());
    /// ```
    pub fn layout(mut self, layout: HandleLayout) -> Self {
        self.config.layout = layout;
        self
    }

    /// At most so many entities are alive at a time.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::builder().limit(1).build();
    /// let orc = world.spawn(());
    /// assert!(world.try_spawn(()).is_err());
    /// world.despawn(orc)?;
    /// assert!(world.try_spawn(()).is_ok());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn limit(mut self, alive: usize) -> Self {
        self.config.limit = Some(alive);
        self
    }

    /// Freed indices are used again only while at least so many are free (1024 by default), so that a handle that somebody kept by mistake is
    /// recognised for as long as possible.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::builder().min_free(1).build();
    /// let orc = world.spawn(());
    /// world.despawn(orc)?;
    /// assert_eq!(world.spawn(()).index(), orc.index());
    ///
    /// let mut patient = World::new();
    /// let orc = patient.spawn(());
    /// patient.despawn(orc)?;
    /// assert_ne!(patient.spawn(()).index(), orc.index());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn min_free(mut self, indices: usize) -> Self {
        self.config.min_free = indices;
        self
    }

    /// Where random numbers begin, of which [`World::collect`] and [`World::new_uuid`] make use; 0 by default.
    ///
    /// Worlds with the same seed that go through the same come out the same.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Sampling;
    /// # #[derive(Component)] struct Health(u32);
    /// let run = |seed| {
    ///     let mut world = World::builder().seed(seed).build();
    ///     let orcs = world.spawn_batch((0..100).map(Health)).to_vec();
    ///     orcs[..50].iter().for_each(|orc| world.despawn_lazy(*orc).unwrap());
    ///     world.collect(Sampling { live_in_a_row: 4 });
    ///     world.checksum()
    /// };
    /// assert_eq!(run(7), run(7));
    /// ```
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Of so many entities the world remembers who despawned them, so that errors about entities that are not alive can say it; 0 for none. Without this, it
    /// remembers the latest 1024 that were despawned by commands, and in debug builds those despawned directly as well. See [`World::death_of`].
    ///
    /// Each such error looks through them: about 0.4 µs for 1024, and more for more. Ask [`World::is_alive`] where an entity is often dead.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::builder().remember_deaths(10).build();
    /// let orc = world.spawn(());
    /// world.despawn(orc)?;
    /// let mut commands = world.commands();
    /// commands.despawn(orc);
    /// assert!(world.apply(&mut commands).unwrap_err().to_string().contains("despawned by: "));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn remember_deaths(mut self, entities: usize) -> Self {
        self.deaths = Some(entities);
        self
    }

    /// Makes the world.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// assert_eq!(World::builder().limit(10).build().alive(), 0);
    /// ```
    pub fn build(self) -> World {
        World {
            store: Store::new(self.config),
            queries: QueryCache::default(),
            random: Random::new(self.seed),
            random_uuids: Random::new(self.seed.rotate_left(32) ^ 0x7575_6964_7575_6964),
            indexes: Indexes::default(),
            observers: Observers::default(),
            resources: Resources::default(),
            events: EventQueues::default(),
            clock: Clock::default(),
            lanes: LaneBook::default(),
            deaths: Deaths::new(self.deaths),
            application: Application::default(),
            applications: 0,
            underway: Arc::default(),
        }
    }
}

/// # Making a world, its types, and who is in it
impl World {
    /// A world with default settings.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::new();
    /// world.spawn(());
    /// assert_eq!((world.alive(), World::new().alive()), (1, 0));
    /// ```
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A world with settings of your own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::builder().limit(1000).seed(7).build();
    /// assert!(world.try_spawn(()).is_ok());
    /// ```
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    /// Registers a component type and answers its id. Using a type registers it too.
    ///
    /// For those who want the id before there is a value, or types in an order of their own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let health = world.register::<Health>();
    /// assert_eq!(world.register::<Health>(), health);
    /// assert_eq!(world.components().id_of::<Health>(), Some(health));
    /// ```
    pub fn register<T: Component>(&mut self) -> ComponentId {
        self.store.register::<T>()
    }

    /// Registers a component type by layout, for values that are plain bytes. The same name and layout again answers the same id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::ComponentLayout;
    /// # let mut world = World::new();
    /// let mana = world.register_dyn(ComponentLayout::new("Mana").size(4).align(4))?;
    /// assert_eq!(world.register_dyn(ComponentLayout::new("Mana").size(4).align(4))?, mana);
    /// assert!(world.register_dyn(ComponentLayout::new("Mana").size(8).align(4)).is_err());
    /// # Ok::<(), phalanx_ecs::RegisterError>(())
    /// ```
    ///
    /// # Errors
    /// [`RegisterError`] if the layout is impossible or the name is taken by another one.
    #[track_caller]
    pub fn register_dyn(&mut self, layout: ComponentLayout) -> Result<ComponentId, RegisterError> {
        self.store.register_dyn(layout)
    }

    /// All component types this world knows.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.register::<Health>();
    /// for info in world.components().iter() {
    ///     println!("{:?} {} {} bytes", info.id(), info.name(), info.size());
    /// }
    /// assert_eq!(world.components().len(), 1);
    /// ```
    #[doc(alias = "registry")]
    pub fn components(&self) -> &Registry {
        &self.store.registry
    }

    /// How many entities are alive.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([(), (), ()]);
    /// world.despawn(orcs[0])?;
    /// assert_eq!(world.alive(), 2);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    #[doc(alias("len", "entity_count"))]
    pub fn alive(&self) -> usize {
        self.store.entities.len()
    }

    /// How many more entities there is room for: up to the limit, if there is one, and as long as there are indices.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// let mut world = World::builder().limit(5).build();
    /// world.spawn_batch([(), (), ()]);
    /// assert_eq!(world.room(), 2);
    /// assert!(world.try_spawn_batch([(), (), ()]).is_err());
    /// ```
    pub fn room(&self) -> usize {
        self.store.entities.room()
    }

    /// Whether an entity is alive in this world.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// assert!(world.is_alive(orc));
    /// world.despawn(orc)?;
    /// assert!(!world.is_alive(orc), "also when another entity gets its index");
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    #[doc(alias("contains", "contains_entity", "exists", "get_entity"))]
    #[inline]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.store.entities.is_alive(entity)
    }

    /// All living entities, in order of their indices.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, stone] = [world.spawn(Health(3)), world.spawn(())];
    /// assert!(world.entities().eq([orc, stone]));
    /// ```
    #[doc(alias("iter_entities", "iter"))]
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.store.entities.iter_alive()
    }

    /// Despawns everything. Component types, tables and their memory stay.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.clear();
    /// assert_eq!((world.alive(), world.is_alive(orc)), (0, false));
    /// assert_eq!(world.components().len(), 1);
    /// ```
    #[doc(alias("clear_entities", "despawn_all"))]
    #[track_caller]
    pub fn clear(&mut self) {
        let archetypes: Vec<ArchetypeId> = (0..self.store.archetypes.len()).map(ArchetypeId::at).collect();
        self.note_deaths_in(&archetypes, Location::caller());
        let all: Vec<Entity> = if self.observes(Watch::REMOVE) { self.entities().collect() } else { Vec::new() };
        self.ending(&all, |world| world.store.clear());
    }

    /// Gives memory back that is reserved but not used.
    ///
    /// After a level was unloaded, say. What comes next makes room again, so not once per frame.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch((0..1000).map(Health));
    /// world.clear();
    /// let before = world.memory().reserved();
    /// world.shrink();
    /// assert!(world.memory().reserved() < before);
    /// ```
    pub fn shrink(&mut self) {
        self.lanes.collect(&mut self.store.entities);
        self.store.shrink();
        self.events.shrink();
    }

    /// Deletes tables without entities and answers how many. Tables come back when they are needed.
    ///
    /// Each set of components that was ever in use has a table; a program that goes through many of them calls this now and then.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Enemy));
    /// world.despawn(orc)?;
    /// let before = world.stats().tables;
    /// let deleted = world.reclaim();
    /// assert!(deleted > 0);
    /// assert_eq!(world.stats().tables, before - deleted);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn reclaim(&mut self) -> usize {
        self.store.reclaim()
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World({})", self.store.entities.stats())
    }
}
