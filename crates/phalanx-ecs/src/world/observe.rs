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
use super::removed::{Leaving, RemovalLogs};
use super::spawn::has_twice;
use super::trigger::{ObserverQueue, Trigger};
use crate::component::{Component, ComponentId, Panics, Watch, own_watch};
use crate::entity::{Entity, Lane, debug_as_display};
use crate::event::Event;
use crate::order::List;
use std::any::{Any, TypeId};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

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
pub struct ObserverId(u64);

impl fmt::Debug for ObserverId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "observer {}", self.0)
    }
}

/// What an observer waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Component(ComponentId, Act),
    Event(TypeId),
}

type Callback = Box<dyn FnMut(&mut Trigger<'_>) + Send + Sync>;
type Deferred = Box<dyn FnOnce(&mut World) + Send>;

struct Observer {
    id: ObserverId,
    enabled: bool,
    hook: bool,
    added: &'static Location<'static>,
    /// `None` while it is called.
    callback: Option<Callback>,
}

/// Something to do after the operation, and how it came to that.
struct Later {
    /// Never locked: it makes the world `Sync`, though what is deferred need not be.
    act: Mutex<Deferred>,
    chain: Chain,
}

/// What led to a deferred change: how many observers, and the latest of them.
#[derive(Clone, Default)]
struct Chain {
    length: usize,
    latest: VecDeque<String>,
}

impl Chain {
    fn with(&self, link: String) -> Self {
        let mut chain = self.clone();
        chain.length += 1;
        chain.latest.push_back(link);
        if chain.latest.len() > SHOWN_LINKS {
            chain.latest.pop_front();
        }
        chain
    }
}

/// So long a chain of observers may grow before it is taken for endless.
const LONGEST_CHAIN: usize = 64;
/// So many deferred changes may follow from each that an operation led to by itself.
const MOST_PER_ROOT: usize = 10_000;
const SHOWN_LINKS: usize = 6;

/// The observers of a world, and what they deferred.
#[derive(Default)]
pub(crate) struct Observers {
    /// Hooks first, then in order of registration.
    by_key: List<Key, Vec<Observer>>,
    next: u64,
    /// How many operations that call observers are under way, one inside the other.
    depth: usize,
    later: VecDeque<Later>,
    /// What led to what is done now.
    chain: Chain,
    /// Of which components it is written down what is removed.
    pub(super) logs: RemovalLogs,
    /// Where observers get ids from, while any of them has asked for some.
    lane: Lane,
    /// How many they got.
    used: usize,
    /// A queue that was used and is empty.
    pub(super) spare: Option<Box<dyn ObserverQueue>>,
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

/// Components that come, to be told to observers once they have.
#[derive(Default)]
pub(super) struct Arrivals {
    /// With which of the entities it is.
    list: Vec<(usize, Entity, ComponentId)>,
    entered: bool,
}

/// How far an operation that makes components come has got.
#[derive(Default)]
pub(super) struct Progress {
    /// Panics of drops, which do not keep components from coming.
    pub(super) panics: Panics,
    /// Into how many of the entities they have come. Asked only if something else panics: then they have not come into the others.
    pub(super) done: usize,
}

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
        self.observers.depth += 1;
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
        let id = ObserverId(self.observers.next);
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
        let own = own_watch(self.store.registry.at(component).type_id) | self.observers.logs.watch(component);
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

    /// Does something later: now, if no observers are at work, or else when the operation they are called by is done.
    pub(super) fn defer_after(&mut self, link: String, act: Box<dyn FnOnce(&mut Self) + Send>) {
        let chain = self.observers.chain.with(link);
        self.observers.later.push_back(Later { act: Mutex::new(act), chain });
    }

    #[inline]
    pub(super) fn has_observers(&self) -> bool {
        !self.store.registry.watch().is_empty()
    }

    /// Whether somebody observes any component for one of these acts.
    #[inline]
    pub(super) fn observes(&self, watch: Watch) -> bool {
        self.store.registry.watch().has(watch)
    }

    /// The observed ones among components, for any of these acts.
    fn watched(&self, components: impl IntoIterator<Item = ComponentId>, watch: Watch) -> Vec<ComponentId> {
        components.into_iter().filter(|c| self.store.registry.at(*c).watch.has(watch)).collect()
    }

    /// Before components are inserted into entities: tells who observes that others are replaced, and notes what will come.
    /// What is `gone` has been removed in the same breath, and is not replaced.
    pub(super) fn before_insert(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        gone: &[ComponentId],
    ) -> Arrivals {
        if !self.observes(Watch::INSERT | Watch::REPLACE) {
            return Arrivals::default();
        }
        let all = self.store.with_required(components);
        let watched = self.watched(all, Watch::INSERT | Watch::REPLACE);
        if watched.is_empty() {
            return Arrivals::default();
        }
        self.observers.depth += 1;
        let (mut list, mut replaced, mut panics) = (Vec::new(), Vec::new(), Panics::default());
        for (number, &entity) in entities.iter().enumerate() {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            for &component in &watched {
                let has = self.store.has(entity.index(), at, component) && !gone.contains(&component);
                let own = components.contains(&component);
                if has && own {
                    self.notify(Key::Component(component, Act::Replace), entity, None, &mut panics);
                    if self.is_indexed(component) {
                        replaced.push((entity, component));
                    }
                }
                if own || !has {
                    list.push((number, entity, component));
                }
            }
        }
        for (entity, component) in replaced {
            self.take_off_index(entity, component);
        }
        if panics.any() {
            self.observers.later_panics(panics);
        }
        Arrivals { list, entered: true }
    }

    /// Does an operation that makes components come, and tells who observes them.
    pub(super) fn inserting<R>(
        &mut self,
        arrivals: Arrivals,
        operation: impl FnOnce(&mut Self, &mut Progress) -> R,
    ) -> R {
        if !arrivals.entered {
            let mut progress = Progress::default();
            let result = operation(self, &mut progress);
            progress.panics.resume();
            return result;
        }
        let mut panics = Panics::default();
        let result = self.insert_and_tell(arrivals, &mut panics, operation);
        self.leave(panics);
        result.expect("a panic was resumed")
    }

    /// The inner part of [`World::inserting`]; answers nothing if the operation panicked.
    fn insert_and_tell<R>(
        &mut self,
        arrivals: Arrivals,
        panics: &mut Panics,
        operation: impl FnOnce(&mut Self, &mut Progress) -> R,
    ) -> Option<R> {
        let (mut progress, mut stopped, mut result) = (Progress::default(), Panics::default(), None);
        stopped.catch(|| result = Some(operation(self, &mut progress)));
        // A panic of a drop, if there was one, came first.
        panics.catch(|| progress.panics.resume());
        panics.catch(|| stopped.resume());
        // Before anybody is told, who may want to find them.
        for &(_, entity, component) in &arrivals.list {
            self.add_to_index(entity, component);
        }
        for (number, entity, component) in arrivals.list {
            if result.is_some() || number < progress.done {
                self.notify_if_there(Act::Insert, component, entity, panics);
            }
        }
        result
    }

    /// Does an operation that makes components come into entities of which some may be named several times: part by part, none of which names one twice.
    pub(super) fn inserting_in_parts(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        mut operation: impl FnMut(&mut Self, &[Entity], &mut Progress),
    ) {
        let (mut panics, mut rest) = (Panics::default(), entities);
        self.observers.depth += 1;
        while !rest.is_empty() {
            let mut seen = BTreeSet::new();
            let end = rest.iter().position(|entity| !seen.insert(*entity)).unwrap_or(rest.len());
            let (part, later) = rest.split_at(end);
            rest = later;
            let arrivals = self.before_insert(part, components, &[]);
            let entered = arrivals.entered;
            let done = self.insert_and_tell(arrivals, &mut panics, |world, progress| operation(world, part, progress));
            self.observers.depth -= usize::from(entered);
            if done.is_none() {
                break;
            }
        }
        self.leave(panics);
    }

    /// Tells who observes the components of new entities. They were spawned with these, and what those require.
    pub(super) fn after_spawn(&mut self, entities: &[Entity], components: &[ComponentId]) {
        if !self.observes(Watch::INSERT) {
            return;
        }
        let watched = self.watched(self.store.with_required(components), Watch::INSERT);
        if watched.is_empty() {
            return;
        }
        // Before anybody is told, who may want to find them.
        for &component in &watched {
            if self.is_indexed(component) {
                for &entity in entities {
                    self.add_to_index(entity, component);
                }
            }
        }
        let mut panics = Panics::default();
        self.observers.depth += 1;
        for &entity in entities {
            for &component in &watched {
                self.notify_if_there(Act::Insert, component, entity, &mut panics);
            }
        }
        self.leave(panics);
    }

    /// Does an operation that makes components go, and the tags that depend on them, after telling who observes them.
    pub(super) fn removing<R>(
        &mut self,
        entities: &[Entity],
        components: &[ComponentId],
        operation: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let watched = if self.observes(Watch::REMOVE) {
            self.watched(self.store.with_dependents(components), Watch::REMOVE)
        } else {
            Vec::new()
        };
        // What is refused because a bundle has something twice is not told.
        if watched.is_empty() || has_twice(components) {
            return operation(self);
        }
        let mut panics = Panics::default();
        self.observers.depth += 1;
        let (mut told, mut leaving) = (BTreeSet::new(), Leaving::default());
        for &entity in entities.iter().filter(|entity| told.insert(**entity)) {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            for &component in &watched {
                if self.store.has(entity.index(), at, component) {
                    self.notify(Key::Component(component, Act::Remove), entity, None, &mut panics);
                    self.note_leaving(entity, component, &mut leaving);
                }
            }
        }
        self.log_leaving(&leaving, false, &mut panics);
        self.operate(operation, &leaving, panics)
    }

    /// Does an operation that ends entities, after telling who observes their components.
    pub(super) fn ending<R>(&mut self, entities: &[Entity], operation: impl FnOnce(&mut Self) -> R) -> R {
        if !self.observes(Watch::REMOVE) {
            return operation(self);
        }
        let mut panics = Panics::default();
        self.observers.depth += 1;
        let mut sparse = self.store.registry.sparse().iter().copied();
        let sparse = sparse.any(|component| self.store.registry.at(component).watch.has(Watch::REMOVE));
        let mut leaving = Leaving::default();
        for &entity in entities {
            let Some(at) = self.store.entities.locate(entity) else { continue };
            if !sparse && !self.store.tables[at.table.index()].is_watched() {
                continue;
            }
            let watched = self.watched(self.store.components_of(entity.index(), at), Watch::REMOVE);
            for act in [Act::Despawn, Act::Remove] {
                for &component in &watched {
                    self.notify(Key::Component(component, act), entity, None, &mut panics);
                }
            }
            for &component in &watched {
                self.note_leaving(entity, component, &mut leaving);
            }
        }
        self.log_leaving(&leaving, true, &mut panics);
        self.operate(operation, &leaving, panics)
    }

    /// Tells who observes that a component was switched.
    pub(super) fn after_switch(&mut self, entity: Entity, component: ComponentId, on: bool) {
        if self.store.registry.at(component).watch.has(Watch::SWITCH) {
            let mut panics = Panics::default();
            self.observers.depth += 1;
            let act = if on { Act::SwitchOn } else { Act::SwitchOff };
            self.notify(Key::Component(component, act), entity, None, &mut panics);
            self.leave(panics);
        }
    }

    fn operate<R>(&mut self, operation: impl FnOnce(&mut Self) -> R, leaving: &Leaving, mut panics: Panics) -> R {
        let mut result = None;
        panics.catch(|| result = Some(operation(self)));
        if panics.any() {
            // What is still there, because of a panic, is found again.
            self.index_remaining(leaving);
        }
        self.leave(panics);
        result.expect("a panic was resumed")
    }

    fn notify_if_there(&mut self, act: Act, component: ComponentId, entity: Entity, panics: &mut Panics) {
        let at = self.store.entities.locate(entity);
        if at.is_some_and(|at| self.store.has(entity.index(), at, component)) {
            self.notify(Key::Component(component, act), entity, None, panics);
        }
    }

    /// Calls the observers of a key. A panic of one does not keep the others from being called.
    fn notify(&mut self, key: Key, entity: Entity, event: Option<&dyn Any>, panics: &mut Panics) {
        let count = self.observers.by_key.get(&key).map_or(0, Vec::len);
        for at in 0..count {
            let Some(observer) = self.observers.by_key.get_mut(&key).and_then(|list| list.get_mut(at)) else { break };
            let (enabled, added) = (observer.enabled, observer.added);
            if !enabled {
                continue;
            }
            let Some(mut callback) = observer.callback.take() else { continue };
            let cause = match key {
                Key::Component(component, act) => Some((component, act)),
                Key::Event(_) => None,
            };
            let mut trigger = Trigger::new(self, entity, cause, event, added);
            panics.catch(|| callback(&mut trigger));
            trigger.close_queue();
            if let Some(observer) = self.observers.by_key.get_mut(&key).and_then(|list| list.get_mut(at)) {
                observer.callback = Some(callback);
            }
        }
    }

    /// An operation that called observers is done. If it was the outermost, what was deferred is done now.
    fn leave(&mut self, mut panics: Panics) {
        if self.observers.depth == 1 {
            let (mut roots, mut done) = (0usize, 0usize);
            while let Some(Later { act, chain }) = self.observers.later.pop_front() {
                roots += usize::from(chain.length <= 1);
                done += 1;
                // A chain may also be endless by growing broader and broader.
                if chain.length > LONGEST_CHAIN || done > (roots + 1).saturating_mul(MOST_PER_ROOT) {
                    self.observers.later.clear();
                    panics.catch(|| refuse_endless(&chain));
                    break;
                }
                self.observers.chain = chain;
                let act = act.into_inner().unwrap_or_else(PoisonError::into_inner);
                panics.catch(|| act(self));
            }
            self.observers.chain = Chain::default();
            if self.observers.lane.is_dealt() {
                self.settle_observers_lane();
            }
        }
        // What was deferred may have put another world in the place of this one.
        self.observers.depth = self.observers.depth.saturating_sub(1);
        panics.resume();
    }
}

impl World {
    /// The ids for what observers queue; to be put back.
    pub(crate) fn take_observers_lane(&mut self) -> Lane {
        std::mem::take(&mut self.observers.lane)
    }

    /// Puts back what was taken, and notes how many were used of it.
    pub(crate) fn put_observers_lane(&mut self, lane: Lane, used: usize) {
        self.observers.lane = lane;
        self.observers.used += used;
    }

    #[cold]
    fn settle_observers_lane(&mut self) {
        let lane = self.take_observers_lane();
        self.lanes.note_use("observers", std::mem::take(&mut self.observers.used));
        self.store.entities.settle(lane);
    }
}

impl Observers {
    /// Keeps the panics of observers that were called before an operation until it is done.
    fn later_panics(&mut self, panics: Panics) {
        let act: Deferred = Box::new(|_| panics.resume());
        self.later.push_back(Later { act: Mutex::new(act), chain: self.chain.clone() });
    }
}

#[cold]
fn refuse_endless(chain: &Chain) {
    let links: Vec<&str> = chain.latest.iter().map(String::as_str).collect();
    panic!(
        "error[O002]: observers defer changes that call observers, without end: {} in a chain\n  the latest:\n    {}\n  help: let the observer look whether there is anything left to do before it defers",
        chain.length,
        links.join("\n    ")
    );
}
