//! Prefabs that change, and instances that follow them.
//!
//! ```text
//! before   top { Mesh, Health 10 }   left { Mesh }                 the prefab and all that are made of it, as they were,
//! now      top { Mesh, Health 12 }   right { Mesh }                and as they are: part by part
//!            │
//! plan     Health of those tops that have 10 and did not declare it their own; "right" below all tops; "left" goes
//!            │  nothing has changed yet
//! act      new parts, values, what is bound: all that can refuse; then what is taken; last the parts that go: each with what undoes it
//! ```

use super::copies::{Stuck, all_or_nothing, bind_parts, stuck, with_needed};
use super::id::{PrefabId, tree_of};
use super::layer::{Components, Parents, Wanted};
use super::library::{Doing, Library};
use super::own::{declare, has_declared};
use super::parts::{Columns, InstanceOf, find_parts};
use super::pieces::{Compiled, GiveBack, Key, Kind, Piece, Unfit, calmly, name_of, rank};
use super::prefab::Prefab;
use super::refusal::PrefabError;
use super::spawn::spawn_part;
use super::tree::{Node, Tree};
use crate::here::Here;
use crate::hierarchy::Kinship;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo, DynValue};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::Arc;

type Caller = &'static Location<'static>;

/// # Changing it
impl PrefabId {
    /// Makes it another prefab. Its instances follow, and those of all prefabs that are based on it or have it nested in them:
    ///
    /// | of each instance | becomes |
    /// |---|---|
    /// | a component that has the value the prefab gave | what the prefab says now; it goes if that is nothing |
    /// | a component that is the instance's [own](super::PrefabWorld::is_own), or was removed from it | nothing else: it is left alone |
    /// | a component that the prefab did not have | added, where the instance has none |
    /// | a part that the prefab did not have | made, as the last child of the part above |
    /// | a part that the prefab has no more | despawned, with all below it; one that the copy was [given](super::Copies::changed) stays |
    /// | a part that was despawned, or is no longer below the part above | nothing else: it is left alone, and so is what would be below it |
    ///
    /// What is [bound](Prefab::bind) is a component like others; it is made anew where it or the parts are others than before. A part is known by its path: one that is called
    /// otherwise now is another part.
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// #[derive(Component, Clone)] struct Mesh(&'static str);
    /// #[derive(Component, Clone)] struct Health(u32);
    ///
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with((Mesh("orc"), Health(10))))?;
    /// let boss = world.add_prefab("boss", Prefab::from(orc).with(Health(100)))?;
    /// let [whole, hurt] = orc.instantiate(&mut world, 2)?[..] else { unreachable!() };
    /// let boss = boss.instantiate(&mut world, 1)?[0];
    /// world.get_mut::<Health>(hurt).unwrap().0 = 3;
    ///
    /// orc.set(&mut world, Prefab::new().with((Mesh("green orc"), Health(12))).part("club", Prefab::new()))?;
    /// let health = |entity| world.get::<Health>(entity).unwrap().0;
    /// assert_eq!([whole, hurt, boss].map(health), [12, 3, 100]);
    /// assert_eq!(world.get::<Mesh>(boss).unwrap().0, "green orc");
    /// assert!(world.part_of(boss, "club").is_some());
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// [`PrefabError`] if it is not there, it would be made of itself, something that it or one made of it names is not there, or a component refuses to come into an instance; then nothing
    /// changes. The same holds if a `Clone` or a [bound](Prefab::bind) function panics.
    ///
    /// One change after the other: an observer that is told while copies of a prefab are made, or its instances follow, can change neither that nor what it is made of
    /// ([`PrefabError::Busy`]).
    ///
    /// What can refuse is done before anything is taken. What was done is taken back: values, what components brought along, how they were switched, roles in scenes. What remains:
    /// what observers did who were told, and events that they sent; a value that now is refused itself; and tags of compiled types on what had gone already, which is only so if
    /// an observer of something that goes panics, or if what goes is required by what comes. Parts are despawned last of all: a panic in that undoes nothing.
    ///
    /// If an observer puts another world in place of this one it is [`PrefabError::Exchanged`]: the world that was put away is left as it is at that moment, and the other is not touched.
    #[track_caller]
    pub fn set(self, world: &mut World, prefab: Prefab) -> Result<(), PrefabError> {
        change(world, self, prefab, Location::caller())
    }

    /// Gives a part components, or other values of those it has; the path of the top is empty. Instances follow as with [`PrefabId::set`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Mesh(&'static str);
    /// # let mut world = World::new();
    /// let cart = world.add_prefab("cart", Prefab::new().part("wheel", Prefab::new().with(Mesh("wheel"))))?;
    /// let instance = cart.instantiate(&mut world, 1)?[0];
    /// cart.insert(&mut world, "wheel", Mesh("iron wheel"))?;
    /// let wheel = world.part_of(instance, "wheel").unwrap();
    /// assert_eq!(world.get::<Mesh>(wheel).unwrap().0, "iron wheel");
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// As [`PrefabId::set`]; and if there is no such part.
    #[track_caller]
    pub fn insert<M>(
        self,
        world: &mut World,
        path: impl AsRef<str>,
        components: impl Components<M>,
    ) -> Result<(), PrefabError> {
        let caller = Location::caller();
        let mut prefab = self.own_prefab(world, caller)?;
        for (key, value) in components.into_layer().values {
            prefab.edit(path.as_ref(), key, Some(value));
        }
        change(world, self, prefab, caller)
    }

    /// Takes a component from a part. Instances follow as with [`PrefabId::set`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Burning;
    /// # let mut world = World::new();
    /// let torch = world.add_prefab("torch", Prefab::new().with(Burning))?;
    /// let instance = torch.instantiate(&mut world, 1)?[0];
    /// torch.remove::<Burning>(&mut world, "")?;
    /// assert!(!world.has::<Burning>(instance));
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// As [`PrefabId::set`]; and if there is no such part.
    #[track_caller]
    pub fn remove<T: Component>(self, world: &mut World, path: impl AsRef<str>) -> Result<(), PrefabError> {
        let caller = Location::caller();
        let mut prefab = self.own_prefab(world, caller)?;
        prefab.edit(path.as_ref(), Key::of::<T>(), None);
        change(world, self, prefab, caller)
    }

    /// Changes the value that it gives a part. Instances follow as with [`PrefabId::set`].
    ///
    /// ```
    /// # use phalanx_ecs::prelude::*;
    /// # use phalanx_scene::{Prefab, PrefabWorld};
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let orc = world.add_prefab("orc", Prefab::new().with(Health(10)))?;
    /// let instance = orc.instantiate(&mut world, 1)?[0];
    /// orc.edit::<Health>(&mut world, "", |health| health.0 *= 2)?;
    /// assert_eq!(world.get::<Health>(instance).unwrap().0, 20);
    /// # Ok::<(), phalanx_scene::PrefabError>(())
    /// ```
    ///
    /// # Errors
    /// As [`PrefabId::set`]; and if there is no such part, or it has no value of this type.
    #[track_caller]
    pub fn edit<T: Component + Clone>(
        self,
        world: &mut World,
        path: impl AsRef<str>,
        edit: impl FnOnce(&mut T),
    ) -> Result<(), PrefabError> {
        let (caller, path) = (Location::caller(), path.as_ref());
        let mut prefab = self.own_prefab(world, caller)?;
        let Some(mut value) = self.get::<T>(world, path).cloned() else {
            return Err(self.no_value::<T>(world, path, caller));
        };
        edit(&mut value);
        prefab.edit(path, Key::of::<T>(), Some(Arc::new(Compiled(value))));
        change(world, self, prefab, caller)
    }

    fn own_prefab(self, world: &World, caller: Caller) -> Result<Prefab, PrefabError> {
        let slot = world.get_resource::<Library>().and_then(|library| library.get(self));
        slot.map(|slot| slot.prefab.clone()).ok_or_else(|| PrefabError::unknown(world, self, caller))
    }

    fn no_value<T: Component>(self, world: &World, path: &str, caller: Caller) -> PrefabError {
        let tree = match tree_of(world, self, caller) {
            Ok(tree) => tree,
            Err(unknown) => return unknown,
        };
        let name = world.get_resource::<Library>().map_or_else(String::new, |library| library.name(self));
        match tree.find_or_refuse(0, path) {
            Err(fault) => PrefabError::of_fault(name, fault, caller),
            Ok(at) => {
                let pieces = tree.nodes[at as usize].pieces.iter();
                let present = pieces.map(|(_, piece)| piece.kind().name(world)).collect();
                PrefabError::no_value(name, path, name_of::<T>(), present, caller)
            }
        }
    }
}

