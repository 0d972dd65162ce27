//! [`PrefabId`]: which prefab; asking, copying, renaming and ending it.

use super::copies::Copies;
use super::library::Library;
use super::own::Own;
use super::parts::InstanceOf;
use super::pieces::{Key, Piece, Unfit, Value};
use super::prefab::Prefab;
use super::refusal::PrefabError;
use super::tree::Tree;
use super::world::PrefabWorld;
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
        let own = all.iter().filter(|(_, instance)| instance.prefab == self && instance.part == 0);
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
    /// [`PrefabError`] if it is not there, others are made of it, or an observer asks while copies of it are made or it [changes](PrefabId::set).
    #[track_caller]
    pub fn delete(self, world: &mut World) -> Result<(), PrefabError> {
        let caller = Location::caller();
        if !self.is_there(world) {
            return Err(PrefabError::unknown(world, self, caller));
        }
        if let Some(used) = PrefabError::used(world, self, caller) {
            return Err(used);
        }
        if let Some(busy) = PrefabError::busy(world, self, caller) {
            return Err(busy);
        }
        let all = world.read::<(Entity, &InstanceOf)>();
        let own = all.iter().filter(|(_, instance)| instance.prefab == self);
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

/// That an entity is alive, or why not.
pub(super) fn alive(world: &World, entity: Entity, caller: &'static Location<'static>) -> Result<(), PrefabError> {
    world.entity(entity).map(drop).map_err(|mut dead| {
        dead.caller = Some(caller);
        PrefabError::dead(dead)
    })
}
