//! [`PrefabId`]: which prefab; asking, copying, renaming and ending it. [`PrefabWorld`]: adding and finding them.

use super::copies::{Copies, InstanceOf};
use super::library::Library;
use super::own::{Own, declare};
use super::pieces::{Key, Piece, Unfit, Value};
use super::prefab::Prefab;
use super::refusal::PrefabError;
use super::tree::Tree;
use super::update;
use crate::hierarchy::Kinship;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Described, Describer, Folder, Kind as SchemaKind};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A prefab of a world. The ids of those that were deleted are not used again, and those of one world are no ids of another.
///
/// Made by [`PrefabWorld::add_prefab`]. How it is changed, with its instances, see [there](PrefabId::set).
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
/// let orcs = orc.instantiate(&mut world, 100)?;
/// assert_eq!(orc.instances(&world), orcs);
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefabId {
    number: u32,
    library: u32,
}

/// The number counts. Which of the worlds of a program it is for is chance.
impl Described for PrefabId {
    fn describe(describer: &mut Describer) -> SchemaKind {
        u32::describe(describer)
    }

    fn fold_into(&self, folder: &mut Folder) {
        self.number.fold_into(folder);
    }
}

impl PrefabId {
    pub(super) fn new(number: u32, library: u32) -> Self {
        Self { number, library }
    }

    pub(super) fn number(self) -> u32 {
        self.number
    }

    pub(super) fn library(self) -> u32 {
        self.library
    }