/// Changes a prefab with all that is made of it; all or nothing.
fn change(world: &mut World, prefab: PrefabId, new: Prefab, caller: Caller) -> Result<(), PrefabError> {
    tree_of(world, prefab, caller)?;
    let changed = world.init_resource::<Library>().change(prefab, new);
    let before = changed.map_err(|obstacle| PrefabError::of_obstacle(world, obstacle, None, caller))?;
    let (mut undo, mut gone) = (Vec::new(), Vec::new());
    let mut library = world.init_resource::<Library>();
    let name = library.name(prefab);
    let doing = library.begin(before.trees.iter().map(|(of, _)| *of).collect());
    let here = Here::of(world);
    let followed = catch_unwind(AssertUnwindSafe(|| {
        all_or_nothing(world, &doing, |world| {
            let mut all = Vec::with_capacity(before.trees.len());
            for (of, tree) in &before.trees {
                let planned = Following::plan(world, *of, tree);
                all.extend(planned.map_err(|stuck| {
                    let now = tree_of(world, *of, caller).unwrap_or_else(|_| Arc::clone(tree));
                    PrefabError::of_part(world, *of, &now, *stuck, caller)
                })?);
            }
            for phase in Phase::ALL {
                for following in &mut all {
                    let acted = following.act(world, phase, &doing, &mut undo);
                    if !here.is(world) {
                        return Err(PrefabError::exchanged(name.clone(), caller));
                    }
                    acted.map_err(|stuck| {
                        PrefabError::of_part(world, following.prefab, &following.now, *stuck, caller)
                    })?;
                }
            }
            gone.extend(all.into_iter().flat_map(|following| following.gone));
            Ok(())
        })
    }));
    if !matches!(followed, Ok(Ok(()))) {
        // Observers are told of this too, and can put another world here, which is not to be touched.
        while here.is(world)
            && let Some(give_back) = undo.pop()
        {
            // What panics here must not hide why.
            calmly(|| give_back(world));
        }
        if here.is(world) {
            world.init_resource::<Library>().take_back(before);
        } else if matches!(followed, Ok(Err(_))) {
            return Err(PrefabError::exchanged(name, caller));
        }
        return followed.unwrap_or_else(|panic| resume_unwind(panic));
    }
    gone.retain(|entity| world.is_alive(*entity));
    // Who is below ends with who is above, so some may have gone when their turn comes.
    let _ = world.despawn_batch(gone);
    Ok(())
}

