//! [`PrefabWorld`]: adding and finding prefabs, and asking what they made.

use super::id::{PrefabId, alive};
use super::library::Library;
use super::own::declare;
use super::parts::InstanceOf;
use super::pieces::Key;
use super::prefab::Prefab;
use super::refusal::PrefabError;
use super::update;
use crate::hierarchy::{ChildOf, Kinship, Parent};
use phalanx_ecs::__private::same_key;
use phalanx_ecs::prelude::*;
use std::panic::Location;

/// Prefabs of a world: added by name, and found; and what they made.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Prefab, PrefabWorld};
///
/// let mut world = World::new();
/// let orc = world.add_prefab("orc", Prefab::new())?;
/// assert_eq!((world.find_prefab("orc"), world.prefabs()), (Some(orc), vec![orc]));
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
pub trait PrefabWorld {
    /// Keeps a prefab under a name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// world.add_prefab("orc", Prefab::new())?;
    /// assert!(world.add_prefab("orc", Prefab::new()).is_err());
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if another has the name, one that it is made of is not there, or a part is named that is not there or cannot be.
    #[track_caller]
    fn add_prefab(&mut self, name: &str, prefab: Prefab) -> Result<PrefabId, PrefabError>;

    /// The prefab of this name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// assert_eq!(world.find_prefab("orc"), None);
    /// let orc = world.add_prefab("orc", Prefab::new())?;
    /// assert_eq!(world.find_prefab("orc"), Some(orc));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    fn find_prefab(&self, name: &str) -> Option<PrefabId>;

    /// All prefabs, in the order in which they were added.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new())?;
    /// assert_eq!(world.prefabs(), [orc]);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    fn prefabs(&self) -> Vec<PrefabId>;

    /// The prefab that an entity is an instance of, or part of one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let cart = world.add_prefab("cart", Prefab::new().part("wheel", Prefab::new()))?;
    /// let instance = cart.instantiate(&mut world, 1)?[0];
    /// let wheel = world.part_of(instance, "wheel").unwrap();
    /// assert_eq!((world.prefab_of(wheel), world.path_of(wheel)), (Some(cart), Some("wheel".to_owned())));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    fn prefab_of(&self, entity: Entity) -> Option<PrefabId>;

    /// Which part of its prefab an entity is: the path, which is empty for the top.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new())?.instantiate(&mut world, 1)?[0];
    /// assert_eq!(world.path_of(orc), Some(String::new()));
    /// let stone = world.spawn(());
    /// assert_eq!(world.path_of(stone), None);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    fn path_of(&self, entity: Entity) -> Option<String>;

    /// A part of an instance, by the path from its top, or from another part of it. A part that is no longer below the one above it is not found.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Kinship, Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = Prefab::new().part("hub", Prefab::new());
    /// let cart = world.add_prefab("cart", Prefab::new().part("wheel", wheel))?.instantiate(&mut world, 1)?[0];
    /// let wheel = world.part_of(cart, "wheel").unwrap();
    /// assert_eq!(world.part_of(wheel, "hub"), world.part_of(cart, "wheel/hub"));
    /// world.detach(wheel).unwrap();
    /// assert_eq!(world.part_of(cart, "wheel"), None);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    fn part_of(&self, top: Entity, path: impl AsRef<str>) -> Option<Entity>;

    /// The same for who knows that the part is there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabError, PrefabWorld};
    /// # let mut world = World::new();
    /// let cart = Prefab::new().part("left", Prefab::new()).part("right", Prefab::new());
    /// let cart = world.add_prefab("cart", cart)?.instantiate(&mut world, 1)?[0];
    /// let left = world.lookup_part(cart, "left")?;
    /// assert_eq!(world.path_of(left).unwrap(), "left");
    /// let error = world.lookup_part(cart, "middle").unwrap_err();
    /// assert!(matches!(error, PrefabError::NoPartOfInstance { present, .. } if present == ["left", "right"]));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if there is no such part, with those that there are below the entity; if that is no instance, or not alive.
    #[track_caller]
    fn lookup_part(&self, top: Entity, path: impl AsRef<str>) -> Result<Entity, PrefabError>;

    /// Whether an instance has a component of its own, which its prefab leaves alone when it changes: it was given it by [`Copies::changed`](super::Copies::changed), or it was
    /// [declared](PrefabWorld::keep_own); or what the prefab gave was removed, or is another value now.
    ///
    /// Values are compared as checksums see them. Those of a type that is not [described](phalanx_ecs::Described), or not in all its fields, cannot be compared: they follow
    /// the prefab unless something else says that they are the instance's own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?.instantiate(&mut world, 1)?[0];
    /// assert!(!world.is_own::<Health>(orc)?);
    /// world.get_mut::<Health>(orc).unwrap().0 = 3;
    /// assert!(world.is_own::<Health>(orc)?);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if it is no instance, or not alive.
    #[track_caller]
    fn is_own<T: Component>(&self, entity: Entity) -> Result<bool, PrefabError>;

    /// Declares a component of an instance its own, whatever its value, until it is [reverted](PrefabWorld::revert).
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
    /// let orcs = orc.instantiate(&mut world, 2)?;
    /// world.keep_own::<Health>(orcs[0])?;
    /// orc.insert(&mut world, "", Health(12))?;
    /// let health = |orc| world.get::<Health>(orc).unwrap().0;
    /// assert_eq!((health(orcs[0]), health(orcs[1])), (10, 12));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// Whose instance it is, and below whom, is not for a prefab to say, so the compiler refuses [`InstanceOf`], [`ChildOf`] and [`Parent`]; who removes [`InstanceOf`] keeps a whole entity from
    /// following.
    ///
    /// ```compile_fail,E0080
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{InstanceOf, PrefabWorld};
    /// # let mut world = World::new();
    /// # let part = world.spawn(());
    /// world.keep_own::<InstanceOf>(part);
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if it is no instance, or not alive.
    #[track_caller]
    fn keep_own<T: Component>(&mut self, entity: Entity) -> Result<(), PrefabError>;

