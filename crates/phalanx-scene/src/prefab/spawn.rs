//! One part, spawned as often as there are copies.
//!
//! ```text
//! layers   (Mesh, Health)  (Offset)          what `with` named together; the first is spawned, in one batch, with all that makes it a part:
//!             │               │              whose instance it is, whose child, whether it will be a parent
//!           spawn           insert           the others are inserted, each in one batch
//! ```

use super::copies::end;
use super::layer::{Batch, Kind, Layer, Together, Wanted};
use super::own::own_of;
use super::pieces::{Key, Piece, Unfit, Value, rank};
use super::tree::{Node, Tree};
use crate::here::Here;
use crate::hierarchy::Parent;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo, InsertError, SpawnError};
use std::sync::Arc;

/// What comes after the first layer.
enum Later<'a> {
    Layer(&'a dyn Batch),
    Value(&'a dyn Value),
}

/// Tags that depend, by whatever way, on what is bound: they come after that.
pub(super) fn late(world: &mut World, node: &Node) -> Vec<Key> {
    let is_bound = |piece: &Piece| matches!(piece, Piece::Bound { .. });
    if !node.pieces.iter().any(|(_, piece)| is_bound(piece)) {
        return Vec::new();
    }
    let ids = node.pieces.iter().map(|(key, piece)| (piece.kind().id(world), *key, is_bound(piece)));
    let mut ids: Vec<(ComponentId, Key, bool)> = ids.collect();
    ids.sort_by_cached_key(|(id, ..)| rank(world, *id));
    let (mut late, mut keys): (Vec<ComponentId>, _) = (Vec::new(), Vec::new());
    for (id, key, is_bound) in ids {
        let needs = world.components().info(id).map_or(&[][..], ComponentInfo::depends_on);
        if is_bound {
            late.push(id);
        } else if needs.iter().any(|needed| late.contains(needed)) {
            late.push(id);
            keys.push(key);
        }
    }
    keys
}

impl Node {
    /// Whether a layer has a component twice: its batch will be refused.
    fn names_one_twice(&self) -> bool {
        let repeats = |layer: &Layer| {
            let keys = layer.values.iter().map(|(key, _)| *key);
            keys.clone().enumerate().any(|(at, key)| keys.clone().take(at).any(|before| before == key))
        };
        self.layers.iter().any(repeats)
    }

    /// The layer to spawn, and what comes on top of it, all without what comes later.
    fn layers(&self, late: &[Key]) -> (Option<&dyn Batch>, Vec<Later<'_>>) {
        let (mut first, mut later, mut single) = (None, Vec::new(), Vec::new());
        for layer in &self.layers {
            let counts = layer.values.iter().filter(
                |(key, value)| matches!(self.piece(*key), Some(Piece::Value(current)) if Arc::ptr_eq(current, value)),
            );
            let counts = counts.filter(|(key, _)| !late.contains(key));
            let mut counts = counts.map(|(_, value)| &**value).peekable();
            if counts.peek().is_none() && !layer.values.is_empty() {
                continue;
            }
            match &layer.batch {
                Some(batch) if layer.values.iter().all(|(key, _)| self.has_value(*key) && !late.contains(key)) => {
                    match first {
                        None => first = Some(&**batch),
                        Some(_) => later.push(Later::Layer(&**batch)),
                    }
                }
                // A value that counts is in no later layer.
                _ => single.extend(counts.map(Later::Value)),
            }
        }
        later.extend(single);
        (first, later)
    }
}

/// Fewer copies are made sooner than it is known which tables they need.
const MANY: usize = 32;

/// Makes room for copies of a tree, where several parts come into one table: it would grow again and again.
pub(super) fn make_room(world: &mut World, tree: &Tree, count: usize, are_children: bool) {
    if count < MANY {
        return;
    }
    let mut kinds: Vec<(Kind, &dyn Batch, usize)> = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        let late = late(world, node);
        // What is inserted later leaves the table again.
        let (Some(batch), later) = node.layers(&late) else { continue };
        if !later.is_empty() || !late.is_empty() || node.names_one_twice() {
            continue;
        }
        let kind = batch.kind(at > 0 || are_children, node.is_parent);
        match kinds.iter_mut().find(|(of, ..)| *of == kind) {
            Some((.., parts)) => *parts += 1,
            None => kinds.push((kind, batch, 1)),
        }
    }
    for (kind, batch, parts) in kinds.into_iter().filter(|(.., parts)| *parts > 1) {
        batch.reserve(world, kind, count * parts);
    }
}

/// Spawns a part as often as it is wanted.
pub(super) fn spawn_part(world: &mut World, node: &Node, wanted: &Wanted<'_>) -> Result<Vec<Option<Entity>>, Unfit> {
    let here = Here::of(world);
    let late = late(world, node);
    let (first, later) = node.layers(&late);
    let spawned = match spawn_in_layers(world, first, &later, wanted) {
        // What depends on a component came in a layer below it: then all of them must come at once.
        Err(Unfit::Spawn(SpawnError::Lacks(_)) | Unfit::Insert(InsertError::Lacks(_)))
            if !later.is_empty() && here.is(world) =>
        {
            spawn_one_by_one(world, node, wanted, &late)?
        }
        spawned => spawned?,
    };
    if !node.own.is_empty() || node.is_own {
        let own = own_of(world, node);
        let done = world.insert_batch(&spawned, spawned.iter().map(|_| own));
        here.still(world)?;
        done?;
    }
    Ok(spawned.into_iter().map(Some).collect())
}

fn spawn_in_layers(
    world: &mut World,
    first: Option<&dyn Batch>,
    later: &[Later<'_>],
    wanted: &Wanted<'_>,
) -> Result<Vec<Entity>, Unfit> {
    let here = Here::of(world);
    let spawned = wanted.doing.making(|| first.unwrap_or(&Together(())).spawn(world, wanted));
    let entities = spawned.map(|spawned| spawned.to_vec());
    here.still(world)?;
    let entities = entities?;
    match add_layers(world, later, &entities) {
        Ok(()) => Ok(entities),
        Err(Unfit::Exchanged) => Err(Unfit::Exchanged),
        Err(why) => {
            end(world, entities);
            Err(why)
        }
    }
}

fn add_layers(world: &mut World, later: &[Later<'_>], entities: &[Entity]) -> Result<(), Unfit> {
    let here = Here::of(world);
    for later in later {
        let done = match later {
            Later::Layer(batch) => batch.insert(world, entities),
            Later::Value(value) => value.insert(world, entities),
        };
        here.still(world)?;
        done?;
    }
    Ok(())
}

fn spawn_one_by_one(world: &mut World, node: &Node, wanted: &Wanted<'_>, late: &[Key]) -> Result<Vec<Entity>, Unfit> {
    let here = Here::of(world);
    let spawn = |copy: usize| {
        let mut bundle = BundleBuilder::new();
        for (_, piece) in node.pieces.iter().filter(|(key, _)| !late.contains(key)) {
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
        let spawned = wanted.doing.making(|| world.spawn_dyn(bundle));
        here.still(world)?;
        Ok(spawned?)
    };
    (0..wanted.count).map(spawn).collect()
}
