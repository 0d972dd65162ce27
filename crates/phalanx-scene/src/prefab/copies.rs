//! Copies of prefabs, and how they are made.
//!
//! ```text
//! tree       top ── left ── hub              copies 0, 1, 2 …
//!
//! column 0   [ 10v0 | 11v0 | 12v0 … ]        tops, spawned at once
//! column 1   [ 20v0 | 21v0 | 22v0 … ]        "left", each a child of what stands above it in column 0
//! column 2   [ 30v0 | 31v0 | 32v0 … ]        "left/hub"
//! ```
//!
//! Then what is bound is made for each copy of its row.

use super::id::{PrefabId, alive};
use super::layer::{Parents, Wanted};
use super::library::{Doing, Library};
use super::parts::{Columns, InstanceOf};
use super::pieces::{Piece, Unfit, rank};
use super::prefab::Prefab;
use super::refusal::PrefabError;
use super::spawn::{late, make_room, spawn_part};
use super::tree::Tree;
use crate::here::Here;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Copies of a prefab that are to be made: how many, below whom, and what they have that the prefab has not. Made by [`PrefabId::copies`].
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{Kinship, Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
/// let camp = world.spawn(());
/// let strong = Prefab::new().with(Health(20));
/// let orcs = orc.copies(3).changed(strong).below(camp).make(&mut world)?;
/// assert!(world.children(camp).eq(orcs));
/// assert_eq!(world.query::<&Health>().iter().map(|health| health.0).sum::<u32>(), 60);
/// # Ok::<(), phalanx_scene::PrefabError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "made by `make`, or by `commands.instantiate`"]
pub struct Copies {
    prefab: PrefabId,
    count: usize,
    parent: Option<Entity>,
    changes: Option<Prefab>,
}

impl From<PrefabId> for Copies {
    /// One copy.
    fn from(prefab: PrefabId) -> Self {
        Self::new(prefab, 1)
    }
}

impl Copies {
    pub(super) fn new(prefab: PrefabId, count: usize) -> Self {
        Self { prefab, count, parent: None, changes: None }
    }

    /// Makes their tops the last children of an entity.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Kinship, Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new())?;
    /// let cart = world.spawn(());
    /// let wheels = wheel.copies(2).below(cart).make(&mut world)?;
    /// assert!(world.children(cart).eq(wheels));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn below(mut self, parent: Entity) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Says what is different in these copies alone: components, with their parts, and further parts. What is given here stays theirs when the prefab changes.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # let mut world = World::new();
    /// let cart = world.add_prefab("cart", Prefab::new().part("wheel", Prefab::new().with(Mesh("wheel"))))?;
    /// let changes = Prefab::new().within("wheel", Prefab::new().with(Mesh("iron wheel")));
    /// let heavy = cart.copies(1).changed(changes).make(&mut world)?[0];
    /// cart.insert(&mut world, "wheel", Mesh("new wheel"))?;
    /// let wheel = world.part_of(heavy, "wheel").unwrap();
    /// assert_eq!(world.get::<Mesh>(wheel).unwrap().0, "iron wheel");
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    pub fn changed(mut self, changes: Prefab) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Makes them; answers their tops.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new())?;
    /// assert_eq!(wheel.copies(4).make(&mut world)?.len(), 4);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if the prefab or the parent is not there, a change cannot be, there is no room for so many entities, or a component refuses to come; then nothing is made. The same
    /// holds if a `Clone` or a [bound](Prefab::bind) function panics; what observers did who were told remains. If an observer puts another world in place of this one it is [`PrefabError::Exchanged`]: what was made so far is in
    /// the world that was put away, and nothing in the other.
    #[track_caller]
    pub fn make(self, world: &mut World) -> Result<Vec<Entity>, PrefabError> {
        make(world, self, Location::caller())
    }
}