    /// What it is called.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new())?;
    /// assert_eq!(orc.name(&world)?, "orc");
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError::Unknown`] if it is not there.
    #[track_caller]
    pub fn name(self, world: &World) -> Result<&str, PrefabError> {
        let caller = Location::caller();
        let slot = world.get_resource::<Library>().and_then(|library| library.get(self));
        slot.map(|slot| &*slot.name).ok_or_else(|| PrefabError::unknown(world, self, caller))
    }

    /// Whether it is there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new())?;
    /// assert!(orc.is_there(&world));
    /// orc.delete(&mut world)?;
    /// assert!(!orc.is_there(&world));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn is_there(self, world: &World) -> bool {
        world.get_resource::<Library>().is_some_and(|library| library.get(self).is_some())
    }

    /// What it was made of, as somebody wrote it: to look at, or to [set](PrefabId::set) with changes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::new()))?;
    /// let with_two = cart.prefab(&world)?.clone().part("right", Prefab::new());
    /// cart.set(&mut world, with_two)?;
    /// assert_eq!(cart.paths(&world)?, ["left", "right"]);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError::Unknown`] if it is not there.
    #[track_caller]
    pub fn prefab(self, world: &World) -> Result<&Prefab, PrefabError> {
        let caller = Location::caller();
        let slot = world.get_resource::<Library>().and_then(|library| library.get(self));
        slot.map(|slot| &slot.prefab).ok_or_else(|| PrefabError::unknown(world, self, caller))
    }

    /// The paths of all its parts but the top, with those of its base and of what is nested in it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new().part("hub", Prefab::new()))?;
    /// let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::from(wheel)))?;
    /// assert_eq!(cart.paths(&world)?, ["left", "left/hub"]);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError::Unknown`] if it is not there.
    #[track_caller]
    pub fn paths(self, world: &World) -> Result<Vec<String>, PrefabError> {
        let tree = tree_of(world, self, Location::caller())?;
        Ok((1..).take(tree.nodes.len() - 1).map(|at| tree.path_of(at)).collect())
    }

    /// The value that it gives a part; `None` if the part is not there, or has no value of this type.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # let mut world = World::new();
    /// let cart = world.add_prefab("cart", Prefab::new().part("wheel", Prefab::new().with(Mesh("wheel"))))?;
    /// assert_eq!(cart.get::<Mesh>(&world, "wheel").unwrap().0, "wheel");
    /// assert!(cart.get::<Mesh>(&world, "").is_none());
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn get<T: Component + Clone>(self, world: &World, path: impl AsRef<str>) -> Option<&T> {
        let slot = world.get_resource::<Library>()?.get(self)?;
        let at = slot.tree.find(0, path.as_ref())?;
        match slot.tree.nodes[at as usize].piece(Key::of::<T>())? {
            Piece::Value(value) => Value::as_any(&**value).downcast_ref(),
            Piece::Bound { .. } => None,
        }
    }

    /// Prefabs that are based on it, or have it nested in them, in the order in which they were added.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new())?;
    /// let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::from(wheel)))?;
    /// assert_eq!((wheel.users(&world), cart.users(&world)), (vec![cart], vec![]));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn users(self, world: &World) -> Vec<Self> {
        world.get_resource::<Library>().map_or_else(Vec::new, |library| library.users(self).collect())
    }

    /// The tops of its instances, in the order in which queries find them. What is nested in the instance of another prefab is part of that one.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new())?;
    /// let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::from(wheel)))?;
    /// let carts = cart.instantiate(&mut world, 2)?;
    /// assert_eq!((cart.instances(&world), wheel.instances(&world)), (carts, vec![]));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn instances(self, world: &World) -> Vec<Entity> {
        if !self.is_there(world) {
            return Vec::new();
        }
        let all = world.read::<(Entity, &InstanceOf)>();
        let own = all.iter().filter(|(_, instance)| instance.prefab == self.number && instance.part == 0);
        own.map(|(entity, _)| entity).collect()
    }

    /// Gives it another name.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new())?;
    /// orc.rename(&mut world, "ork")?;
    /// assert_eq!((world.find_prefab("ork"), world.find_prefab("orc")), (Some(orc), None));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if it is not there, or another has the name.
    #[track_caller]
    pub fn rename(self, world: &mut World, name: &str) -> Result<(), PrefabError> {
        let caller = Location::caller();
        if !self.is_there(world) {
            return Err(PrefabError::unknown(world, self, caller));
        }
        match world.find_prefab(name) {
            Some(other) if other != self => Err(PrefabError::name_taken(other, name, caller)),
            _ => {
                world.init_resource::<Library>().rename(self, name);
                Ok(())
            }
        }
    }

    /// Deletes it. Its instances live on as they are, and are instances no more.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new())?;
    /// let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::from(wheel)))?;
    /// let instance = cart.instantiate(&mut world, 1)?[0];
    /// assert!(wheel.delete(&mut world).unwrap_err().to_string().contains("others are made of it\n  found: `cart`"));
    /// cart.delete(&mut world)?;
    /// wheel.delete(&mut world)?;
    /// assert!(world.is_alive(instance) && world.prefab_of(instance).is_none());
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if it is not there, or others are made of it.
    #[track_caller]
    pub fn delete(self, world: &mut World) -> Result<(), PrefabError> {
        let caller = Location::caller();
        if !self.is_there(world) {
            return Err(PrefabError::unknown(world, self, caller));
        }
        if let Some(used) = PrefabError::used(world, self, caller) {
            return Err(used);
        }
        let all = world.read::<(Entity, &InstanceOf)>();
        let own = all.iter().filter(|(_, instance)| instance.prefab == self.number);
        let own: Vec<Entity> = own.map(|(entity, _)| entity).collect();
        world.init_resource::<Library>().remove(self);
        let released = world.remove_batch::<(InstanceOf, Own)>(&own);
        debug_assert!(released.is_ok(), "all are alive");
        Ok(())
    }

    /// Makes copies; answers their tops. Part by part: as fast as if they were spawned in batches by hand.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
    /// let orcs = orc.instantiate(&mut world, 3)?;
    /// assert!(orcs.iter().all(|orc| world.get::<Health>(*orc).unwrap().0 == 10));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// Components that one [`Prefab::with`] names come at once. What a derived or nesting prefab adds comes on top of that: an observer of a component of the base sees the copy without it.
    ///
    /// # Errors
    /// As [`Copies::make`]; all or nothing.
    #[track_caller]
    pub fn instantiate(self, world: &mut World, count: usize) -> Result<Vec<Entity>, PrefabError> {
        self.copies(count).make(world)
    }

    /// Copies that are to be made, below somebody or with changes of their own.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
    /// let boss = orc.copies(1).changed(Prefab::new().with(Health(100))).make(&mut world)?[0];
    /// assert_eq!(world.get::<Health>(boss).unwrap().0, 100);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn copies(self, count: usize) -> Copies {
        Copies::new(self, count)
    }
}

