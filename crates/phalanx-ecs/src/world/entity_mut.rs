//! One living entity, to change: several edits become one move.

#![expect(unsafe_code, reason = "moves the parts of a bundle into boxes")]

use super::World;
use super::edit::InsertError;
use crate::bundle::{Bundle, BundleParts, PartVisitor, note_wishes, refuse_duplicates};
use crate::component::{Component, DynValue, Panics, Quiet, Wishes, refuse_immutable};
use crate::entity::{Entity, NoSuchEntity};
use crate::storage::{Changes, Store};
use std::mem::ManuallyDrop;
use std::panic::Location;

/// A living entity whose changes are collected and made in one move: at [`EntityMut::apply`], when a component is looked at, or at the latest
/// when this value is dropped.
///
/// ```
/// use phalanx_ecs::prelude::*;
///
/// #[derive(Component)] struct Orc;
/// #[derive(Component)] struct Knight { honour: u32 }
/// #[derive(Component)] struct Sword(u32);
///
/// let mut world = World::new();
/// let grub = world.spawn(Orc);
/// world.entity_mut(grub)?.remove::<Orc>().insert((Knight { honour: 1 }, Sword(3))).apply();
/// assert!(world.has::<Knight>(grub) && !world.has::<Orc>(grub));
/// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
/// ```
pub struct EntityMut<'w> {
    world: &'w mut World,
    entity: Entity,
    changes: Changes,
}

/// # Several edits of an entity in one move
impl World {
    /// A living entity, to change; several edits become one move.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orc = world.spawn(Burning);
    /// world.entity_mut(orc)?.insert(Health(3)).remove::<Burning>();
    /// assert!(world.has::<Health>(orc) && !world.has::<Burning>(orc));
    ///
    /// world.despawn(orc)?;
    /// assert!(world.entity_mut(orc).is_err());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchEntity`] if it is not alive.
    #[track_caller]
    pub fn entity_mut(&mut self, entity: Entity) -> Result<EntityMut<'_>, NoSuchEntity> {
        let caller = Location::caller();
        match self.store.locate(entity) {
            Ok(_) => Ok(EntityMut { world: self, entity, changes: Changes::default() }),
            Err(dead) => Err(self.dead(&dead, caller)),
        }
    }
}

/// Puts each part of a bundle into the list of changes.
struct Collect<'a> {
    store: &'a mut Store,
    changes: &'a mut Changes,
    /// Values that were waiting in their place. Dropped when all parts are safe.
    old: Vec<DynValue>,
}

impl PartVisitor for Collect<'_> {
    unsafe fn part<T: Component>(&mut self, value: *mut T) {
        let id = self.store.register::<T>();
        // SAFETY: the value is ours to move.
        self.old.extend(self.changes.add(id, DynValue::new(unsafe { value.read() })));
    }
}