/// What instances of one prefab have to do.
struct Following {
    prefab: PrefabId,
    now: Arc<Tree>,
    order: Arc<[u32]>,
    /// By part as it is now.
    columns: Vec<Vec<Option<Entity>>>,
    /// Parts that there were not.
    is_new: Vec<bool>,
    /// By part, once they are made: in which copies it is new.
    made: Vec<Made>,
    edits: Vec<Edit>,
    gone: Vec<Entity>,
}

/// A component of some entities, each the part of a copy.
struct Edit {
    at: u32,
    piece: Piece,
    entities: Vec<(usize, Entity)>,
    phase: Phase,
}

/// What is done when, for all instances. What can refuse comes before anything is taken for good.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// New parts.
    Parts,
    /// What goes although a component that comes requires it: so that it comes back as that brings it.
    Renews,
    /// Values, and what is bound.
    Comes,
    /// What is bound of the new parts.
    Binds,
    Goes,
}

impl Phase {
    const ALL: [Self; 5] = [Self::Parts, Self::Renews, Self::Comes, Self::Binds, Self::Goes];
}

impl Following {
    /// What is to be done; nothing is changed. Nothing if there are no instances.
    fn plan(world: &mut World, prefab: PrefabId, before: &Tree) -> Result<Option<Self>, Stuck> {
        let tops = prefab.instances(world);
        if tops.is_empty() {
            return Ok(None);
        }
        let mut library = world.init_resource::<Library>();
        let slot = library.get_mut(prefab).expect("it has just changed");
        let (now, order, order_before) = (Arc::clone(&slot.tree), Arc::clone(&slot.order), slot.numbers(before));
        let marked = world.components().id_of::<InstanceOf>();
        let columns_before = find_parts(world, prefab, &tops, before, &order_before);
        let same_parts = order_before == order;
        let columns = if same_parts { columns_before.clone() } else { find_parts(world, prefab, &tops, &now, &order) };
        let was: HashMap<u32, usize> = order_before.iter().copied().zip(0..).collect();
        let is: HashMap<u32, usize> = order.iter().copied().zip(0..).collect();
        let gone = order_before.iter().zip(&columns_before).filter(|(number, _)| !is.contains_key(number));
        let gone = gone.flat_map(|(_, column)| column.iter().flatten().copied());
        // What a copy was given stays its own, though the prefab had a part of that name meanwhile.
        let gone = gone.filter(|part| marked.is_none_or(|marked| !has_declared(world, *part, marked))).collect();
        let is_new = order.iter().map(|number| !was.contains_key(number)).collect();
        let columns_before = Columns { tree: before, entities: &columns_before };
        let mut edits = Vec::new();
        for (node, at) in now.nodes.iter().zip(0..) {
            let Some(old) = was.get(&order[at as usize]).map(|old| &before.nodes[*old]) else { continue };
            let column = columns[at as usize].iter().enumerate();
            let column: Vec<(usize, Entity)> = column.filter_map(|(copy, entity)| Some((copy, (*entity)?))).collect();
            for (key, piece) in &old.pieces {
                let new = node.piece(*key);
                if new.is_some_and(|new| piece.same(new, same_parts)) {
                    continue;
                }
                let mut entities = column.clone();
                let component = piece.kind().id(world);
                retain_following(world, piece, component, &mut entities, &columns_before);
                let phase = match new {
                    Some(_) => Phase::Comes,
                    None if renews(world, component, old, node) => Phase::Renews,
                    None => Phase::Goes,
                };
                edits.push(Edit { at, piece: new.unwrap_or(piece).clone(), entities, phase });
            }
            for (_, piece) in node.pieces.iter().filter(|(key, _)| old.piece(*key).is_none()) {
                let component = piece.kind().id(world);
                let lacks = |(_, entity): &&(usize, Entity)| {
                    !piece.kind().is_in(world, *entity) && !has_declared(world, *entity, component)
                };
                let entities = column.iter().filter(lacks).copied().collect();
                edits.push(Edit { at, piece: piece.clone(), entities, phase: Phase::Comes });
            }
        }
        edits.retain(|edit| !edit.entities.is_empty());
        // What is depended on comes first, and goes last.
        edits.sort_by_cached_key(|edit| {
            let component = edit.piece.kind().id(world);
            let (rank, comes) = (rank(world, component), edit.phase == Phase::Comes);
            (edit.phase, if comes { rank } else { usize::MAX - rank })
        });
        can_be(world, &now)?;
        Ok(Some(Self { prefab, now, order, columns, is_new, made: Vec::new(), edits, gone }))
    }

