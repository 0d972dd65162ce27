//! What instances know of themselves, and how their parts are found.

use super::id::PrefabId;
use super::library::Library;
use super::tree::Tree;
use crate::hierarchy::Kinship;
use phalanx_ecs::Trigger;
use phalanx_ecs::prelude::*;
use std::cell::RefCell;
use std::ops::Index;

/// Marks the entities that a prefab made: which prefab, and which part of it.
///
/// It comes with [`PrefabId::instantiate`]. Who removes it from an entity keeps that from following its prefab; on the top of an instance, the whole instance.
/// A copy of an instance ([`Kinship::clone_tree`]) is an instance too; in another world an entity is nobody's instance.
///
/// It does not count in [checksums](World::checksum): prefabs and parts are numbered in the order in which there were such, and the numbers of those that are gone are not used again. So
/// two worlds with the same prefabs, entities and values have the same checksum, whatever there was before.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{InstanceOf, Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
/// orc.instantiate(&mut world, 3)?;
/// world.spawn(Health(10));
/// assert_eq!(world.query_filtered::<Entity, With<InstanceOf>>().count(), 3);
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
#[component(immutable, left_out_of(moves), no_checksum, on_insert = note)]
pub struct InstanceOf {
    pub(super) prefab: PrefabId,
    /// The number of the part; that of the top is 0.
    pub(super) part: u32,
}

/// So that those who came are known even if somebody who is told of them panics.
fn note(trigger: &mut Trigger<'_>) {
    let entities = trigger.entities();
    if let Some(library) = trigger.world().get_resource::<Library>() {
        library.note(entities);
    }
}

/// Entities of copies: by part, then by copy. `None` for a part that a copy has lost.
pub(super) struct Columns<'a> {
    pub(super) tree: &'a Tree,
    pub(super) entities: &'a [Vec<Option<Entity>>],
}

impl<'a> Columns<'a> {
    pub(super) fn of(&'a self, copy: usize, frame: u32) -> PartsOfCopy<'a> {
        PartsOfCopy { columns: self, copy, frame, lost: RefCell::new(None), no_part: RefCell::new(None) }
    }
}

/// The entities of one copy, for what is [bound](super::Prefab::bind): by their paths from where it was bound.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Lamps(Vec<Entity>);
///
/// let mut world = World::new();
/// let car = Prefab::new().part("left", Prefab::new()).part("right", Prefab::new());
/// let car = car.bind(|parts| Lamps(vec![parts["left"], parts["right"]]));
/// let car = world.add_prefab("car", car)?.instantiate(&mut world, 1)?[0];
/// assert!(world.get::<Lamps>(car).unwrap().0.iter().copied().eq(phalanx_scene::Kinship::children(&world, car)));
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
pub struct PartsOfCopy<'a> {
    columns: &'a Columns<'a>,
    copy: usize,
    frame: u32,
    lost: RefCell<Option<String>>,
    no_part: RefCell<Option<String>>,
}

impl PartsOfCopy<'_> {
    /// The top of the copy; of a nested one, if that was bound there.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// #[derive(Component, Clone)] struct Me(Entity);
    ///
    /// # let mut world = World::new();
    /// let narcissus = Prefab::new().bind(|parts| Me(parts.top()));
    /// let narcissus = world.add_prefab("narcissus", narcissus)?.instantiate(&mut world, 1)?[0];
    /// assert_eq!(world.get::<Me>(narcissus).unwrap().0, narcissus);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn top(&self) -> Entity {
        *self.here()
    }

    fn here(&self) -> &Entity {
        let top = &self.columns.entities[self.frame as usize][self.copy];
        top.as_ref().expect("who is below has somebody above")
    }

    /// A part, if there is one at the path, and the copy has not lost it.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// #[derive(Component, Clone)] struct Pilot(Option<Entity>);
    ///
    /// # let mut world = World::new();
    /// let drone = Prefab::new().bind(|parts| Pilot(parts.get("seat/pilot")));
    /// let drone = world.add_prefab("drone", drone)?.instantiate(&mut world, 1)?[0];
    /// assert_eq!(world.get::<Pilot>(drone).unwrap().0, None);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn get(&self, path: &str) -> Option<Entity> {
        let at = self.columns.tree.find(self.frame, path)?;
        self.columns.entities[at as usize][self.copy]
    }

    /// What was asked for by index and is no part at all.
    pub(super) fn no_part(&self) -> Option<String> {
        self.no_part.take()
    }

    /// What was asked for by index and is a part that this copy has lost.
    pub(super) fn lost(&self) -> Option<String> {
        self.lost.take()
    }
}

/// Where there is no such part the answer is the top, and whatever is made of it is thrown away: an error takes its place, or nothing if the copy has lost that part.
impl Index<&str> for PartsOfCopy<'_> {
    type Output = Entity;

    fn index(&self, path: &str) -> &Entity {
        let Some(at) = self.columns.tree.find(self.frame, path) else {
            self.no_part.borrow_mut().get_or_insert_with(|| path.to_owned());
            return self.here();
        };
        self.columns.entities[at as usize][self.copy].as_ref().unwrap_or_else(|| {
            self.lost.borrow_mut().get_or_insert_with(|| path.to_owned());
            self.here()
        })
    }
}

impl std::fmt::Debug for PartsOfCopy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tree = self.columns.tree;
        let entities = self.columns.entities.iter().zip(0..);
        f.debug_map().entries(entities.map(|(column, at)| (tree.path_of(at), column.get(self.copy)))).finish()
    }
}

/// The entities of instances, part by part: each below the one above it, the first if several say that they are that part.
pub(super) fn find_parts(
    world: &World,
    prefab: PrefabId,
    tops: &[Entity],
    tree: &Tree,
    order: &[u32],
) -> Vec<Vec<Option<Entity>>> {
    let most = order.iter().max().map_or(0, |most| *most as usize);
    // By number: where in the tree.
    let mut positions: Vec<Option<u32>> = vec![None; most + 1];
    for (number, at) in order.iter().zip(0..) {
        positions[*number as usize] = Some(at);
    }
    let mut columns = vec![vec![None; tops.len()]; tree.nodes.len()];
    columns[0] = tops.iter().copied().map(Some).collect();
    let hierarchy = world.hierarchy();
    for (node, at) in tree.nodes.iter().zip(0..).filter(|(node, _)| node.is_parent) {
        debug_assert!(node.below <= at, "above comes first");
        let above = columns[at as usize].clone();
        for (copy, above) in above.into_iter().enumerate() {
            let Some(above) = above else { continue };
            for child in hierarchy.children(above) {
                let Some(instance) = world.get::<InstanceOf>(child) else { continue };
                let found = positions.get(instance.part as usize).copied().flatten();
                let Some(found) = found.filter(|_| instance.prefab == prefab) else { continue };
                if found > 0 && tree.nodes[found as usize].below == at {
                    columns[found as usize][copy].get_or_insert(child);
                }
            }
        }
    }
    columns
}
