//! What components do by themselves: functions of the type, in every world that knows it.
//!
//! ```text
//! spawn_batch(1000 × (Wheel, …))                       despawn_batch(…)
//!   1  the rows are there                                1  observers, entity by entity
//!   2  on_insert of Wheel, once, with 1000 entities      2  on_despawn, then on_remove of Wheel, once, with all of them
//!   3  observers, entity by entity                       3  the rows go
//! ```
//!
//! What comes is made ready before anybody is told, and what goes is taken apart after everybody has been: an observer always finds a component in order.

use super::World;
use super::check::{Asking, Check};
use super::observe::Act;
use super::trigger::Trigger;
use crate::component::{Component, ComponentId, OwnHooks, Panics, Watch, is_shared};
use crate::entity::Entity;
use std::panic::Location;

/// Called with all the entities that something happens to in one operation: [`Trigger::entities`].
///
/// ```
/// use phalanx_ecs::{Act, Hook, Hooks, Trigger};
///
/// fn welcome(trigger: &mut Trigger<'_>) {
///     assert!(!trigger.entities().is_empty());
/// }
/// let hook: Hook = welcome;
/// assert!(format!("{:?}", Hooks::new().on(Act::Insert, hook)).contains("insert: Some"));
/// ```
pub type Hook = fn(&mut Trigger<'_>);

/// What a component does by itself; write `#[component(on_insert = function)]`.
///
/// | attribute | called |
/// |---|---|
/// | `on_insert` | when it has come, before observers of [`Act::Insert`] |
/// | `on_replace` | when another value is about to take its place, after observers of [`Act::Replace`] |
/// | `on_remove` | when it is about to go, after observers of [`Act::Remove`] |
/// | `on_despawn` | when its entity is about to be despawned, after observers, and before `on_remove` |
/// | `on_switch_on`, `on_switch_off` | when it has been switched, before observers |
///
/// A function is called once for an operation, with all entities that it touches: [`Trigger::entities`] has them, each once.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::Trigger;
///
/// #[derive(Component, Clone)]
/// #[component(on_insert = count, on_remove = discount)]
/// struct Orc;
///
/// #[derive(Resource, Default)]
/// struct Census(usize);
///
/// fn count(trigger: &mut Trigger<'_>) {
///     let orcs = trigger.entities().len();
///     trigger.init_resource::<Census>().0 += orcs;
/// }
///
/// fn discount(trigger: &mut Trigger<'_>) {
///     let orcs = trigger.entities().len();
///     trigger.init_resource::<Census>().0 -= orcs;
/// }
///
/// let mut world = World::new();          // nothing to set up
/// let horde = world.spawn_batch((0..1000).map(|_| Orc));
/// world.despawn(horde[0])?;
/// assert_eq!(world.get_resource::<Census>().unwrap().0, 999);
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
///
/// In an `impl Component` by hand:
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_ecs::{Hooks, OwnHooks};
///
/// struct Health(u32);
///
/// impl Component for Health {
///     const HOOKS: Option<OwnHooks> = Some(const {
///         &Hooks::new().on(Act::Insert, |trigger| {
///             for &entity in trigger.entities() {
///                 let health = trigger.get_mut_of::<Health>(entity).unwrap();
///                 health.0 = health.0.min(100);
///             }
///         })
///     }.own());
/// }
/// let mut world = World::new();
/// let troll = world.spawn(Health(900));
/// assert_eq!(world.get::<Health>(troll).unwrap().0, 100);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    insert: Option<Hook>,
    replace: Option<Hook>,
    remove: Option<Hook>,
    despawn: Option<Hook>,
    switch_on: Option<Hook>,
    switch_off: Option<Hook>,
    /// What the component is asked before it comes.
    pub(super) asking: Option<Asking>,
    /// Whether what it keeps beside its values is in order.
    pub(super) validation: Option<Validation>,
    /// Where they were declared.
    declared: &'static Location<'static>,
}

