//! Trees of transforms (translation, rotation, scale): Phalanx beside `bevy_transform`, and by hand.
//!
//! All three do the same arithmetic, by `glam`; the results are equal to the last bit.

use phalanx_ecs::{Entity, World};
use phalanx_scene::glam::{Affine3A, Quat, Vec3};
use phalanx_scene::{ChildOf, Transform, WorldTransform, propagate};

use super::shapes::{NOBODY, Shape, deep, depth_first, drawn, forest, ten_by_ten, wide};
use crate::harness::{Cases, Digest};
use crate::workloads::{self, Workload};

/// A row: which trees, and how many nodes are changed each time.
#[derive(Clone, Copy)]
pub struct Trees {
    pub workload: &'static Workload,
    shape: fn() -> Shape,
    changed: usize,
}

/// So many trees of so many nodes are in the two random rows.
const FOREST: (usize, usize) = (1_000, 100);

pub const ALL: [Trees; 5] = [
    Trees { workload: &workloads::TRANSFORMS, shape: ten_by_ten, changed: workloads::TRANSFORMS.items },
    Trees {
        workload: &workloads::TRANSFORMS_RANDOM,
        shape: || forest(FOREST.0, FOREST.1),
        changed: workloads::TRANSFORMS_RANDOM.items,
    },
    Trees {
        workload: &workloads::TRANSFORMS_1PCT,
        shape: || forest(FOREST.0, FOREST.1),
        changed: workloads::TRANSFORMS_1PCT.items,
    },
    Trees {
        workload: &workloads::TRANSFORMS_WIDE,
        shape: || wide(workloads::TRANSFORMS_WIDE.items),
        changed: workloads::TRANSFORMS_WIDE.items,
    },
    Trees {
        workload: &workloads::TRANSFORMS_DEEP,
        shape: || deep(workloads::TRANSFORMS_DEEP.items),
        changed: workloads::TRANSFORMS_DEEP.items,
    },
];

impl Trees {
    /// The trees, and which nodes are changed: none are listed if all are.
    pub fn make(self) -> (Shape, Vec<usize>) {
        let shape = (self.shape)();
        let changed = if self.changed == shape.len() { Vec::new() } else { drawn(self.changed, shape.len(), |_| true) };
        (shape, changed)
    }
}

/// Where node `i` is: translation and rotation; sizes are all 1.
pub fn place_of(i: usize) -> ([f32; 3], [f32; 4]) {
    let angle = (i % 11) as f32 * 0.01;
    ([(i % 16) as f32, (i % 7) as f32, (i % 5) as f32], [0.0, 0.0, angle.sin(), angle.cos()])
}

pub fn transform_of(i: usize) -> Transform {
    let (translation, rotation) = place_of(i);
    Transform::at(Vec3::from_array(translation)).turned(Quat::from_array(rotation))
}

fn shift(transform: &mut Transform) {
    transform.translation.z += 1.0;
}

/// By hand: arrays in which each node stands behind the one above it.
struct ByHand {
    above: Vec<u32>,
    /// Where ends what is below.
    end: Vec<u32>,
    transforms: Vec<Transform>,
    placed: Vec<Affine3A>,
    changed: Vec<u32>,
    /// A bit for each node that was changed.
    dirty: Vec<u64>,
}

impl ByHand {
    fn new(trees: Trees) -> Self {
        let (shape, changed) = trees.make();
        let (order, end) = depth_first(&shape);
        let mut at = vec![0; order.len()];
        order.iter().enumerate().for_each(|(position, node)| at[*node] = position as u32);
        let above_of = |node: &usize| shape[*node];
        let above = order.iter().map(above_of).map(|above| if above == NOBODY { above } else { at[above as usize] });
        let transforms: Vec<_> = order.iter().map(|node| transform_of(*node)).collect();
        let mut by_hand = Self {
            above: above.collect(),
            end,
            placed: vec![Affine3A::IDENTITY; transforms.len()],
            dirty: vec![0; transforms.len().div_ceil(64)],
            changed: changed.into_iter().map(|node| at[node]).collect(),
            transforms,
        };
        by_hand.place_all();
        by_hand
    }

    fn shift(&mut self) {
        if self.changed.is_empty() {
            self.transforms.iter_mut().for_each(shift);
        }
        for &node in &self.changed {
            shift(&mut self.transforms[node as usize]);
            self.dirty[node as usize / 64] |= 1 << (node % 64);
        }
    }

    fn place(&mut self) {
        if self.changed.is_empty() { self.place_all() } else { self.place_changed() }
    }

    fn place_all(&mut self) {
        self.place_range(0, self.placed.len());
    }

    #[inline(always)]
    fn place_range(&mut self, first: usize, end: usize) {
        let (above, transforms, placed) = (&self.above[..end], &self.transforms[..end], &mut self.placed[..end]);
        for node in first..end {
            let local = transforms[node].matrix();
            placed[node] = if above[node] == NOBODY { local } else { placed[above[node] as usize] * local };
        }
    }

    fn place_changed(&mut self) {
        let mut from = 0;
        for word in 0..self.dirty.len() {
            let mut bits = std::mem::take(&mut self.dirty[word]);
            while bits != 0 {
                let first = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // What is below one that was changed has been placed with it.
                if first >= from {
                    from = self.end[first] as usize;
                    self.place_range(first, from);
                }
            }
        }
    }
}

pub fn raw(cases: &mut Cases) {
    for trees in ALL {
        cases.readied(
            trees.workload,
            "",
            move || ByHand::new(trees),
            ByHand::shift,
            ByHand::place,
            |nodes| Digest::of(nodes.placed.iter().map(|placed| placed.to_cols_array())),
        );
    }
}

struct Nodes {
    world: World,
    changed: Vec<Entity>,
}

/// A world with a forest of transforms, placed.
pub fn forest_world(trees: usize, nodes: usize) -> World {
    spawn(forest(trees, nodes)).0
}

fn spawn(shape: Shape) -> (World, Vec<Entity>) {
    let (mut world, mut entities) = (World::new(), Vec::<Entity>::with_capacity(shape.len()));
    for (node, above) in shape.into_iter().enumerate() {
        entities.push(if above == NOBODY {
            world.spawn(transform_of(node))
        } else {
            world.spawn((transform_of(node), ChildOf(entities[above as usize])))
        });
    }
    propagate(&mut world);
    (world, entities)
}

fn build(trees: Trees) -> Nodes {
    let (shape, changed) = trees.make();
    let (world, entities) = spawn(shape);
    Nodes { world, changed: changed.into_iter().map(|node| entities[node]).collect() }
}

pub fn phalanx(cases: &mut Cases) {
    let ready = |Nodes { world, changed }: &mut Nodes| {
        let mut all = world.query::<&mut Transform>();
        if changed.is_empty() {
            all.for_each(shift);
        } else {
            all.for_each_of(&*changed, shift);
        }
    };
    let timed = |nodes: &mut Nodes| {
        propagate(&mut nodes.world);
    };
    for trees in ALL {
        cases.readied(
            trees.workload,
            "",
            move || build(trees),
            ready,
            timed,
            |nodes| {
                let placed = nodes.world.query::<&WorldTransform>();
                Digest::of(placed.iter().map(|placed| placed.affine().to_cols_array()).collect::<Vec<_>>())
            },
        );
    }
}