impl EntityMut<'_> {
    /// The entity's handle.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// assert_eq!(world.entity_mut(orc)?.id(), orc);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Inserts a bundle, in place of what is there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Gold(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.entity_mut(orc)?.insert(Health(9)).insert(Gold(5));
    /// assert_eq!((world.get::<Health>(orc).unwrap().0, world.get::<Gold>(orc).unwrap().0), (9, 5));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    ///
    /// # Panics
    /// If another entity has the [`Uuid`](crate::Uuid), if the bundle has a component twice and the compiler could not see it, or if a tag of it
    /// [depends](crate::Component::depend) on what the entity does not have after the changes so far. [`EntityMut::try_insert`] answers an error instead.
    #[track_caller]
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        const { refuse_duplicates(B::Parts::KEYS) };
        match self.insert_or_not(bundle, Location::caller()) {
            Ok(()) => self,
            Err(error) => panic!("{error}"),
        }
    }

    /// Inserts a bundle, in place of what is there.
    ///
    /// ```
    /// use phalanx_ecs::prelude::*;
    ///
    /// #[derive(Component)] struct Body;
    /// #[derive(Component)] #[component(depends_on(Body))] struct Falling;
    ///
    /// let mut world = World::new();
    /// let leaf = world.spawn(());
    /// let mut leaf = world.entity_mut(leaf)?;
    /// assert!(leaf.try_insert(Falling).is_err());
    /// assert!(leaf.try_insert(Body)?.try_insert(Falling)?.has::<Falling>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InsertError`] if the bundle has a component twice, or if a tag of it depends on what the entity does not have after the changes so far; the
    /// bundle is dropped, and the changes stay as they are.
    #[track_caller]
    pub fn try_insert<B: Bundle>(&mut self, bundle: B) -> Result<&mut Self, InsertError> {
        const { refuse_duplicates(B::Parts::KEYS) };
        self.insert_or_not(bundle, Location::caller())?;
        Ok(self)
    }

    fn insert_or_not<B: Bundle>(&mut self, bundle: B, caller: &'static Location<'static>) -> Result<(), InsertError> {
        // Registered first: that can run a user's code.
        let bundle = Quiet::new(bundle);
        let components = self.world.store.register_all::<B::Parts>();
        let bundle = bundle.into_inner();
        if let Some(at) = (1..components.len()).find(|at| components[..*at].contains(&components[*at])) {
            let component = self.world.store.registry.name_of(components[at]).into();
            // What this is about says more than a panic of a value that is dropped because of it.
            let _bundle = Quiet::new(bundle);
            return Err(InsertError::Duplicate { component, caller });
        }
        if !self.is_alive() {
            drop(bundle);
            return Ok(());
        }
        if let Some(lack) = self.world.store.lack_after(Some(self.entity.index()), &components, &self.changes) {
            let _bundle = Quiet::new(bundle);
            return Err(InsertError::Lacks(self.world.missing_dependency(&lack, Some(self.entity), caller)));
        }
        let mut parts = bundle.into_parts();
        let mut wishes = Wishes::default();
        note_wishes(&mut parts, Some(self.entity), &mut wishes);
        let parts = Quiet::new(parts);
        self.world.check_wishes(&wishes, caller)?;
        let parts = parts.into_inner();
        let (mut panics, mut required) = (Panics::default(), None);
        panics.catch(|| {
            let index = Some(self.entity.index());
            required = Some(self.world.store.make_required(index, &components, &self.changes));
        });
        let Some(required) = required else {
            panics.catch(|| drop(parts));
            panics.resume();
            unreachable!("a constructor panicked");
        };
        let mut parts = ManuallyDrop::new(parts);
        let (store, changes) = (&mut self.world.store, &mut self.changes);
        let mut collect = Collect { store, changes, old: Vec::new() };
        // SAFETY: the parts are valid and nobody uses them again.
        unsafe { B::Parts::each_part(&raw mut *parts, &mut collect) };
        let mut old = collect.old;
        old.extend(required.into_iter().filter_map(|(component, value)| self.changes.add(component, value)));
        Panics::drop_each(old);
        Ok(())
    }

    /// Removes those components of a bundle that are there, and the tags that depend on them.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Burning;
    /// # let mut world = World::new();
    /// let orc = world.spawn((Health(3), Burning));
    /// world.entity_mut(orc)?.remove::<Burning>().remove::<Burning>();
    /// assert!(!world.has::<Burning>(orc));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        const { refuse_duplicates(B::Parts::KEYS) };
        let removed = self.world.store.register_all::<B::Parts>();
        let removed = self.world.store.with_dependents(&removed);
        // All are taken off the list before any is dropped.
        let old: Vec<DynValue> = removed.into_iter().filter_map(|id| self.changes.remove(id)).collect();
        Panics::drop_each(old);
        self
    }

    /// Whether the entity is still alive: observers that are called when changes are made may end it. Changes to a dead entity are dropped.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Poison;
    /// # let mut world = World::new();
    /// world.observe::<Poison>(Act::Insert, |trigger| {
    ///     let entity = trigger.entity();
    ///     trigger.defer(move |world| { let _ = world.despawn(entity); });
    /// });
    /// let orc = world.spawn(());
    /// let mut orc = world.entity_mut(orc)?;
    /// orc.insert(Poison).apply();
    /// assert!(!orc.is_alive());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn is_alive(&self) -> bool {
        self.world.is_alive(self.entity)
    }

    /// Makes the changes collected so far.
    ///
    /// Rarely needed: dropping the [`EntityMut`] does it too.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut orc = world.entity_mut(orc)?;
    /// orc.insert(Health(3));
    /// orc.apply();
    /// assert_eq!(orc.get::<Health>().unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn apply(&mut self) {
        if !self.changes.is_empty() {
            let changes = std::mem::take(&mut self.changes);
            if self.is_alive() {
                self.world.apply_changes(self.entity, changes);
            } else {
                let mut panics = Panics::default();
                changes.drop_all(&mut panics);
                panics.resume();
            }
        }
    }

    /// A component, if the entity has it after the changes so far, which are made first.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut orc = world.entity_mut(orc)?;
    /// assert!(orc.get::<Health>().is_none());
    /// orc.insert(Health(3));
    /// assert_eq!(orc.get::<Health>().unwrap().0, 3);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn get<T: Component>(&mut self) -> Option<&T> {
        self.apply();
        self.world.get(self.entity)
    }

    /// A component, to change, if the entity has it after the changes so far, which are made first.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(Health(3));
    /// world.entity_mut(orc)?.get_mut::<Health>().unwrap().0 += 1;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 4);
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn get_mut<T: Component>(&mut self) -> Option<&mut T> {
        const { refuse_immutable::<T>() };
        self.apply();
        self.world.value_mut(self.entity)
    }

    /// Whether the entity has a component after the changes so far, which are made first.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut orc = world.entity_mut(orc)?;
    /// assert!(orc.insert(Health(3)).has::<Health>());
    /// assert!(!orc.remove::<Health>().has::<Health>());
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    pub fn has<T: Component>(&mut self) -> bool {
        self.apply();
        self.world.has::<T>(self.entity)
    }

    /// Ends the entity. Changes not made yet are dropped with it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.spawn(());
    /// let mut edit = world.entity_mut(orc)?;
    /// edit.insert(Health(3));
    /// edit.despawn();
    /// assert!(!world.is_alive(orc));
    /// # Ok::<(), phalanx_ecs::NoSuchEntity>(())
    /// ```
    #[track_caller]
    pub fn despawn(mut self) {
        let caller = Location::caller();
        let waiting = std::mem::take(&mut self.changes);
        let mut panics = Panics::default();
        if self.is_alive() {
            self.world.note_death(self.entity, caller);
            panics.catch(|| self.world.despawn_slowly(self.entity).expect("it is alive"));
        }
        waiting.drop_all(&mut panics);
        panics.resume();
    }
}

impl Drop for EntityMut<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A panic is on its way already; a second one would end the program.
            let mut panics = Panics::default();
            panics.catch(|| self.apply());
            panics.ignore();
        } else {
            self.apply();
        }
    }
}
