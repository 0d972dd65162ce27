//! Observers: functions that are called when components come and go.
//!
//! ```text
//! world.remove::<Shield>(orc)
//!   1  Remove observers of Shield      the value is still there
//!   2  the shield goes
//!   3  what observers deferred, in the order in which they did; and what that made observers defer, and so on
//! ```
//!
//! Insert observers are called after the value has come, those of Replace, Remove and Despawn before it goes. While observers run nothing comes or goes: what
//! they want changed they [defer](Trigger::defer), and it is done once the whole operation is.
//!
//! The registry notes which components are observed. Operations that touch none of them go their fast way and know nothing of observers.

use super::World;
use super::dynamic::DynError;
use super::observers::{Callback, Key, Observer};
use super::trigger::Trigger;
use crate::component::{Component, ComponentId, Panics, Watch};
use crate::entity::{Entity, debug_as_display};
use crate::event::Event;
use crate::storage::DynRefusal;
use std::any::TypeId;
use std::fmt;
use std::panic::Location;

/// What happens to a component of an entity; see [`World::observe`].
///
/// | operation | calls, for each component that is observed |
/// |---|---|
/// | `spawn` and its kind, `clone_entity` | `Insert` |
/// | `insert` and its kind, where there is none; what is required and missing | `Insert` |
/// | `insert` and `replace` over a value that is there | `Replace`, then `Insert` |
/// | `remove`, `take`, `retain` and their kind | `Remove` |
/// | `despawn` and its kind, `clear` | `Despawn`, then `Remove` |
/// | `despawn_lazy` | `Despawn`, then `Remove`, at once; `collect` calls nothing |
/// | `move_entity` | `Despawn`, then `Remove` in the world it leaves; `Insert` in the other |
/// | `switch_on`, `switch_off` | `SwitchOn`, `SwitchOff`, where something changes |
/// | `get_mut`, `lookup_mut`, queries that write | nothing: see [`Changed`](crate::Changed) |
/// | dropping the world | nothing |
///
/// What observers defer is done before the operation returns, so an observer may despawn what is being spawned: then `spawn` answers a handle that is dead
/// already.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(0));
/// world.observe::<Health>(Act::Remove, |trigger| trigger.resource_mut::<Score>().unwrap().0 += 1);
/// let orc = world.spawn(Health(3));
/// world.insert(orc, Health(2)).unwrap();          // `Replace`, then `Insert`
/// world.despawn(orc).unwrap();                    // `Despawn`, then `Remove`
/// assert_eq!(world.get_resource::<Score>().unwrap().0, 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Act {
    /// It has come: where there was none, or in place of an older value. Observers are called afterwards.
    Insert,
    /// Another value is about to take its place. Observers are called before.
    Replace,
    /// It is about to go, because it is removed or its entity despawned. Observers are called before.
    Remove,
    /// Its entity is about to be despawned. Observers are called before, and before those of `Remove`.
    Despawn,
    /// It has been switched on.
    SwitchOn,
    /// It has been switched off.
    SwitchOff,
}

impl Act {
    fn watch(self) -> Watch {
        match self {
            Self::Insert => Watch::INSERT,
            Self::Replace => Watch::REPLACE,
            Self::Remove | Self::Despawn => Watch::REMOVE,
            Self::SwitchOn | Self::SwitchOff => Watch::SWITCH,
        }
    }
}

/// Names an observer, to remove it or to switch it off.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
/// #[derive(Event)] struct Hit(u32);
///
/// let mut world = World::new();
/// let mut hits = EventReader::<Hit>::new();
/// let observer = world.observe::<Health>(Act::Insert, |trigger| trigger.send(Hit(1)));
/// world.spawn(Health(3));
/// world.remove_observer(observer);
/// world.spawn(Health(3));
/// assert_eq!(hits.read(&world).count(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObserverId {
    number: u64,
    /// The birth of the world that it is of.
    world: u64,
}

impl fmt::Debug for ObserverId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "observer {}", self.number)
    }
}

/// A component has a hook for this act already.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// world.hook::<Health>(Act::Insert, |_| ())?;
/// let error = world.hook::<Health>(Act::Insert, |_| ()).unwrap_err();
/// assert_eq!((&*error.component, error.act), ("Health", Act::Insert));
/// assert!(error.to_string().starts_with("error[O001]: component `Health` has a hook for `Insert` already"));
/// # Ok::<(), phalanx_ecs::HookTaken>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookTaken {
    /// The component's name.
    pub component: String,
    /// The act.
    pub act: Act,
    /// Where the hook was set.
    pub first: &'static Location<'static>,
    /// Who asked.
    pub caller: &'static Location<'static>,
}

