//! All entities that can be become nodes of a scene: those of one table, and those of ten (`ten_tables`).

use phalanx_ecs::{Component, World};
use phalanx_scene::{Node, SceneId, SceneWorld as _};

use crate::components::{Position, movers};
use crate::harness::{Cases, Digest};
use crate::workloads;

#[derive(Node)]
struct Placed<'w> {
    position: &'w Position,
}

/// Tells tables apart.
struct Kind<const N: usize>;
impl<const N: usize> Component for Kind<N> {}

const TABLES: usize = 10;

fn spawn(tables: usize) -> (World, SceneId) {
    let mut world = World::new();
    let mut rows = movers(workloads::ADD_MATCHING.items).map(|(position, _)| position);
    macro_rules! spawn {
        ($($n:literal)+) => {{$(
            world.spawn_batch(rows.by_ref().take(workloads::ADD_MATCHING.items / tables).map(|row| (row, Kind::<$n>)));
        )+}};
    }
    match tables {
        TABLES => spawn!(0 1 2 3 4 5 6 7 8 9),
        _ => spawn!(0),
    }
    let level = world.create_scene("level").expect("the first of its name");
    (world, level)
}

pub fn nodes(cases: &mut Cases) {
    let add = |(mut world, level): (World, SceneId)| {
        let added = level.add_matching::<Placed<'_>>(&mut world).expect("it is there");
        (world, level, added)
    };
    let digest = |(mut world, level, added): (World, SceneId, usize)| {
        let mut nodes = level.prepare::<Placed<'_>>(&mut world).expect("it is there");
        assert_eq!(nodes.on(&mut world).count(), added);
        Digest::of(nodes.on(&mut world).iter().map(|node| node.position))
    };
    cases.fresh(&workloads::ADD_MATCHING, "", || spawn(1), add, digest);
    cases.fresh(&workloads::ADD_MATCHING, "ten_tables", || spawn(TABLES), add, digest);
}

/// By hand, who is a node is a list.
pub fn by_hand(cases: &mut Cases) {
    let build = || -> Vec<Position> { movers(workloads::ADD_MATCHING.items).map(|(position, _)| position).collect() };
    let add = |positions: Vec<Position>| {
        let nodes: Vec<u32> = (0..positions.len() as u32).collect();
        (positions, nodes)
    };
    cases.fresh(&workloads::ADD_MATCHING, "", build, add, |(positions, nodes)| {
        Digest::of(nodes.iter().map(|node| positions[*node as usize]))
    });
}
