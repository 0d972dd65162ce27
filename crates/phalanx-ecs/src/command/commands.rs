//! [`Commands`]: changes to a world, to be made later.

use super::deferred::{
    CommandResult, Despawn, DespawnMany, Insert, InsertIfNew, Remove, Retain, Run, SpawnMany, SpawnNowhere, SpawnOne,
};
use crate::bundle::{Bundle, BundleParts, refuse_duplicates};
use crate::component::{Component, Shared, Toggle, short_name};
use crate::entity::{Entity, Lane, Returned, Spawned};
use crate::event::Event;
use crate::outcome::Policy;
use crate::queue::{Deferred, Origin, Runs};
use crate::resource::Resource;
use crate::storage::Epoch;
use crate::world::{World, refuse_unshared};
use std::borrow::Borrow;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, PoisonError};

/// Changes to a world, queued to be [applied](World::apply) later: while the world is borrowed, or on another thread.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(i32);
/// #[derive(Component)] struct Corpse;
///
/// let mut world = World::new();
/// world.spawn_batch([3, 0, -2].map(Health));
/// let mut commands = world.commands();
/// for (entity, health) in world.query::<(Entity, &Health)>() {
///     if health.0 <= 0 {
///         commands.insert(entity, Corpse);
///     }
/// }
/// let ghost = commands.spawn(Health(1));            // its id is valid at once …
/// commands.insert(ghost, Corpse);                   // … and can be used in further commands
/// assert!(!world.is_alive(ghost));
/// world.apply(&mut commands)?;
/// assert!(world.is_alive(ghost));
/// assert_eq!(world.query::<&Corpse>().count(), 3);
/// # Ok::<(), phalanx_ecs::CommandErrors>(())
/// ```
///
/// A queue holds no borrow of its world and can be sent to another thread. It has ids of its own, and they do not depend on what other queues do
/// meanwhile: see [`World::commands_for`]. After it was applied it is empty, and can be used again. A queue that is dropped gives its ids back.
///
/// The result is as if the commands had been applied one by one in the order in which they were queued, but equal commands from one
/// source line are applied together, so a loop of them costs about as much as the bulk operation; and several commands on one entity that follow each
/// other are one move where they can be.
#[must_use = "commands do nothing before `World::apply`"]
pub struct Commands {
    pub(super) runs: Runs<World>,
    pub(super) lane: Lane,
    /// The world that made it.
    pub(super) world: Epoch,
    pub(super) name: Option<Arc<str>>,
    pub(super) policy: Policy,
    pub(super) returned: Returned,
}

impl Commands {
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn push<T: Deferred<World>>(&mut self, command: T) {
        self.runs.push(command, Origin { caller: Location::caller() });
    }

    /// Spawns an entity later. Its handle can be kept, and used in commands of this queue and of those applied after it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// let orc = commands.spawn(Health(3));
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn spawn<B: Bundle + Send>(&mut self, bundle: B) -> Entity {
        const { refuse_duplicates(B::Parts::KEYS) };
        match self.lane.next_id() {
            Some(entity) => {
                self.push(SpawnOne::<B>(bundle.into_parts()));
                entity
            }
            None => {
                self.push(SpawnNowhere(bundle));
                // No world has this one, so what is done with it is reported.
                Entity::from_parts(u32::MAX, 0).expect("in range")
            }
        }
    }