impl fmt::Display for HookTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error[O001]: component `{}` has a hook for `{:?}` already\n  first: {}:{}\n  asked by: {}:{}\n  help: a hook belongs to who defines the component; everybody else uses `world.observe`",
            self.component,
            self.act,
            self.first.file(),
            self.first.line(),
            self.caller.file(),
            self.caller.line()
        )
    }
}

impl std::error::Error for HookTaken {}
debug_as_display!(HookTaken);

/// # Observers and hooks
impl World {
    /// Calls a function whenever something happens to a component `T`. Several are called in the order in which they were added.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Explosive { radius: f32 }
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Blast { at: f32, radius: f32 }
    ///
    /// let mut world = World::new();
    /// world.observe::<Explosive>(Act::Despawn, |trigger| {
    ///     // The entity is about to go; it still has everything.
    ///     let (at, radius) = (trigger.get::<Position>().unwrap().0, trigger.get::<Explosive>().unwrap().radius);
    ///     trigger.defer(move |world| { world.spawn(Blast { at, radius }); });
    /// });
    /// let barrel = world.spawn((Explosive { radius: 3.0 }, Position(7.0)));
    /// world.despawn(barrel)?;
    /// assert_eq!(world.query::<&Blast>().single().unwrap().at, 7.0);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Panics
    /// An operation panics if what observers defer makes observers defer without end: after 64 links of such a chain, which the message shows; and if a command
    /// that an observer queued fails and no queue is being applied that could answer the error (O004): on `Remove`, say, the entity may be on its way out, and
    /// what is queued for it comes too late.
    #[doc(alias("add_observer", "on_add", "on_insert", "on_remove"))]
    #[track_caller]
    pub fn observe<T: Component>(
        &mut self,
        act: Act,
        callback: impl FnMut(&mut Trigger<'_>) + Send + Sync + 'static,
    ) -> ObserverId {
        let component = self.store.register::<T>();
        self.add_observer(Key::Component(component, act), Box::new(callback), false, Location::caller())
    }

    /// Calls a function whenever something happens to a component that is known by its id, as [`World::observe`] does for one that is known by its type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynValue};
    /// # #[derive(Event)] struct Cursed(Entity);
    /// # let mut world = World::new();
    /// let curse = world.register_dyn(ComponentLayout::new("Curse"))?;
    /// world.observe_dyn(curse, Act::Insert, |trigger| trigger.send(Cursed(trigger.entity())))?;
    /// let orc = world.spawn(());
    /// world.insert_dyn(orc, curse, DynValue::bytes(&[]))?;
    /// assert_eq!(world.events::<Cursed>().get(0).unwrap().0, orc);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the id is unknown.
    #[inline]
    #[track_caller]
    pub fn observe_dyn(
        &mut self,
        component: ComponentId,
        act: Act,
        callback: impl FnMut(&mut Trigger<'_>) + Send + Sync + 'static,
    ) -> Result<ObserverId, DynError> {
        let caller = Location::caller();
        if self.store.registry.info(component).is_none() {
            return Err(self.dyn_error(DynRefusal::Unknown(component), caller));
        }
        Ok(self.add_observer(Key::Component(component, act), Box::new(callback), false, caller))
    }

    /// Sets what a component does by itself when something happens to it: called before all observers, and never removed.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.hook::<Health>(Act::Insert, |trigger| {
    ///     let health = trigger.get_mut::<Health>().unwrap();
    ///     health.0 = health.0.min(100);
    /// })?;
    /// let troll = world.spawn(Health(900));
    /// assert_eq!(world.get::<Health>(troll).unwrap().0, 100);
    /// # Ok::<(), phalanx_ecs::HookTaken>(())
    /// ```
    ///
    /// # Errors
    /// [`HookTaken`] if there is one for this act; it stays.
    #[track_caller]
    pub fn hook<T: Component>(
        &mut self,
        act: Act,
        callback: impl FnMut(&mut Trigger<'_>) + Send + Sync + 'static,
    ) -> Result<(), HookTaken> {
        let (component, caller) = (self.store.register::<T>(), Location::caller());
        let key = Key::Component(component, act);
        if let Some(first) = self.observers.by_key.get(&key).and_then(|list| list.first()).filter(|first| first.hook) {
            let component = self.store.registry.name_of(component).to_string();
            return Err(HookTaken { component, act, first: first.added, caller });
        }
        self.add_observer(key, Box::new(callback), true, caller);
        Ok(())
    }

    /// Calls a function whenever an event `E` is aimed at an entity by [`World::trigger`].
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Event)] struct Hit(u32);
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.observe_event::<Hit>(|hit, trigger| {
    ///     if let Some(health) = trigger.get_mut::<Health>() { health.0 -= hit.0; }
    /// });
    /// let orc = world.spawn(Health(10));
    /// world.trigger(Hit(3), orc);
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 7);
    /// ```
    #[track_caller]
    pub fn observe_event<E: Event>(
        &mut self,
        mut callback: impl FnMut(&E, &mut Trigger<'_>) + Send + Sync + 'static,
    ) -> ObserverId {
        let callback = move |trigger: &mut Trigger<'_>| {
            if let Some(event) = trigger.event::<E>() {
                callback(event, trigger);
            }
        };
        self.add_observer(Key::Event(TypeId::of::<E>()), Box::new(callback), false, Location::caller())
    }

    /// Aims an event at an entity, alive or not: its observers are called now, and then it is dropped.
    ///
    /// Other than with [`World::send`] nothing is kept: who does not observe it now never hears of it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Event)] struct Hit(u32);
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.observe_event::<Hit>(|hit, trigger| {
    ///     if let Some(health) = trigger.get_mut::<Health>() {
    ///         health.0 -= hit.0;
    ///     }
    /// });
    /// let orc = world.spawn(Health(10));
    /// world.trigger(Hit(3), orc);
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 7);
    /// ```
    pub fn trigger<E: Event>(&mut self, event: E, entity: Entity) {
        if self.observers.by_key.get(&Key::Event(TypeId::of::<E>())).is_none() {
            return;
        }
        let mut panics = Panics::default();
        self.enter();
        self.notify(Key::Event(TypeId::of::<E>()), entity, Some(&event), &mut panics);
        panics.catch(|| drop(event));
        self.leave(panics);
    }

    fn add_observer(
        &mut self,
        key: Key,
        callback: Callback,
        hook: bool,
        added: &'static Location<'static>,
    ) -> ObserverId {
        let id = ObserverId { number: self.observers.next, world: self.store.birth().get() };
        self.observers.next += 1;
        let list = self.observers.by_key.entry(key);
        let observer = Observer { id, enabled: true, hook, added, callback: Some(callback) };
        if hook {
            list.insert(0, observer);
        } else {
            list.push(observer);
        }
        self.note_watch(key);
        id
    }

    /// Tells the store which acts on the component of a key are observed.
    fn note_watch(&mut self, key: Key) {
        if let Key::Component(component, _) = key {
            self.watch_component(component);
        }
    }

    /// Tells the store which acts on a component are observed.
    pub(super) fn watch_component(&mut self, component: ComponentId) {
        let keys = self.observers.by_key.iter().filter(|(_, list)| !list.is_empty()).map(|(key, _)| key);
        let own = self.store.registry.at(component).own_watch() | self.observers.logs.watch(component);
        let watch = keys.fold(own, |watch, key| match key {
            Key::Component(id, act) if *id == component => watch | act.watch(),
            _ => watch,
        });
        self.store.set_watch(component, watch);
    }

    /// Removes an observer; answers whether there was one of this id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let observer = world.observe::<Health>(Act::Insert, |trigger| trigger.get_mut::<Health>().unwrap().0 = 9);
    /// assert!(world.remove_observer(observer));
    /// assert!(!world.remove_observer(observer), "it is gone already");
    /// let orc = world.spawn(Health(3));
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
    /// ```
    pub fn remove_observer(&mut self, observer: ObserverId) -> bool {
        let found = self.observers.by_key.iter_mut().find_map(|(key, list)| {
            let at = list.iter().position(|known| known.id == observer && !known.hook)?;
            Some((*key, list.remove(at)))
        });
        let Some((key, removed)) = found else { return false };
        self.note_watch(key);
        drop(removed);
        true
    }

    /// Lets an observer pause, or go on; answers whether there is one of this id.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let observer = world.observe::<Health>(Act::Insert, |trigger| trigger.get_mut::<Health>().unwrap().0 = 9);
    /// world.enable_observer(observer, false);
    /// let orc = world.spawn(Health(3));
    /// world.enable_observer(observer, true);
    /// let elf = world.spawn(Health(3));
    /// assert_eq!((world.get::<Health>(orc).unwrap().0, world.get::<Health>(elf).unwrap().0), (3, 9));
    /// ```
    pub fn enable_observer(&mut self, observer: ObserverId, enabled: bool) -> bool {
        let mut all = self.observers.by_key.iter_mut().flat_map(|(_, list)| list);
        match all.find(|known| known.id == observer && !known.hook) {
            Some(known) => {
                known.enabled = enabled;
                true
            }
            None => false,
        }
    }
}
