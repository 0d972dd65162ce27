//! One node in a hundred is changed: what `inherit` costs then, beside what it costs if all are.
//!
//! The nodes are drawn at random, whatever is below them; that is worked out with them:
//!
//! ```text
//!             trees             changed             worked out
//!             10,000 of 10      1,000 of all        some 2,900
//! leaves      the same          1,000 of the leaves      1,000
//! one_tree    1 of 100,000      1,000 of all        some 6,900
//! ```
//!
//! So the last of them has no bar: of what all cost it is seven hundredths before anything is looked for.

use std::hint::black_box;

use phalanx_ecs::{Entity, World};
use phalanx_scene::{Kinship as _, inherit};

use super::phalanx::spawn;
use super::shapes::{Shape, are_leaves, drawn, forest};
use crate::components::{Local, Placed};
use crate::harness::{Cases, Digest};
use crate::workloads;

const NODES: usize = workloads::HIERARCHY_1PCT.items;

struct Nodes {
    world: World,
    changed: Vec<Entity>,
}

#[derive(Clone, Copy)]
struct Trees {
    variant: &'static str,
    shape: fn() -> Shape,
    leaves: bool,
}

const ALL: [Trees; 3] = [
    Trees { variant: "", shape: || forest(NODES / 10, 10), leaves: false },
    Trees { variant: "leaves", shape: || forest(NODES / 10, 10), leaves: true },
    Trees { variant: "one_tree", shape: || forest(1, NODES), leaves: false },
];

fn build(trees: Trees) -> Nodes {
    let shape = (trees.shape)();
    let leaves = are_leaves(&shape);
    let (world, entities) = spawn(&shape);
    let changed = drawn(NODES / 100, NODES, |node| leaves[node] || !trees.leaves);
    Nodes { world, changed: changed.into_iter().map(|node| entities[node]).collect() }
}

fn shift(Nodes { world, changed }: &mut Nodes) {
    world.query::<&mut Local>().for_each_of(&*changed, Local::shift);
}

/// The same, and all others are written as they are.
fn shift_in_all(nodes: &mut Nodes) {
    nodes.world.query::<&mut Local>().for_each(|local| *local = black_box(*local));
    shift(nodes);
}

fn place(nodes: &mut Nodes) {
    inherit::<Placed>(&mut nodes.world);
}

/// How many nodes are where they must be, as seen from above: a state that all variants have in common.
fn digest(Nodes { world, .. }: &mut Nodes) -> Digest {
    let placed = |entity| *world.get::<Placed>(entity).expect("all have it");
    let is_right = |entity: &Entity| {
        let local = world.get::<Local>(*entity).expect("all have it");
        placed(*entity)
            == world.parent(*entity).map_or_else(|| Placed::alone(local), |above| Placed::under(&placed(above), local))
    };
    Digest::of([world.entities().filter(is_right).count() as u64])
}

pub fn register(cases: &mut Cases) {
    for trees in ALL {
        cases.readied(&workloads::HIERARCHY_1PCT, trees.variant, move || build(trees), shift, place, digest);
    }
}

/// The other side: all are worked out.
pub fn references(cases: &mut Cases) {
    for trees in ALL {
        cases.readied(&workloads::HIERARCHY_1PCT, trees.variant, move || build(trees), shift_in_all, place, digest);
    }
}
