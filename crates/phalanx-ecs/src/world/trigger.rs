//! [`Trigger`]: what an observer is given.

use super::World;
use super::observe::Act;
use super::resources::NoResource;
use crate::component::{Component, ComponentId, Panics, refuse_immutable};
use crate::entity::Entity;
use crate::event::Event;
use crate::resource::{ResMut, Resource};
use std::any::Any;
use std::fmt;
use std::panic::Location;

/// What happened, to whom, and what an observer may do about it: read everything, change values, and put off what makes components come and go: as
/// [commands](Trigger::commands), or as a function that is [deferred](Trigger::defer).
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(0));
/// world.observe::<Health>(Act::Despawn, |trigger| {
///     let health = trigger.get::<Health>().unwrap().0;
///     trigger.resource_mut::<Score>().unwrap().0 += health;
///     trigger.defer(|world| { world.spawn(Health(1)); });
/// });
/// let orc = world.spawn(Health(3));
/// world.despawn(orc)?;
/// assert_eq!((world.get_resource::<Score>().unwrap().0, world.alive()), (3, 1));
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
pub struct Trigger<'w> {
    world: &'w mut World,
    /// At least one.
    entities: &'w [Entity],
    /// The component and the act, unless it is an event of the user's.
    cause: Option<(ComponentId, Act)>,
    event: Option<&'w dyn Any>,
    observer: &'static Location<'static>,
    /// Whether it is what a component does by itself.
    own: bool,
    /// What it has queued since it last deferred something.
    queue: Option<Box<dyn ObserverQueue>>,
}

/// Changes that an observer queues. What they are is known to the layer above.
pub(crate) trait ObserverQueue: Send + Sync {
    fn as_any(&mut self) -> &mut dyn Any;
    /// The observer is done with it; answers whether there is anything to apply.
    fn close(&mut self, world: &mut World) -> bool;
    /// Makes the changes; it is empty then.
    fn apply(&mut self, world: &mut World);
}

impl<'w> Trigger<'w> {
    pub(super) fn new(
        world: &'w mut World,
        entities: &'w [Entity],
        cause: Option<(ComponentId, Act)>,
        event: Option<&'w dyn Any>,
        observer: &'static Location<'static>,
    ) -> Self {
        Self { world, entities, cause, event, observer, own: false, queue: None }
    }

    /// For what a component does by itself.
    pub(super) fn of_component(
        world: &'w mut World,
        entities: &'w [Entity],
        cause: (ComponentId, Act),
        declared: &'static Location<'static>,
    ) -> Self {
        Self { own: true, ..Self::new(world, entities, Some(cause), None, declared) }
    }

    /// The entity it happened to, or the event was aimed at.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// #[derive(Event)] struct Appeared(Entity);
    ///
    /// world.observe::<Enemy>(Act::Insert, |trigger| trigger.send(Appeared(trigger.entity())));
    /// let orc = world.spawn(Enemy);
    /// assert!(world.events::<Appeared>().iter().map(|appeared| appeared.0).eq([orc]));
    /// ```
    pub fn entity(&self) -> Entity {
        self.entities[0]
    }

