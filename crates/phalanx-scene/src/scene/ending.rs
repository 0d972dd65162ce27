//! How a scene is emptied, and how it ends.
//!
//! ```text
//! detach      whoever is below a node that ends, and a node of another scene
//! despawn     nodes of no other scene, with all below them
//! leave       those that live on lose their roles
//! forget      the scene, if it ends: its tags are free for the next one
//! ```
//!
//! Observers are told of each of these, and may do anything in between: who ends is asked again after each step, and so is whether there still is such a scene. If they panic, the rest
//! is done first: a scene without a place would be there for ever, and nodes without a scene would be those of the next one.

use super::id::SceneId;
use super::leftovers::leave_to_remove;
use super::refusal::NoSuchScene;
use super::scenes::{Scenes, Stage};
use super::site::Site;
use crate::hierarchy::{Hierarchy, Kinship};
use crate::node::{leave, tagged};
use crate::panics::Panics;
use phalanx_ecs::ComponentId;
use phalanx_ecs::prelude::*;
use std::collections::HashSet;
use std::panic::Location;

/// What becomes of entities that are nodes of a scene that goes, and of no other.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Leaving, Node, SceneWorld};
///
/// #[derive(Component)] struct Mesh(u32);
/// #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
///
/// let mut world = World::new();
/// let level = world.create_scene("level")?;
/// let house = world.spawn(Mesh(7));
/// level.add_node::<Drawn>(&mut world, house)?;
/// level.clear(&mut world, Leaving::Keep)?;
/// assert!(world.is_alive(house) && !level.has_node::<Drawn>(&world, house));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// They are despawned.
    Despawn,
    /// They live on, without the role.
    Keep,
}

/// # Ending
impl SceneId {
    /// All its nodes cease to be nodes; answers how many entities were. Those that are nodes of no other scene are despawned, or live on.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Leaving, Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let (level, map) = (world.create_scene("level")?, world.create_scene("map")?);
    /// let (house, tower) = (world.spawn(Mesh(7)), world.spawn(Mesh(8)));
    /// level.add_nodes::<Drawn>(&mut world, [house, tower])?;
    /// map.add_node::<Drawn>(&mut world, tower)?;
    /// assert_eq!(level.clear(&mut world, Leaving::Despawn)?, 2);
    /// assert!(!world.is_alive(house) && map.has_node::<Drawn>(&world, tower));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Whoever is despawned takes descendants along, but for those that are nodes of another scene: they are [detached](Kinship::detach), with all below them.
    ///
    /// An observer that panics keeps nobody from leaving: the panic goes on when all have left. One that puts another world in the place of this one ends it there: the other world is
    /// left alone.
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn clear(self, world: &mut World, leaving: Leaving) -> Result<usize, NoSuchScene> {
        let caller = Location::caller();
        let site = Site::of(world, self).ok_or_else(|| NoSuchScene::of_id(world, self, caller))?;
        let mut panics = Panics::default();
        let members = self.members(world);
        self.empty(world, site, leaving, &mut panics);
        panics.resume();
        Ok(members.len())
    }