    fn act(&mut self, world: &mut World, phase: Phase, doing: &Doing, undo: &mut Vec<GiveBack>) -> Result<(), Stuck> {
        if phase == Phase::Parts {
            self.made = self.make_parts(world, doing)?;
        }
        let here = Here::of(world);
        let columns = Columns { tree: &self.now, entities: &self.columns };
        for edit in self.edits.iter_mut().filter(|edit| edit.phase == phase) {
            // Somebody may have been told of something and ended an entity.
            edit.entities.retain(|(_, entity)| world.is_alive(*entity));
            let component = edit.piece.kind().id(world);
            if phase == Phase::Comes {
                // Nor does a tag come to an instance that has lost what it depends on.
                edit.entities = with_needed(world, component, &edit.entities);
            }
            let entities: Vec<Entity> = edit.entities.iter().map(|(_, entity)| *entity).collect();
            undo.push(undo_of(world, edit.piece.kind(), component, &entities));
            let done = if phase == Phase::Comes {
                edit.piece.insert(world, &edit.entities, &columns)
            } else {
                edit.piece.kind().remove(world, &entities)
            };
            here.still(world).and(done).map_err(|why| stuck(edit.at, why))?;
        }
        if phase == Phase::Binds {
            bind_parts(world, &columns, |at, copy| self.made[at as usize].contains(copy))?;
        }
        Ok(())
    }