    /// All entities it happened to: one for an observer; for what a component [does by itself](crate::Hooks) all of the operation, each once.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Trigger;
    ///
    /// #[derive(Component)] #[component(on_insert = greet)] struct Guest;
    /// #[derive(Event)] struct Greeting { guests: usize }
    ///
    /// fn greet(trigger: &mut Trigger<'_>) {
    ///     trigger.send(Greeting { guests: trigger.entities().len() });
    /// }
    /// let mut world = World::new();
    /// world.spawn_batch((0..50).map(|_| Guest));
    /// assert!(world.events::<Greeting>().iter().map(|greeting| greeting.guests).eq([50]));
    /// ```
    pub fn entities(&self) -> &'w [Entity] {
        self.entities
    }

    /// What happened to the component; `None` for an event of the user's.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # #[derive(Event)] struct Seen(Option<Act>);
    /// for act in [Act::Insert, Act::Replace] {
    ///     world.observe::<Health>(act, |trigger| trigger.send(Seen(trigger.act())));
    /// }
    /// let orc = world.spawn(Health(3));
    /// world.insert(orc, Health(2))?;
    /// let acts = world.events::<Seen>().iter().map(|seen| seen.0.unwrap());
    /// assert!(acts.eq([Act::Insert, Act::Replace, Act::Insert]));
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    pub fn act(&self) -> Option<Act> {
        self.cause.map(|(_, act)| act)
    }

    /// The component it happened to; `None` for an event of the user's.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # #[derive(Event)] struct Seen(String);
    /// world.observe::<Health>(Act::Insert, |trigger| {
    ///     let info = trigger.world().components().info(trigger.component().unwrap()).unwrap();
    ///     trigger.send(Seen(info.name().into()));
    /// });
    /// world.spawn(Health(3));
    /// assert_eq!(world.events::<Seen>().iter().next().unwrap().0, "Health");
    /// ```
    pub fn component(&self) -> Option<ComponentId> {
        self.cause.map(|(component, _)| component)
    }

    pub(super) fn event<E: Event>(&self) -> Option<&'w E> {
        self.event.and_then(<dyn Any>::downcast_ref)
    }

    /// A component of the entity.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Title(&'static str);
    /// # let mut world = World::new();
    /// # #[derive(Event)] struct Died(&'static str);
    /// world.observe::<Health>(Act::Despawn, |trigger| {
    ///     if let Some(name) = trigger.get::<Title>() {
    ///         trigger.send(Died(name.0));
    ///     }
    /// });
    /// let orc = world.spawn((Health(3), Title("Grub")));
    /// world.despawn(orc)?;
    /// assert_eq!(world.events::<Died>().iter().next().unwrap().0, "Grub");
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.world.get(self.entity())
    }

    /// A component of the entity, to change.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.observe::<Health>(Act::Insert, |trigger| {
    ///     let health = trigger.get_mut::<Health>().unwrap();
    ///     health.0 = health.0.min(100);
    /// });
    /// let troll = world.spawn(Health(900));
    /// assert_eq!(world.get::<Health>(troll).unwrap().0, 100);
    /// ```
    pub fn get_mut<T: Component>(&mut self) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.world.value_mut(self.entity())
    }

    /// A component of another entity, to change.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// #[derive(Component)] struct Child { of: Entity }
    ///
    /// world.observe::<Child>(Act::Insert, |trigger| {
    ///     let parent = trigger.get::<Child>().unwrap().of;
    ///     if let Some(gold) = trigger.get_mut_of::<Gold>(parent) {
    ///         gold.0 -= 1;
    ///     }
    /// });
    /// let orc = world.spawn(Gold(5));
    /// world.spawn(Child { of: orc });
    /// assert_eq!(world.get::<Gold>(orc).unwrap().0, 4);
    /// ```
    pub fn get_mut_of<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.world.value_mut(entity)
    }

    /// The world, to read.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(0));
    /// world.observe::<Enemy>(Act::Insert, |trigger| {
    ///     let enemies = trigger.world().read::<&Enemy>().count();
    ///     trigger.resource_mut::<Score>().unwrap().0 = enemies as u32;
    /// });
    /// world.spawn(Enemy);
    /// world.spawn(Enemy);
    /// assert_eq!(world.get_resource::<Score>().unwrap().0, 2);
    /// ```
    pub fn world(&self) -> &World {
        self.world
    }

    /// A resource that must be there, to write, as [`World::resource_mut`] answers it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.observe::<Enemy>(Act::Remove, |trigger| trigger.resource_mut::<Score>().unwrap().0 += 1);
    /// world.insert_resource(Score(0));
    /// let orc = world.spawn(Enemy);
    /// world.despawn(orc)?;
    /// assert_eq!(world.get_resource::<Score>().unwrap().0, 1);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoResource`] if it is not.
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> Result<ResMut<'_, R>, NoResource> {
        self.world.resource_mut::<R>()
    }

    /// A resource, if it is there, to write, as [`World::get_resource_mut`] answers it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.observe::<Enemy>(Act::Insert, |trigger| {
    ///     if let Some(mut score) = trigger.get_resource_mut::<Score>() {
    ///         score.0 += 1;
    ///     }
    /// });
    /// world.spawn(Enemy);
    /// world.insert_resource(Score(0));
    /// world.spawn(Enemy);
    /// assert_eq!(world.get_resource::<Score>().unwrap().0, 1, "nobody counted the first");
    /// ```
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<ResMut<'_, R>> {
        self.world.get_resource_mut::<R>()
    }

    /// A resource to change; its default if there is none yet.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    /// #[derive(Resource, Default)] struct Births(usize);
    ///
    /// let mut world = World::new();
    /// world.observe::<Health>(Act::Insert, |trigger| trigger.init_resource::<Births>().0 += 1);
    /// world.spawn_batch([3, 2].map(Health));
    /// assert_eq!(world.get_resource::<Births>().unwrap().0, 2);
    /// ```
    pub fn init_resource<R: Resource + Default>(&mut self) -> ResMut<'_, R> {
        self.world.init_resource::<R>()
    }

    /// Sends an event to whoever reads events of its kind.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Event)] struct Hit(u32);
    /// # let mut world = World::new();
    /// let mut hits = EventReader::<Hit>::new();
    /// world.observe::<Health>(Act::Replace, |trigger| trigger.send(Hit(trigger.get::<Health>().unwrap().0)));
    /// let orc = world.spawn(Health(3));
    /// world.insert(orc, Health(2))?;
    /// assert!(hits.read(&world).map(|hit| hit.0).eq([3]), "the value that goes");
    /// # Ok::<(), phalanx_ecs::InsertError>(())
    /// ```
    pub fn send<E: Event>(&mut self, event: E) {
        self.world.send(event);
    }

    /// Does something with the whole world once the operation that called this observer is done, and what was deferred before.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::Act;
    ///
    /// #[derive(Component)] struct Poison;
    /// #[derive(Component)] struct Weak;
    ///
    /// let mut world = World::new();
    /// world.observe::<Poison>(Act::Insert, |trigger| {
    ///     let entity = trigger.entity();
    ///     trigger.defer(move |world| { let _ = world.insert(entity, Weak); });
    /// });
    /// let orc = world.spawn(Poison);
    /// assert!(world.has::<Weak>(orc));
    /// ```
    pub fn defer(&mut self, act: impl FnOnce(&mut World) + Send + 'static) {
        self.close_queue();
        self.world.defer_after(&self.link(), self.own, Box::new(act));
    }

    fn link(&self) -> String {
        let whose = if self.own { "what the component does by itself," } else { "the observer of" };
        format!("{self}, by {whose} {}:{}", self.observer.file(), self.observer.line())
    }

    /// Where the observer was added.
    pub(crate) fn observer(&self) -> &'static Location<'static> {
        self.observer
    }

    /// What the observer is filling; `open` makes it, or takes one that was used before.
    pub(crate) fn queue(
        &mut self,
        open: impl FnOnce(&mut World, Option<Box<dyn ObserverQueue>>) -> Box<dyn ObserverQueue>,
    ) -> &mut dyn ObserverQueue {
        if self.queue.is_none() {
            let spare = self.world.observers.spare.take();
            self.queue = Some(open(self.world, spare));
        }
        &mut **self.queue.as_mut().expect("made just now")
    }

    /// Puts off what was queued so far.
    pub(super) fn close_queue(&mut self) {
        let Some(mut queue) = self.queue.take() else { return };
        if queue.close(self.world) {
            let act = move |world: &mut World| {
                let (mut panics, mut queue) = (Panics::default(), queue);
                panics.catch(|| queue.apply(world));
                world.observers.spare = Some(queue);
                panics.resume();
            };
            self.world.defer_after(&self.link(), self.own, Box::new(act));
        } else {
            self.world.observers.spare = Some(queue);
        }
    }
}

/// `Insert of `Health` on 5v0`
impl fmt::Display for Trigger<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            Some((component, act)) => {
                write!(f, "{act:?} of `{}` on {}", self.world.store.registry.name_of(component), self.entity())?;
                match self.entities.len() - 1 {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            None => write!(f, "an event aimed at {}", self.entity()),
        }
    }
}

impl fmt::Debug for Trigger<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trigger({self})")
    }
}