    /// Spawns an entity per bundle later, much faster than one by one. The iterator is asked when the queue is applied; it must know how many bundles
    /// it has, and own what it needs. For any other, collect its bundles into a `Vec` first.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Mass(u32);
    ///
    /// let mut world = World::new();
    /// let mut commands = world.commands();
    /// let balls = commands.spawn_batch((0..100).map(Mass));
    /// commands.despawn(balls[7]);
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.alive(), 99);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn spawn_batch<I>(&mut self, bundles: I) -> Spawned
    where
        I: IntoIterator<Item: Bundle, IntoIter: ExactSizeIterator + Send + 'static>,
    {
        const { refuse_duplicates(<I::Item as Bundle>::Parts::KEYS) };
        let bundles = bundles.into_iter();
        let promised = bundles.len();
        let ids = self.lane.next_ids(promised);
        let spawned = self.lane.batch(&ids);
        self.push(SpawnMany { bundles, promised, reserved: spawned.len() });
        spawned
    }

    /// Inserts a bundle into an entity later, as [`World::insert`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let mut commands = world.commands();
    /// commands.insert(orc, (Health(2), Burning));
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3, "not yet");
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert<B: Bundle + Send>(&mut self, entity: Entity, bundle: B) {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.push(Insert::<B> { entity, parts: bundle.into_parts() });
    }

    /// Inserts a component later unless the entity has it then, as [`World::insert_if_new`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [orc, stone] = [world.spawn(Health(3)), world.spawn(())];
    /// let mut commands = world.commands();
    /// commands.insert_if_new(orc, Health(9));
    /// commands.insert_if_new(stone, Health(9));
    /// world.apply(&mut commands)?;
    /// assert_eq!((world.get::<Health>(orc).unwrap().0, world.get::<Health>(stone).unwrap().0), (3, 9));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn insert_if_new<T: Component>(&mut self, entity: Entity, value: T) {
        self.push(InsertIfNew { entity, value });
    }

    /// Removes those components of a bundle that the entity has then, as [`World::remove`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Burning));
    /// let mut commands = world.commands();
    /// commands.remove::<Burning>(orc);
    /// commands.remove::<Burning>(orc);            // no error: there is none to remove
    /// world.apply(&mut commands)?;
    /// assert!(!world.has::<Burning>(orc) && world.has::<Health>(orc));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove<B: Bundle>(&mut self, entity: Entity) {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.push(Remove::<B>::of(entity));
    }

    /// Removes everything but the components of a bundle later, as [`World::retain`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # #[derive(Component)] struct Title(&'static str);
    /// # let mut world = World::new();
    /// let orc = world.spawn((Title("Grub"), Health(3), Burning));
    /// let mut commands = world.commands();
    /// commands.retain::<Title>(orc);
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.entity(orc).unwrap().components().count(), 1);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn retain<B: Bundle>(&mut self, entity: Entity) {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.push(Retain::<B>::of(entity));
    }

    /// Ends an entity later. It is an error if it is not alive then.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut commands = world.commands();
    /// commands.despawn(orc);
    /// assert!(world.is_alive(orc), "not yet");
    /// world.apply(&mut commands)?;
    /// assert!(!world.is_alive(orc));
    ///
    /// commands.despawn(orc);
    /// assert_eq!(world.apply(&mut commands).unwrap_err().errors[0].entity, Some(orc));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn despawn(&mut self, entity: Entity) {
        self.push(Despawn(entity));
    }

    /// Ends many entities later. Those that are not alive then are reported, the others end.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let orcs = world.spawn_batch([(), (), ()]);
    /// let mut commands = world.commands();
    /// commands.despawn_batch(&orcs);
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.alive(), 0);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn despawn_batch(&mut self, entities: impl IntoIterator<Item: Borrow<Entity>>) {
        self.push(DespawnMany(entities.into_iter().map(|entity| *entity.borrow()).collect()));
    }

    /// Ends an entity later and leaves its row to be collected, as [`World::despawn_lazy`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// let mut commands = world.commands();
    /// commands.despawn_lazy(orc);
    /// world.apply(&mut commands)?;
    /// assert_eq!((world.is_alive(orc), world.uncollected()), (false, 1));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn despawn_lazy(&mut self, entity: Entity) {
        let name = |entity| format!("despawn entity {entity} lazily");
        let caller = Location::caller();
        self.push(Run(move |world: &mut World| world.despawn_lazy_for(entity, caller), Some((name, entity))));
    }

    /// Switches a component on later, as [`World::switch_on`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(toggle)] struct Shield(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Shield(5));
    /// let mut commands = world.commands();
    /// commands.switch_off::<Shield>(orc);
    /// commands.switch_on::<Shield>(orc);
    /// world.apply(&mut commands)?;
    /// assert!(world.is_on::<Shield>(orc));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn switch_on<T: Toggle>(&mut self, entity: Entity) {
        let name = |entity| format!("switch on `{}` of entity {entity}", short_name(std::any::type_name::<T>()));
        let caller = Location::caller();
        self.push(Run(move |world: &mut World| world.switch::<T>(entity, true, caller), Some((name, entity))));
    }

    /// Switches a component off later, as [`World::switch_off`] does.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(toggle)] struct Shield(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Shield(5));
    /// let mut commands = world.commands();
    /// commands.switch_off::<Shield>(orc);
    /// assert!(world.is_on::<Shield>(orc), "not yet");
    /// world.apply(&mut commands)?;
    /// assert!(!world.is_on::<Shield>(orc));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn switch_off<T: Toggle>(&mut self, entity: Entity) {
        let name = |entity| format!("switch off `{}` of entity {entity}", short_name(std::any::type_name::<T>()));
        let caller = Location::caller();
        self.push(Run(move |world: &mut World| world.switch::<T>(entity, false, caller), Some((name, entity))));
    }

    /// Edits the value that an entity has of a shared component later, for all that have it, as [`World::edit_shared`] does.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component, PartialEq, Eq, Hash)]
    /// #[component(shared)]
    /// struct Team(&'static str);
    ///
    /// let mut world = World::new();
    /// let reds = world.spawn_batch((0..3).map(|_| Team("red")));
    /// let mut commands = world.commands();
    /// commands.edit_shared::<Team>(reds[0], |team| team.0 = "blue");
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.get::<Team>(reds[2]).unwrap().0, "blue");
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn edit_shared<T: Shared>(&mut self, entity: Entity, edit: impl FnOnce(&mut T) + Send + 'static) {
        const { refuse_unshared(T::STORAGE) };
        let name = |entity| format!("edit the shared `{}` of entity {entity}", short_name(std::any::type_name::<T>()));
        let caller = Location::caller();
        let act = move |world: &mut World| world.edit_shared_for(entity, edit, caller);
        self.push(Run(act, Some((name, entity))));
    }

    /// Puts a resource into the world later, in place of an old one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// commands.insert_resource(Score(3));
    /// world.apply(&mut commands)?;
    /// assert_eq!(world.get_resource::<Score>().unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn insert_resource<R: Resource>(&mut self, resource: R) {
        self.run(move |world: &mut World| drop(world.insert_resource(resource)));
    }

    /// Removes a resource later, if it is there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// let mut commands = world.commands();
    /// commands.remove_resource::<Score>();
    /// world.apply(&mut commands)?;
    /// assert!(!world.has_resource::<Score>());
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn remove_resource<R: Resource>(&mut self) {
        self.run(move |world: &mut World| drop(world.remove_resource::<R>()));
    }

    /// Sends an event later.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// let mut hits = EventReader::<Hit>::new();
    /// let mut commands = world.commands();
    /// commands.send(Hit(3));
    /// world.apply(&mut commands)?;
    /// assert!(hits.read(&world).map(|hit| hit.0).eq([3]));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    #[track_caller]
    pub fn send<E: Event>(&mut self, event: E) {
        self.run(move |world: &mut World| world.send(event));
    }

    /// Calls a function later, with the world. It may answer a `Result`; an error is reported with the others.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut commands = world.commands();
    /// commands.run(|world: &mut World| println!("{} are alive", world.alive()));
    /// commands.run(|_: &mut World| "seven".parse::<u32>().map(drop));
    /// let error = world.apply(&mut commands).unwrap_err();
    /// assert!(error.to_string().contains("invalid digit"));
    /// ```
    #[track_caller]
    pub fn run<R: CommandResult>(&mut self, act: impl FnOnce(&mut World) -> R + Send + 'static) {
        self.push(Run(act, None));
    }

    /// How many commands are queued; a batch counts as one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// commands.spawn(());
    /// commands.spawn_batch([(), (), ()]);
    /// assert_eq!(commands.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether no command is queued.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// commands.spawn(());
    /// assert!(!commands.is_empty());
    /// world.apply(&mut commands)?;
    /// assert!(commands.is_empty());
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops all commands that are queued. The ids they handed out will not come to life.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// let orc = commands.spawn(());
    /// commands.clear();
    /// world.apply(&mut commands)?;
    /// assert!(!world.is_alive(orc));
    /// # Ok::<(), phalanx_ecs::CommandErrors>(())
    /// ```
    pub fn clear(&mut self) {
        self.lane.forsake();
        self.runs.clear();
    }

    /// The name that errors show, if it has one: see [`World::commands_for`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// assert_eq!(world.commands().name(), None);
    /// assert_eq!(world.commands_for(["ai"])[0].name(), Some("ai"));
    /// ```
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What happens when a command cannot be done.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::Policy;
    /// # let mut world = World::new();
    /// assert_eq!(world.commands().policy(), Policy::Collect);
    /// ```
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Says what happens when a command cannot be done.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Policy;
    ///
    /// let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut commands = world.commands();
    /// commands.set_policy(Policy::Ignore);
    /// commands.despawn(orc);
    /// commands.despawn(orc);
    /// assert!(world.apply(&mut commands).is_ok());
    /// ```
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// Memory reserved, in bytes.
    ///
    /// It stays when the queue is applied: the next round needs it again.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut commands = world.commands();
    /// let before = commands.bytes();
    /// for health in 0..1000 {
    ///     commands.spawn(Health(health));
    /// }
    /// assert!(commands.bytes() >= before + 1000 * size_of::<Health>());
    /// ```
    pub fn bytes(&self) -> usize {
        self.runs.bytes()
    }
}

impl Commands {
    /// Gives the ids back to the world they are of.
    pub(super) fn give_back(&mut self) {
        let lane = std::mem::take(&mut self.lane);
        if lane.is_dealt() {
            // A list of numbers is in order whatever panicked.
            self.returned.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("unnamed");
        write!(f, "Commands({name}, {} queued)", self.len())
    }
}
