//! Copies of prefabs: how they are made, what they know of themselves, and how their parts are found.
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
use super::layer::{Batch, Parents, Together, Wanted};
use super::library::Library;
use super::own::own_of;
use super::pieces::{Piece, Unfit, Value};
use super::prefab::Prefab;
use super::refusal::PrefabError;
use super::tree::{Node, Tree};
use crate::hierarchy::{Kinship, Parent};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{InsertError, SpawnError, Trigger};
use std::cell::{Cell, RefCell};
use std::ops::Index;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Marks the entities that a prefab made: which prefab, and which part of it.
///
/// It comes with [`PrefabId::instantiate`]. Who removes it from an entity keeps that from following its prefab; on the top of an instance, the whole instance.
/// A copy of an instance ([`Kinship::clone_tree`]) is an instance too; in another world an entity is nobody's instance.
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
#[component(immutable, left_out_of(moves), on_insert = note)]
pub struct InstanceOf {
    pub(super) prefab: u32,
    /// The number of the part; that of the top is 0.
    pub(super) part: u32,
}

/// So that those who came are known even if somebody who is told of them panics.
fn note(trigger: &mut Trigger<'_>) {
    let entities = trigger.entities();
    if let Some(mut library) = trigger.get_resource_mut::<Library>() {
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
        PartsOfCopy { columns: self, copy, frame, has_lost: Cell::new(false), no_part: RefCell::new(None) }
    }
}

/// The entities of one copy, for what is [bound](Prefab::bind): by their paths from where it was bound.
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
    has_lost: Cell<bool>,
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

    /// Whether a part was asked for by index that this copy has lost.
    pub(super) fn has_lost(&self) -> bool {
        self.has_lost.get()
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
            self.has_lost.set(true);
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
    /// holds if a `Clone` or a [bound](Prefab::bind) function panics.
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
    // There are no more indices; and nobody should begin to count so far.
    let all = count.saturating_mul(tree.nodes.len());
    if u32::try_from(all).is_err()
        && let Err(full) = world.try_spawn_batch(std::iter::repeat_n((), all))
    {
        return Err(PrefabError::of_part(world, prefab, &tree, (0, full.into()), caller));
    }
    let mut columns: Vec<Vec<Option<Entity>>> = Vec::with_capacity(tree.nodes.len());
    let wanted = Request { prefab, count, parent, order: &order };
    let made = all_or_nothing(world, |world| fill(world, &tree, &wanted, &mut columns));
    match made {
        Ok(()) => Ok(columns.swap_remove(0).into_iter().flatten().collect()),
        Err(stuck) => Err(PrefabError::of_part(world, prefab, &tree, *stuck, caller)),
    }
}

/// At which part of the tree it did not go on, and why.
pub(super) type Stuck = Box<(u32, Unfit)>;

pub(super) fn stuck(at: u32, why: Unfit) -> Stuck {
    Box::new((at, why))
}

/// Makes instances; they are despawned if that fails, or panics.
pub(super) fn all_or_nothing<E>(world: &mut World, make: impl FnOnce(&mut World) -> Result<(), E>) -> Result<(), E> {
    let since = world.init_resource::<Library>().open();
    let made = catch_unwind(AssertUnwindSafe(|| make(world)));
    let came = world.init_resource::<Library>().close(&since);
    if !matches!(made, Ok(Ok(()))) {
        end(world, came);
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
    let &Request { prefab, count, parent, order } = request;
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
        let instance = InstanceOf { prefab: prefab.number(), part: order[at as usize] };
        let wanted = Wanted { count, instance, parents, is_parent: node.is_parent };
        columns.push(spawn_part(world, node, &wanted).map_err(|why| stuck(at, why))?);
    }
    let columns = Columns { tree, entities: columns };
    bind_parts(world, &columns, |_, _| true)
}

