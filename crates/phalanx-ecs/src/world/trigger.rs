//! [`Trigger`]: what an observer is given.

use super::World;
use super::observe::Act;
use crate::component::{Component, ComponentId, Panics, refuse_immutable};
use crate::entity::Entity;
use crate::event::Event;
use crate::resource::Resource;
use std::any::Any;
use std::fmt;
use std::panic::Location;

/// What happened, to whom, and what an observer may do about it: read everything, change values, and put off what makes components come and go: as
/// [commands](Trigger::commands), or as a function that is [deferred](Trigger::defer).
pub struct Trigger<'w> {
    world: &'w mut World,
    entity: Entity,
    /// The component and the act, unless it is an event of the user's.
    cause: Option<(ComponentId, Act)>,
    event: Option<&'w dyn Any>,
    observer: &'static Location<'static>,
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
        entity: Entity,
        cause: Option<(ComponentId, Act)>,
        event: Option<&'w dyn Any>,
        observer: &'static Location<'static>,
    ) -> Self {
        Self { world, entity, cause, event, observer, queue: None }
    }

    /// The entity it happened to, or the event was aimed at.
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// What happened to the component; `None` for an event of the user's.
    pub fn act(&self) -> Option<Act> {
        self.cause.map(|(_, act)| act)
    }

    /// The component it happened to; `None` for an event of the user's.
    pub fn component(&self) -> Option<ComponentId> {
        self.cause.map(|(component, _)| component)
    }

    pub(super) fn event<E: Event>(&self) -> Option<&'w E> {
        self.event.and_then(<dyn Any>::downcast_ref)
    }

    /// A component of the entity.
    pub fn get<T: Component>(&self) -> Option<&T> {
        self.world.get(self.entity)
    }

    /// A component of the entity, to change.
    pub fn get_mut<T: Component>(&mut self) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.world.value_mut(self.entity)
    }

    /// A component of another entity, to change.
    pub fn get_mut_of<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.world.value_mut(entity)
    }

    /// The world, to read.
    pub fn world(&self) -> &World {
        self.world
    }

    /// A resource, to change.
    pub fn resource_mut<R: Resource>(&mut self) -> Option<crate::resource::ResMut<'_, R>> {
        self.world.get_resource_mut::<R>()
    }

    /// Sends an event to whoever reads events of its kind.
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
        self.world.defer_after(self.link(), Box::new(act));
    }

    fn link(&self) -> String {
        format!("{self}, by the observer of {}:{}", self.observer.file(), self.observer.line())
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
            self.world.defer_after(self.link(), Box::new(act));
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
                write!(f, "{act:?} of `{}` on {}", self.world.store.registry.name_of(component), self.entity)
            }
            None => write!(f, "an event aimed at {}", self.entity),
        }
    }
}

impl fmt::Debug for Trigger<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trigger({self})")
    }
}
