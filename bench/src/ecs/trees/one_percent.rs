//! One node in a hundred is changed: what `inherit` costs then, beside what it costs if all are.
//!
//! The nodes are drawn at random, whatever is below them; that is worked out with them:
//!
//! ```text
//!             trees             changed                             worked out
//!             10,000 of 10      1,000 of all                        some 2,900
//! leaves      the same          1,000 of the leaves                      1,000
//! in_all      the same          until 1,000 are changed or below one     1,000
//! one_tree    1 of 100,000      1,000 of all                        some 6,900
//! ```
//!
//! All of it on one thread, also where all has changed: how much is done is asked, and not who does it. `by_hand` is a loop over just the rows that are worked out, by a list of them that was made before.
//!
//! So the first works out nearly three in a hundred: at its bar each would have to cost what it costs in a walk over all of them, which reads memory in a row. The last of them has no
//! bar: of what all cost it is seven hundredths before anything is looked for.

use std::hint::black_box;

use phalanx_ecs::{Entity, World};
use phalanx_scene::{Kinship as _, inherit};

use super::phalanx::spawn;
use super::shapes::{NOBODY, Shape, are_leaves, drawn, forest};
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
    draw: fn(&Shape) -> Vec<usize>,
}

const ALL: [Trees; 4] = [
    Trees { variant: "", shape: || forest(NODES / 10, 10), draw: any },
    Trees { variant: "leaves", shape: || forest(NODES / 10, 10), draw: leaves },
    Trees { variant: "in_all", shape: || forest(NODES / 10, 10), draw: in_all },
    Trees { variant: "one_tree", shape: || forest(1, NODES), draw: any },
];

fn any(_: &Shape) -> Vec<usize> {
    drawn(NODES / 100, NODES, |_| true)
}

fn leaves(shape: &Shape) -> Vec<usize> {
    let leaves = are_leaves(shape);
    drawn(NODES / 100, NODES, |node| leaves[node])
}

fn in_all(shape: &Shape) -> Vec<usize> {
    let mut sizes = vec![1; shape.len()];
    for (node, above) in shape.iter().enumerate().rev().filter(|(_, above)| **above != NOBODY) {
        sizes[*above as usize] += sizes[node];
    }
    // Trees are small and far more than are drawn: hardly one of the drawn is below another.
    let mut sum = 0;
    let mut nodes = drawn(NODES, NODES, |_| true);
    let count = nodes.iter().take_while(|node| {
        sum += sizes[**node];
        sum <= NODES / 100
    });
    let count = count.count();
    nodes.truncate(count);
    nodes
}

fn build(trees: Trees) -> Nodes {
    let shape = (trees.shape)();
    let (world, entities) = spawn(&shape);
    let changed = (trees.draw)(&shape).into_iter().map(|node| entities[node]).collect();
    Nodes { world, changed }
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

/// The columns, what has changed, and what is worked out: rows, each with that of the one above it.
struct ByHand {
    locals: Vec<Local>,
    placed: Vec<Placed>,
    shape: Shape,
    changed: Vec<usize>,
    list: Vec<(u32, u32)>,
}

fn build_by_hand(trees: Trees) -> ByHand {
    let shape = (trees.shape)();
    let changed = (trees.draw)(&shape);
    let mut is_due = vec![false; shape.len()];
    changed.iter().for_each(|node| is_due[*node] = true);
    for (node, above) in shape.iter().enumerate().filter(|(_, above)| **above != NOBODY) {
        is_due[node] |= is_due[*above as usize];
    }
    let rows = (0..).zip(&shape).map(|(row, above)| (row, *above));
    let list = rows.clone().filter(|(row, _)| is_due[*row as usize]).collect();
    let mut hand = ByHand {
        locals: (0..shape.len()).map(Local::of).collect(),
        placed: vec![Placed::default(); shape.len()],
        list: rows.collect(),
        changed,
        shape,
    };
    place_by_hand(&mut hand);
    ByHand { list, ..hand }
}

fn place_by_hand(ByHand { locals, placed, list, .. }: &mut ByHand) {
    for &(row, above) in &*list {
        let local = &locals[row as usize];
        placed[row as usize] =
            if above == NOBODY { Placed::alone(local) } else { Placed::under(&placed[above as usize], local) };
    }
}

pub fn by_hand(cases: &mut Cases) {
    let shift = |hand: &mut ByHand| hand.changed.iter().for_each(|row| hand.locals[*row].shift());
    let digest = |hand: &mut ByHand| {
        let is_right = |row: &usize| {
            let local = &hand.locals[*row];
            let above = Some(hand.shape[*row]).filter(|above| *above != NOBODY);
            hand.placed[*row]
                == above
                    .map_or_else(|| Placed::alone(local), |above| Placed::under(&hand.placed[above as usize], local))
        };
        Digest::of([(0..hand.shape.len()).filter(is_right).count() as u64])
    };
    for trees in ALL {
        let build = move || build_by_hand(trees);
        cases.readied(&workloads::HIERARCHY_1PCT, trees.variant, build, shift, place_by_hand, digest);
    }
}

pub fn register(cases: &mut Cases) {
    for trees in ALL {
        cases.readied(&workloads::HIERARCHY_1PCT, trees.variant, move || build(trees), shift, place, digest);
    }
}

/// The other side: all are worked out.
pub fn references(cases: &mut Cases) {
    for trees in ALL {
        cases.readied_alone(
            &workloads::HIERARCHY_1PCT,
            trees.variant,
            move || build(trees),
            shift_in_all,
            place,
            digest,
        );
    }
}