/// Makes what is bound of those parts of copies that are meant.
pub(super) fn bind_parts(
    world: &mut World,
    columns: &Columns<'_>,
    is_meant: impl Fn(u32, usize) -> bool,
) -> Result<(), Stuck> {
    for (node, at) in columns.tree.nodes.iter().zip(0..) {
        let mut bound = node.pieces.iter().filter(|(_, piece)| matches!(piece, Piece::Bound { .. })).peekable();
        if bound.peek().is_none() {
            continue;
        }
        let column = columns.entities[at as usize].iter().enumerate();
        let meant = column.filter_map(|(copy, entity)| Some((copy, (*entity)?)));
        let meant: Vec<(usize, Entity)> = meant.filter(|(copy, _)| is_meant(at, *copy)).collect();
        for (_, piece) in bound.filter(|_| !meant.is_empty()) {
            piece.insert(world, &meant, columns).map_err(|why| stuck(at, why))?;
        }
    }
    Ok(())
}

/// What comes after the first layer.
enum Later<'a> {
    Layer(&'a dyn Batch),
    Value(&'a dyn Value),
}

impl Node {
    /// The layer to spawn, and what comes on top of it.
    fn layers(&self) -> (Option<&dyn Batch>, Vec<Later<'_>>) {
        let (mut first, mut later, mut single) = (None, Vec::new(), Vec::new());
        for layer in &self.layers {
            let counts = layer.values.iter().filter(
                |(key, value)| matches!(self.piece(*key), Some(Piece::Value(current)) if Arc::ptr_eq(current, value)),
            );
            let mut counts = counts.map(|(_, value)| &**value).peekable();
            if counts.peek().is_none() && !layer.values.is_empty() {
                continue;
            }
            match &layer.batch {
                Some(batch) if layer.values.iter().all(|(key, _)| self.has_value(*key)) => match first {
                    None => first = Some(&**batch),
                    Some(_) => later.push(Later::Layer(&**batch)),
                },
                // A value that counts is in no later layer.
                _ => single.extend(counts.map(Later::Value)),
            }
        }
        later.extend(single);
        (first, later)
    }
}

/// Spawns a part as often as it is wanted.
pub(super) fn spawn_part(world: &mut World, node: &Node, wanted: &Wanted<'_>) -> Result<Vec<Option<Entity>>, Unfit> {
    let (first, later) = node.layers();
    let spawned = match spawn_in_layers(world, first, &later, wanted) {
        // What depends on a component came in a layer below it: then all of them must come at once.
        Err(Unfit::Spawn(SpawnError::Lacks(_)) | Unfit::Insert(InsertError::Lacks(_))) if !later.is_empty() => {
            spawn_one_by_one(world, node, wanted)?
        }
        spawned => spawned?,
    };
    if !node.own.is_empty() {
        let own = own_of(world, node);
        world.insert_batch(&spawned, spawned.iter().map(|_| own))?;
    }
    Ok(spawned.into_iter().map(Some).collect())
}

fn spawn_in_layers(
    world: &mut World,
    first: Option<&dyn Batch>,
    later: &[Later<'_>],
    wanted: &Wanted<'_>,
) -> Result<Vec<Entity>, Unfit> {
    let entities = first.unwrap_or(&Together(())).spawn(world, wanted)?.to_vec();
    match add_layers(world, later, &entities) {
        Ok(()) => Ok(entities),
        Err(why) => {
            end(world, entities);
            Err(why)
        }
    }
}

fn add_layers(world: &mut World, later: &[Later<'_>], entities: &[Entity]) -> Result<(), Unfit> {
    for later in later {
        match later {
            Later::Layer(batch) => batch.insert(world, entities)?,
            Later::Value(value) => value.insert(world, entities)?,
        }
    }
    Ok(())
}

fn spawn_one_by_one(world: &mut World, node: &Node, wanted: &Wanted<'_>) -> Result<Vec<Entity>, Unfit> {
    let spawn = |copy: usize| {
        let mut bundle = BundleBuilder::new();
        for (_, piece) in &node.pieces {
            if let Piece::Value(value) = piece {
                value.add_to(&mut bundle);
            }
        }
        bundle.add(wanted.instance);
        if let Some(child_of) = wanted.parents.of(copy) {
            bundle.add(child_of);
        }
        if wanted.is_parent {
            bundle.add(Parent);
        }
        Ok(world.spawn_dyn(bundle)?)
    };
    (0..wanted.count).map(spawn).collect()
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
                let Some(found) = found.filter(|_| instance.prefab == prefab.number()) else { continue };
                if found > 0 && tree.nodes[found as usize].below == at {
                    columns[found as usize][copy].get_or_insert(child);
                }
            }
        }
    }
    columns
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