impl Default for Hooks {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Hooks {
    /// None.
    ///
    /// ```
    /// use phalanx_ecs::Hooks;
    ///
    /// assert!(format!("{:?}", Hooks::new()).contains("insert: None"));
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn new() -> Self {
        Self {
            insert: None,
            replace: None,
            remove: None,
            despawn: None,
            switch_on: None,
            switch_off: None,
            asking: None,
            validation: None,
            declared: Location::caller(),
        }
    }

    /// These, and a function for an act.
    ///
    /// ```
    /// use phalanx_ecs::{Act, Hooks};
    ///
    /// let hooks = Hooks::new().on(Act::Remove, |trigger| assert!(!trigger.entities().is_empty()));
    /// assert!(format!("{hooks:?}").contains("remove: Some"));
    /// ```
    #[must_use]
    pub const fn on(mut self, act: Act, hook: Hook) -> Self {
        let place = match act {
            Act::Insert => &mut self.insert,
            Act::Replace => &mut self.replace,
            Act::Remove => &mut self.remove,
            Act::Despawn => &mut self.despawn,
            Act::SwitchOn => &mut self.switch_on,
            Act::SwitchOff => &mut self.switch_off,
        };
        *place = Some(hook);
        self
    }

    /// These, for a component that is asked before it comes; `#[component(check)]` writes it.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    /// use phalanx_ecs::{Bitwise, Check, Hooks, OwnHooks, Wish};
    ///
    /// #[derive(Clone, Copy)]
    /// struct Never;
    ///
    /// impl Component for Never {
    ///     const HOOKS: Option<OwnHooks> = Some(const { &Hooks::new().checked::<Never>() }.own());
    ///     const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
    /// }
    /// impl Check for Never {
    ///     fn check(_: &World, _: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    ///         Err("never".into())
    ///     }
    /// }
    /// assert!(World::new().try_spawn(Never).is_err());
    /// ```
    #[must_use]
    pub const fn checked<T: Check>(mut self) -> Self {
        const {
            assert!(
                T::COPY.is_some(),
                "a component with `check` says that it is `Copy`: `const COPY`, as the derive writes it"
            );
            assert!(
                !is_shared::<T>(),
                "a shared component cannot have `check`: `edit_shared` changes a value for all that have it"
            );
        };
        self.asking = Some(Asking::of::<T>());
        self
    }

    /// These, and a function that [`World::validate`] calls; `#[component(validate = function)]` writes it. It answers what is wrong with what the component keeps beside its
    /// values.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(validate = at_most_one)]
    /// struct Throne;
    ///
    /// fn at_most_one(world: &World) -> Result<(), String> {
    ///     match world.read::<&Throne>().count() {
    ///         0 | 1 => Ok(()),
    ///         thrones => Err(format!("{thrones} thrones")),
    ///     }
    /// }
    /// let mut world = World::new();
    /// world.spawn(Throne);
    /// assert!(world.validate().is_ok());
    /// world.spawn(Throne);
    /// assert!(world.validate().unwrap_err().to_string().contains("2 thrones"));
    /// ```
    #[must_use]
    pub const fn validated(mut self, validation: Validation) -> Self {
        self.validation = Some(validation);
        self
    }

    /// As [`Component::HOOKS`](crate::Component::HOOKS) has them.
    ///
    /// ```
    /// use phalanx_ecs::{Component, Hooks, OwnHooks};
    ///
    /// struct Health(u32);
    /// impl Component for Health {
    ///     const HOOKS: Option<OwnHooks> = Some(const { &Hooks::new() }.own());
    /// }
    /// assert!(Health::HOOKS.is_some());
    /// ```
    #[must_use]
    pub const fn own(&'static self) -> OwnHooks {
        let mut watch = Watch::NOTHING;
        if self.insert.is_some() || self.asking.is_some() {
            watch = watch.and(Watch::INSERT);
        }
        if self.replace.is_some() {
            watch = watch.and(Watch::REPLACE);
        }
        if self.remove.is_some() || self.despawn.is_some() {
            watch = watch.and(Watch::REMOVE);
        }
        if self.switch_on.is_some() || self.switch_off.is_some() {
            watch = watch.and(Watch::SWITCH);
        }
        OwnHooks { watch, checked: self.asking.is_some(), functions: self }
    }