    /// Gives an instance what its prefab says of a component, which follows it from then on; takes the component away if the prefab has none for this part.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?.instantiate(&mut world, 1)?[0];
    /// world.get_mut::<Health>(orc).unwrap().0 = 3;
    /// world.revert::<Health>(orc)?;
    /// assert_eq!(world.get::<Health>(orc).unwrap().0, 10);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// The compiler refuses what [`keep_own`](PrefabWorld::keep_own) cannot keep: [`Kinship::attach`] puts a part back where it was.
    ///
    /// ```compile_fail,E0080
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{ChildOf, PrefabWorld};
    /// # let mut world = World::new();
    /// # let part = world.spawn(());
    /// world.revert::<ChildOf>(part);
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if it is no instance, not alive, the component refuses to come, or the entity is [apart](PrefabError::Apart) from the instance that it was part of; and if what is
    /// [bound](Prefab::bind) refers to a part that the instance [has lost](PrefabError::NoPartOfInstance).
    #[track_caller]
    fn revert<T: Component>(&mut self, entity: Entity) -> Result<(), PrefabError>;
}

impl PrefabWorld for World {
    #[track_caller]
    fn add_prefab(&mut self, name: &str, prefab: Prefab) -> Result<PrefabId, PrefabError> {
        let caller = Location::caller();
        if let Some(other) = self.find_prefab(name) {
            return Err(PrefabError::name_taken(other, name, caller));
        }
        let added = self.init_resource::<Library>().add(name, prefab);
        added.map_err(|obstacle| PrefabError::of_obstacle(self, obstacle, Some(name), caller))
    }

    fn find_prefab(&self, name: &str) -> Option<PrefabId> {
        self.get_resource::<Library>()?.find(name)
    }

    fn prefabs(&self) -> Vec<PrefabId> {
        self.get_resource::<Library>().map_or_else(Vec::new, |library| library.ids().collect())
    }

    fn prefab_of(&self, entity: Entity) -> Option<PrefabId> {
        let instance = self.get::<InstanceOf>(entity)?;
        // One of another world may have been carried here, and one of a prefab that was deleted meanwhile.
        self.get_resource::<Library>()?.get(instance.prefab).map(|_| instance.prefab)
    }

    fn path_of(&self, entity: Entity) -> Option<String> {
        let instance = self.get::<InstanceOf>(entity)?;
        let library = self.get_resource::<Library>()?;
        Some(library.get(instance.prefab)?.path_of(instance.part))
    }

    fn part_of(&self, top: Entity, path: impl AsRef<str>) -> Option<Entity> {
        let (path, mut instance) = (path.as_ref(), *self.get::<InstanceOf>(top)?);
        let library = self.get_resource::<Library>()?;
        let slot = library.get(instance.prefab)?;
        let mut at = top;
        for name in path.split('/').filter(|_| !path.is_empty()) {
            instance.part = slot.number(instance.part, name)?;
            at = self.children(at).find(|child| self.get::<InstanceOf>(*child) == Some(&instance))?;
        }
        Some(at)
    }

    #[track_caller]
    fn lookup_part(&self, top: Entity, path: impl AsRef<str>) -> Result<Entity, PrefabError> {
        let (caller, path) = (Location::caller(), path.as_ref());
        let prefab = instance_of(self, top, caller)?;
        if let Some(part) = self.part_of(top, path) {
            return Ok(part);
        }
        Err(PrefabError::no_part_of(self, top, prefab, path, caller))
    }

    #[track_caller]
    fn is_own<T: Component>(&self, entity: Entity) -> Result<bool, PrefabError> {
        let caller = Location::caller();
        let prefab = instance_of(self, entity, caller)?;
        Ok(update::is_own(self, entity, prefab, Key::of::<T>(), self.components().id_of::<T>()))
    }

    #[track_caller]
    fn keep_own<T: Component>(&mut self, entity: Entity) -> Result<(), PrefabError> {
        const { refuse_kinship::<T>() };
        instance_of(self, entity, Location::caller())?;
        let component = self.register::<T>();
        declare(self, entity, component, true);
        Ok(())
    }

    #[track_caller]
    fn revert<T: Component>(&mut self, entity: Entity) -> Result<(), PrefabError> {
        const { refuse_kinship::<T>() };
        let caller = Location::caller();
        let prefab = instance_of(self, entity, caller)?;
        update::revert::<T>(self, entity, prefab, caller)
    }
}

/// Stops the build: a prefab says nothing of this component, so an instance can neither keep it from its prefab nor get it back from there.
const fn refuse_kinship<T: Component>() {
    let is_kinship =
        same_key(&T::KEY, &InstanceOf::KEY) || same_key(&T::KEY, &ChildOf::KEY) || same_key(&T::KEY, &Parent::KEY);
    assert!(!is_kinship, "whose instance an entity is, and below whom, is not for its prefab to say");
}

/// The prefab that an entity is an instance of, or why it is of none.
fn instance_of(world: &World, entity: Entity, caller: &'static Location<'static>) -> Result<PrefabId, PrefabError> {
    alive(world, entity, caller)?;
    world.prefab_of(entity).ok_or_else(|| PrefabError::no_instance(world, entity, caller))
}