    /// Deletes it. Entities that are nodes of no other scene are despawned, as [`SceneId::clear`] does; its systems never run again, and are removed from the
    /// engine with the next change of a scene's systems, or by [`SceneId::delete_from`].
    ///
    /// A system can do this to the scene that it runs for, in a command or with `&mut World`.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Node, SceneWorld};
    /// # #[derive(Component)] struct Mesh(u32);
    /// # #[derive(Node)] struct Drawn<'w> { mesh: &'w Mesh }
    /// # let mut world = World::new();
    /// let level = world.create_scene("level")?;
    /// let house = world.spawn(Mesh(7));
    /// level.add_node::<Drawn>(&mut world, house)?;
    /// level.delete(&mut world)?;
    /// assert!(!level.is_there(&world) && !world.is_alive(house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// To keep the entities, [clear](SceneId::clear) it first with [`Leaving::Keep`]. While it is being deleted nobody becomes a node of it: observers of what ends are refused
    /// as if it were gone. One that panics does not keep it from being deleted; one that puts another world in the place of this one does, and it can be deleted again where it is.
    ///
    /// # Errors
    /// [`NoSuchScene`] if it is gone.
    #[track_caller]
    pub fn delete(self, world: &mut World) -> Result<(), NoSuchScene> {
        let caller = Location::caller();
        let site = Site::of(world, self).ok_or_else(|| NoSuchScene::of_id(world, self, caller))?;
        if let Some(scene) = world.init_resource::<Scenes>().get_mut(self) {
            scene.stage = Stage::Ends;
        }
        let mut panics = Panics::default();
        self.empty(world, site, Leaving::Despawn, &mut panics);
        // An observer may have deleted it meanwhile.
        if site.is_there(world)
            && let Some(scene) = world.init_resource::<Scenes>().remove(self)
        {
            leave_to_remove(world, &scene);
        }
        panics.resume();
        Ok(())
    }

    /// Nobody is a node of it any more, if it is still there then.
    fn empty(self, world: &mut World, site: Site, leaving: Leaving, panics: &mut Panics) {
        if leaving == Leaving::Despawn {
            let ends = self.members(world);
            let ends = self.let_go(world, site, ends, panics);
            if site.is_there(world) {
                // Some may end with others of them: descendants do.
                panics.catch(|| _ = world.despawn_batch(ends));
            }
        }
        if !site.is_there(world) {
            return;
        }
        // Asked for only now: observers may have made nodes of others.
        for tag in self.tags(world) {
            let left = tagged(world, tag);
            panics.catch(|| _ = leave(world, &left, tag, site));
            if !site.is_there(world) {
                return;
            }
        }
    }

    /// Detaches those below members who live on; answers which of the members end.
    fn let_go(self, world: &mut World, site: Site, members: Vec<Entity>, panics: &mut Panics) -> Vec<Entity> {
        let (mut ends, mut detached) = (members, HashSet::new());
        loop {
            // Asked again each time: observers may have made nodes of others, here or elsewhere.
            let own = self.tags(world);
            ends.retain(|entity| !is_elsewhere(world, *entity, &own));
            let mut stays = stays_of(world, &ends, &own);
            // Nobody is detached twice, so it ends even if observers put everybody back.
            stays.retain(|entity| detached.insert(*entity));
            if stays.is_empty() {
                return ends;
            }
            for entity in stays {
                // An observer may have ended it meanwhile.
                panics.catch(|| _ = world.detach(entity));
                if !site.is_there(world) {
                    return Vec::new();
                }
            }
        }
    }
}

/// Whether a living entity is a node of another scene than the one with these tags.
fn is_elsewhere(world: &World, entity: Entity, own: &[ComponentId]) -> bool {
    let (Some(scenes), Ok(entity_ref)) = (world.get_resource::<Scenes>(), world.entity(entity)) else { return false };
    let is_role_elsewhere = |tag| scenes.kinds.role(tag).is_some() && !own.contains(&tag);
    entity_ref.components().any(|info| is_role_elsewhere(info.id()) && world.is_on_dyn(entity, info.id()))
}

/// Of the descendants of entities that are to end, those next to what ends that are nodes of another scene than the one with these tags.
fn stays_of(world: &World, ends: &[Entity], own: &[ComponentId]) -> Vec<Entity> {
    let Some(hierarchy) = world.get_resource::<Hierarchy>() else { return Vec::new() };
    if world.get_resource::<Scenes>().is_none_or(|scenes| scenes.ids().len() < 2) {
        return Vec::new();
    }
    let (mut stays, mut seen, mut waiting) = (Vec::new(), HashSet::new(), Vec::new());
    for entity in ends {
        waiting.push(*entity);
        while let Some(entity) = waiting.pop() {
            if seen.insert(entity) {
                for child in hierarchy.children(entity) {
                    if is_elsewhere(world, child, own) { stays.push(child) } else { waiting.push(child) }
                }
            }
        }
    }
    stays
}