    const fn of(&self, act: Act) -> Option<Hook> {
        match act {
            Act::Insert => self.insert,
            Act::Replace => self.replace,
            Act::Remove => self.remove,
            Act::Despawn => self.despawn,
            Act::SwitchOn => self.switch_on,
            Act::SwitchOff => self.switch_off,
        }
    }
}

type Validation = fn(&World) -> Result<(), String>;

/// The entities of an operation that have components with hooks, by component.
#[derive(Default)]
pub(super) struct Touched(Vec<(ComponentId, Vec<Entity>)>);

impl Touched {
    /// Those for whom something holds.
    pub(super) fn only(mut self, holds: impl Fn(ComponentId, Entity) -> bool) -> Self {
        for (component, entities) in &mut self.0 {
            entities.retain(|entity| holds(*component, *entity));
        }
        self.0.retain(|(_, entities)| !entities.is_empty());
        self
    }

    pub(super) fn note(&mut self, component: ComponentId, entity: Entity) {
        match self.0.iter_mut().find(|(known, _)| *known == component) {
            Some((_, entities)) => entities.push(entity),
            None => self.0.push((component, vec![entity])),
        }
    }
}

impl World {
    /// Asks the components themselves whether what they keep is in order.
    pub(super) fn validate_hooks(&self) -> Result<(), String> {
        for info in self.store.registry.iter() {
            if let Some(own) = info.hooks
                && let Some(hooks) = own.functions.downcast_ref::<Hooks>()
                && let Some(validate) = hooks.validation
            {
                validate(self)?;
            }
        }
        Ok(())
    }

    /// Whether anybody is told when a component comes or goes: observers, hooks of this world, readers of what was removed. What the component does by itself
    /// does not count.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// assert!(!world.is_observed::<Health>());
    /// let observer = world.observe::<Health>(Act::Insert, |_| ());
    /// assert!(world.is_observed::<Health>());
    /// world.remove_observer(observer);
    /// assert!(!world.is_observed::<Health>());
    /// ```
    pub fn is_observed<T: Component>(&self) -> bool {
        let Some(component) = self.store.registry.id_of::<T>() else { return false };
        let watch = self.store.registry.at(component).watch;
        // What nobody but the component wants to know needs no list to be looked through.
        !watch.is_empty() && (!self.observers.logs.watch(component).is_empty() || self.observers.any_of(component))
    }

    /// Notes that an entity is touched that has a component, if that does something by itself.
    pub(super) fn note_touched(&self, component: ComponentId, entity: Entity, touched: &mut Touched) {
        if self.store.registry.at(component).hooks.is_some() {
            touched.note(component, entity);
        }
    }

    /// Lets components do what they do by themselves. A panic of one does not keep the others from it.
    pub(super) fn call_hooks(&mut self, act: Act, touched: &Touched, panics: &mut Panics) {
        for (component, entities) in &touched.0 {
            self.call_hook(act, *component, entities, panics);
        }
    }

    /// Lets a component do what it does by itself, on entities that have it.
    pub(super) fn call_hook(&mut self, act: Act, component: ComponentId, entities: &[Entity], panics: &mut Panics) {
        let own = self.store.registry.at(component).hooks;
        if let Some(own) = own
            && let Some(hooks) = own.functions.downcast_ref::<Hooks>()
            && let Some(hook) = hooks.of(act)
        {
            let mut trigger = Trigger::of_component(self, entities, (component, act), hooks.declared);
            panics.catch(|| hook(&mut trigger));
            panics.catch(|| trigger.close_queue());
        }
    }
}
