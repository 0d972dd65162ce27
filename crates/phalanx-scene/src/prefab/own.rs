//! What an instance keeps whatever becomes of its prefab.
//!
//! Which components these are is a set of ids. Sets are few, whatever the number of instances: the world has each once, and an instance knows which is its own.

use super::library::Library;
use super::parts::InstanceOf;
use super::tree::Node;
use phalanx_ecs::ComponentId;
use phalanx_ecs::prelude::*;
use std::collections::BTreeMap;

/// On instances that have components of their own: the number of their set.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
#[component(storage = "sparse", immutable, left_out_of(moves), no_checksum, hidden)]
pub(super) struct Own(u32);

/// Sets of components, each sorted.
#[derive(Clone, Default)]
pub(super) struct OwnSets {
    sets: Vec<Box<[ComponentId]>>,
    numbers: BTreeMap<Box<[ComponentId]>, u32>,
}

impl OwnSets {
    fn number(&mut self, set: Box<[ComponentId]>) -> u32 {
        *self.numbers.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            u32::try_from(self.sets.len() - 1).expect("fewer than 2³² sets")
        })
    }
}

/// What was chosen for copies of a part; [`InstanceOf`] if the part itself was.
pub(super) fn own_of(world: &mut World, node: &Node) -> Own {
    let pieces = node.own.iter().filter_map(|key| node.piece(*key));
    let mut set: Vec<ComponentId> = pieces.map(|piece| piece.kind().id(world)).collect();
    set.extend(node.is_own.then(|| world.register::<InstanceOf>()));
    set.sort_unstable();
    set.dedup();
    Own(world.init_resource::<Library>().own.number(set.into()))
}

fn set_of(world: &World, entity: Entity) -> &[ComponentId] {
    let set = world.get::<Own>(entity).zip(world.get_resource::<Library>());
    set.and_then(|(own, library)| library.own.sets.get(own.0 as usize)).map_or(&[], |set| &**set)
}

/// Whether a component was declared an instance's own.
pub(super) fn has_declared(world: &World, entity: Entity, component: ComponentId) -> bool {
    set_of(world, entity).binary_search(&component).is_ok()
}

/// Declares a component of an instance its own, or takes that back.
pub(super) fn declare(world: &mut World, entity: Entity, component: ComponentId, own: bool) {
    let mut set = set_of(world, entity).to_vec();
    match set.binary_search(&component) {
        Err(at) if own => set.insert(at, component),
        Ok(at) if !own => _ = set.remove(at),
        _ => return,
    }
    let done = if set.is_empty() {
        world.remove::<Own>(entity).map(drop)
    } else {
        let number = world.init_resource::<Library>().own.number(set.into());
        world.insert(entity, Own(number))
    };
    debug_assert!(done.is_ok(), "it is alive");
}