    /// Makes the parts that there were not; answers by part in which copies, in order.
    fn make_parts(&mut self, world: &mut World, doing: &Doing) -> Result<Vec<Made>, Stuck> {
        let mut all = Vec::with_capacity(self.now.nodes.len());
        for (node, at) in self.now.nodes.iter().zip(0..) {
            all.push(Made::default());
            if !self.is_new[at as usize] {
                continue;
            }
            let (mut copies, mut parents) = (Vec::new(), Vec::new());
            let above = &self.columns[node.below as usize];
            for (copy, (own, above)) in self.columns[at as usize].iter().zip(above).enumerate() {
                if let (None, Some(above)) = (own, above) {
                    copies.push(copy);
                    parents.push(*above);
                }
            }
            if copies.is_empty() {
                continue;
            }
            let instance = InstanceOf { prefab: self.prefab, part: self.order[at as usize] };
            let (count, parents) = (copies.len(), Parents::Each(&parents));
            let wanted = Wanted { doing, count, instance, parents, is_parent: node.is_parent };
            let column = spawn_part(world, node, &wanted).map_err(|why| stuck(at, why))?;
            for (copy, entity) in copies.iter().zip(column) {
                self.columns[at as usize][*copy] = entity;
            }
            all[at as usize] = Made(copies);
        }
        Ok(all)
    }
}

/// Copies, in order.
#[derive(Default)]
struct Made(Vec<usize>);

impl Made {
    fn contains(&self, copy: usize) -> bool {
        self.0.binary_search(&copy).is_ok()
    }
}

/// What undoes that a component comes to entities or leaves them: they get back its value and the roles that depend on it, each as it was switched, and lose what it brought along.
fn undo_of(world: &mut World, kind: &dyn Kind, component: ComponentId, entities: &[Entity]) -> GiveBack {
    let give_back = kind.keep(world, entities);
    let required = reached(world, component, |info| info.requires().collect());
    // Tags, each behind what it depends on.
    let tags = reached(world, component, |info| info.dependents().to_vec());
    let (mut lacked, mut had, mut off) = (Vec::new(), Vec::new(), Vec::new());
    for entity in entities {
        lacked.extend(required.iter().filter(|id| !world.has_dyn(*entity, **id)).map(|id| (*entity, *id)));
        had.extend(tags.iter().filter(|id| world.has_dyn(*entity, **id)).map(|id| (*entity, *id)));
        let all = tags.iter().chain([&component]).filter(|id| world.has_dyn(*entity, **id));
        off.extend(all.filter(|id| !world.is_on_dyn(*entity, **id)).map(|id| (*entity, *id)));
    }
    let here = Here::of(world);
    Box::new(move |world| {
        give_back(world);
        // Who has ended since needs nothing more. Nobody can make a value of a compiled type by its id: those are refused.
        for (entity, tag) in had {
            if here.is(world) && !world.has_dyn(entity, tag) {
                calmly(|| _ = world.insert_dyn(entity, tag, DynValue::bytes(&[])));
            }
        }
        for (entity, component) in lacked {
            if here.is(world) {
                calmly(|| _ = world.remove_dyn(entity, component));
            }
        }
        for (entity, component) in off {
            if here.is(world) {
                calmly(|| _ = world.switch_dyn(entity, component, false));
            }
        }
    })
}

/// All components that are reached from one, without that itself, each behind those that lead to it.
fn reached(
    world: &World,
    component: ComponentId,
    next: impl Fn(&ComponentInfo) -> Vec<ComponentId>,
) -> Vec<ComponentId> {
    let next = |id: ComponentId| world.components().info(id).map_or_else(Vec::new, &next);
    let mut all = vec![component];
    let mut at = 0;
    while let Some(id) = all.get(at) {
        for id in next(*id) {
            // A longer way leads to it: it goes behind that.
            all.retain(|other| *other != id);
            all.push(id);
        }
        at += 1;
    }
    all.split_off(1)
}

/// Whether a component that goes is required by another that comes.
fn renews(world: &mut World, component: ComponentId, before: &Node, now: &Node) -> bool {
    let new = now.pieces.iter().filter(|(key, _)| before.piece(*key).is_none());
    let new: Vec<ComponentId> = new.map(|(_, piece)| piece.kind().id(world)).collect();
    new.iter().any(|new| reached(world, *new, |info| info.requires().collect()).contains(&component))
}

