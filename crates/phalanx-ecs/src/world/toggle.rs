//! Components switched off and on.

use super::World;
use super::dynamic::DynError;
use super::lookup::LookupError;
use crate::component::{ComponentId, Toggle};
use crate::entity::Entity;
use std::panic::Location;

/// # Switching components off and on
impl World {
    /// Switches a component off: queries pass over it, its value stays. Nothing moves. Answers whether it was on.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(toggle)]
    /// struct Hungry(u32);
    ///
    /// let mut world = World::new();
    /// let wolf = world.spawn(Hungry(3));
    /// assert!(world.switch_off::<Hungry>(wolf)?);
    /// assert_eq!(world.query::<&Hungry>().count(), 0);
    /// assert_eq!(world.get::<Hungry>(wolf).unwrap().0, 3);
    /// assert!(!world.switch_on::<Hungry>(wolf)?);
    /// assert_eq!(world.query::<&Hungry>().count(), 1);
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// [`LookupError`] if the entity is not alive or does not have the component.
    #[doc(alias = "disable")]
    #[track_caller]
    pub fn switch_off<T: Toggle>(&mut self, entity: Entity) -> Result<bool, LookupError> {
        self.switch::<T>(entity, false, Location::caller())
    }

    /// Switches a component on again. Answers whether it was on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(toggle)] struct Shield(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Shield(5));
    /// world.switch_off::<Shield>(orc)?;
    /// assert!(!world.switch_on::<Shield>(orc)?, "it was off");
    /// assert!(world.is_on::<Shield>(orc));
    ///
    /// let stone = world.spawn(());
    /// assert!(world.switch_on::<Shield>(stone).is_err());
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::switch_off`].
    #[doc(alias = "enable")]
    #[track_caller]
    pub fn switch_on<T: Toggle>(&mut self, entity: Entity) -> Result<bool, LookupError> {
        self.switch::<T>(entity, true, Location::caller())
    }

    /// [`World::switch_on`] and [`World::switch_off`], with whom to name.
    pub(crate) fn switch<T: Toggle>(
        &mut self,
        entity: Entity,
        on: bool,
        caller: &'static Location<'static>,
    ) -> Result<bool, LookupError> {
        let found = match (self.store.entities.locate(entity), self.store.registry.id_of::<T>()) {
            (Some(at), Some(id)) => self.store.switch(entity.index(), at, id, on).map(|was_on| (id, was_on)),
            _ => None,
        };
        if let Some((id, was_on)) = found
            && was_on != on
        {
            self.after_switch(entity, id, on);
        }
        found.map(|(_, was_on)| was_on).ok_or_else(|| self.missing::<T>(entity, (false, true), caller))
    }

    /// Whether an entity is alive and has a component that is switched on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(toggle)] struct Hungry;
    /// # let mut world = World::new();
    /// let wolf = world.spawn(Hungry);
    /// assert!(world.is_on::<Hungry>(wolf));
    /// ```
    #[doc(alias = "is_enabled")]
    pub fn is_on<T: Toggle>(&self, entity: Entity) -> bool {
        match (self.store.entities.locate(entity), self.store.registry.id_of::<T>()) {
            (Some(at), Some(id)) => self.store.is_on(entity.index(), at, id),
            _ => false,
        }
    }

    /// Switches a component, known by its id, off or on. Answers whether it was on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_ecs::{ComponentLayout, DynQuery, DynValue};
    /// # let mut world = World::new();
    /// let awake = world.register_dyn(ComponentLayout::new("Awake").toggle())?;
    /// let owl = world.spawn(());
    /// world.insert_dyn(owl, awake, DynValue::bytes(&[]))?;
    /// assert!(world.switch_dyn(owl, awake, false)?, "it was on");
    /// assert!(!world.is_on_dyn(owl, awake));
    /// assert_eq!(DynQuery::builder().with(awake).build()?.count(&world), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DynError`] if the entity is not alive or does not have the component, the id is unknown, or the component is no [toggle](Toggle).
    #[inline]
    #[track_caller]
    pub fn switch_dyn(&mut self, entity: Entity, component: ComponentId, on: bool) -> Result<bool, DynError> {
        let caller = Location::caller();
        let at = self.locate_with(entity, component, caller)?;
        let Some(was_on) = self.store.switch(entity.index(), at, component, on) else {
            return Err(DynError::NoToggle { component: self.store.registry.name_of(component).into(), caller });
        };
        if was_on != on {
            self.after_switch(entity, component, on);
        }
        Ok(was_on)
    }

    /// Whether an entity is alive and has a component, known by its id, that is not switched off.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] #[component(toggle)] struct Hungry;
    /// # let mut world = World::new();
    /// let (wolf, hungry) = (world.spawn(Hungry), world.register::<Hungry>());
    /// assert!(world.is_on_dyn(wolf, hungry));
    /// world.switch_off::<Hungry>(wolf)?;
    /// assert!(!world.is_on_dyn(wolf, hungry));
    /// # Ok::<(), phalanx_ecs::LookupError>(())
    /// ```
    #[inline]
    pub fn is_on_dyn(&self, entity: Entity, component: ComponentId) -> bool {
        let at = self.store.entities.locate(entity);
        at.is_some_and(|at| self.store.is_on(entity.index(), at, component))
    }
}