pub(super) fn tree_of(
    world: &World,
    prefab: PrefabId,
    caller: &'static Location<'static>,
) -> Result<Arc<Tree>, PrefabError> {
    let tree = world.get_resource::<Library>().and_then(|library| library.tree(prefab));
    tree.ok_or_else(|| PrefabError::unknown(world, prefab, caller))
}

impl PrefabError {
    /// Why a part did not become an entity, or one did not follow.
    pub(super) fn of_part(
        world: &World,
        prefab: PrefabId,
        tree: &Tree,
        (at, why): (u32, Unfit),
        caller: &'static Location<'static>,
    ) -> Self {
        let name = world.get_resource::<Library>().map_or_else(String::new, |library| library.name(prefab));
        match why {
            Unfit::NoPart { frame, path } => Self::of_fault(name, tree.no_part(frame, &path), caller),
            why => Self::refused(name, tree.path_of(at), why, caller),
        }
    }
}

impl fmt::Display for PrefabId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prefab {}", self.number)
    }
}

impl fmt::Debug for PrefabId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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

    /// Whether an instance has a component of its own, which its prefab leaves alone when it changes: it was given it by [`Copies::changed`], or it was
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
    /// # Errors
    /// [`PrefabError`] if it is no instance, not alive, or the component refuses to come.
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
        Some(self.get_resource::<Library>()?.id(instance.prefab))
    }

    fn path_of(&self, entity: Entity) -> Option<String> {
        let instance = self.get::<InstanceOf>(entity)?;
        let library = self.get_resource::<Library>()?;
        Some(library.get(library.id(instance.prefab))?.path_of(instance.part))
    }

    fn part_of(&self, top: Entity, path: impl AsRef<str>) -> Option<Entity> {
        let (path, mut instance) = (path.as_ref(), *self.get::<InstanceOf>(top)?);
        let library = self.get_resource::<Library>()?;
        let slot = library.get(library.id(instance.prefab))?;
        let mut at = top;
        for name in path.split('/').filter(|_| !path.is_empty()) {
            instance.part = slot.number(instance.part, name)?;
            at = self.children(at).find(|child| self.get::<InstanceOf>(*child) == Some(&instance))?;
        }
        Some(at)
    }

    #[track_caller]
    fn is_own<T: Component>(&self, entity: Entity) -> Result<bool, PrefabError> {
        let caller = Location::caller();
        let prefab = instance_of(self, entity, caller)?;
        Ok(update::is_own(self, entity, prefab, Key::of::<T>(), self.components().id_of::<T>()))
    }

    #[track_caller]
    fn keep_own<T: Component>(&mut self, entity: Entity) -> Result<(), PrefabError> {
        instance_of(self, entity, Location::caller())?;
        let component = self.register::<T>();
        declare(self, entity, component, true);
        Ok(())
    }

    #[track_caller]
    fn revert<T: Component>(&mut self, entity: Entity) -> Result<(), PrefabError> {
        let caller = Location::caller();
        let prefab = instance_of(self, entity, caller)?;
        update::revert::<T>(self, entity, prefab, caller)
    }
}

/// The prefab that an entity is an instance of, or why it is of none.
fn instance_of(world: &World, entity: Entity, caller: &'static Location<'static>) -> Result<PrefabId, PrefabError> {
    alive(world, entity, caller)?;
    world.prefab_of(entity).ok_or_else(|| PrefabError::no_instance(world, entity, caller))
}

/// That an entity is alive, or why not.
pub(super) fn alive(world: &World, entity: Entity, caller: &'static Location<'static>) -> Result<(), PrefabError> {
    world.entity(entity).map(drop).map_err(|mut dead| {
        dead.caller = Some(caller);
        PrefabError::dead(dead)
    })
}