pub(super) fn make(
    world: &mut World,
    copies: Copies,
    caller: &'static Location<'static>,
) -> Result<Vec<Entity>, PrefabError> {
    let Copies { prefab, count, parent, changes } = copies;
    if let Some(parent) = parent {
        alive(world, parent, caller)?;
    }
    let Some(slot) = world.get_resource::<Library>().and_then(|library| library.get(prefab)) else {
        return Err(PrefabError::unknown(world, prefab, caller));
    };
    let (mut tree, mut order) = (Arc::clone(&slot.tree), Arc::clone(&slot.order));
    if let Some(changes) = changes {
        let name = slot.name.to_string();
        let library = world.get_resource::<Library>().expect("it has this prefab");
        if let Some(unknown) = library.unknown_base(&changes) {
            return Err(PrefabError::unknown(world, unknown, caller));
        }
        let mut own = Tree::clone(&tree);
        let applied = own.apply(&changes, |base| library.tree(base), true);
        applied.map_err(|fault| PrefabError::of_fault(name, fault, caller))?;
        let mut library = world.init_resource::<Library>();
        order = library.get_mut(prefab).expect("it was there").numbers(&own);
        tree = Arc::new(own);
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    // Nobody should begin, or ask for memory, where not all can be.
    let all = count.saturating_mul(tree.nodes.len());
    if all > world.room()
        && let Err(full) = world.try_spawn_batch(std::iter::repeat_n((), all))
    {
        return Err(PrefabError::of_part(world, prefab, &tree, (0, full.into()), caller));
    }
    let mut columns: Vec<Vec<Option<Entity>>> = Vec::with_capacity(tree.nodes.len());
    let mut library = world.init_resource::<Library>();
    let (name, doing) = (library.name(prefab), library.begin(vec![prefab]));
    let wanted = Request { doing: &doing, prefab, count, parent, order: &order };
    let here = Here::of(world);
    let made = all_or_nothing(world, &doing, |world| fill(world, &tree, &wanted, &mut columns));
    match made {
        Err(_) if !here.is(world) => Err(PrefabError::exchanged(name, caller)),
        Ok(()) => Ok(columns.swap_remove(0).into_iter().flatten().collect()),
        Err(stuck) => Err(PrefabError::of_part(world, prefab, &tree, *stuck, caller)),
    }
}

/// At which part of the tree it did not go on, and why.
pub(super) type Stuck = Box<(u32, Unfit)>;

pub(super) fn stuck(at: u32, why: Unfit) -> Stuck {
    Box::new((at, why))
}

/// Makes instances; they are despawned if that fails, or panics. If the world is another by then that is left alone.
pub(super) fn all_or_nothing<E>(
    world: &mut World,
    doing: &Doing,
    make: impl FnOnce(&mut World) -> Result<(), E>,
) -> Result<(), E> {
    let here = Here::of(world);
    let made = catch_unwind(AssertUnwindSafe(|| make(world)));
    if !matches!(made, Ok(Ok(()))) && here.is(world) {
        end(world, doing.came());
    }
    made.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Despawns what is not to be. What panics in that must not hide why.
pub(super) fn end(world: &mut World, mut entities: Vec<Entity>) {
    entities.retain(|entity| world.is_alive(*entity));
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // Who is below ends with who is above, so some may have gone when their turn comes.
        let _ = world.despawn_batch(entities);
    }));
}

struct Request<'a> {
    doing: &'a Doing,
    prefab: PrefabId,
    count: usize,
    parent: Option<Entity>,
    order: &'a [u32],
}

/// Spawns all parts, and binds what is bound.
fn fill(
    world: &mut World,
    tree: &Tree,
    request: &Request<'_>,
    columns: &mut Vec<Vec<Option<Entity>>>,
) -> Result<(), Stuck> {
    let &Request { doing, prefab, count, parent, order } = request;
    make_room(world, tree, count, parent.is_some());
    let mut parents: Vec<Entity> = Vec::new();
    for (node, at) in tree.nodes.iter().zip(0..) {
        let parents = match (at, parent) {
            (0, Some(parent)) => Parents::One(parent),
            (0, None) => Parents::Nobody,
            _ => {
                parents.clear();
                parents.extend(columns[node.below as usize].iter().flatten());
                Parents::Each(&parents)
            }
        };
        let instance = InstanceOf { prefab, part: order[at as usize] };
        let wanted = Wanted { doing, count, instance, parents, is_parent: node.is_parent };
        columns.push(spawn_part(world, node, &wanted).map_err(|why| stuck(at, why))?);
    }
    let columns = Columns { tree, entities: columns };
    bind_parts(world, &columns, |_, _| true)
}