/// That each tag has what it depends on, or comes with what brings that along: what lacks it can be given to nobody by the prefab alone.
fn can_be(world: &mut World, tree: &Tree) -> Result<(), Stuck> {
    for (node, at) in tree.nodes.iter().zip(0..) {
        let own: Vec<ComponentId> = node.pieces.iter().map(|(_, piece)| piece.kind().id(world)).collect();
        let brought = own.iter().flat_map(|id| reached(world, *id, |info| info.requires().collect()));
        let all: HashSet<ComponentId> = own.iter().copied().chain(brought).collect();
        for id in own {
            let Some(info) = world.components().info(id) else { continue };
            let missing = info.depends_on().iter().filter(|needed| !all.contains(needed));
            let missing = missing.filter_map(|needed| Some(world.components().info(*needed)?.name().to_owned()));
            let missing: Vec<String> = missing.collect();
            if !missing.is_empty() {
                return Err(stuck(at, Unfit::Lacks { tag: info.name().to_owned(), missing }));
            }
        }
    }
    Ok(())
}

/// Of the parts of some copies those in which a component follows what the prefab says of it.
fn retain_following(
    world: &World,
    piece: &Piece,
    component: ComponentId,
    entities: &mut Vec<(usize, Entity)>,
    columns: &Columns<'_>,
) {
    entities.retain(|(_, entity)| piece.kind().is_in(world, *entity) && !has_declared(world, *entity, component));
    if !entities.is_empty() {
        piece.retain_same(world, entities, columns);
    }
}

/// An instance: its tree, its entities by part, and where one of them is.
type Around = (Arc<Tree>, Vec<Vec<Option<Entity>>>, u32);

/// The instance that an entity is part of.
fn instance_around(world: &World, entity: Entity, prefab: PrefabId) -> Option<Around> {
    let slot = world.get_resource::<Library>()?.get(prefab)?;
    let part = world.get::<InstanceOf>(entity)?.part;
    let at = slot.order.iter().position(|number| *number == part)?;
    let depth =
        std::iter::successors(Some(at), |at| Some(slot.tree.nodes[*at].below as usize)).take_while(|at| *at > 0);
    let top = std::iter::once(entity).chain(world.ancestors(entity)).nth(depth.count())?;
    // It may be below a stranger.
    world.get::<InstanceOf>(top).filter(|instance| instance.prefab == prefab && instance.part == 0)?;
    let columns = find_parts(world, prefab, &[top], &slot.tree, &slot.order);
    let is_there = columns[at][0] == Some(entity);
    let at = u32::try_from(at).expect("fewer than 2³² parts");
    is_there.then(|| (Arc::clone(&slot.tree), columns, at))
}

/// Whether a component of an instance does not follow its prefab.
pub(super) fn is_own(
    world: &World,
    entity: Entity,
    prefab: PrefabId,
    key: Key,
    component: Option<ComponentId>,
) -> bool {
    let Some(component) = component else { return false };
    if has_declared(world, entity, component) {
        return true;
    }
    let has = world.has_dyn(entity, component);
    let Some((tree, columns, at)) = instance_around(world, entity, prefab) else { return has };
    let Some(piece) = tree.nodes[at as usize].piece(key) else { return has };
    let mut entities = vec![(0, entity)];
    let columns = Columns { tree: &tree, entities: &columns };
    retain_following(world, piece, component, &mut entities, &columns);
    entities.is_empty()
}

/// Gives an instance what its prefab says.
pub(super) fn revert<T: Component>(
    world: &mut World,
    entity: Entity,
    prefab: PrefabId,
    caller: Caller,
) -> Result<(), PrefabError> {
    let component = world.register::<T>();
    let here = Here::of(world);
    let name = world.get_resource::<Library>().map_or_else(String::new, |library| library.name(prefab));
    let Some((tree, columns, at)) = instance_around(world, entity, prefab) else {
        return Err(PrefabError::apart(world, entity, prefab, caller));
    };
    let columns = Columns { tree: &tree, entities: &columns };
    let piece = tree.nodes[at as usize].piece(Key::of::<T>());
    if let Some((frame, path)) = piece.and_then(|piece| piece.lost(0, &columns)) {
        let from = columns.entities[frame as usize][0].expect("who is below has somebody above");
        return Err(PrefabError::no_part_of(world, from, prefab, &path, caller));
    }
    let done = match piece {
        Some(piece) => piece.insert(world, &[(0, entity)], &columns),
        None => world.remove::<T>(entity).map(drop).map_err(Unfit::from),
    };
    if !here.is(world) {
        return Err(PrefabError::exchanged(name, caller));
    }
    done.map_err(|why| PrefabError::of_part(world, prefab, &tree, (at, why), caller))?;
    declare(world, entity, component, false);
    Ok(())
}