/// Of some entities those that are alive and have all that a component depends on.
pub(super) fn with_needed(world: &World, component: ComponentId, entities: &[(usize, Entity)]) -> Vec<(usize, Entity)> {
    let needed = world.components().info(component).map_or(&[][..], ComponentInfo::depends_on);
    let has_all = |entity: Entity| world.is_alive(entity) && needed.iter().all(|needed| world.has_dyn(entity, *needed));
    entities.iter().copied().filter(|(_, entity)| has_all(*entity)).collect()
}

/// Makes what is bound of those parts of copies that are meant, and the tags that depend on that.
pub(super) fn bind_parts(
    world: &mut World,
    columns: &Columns<'_>,
    is_meant: impl Fn(u32, usize) -> bool,
) -> Result<(), Stuck> {
    let here = Here::of(world);
    for (node, at) in columns.tree.nodes.iter().zip(0..) {
        let late = late(world, node);
        let bound =
            node.pieces.iter().filter(|(key, piece)| matches!(piece, Piece::Bound { .. }) || late.contains(key));
        let mut bound: Vec<&Piece> = bound.map(|(_, piece)| piece).collect();
        if bound.is_empty() {
            continue;
        }
        if !late.is_empty() {
            bound.sort_by_cached_key(|piece| {
                let component = piece.kind().id(world);
                rank(world, component)
            });
        }
        let column = columns.entities[at as usize].iter().enumerate();
        let meant = column.filter_map(|(copy, entity)| Some((copy, (*entity)?)));
        // Somebody may have been told of one and ended it.
        let meant = meant.filter(|(copy, entity)| is_meant(at, *copy) && world.is_alive(*entity));
        let meant: Vec<(usize, Entity)> = meant.collect();
        for piece in bound.into_iter().filter(|_| !meant.is_empty()) {
            let done = match piece {
                Piece::Bound { .. } => piece.insert(world, &meant, columns),
                // Who refers to a part that its copy has lost got nothing, and so no tag on it.
                Piece::Value(_) => {
                    let component = piece.kind().id(world);
                    piece.insert(world, &with_needed(world, component, &meant), columns)
                }
            };
            here.still(world).and(done).map_err(|why| stuck(at, why))?;
        }
    }
    Ok(())
}

/// Copies of prefabs from a queue of commands.
///
/// ```
/// use phalanx_ecs::prelude::*;
/// use phalanx_scene::{CommandPrefabs, Kinship, Prefab, PrefabWorld};
///
/// #[derive(Component, Clone)] struct Health(u32);
///
/// let mut world = World::new();
/// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
/// let mut commands = world.commands();
/// let camp = commands.spawn(());
/// commands.instantiate(orc.copies(3).below(camp));
/// world.apply(&mut commands)?;
/// assert_eq!(world.children(camp).len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CommandPrefabs {
    /// Makes copies, or one of a [`PrefabId`], when the queue is applied; see [`Copies::make`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{CommandPrefabs, Prefab, PrefabWorld};
    /// # let mut world = World::new();
    /// let wheel = world.add_prefab("wheel", Prefab::new())?;
    /// let mut commands = world.commands();
    /// commands.instantiate(wheel);
    /// world.apply(&mut commands)?;
    /// assert_eq!(wheel.instances(&world).len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    fn instantiate(&mut self, copies: impl Into<Copies>);
}

impl CommandPrefabs for Commands {
    #[track_caller]
    fn instantiate(&mut self, copies: impl Into<Copies>) {
        let (copies, caller) = (copies.into(), Location::caller());
        self.run(move |world: &mut World| make(world, copies, caller).map(drop));
    }
}
