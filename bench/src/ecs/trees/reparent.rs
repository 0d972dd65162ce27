//! Leaves are given another parent: each of 10,000 that of another leaf's, and back the next time, in an order that says nothing.

use crate::components::{Random, shuffled};
use crate::harness::{Cases, Digest};
use crate::workloads;

use super::shapes::{NOBODY, ten_by_ten};

/// Leaves, each with the two parents that it has in turn.
type Moves<E> = Vec<(E, [E; 2])>;

fn moves() -> Moves<usize> {
    let shape = ten_by_ten();
    let first_leaf = shape.len() - workloads::REPARENT.items;
    let first_parent = shape[first_leaf] as usize;
    let mut random = Random::default();
    let moves = shuffled(workloads::REPARENT.items).into_iter().map(|leaf| {
        let own = shape[first_leaf + leaf] as usize;
        let other = first_parent + random.below(first_leaf - first_parent - 1);
        (first_leaf + leaf, [own, if other >= own { other + 1 } else { other }])
    });
    moves.collect()
}

/// A leaf and its parent, as numbers of nodes.
fn digest_of(parents: impl Iterator<Item = (usize, usize)>) -> Digest {
    Digest::of(parents.map(|(leaf, parent)| (leaf as u64, parent as u64)))
}

/// The two sides of a world's move: which parents are to come next, and the moves.
struct Moving<W, E> {
    world: W,
    next: usize,
    moves: Moves<E>,
    entities: Vec<E>,
}

impl<W, E: Copy> Moving<W, E> {
    fn new(world: W, entities: Vec<E>) -> Self {
        let of = |(leaf, [own, other]): (usize, [usize; 2])| (entities[leaf], [entities[own], entities[other]]);
        Self { world, next: 1, moves: moves().into_iter().map(of).collect(), entities }
    }

    fn run(&mut self, mut attach: impl FnMut(&mut W, E, E)) {
        for (leaf, parents) in &self.moves {
            attach(&mut self.world, *leaf, parents[self.next]);
        }
        self.next = 1 - self.next;
    }

    fn digest(&mut self, mut parent: impl FnMut(&mut W, E) -> E) -> Digest
    where
        E: Ord,
    {
        let mut numbers: Vec<(E, usize)> = self.entities.iter().copied().zip(0..).collect();
        numbers.sort_unstable();
        let number = |entity| numbers[numbers.binary_search_by_key(&entity, |(entity, _)| *entity).expect("a node")].1;
        let leaves: Vec<E> = self.moves.iter().map(|(leaf, _)| *leaf).collect();
        digest_of(leaves.into_iter().map(|leaf| (number(leaf), number(parent(&mut self.world, leaf)))))
    }
}

/// By hand: links by number, and a look upwards for circles.
pub mod raw {
    use super::{Cases, Moving, NOBODY, ten_by_ten, workloads};

    #[derive(Clone, Copy)]
    struct Link {
        parent: u32,
        first: u32,
        last: u32,
        previous: u32,
        next: u32,
    }

    fn tie_last(links: &mut [Link], child: u32, parent: u32) {
        let previous = std::mem::replace(&mut links[parent as usize].last, child);
        let link = &mut links[child as usize];
        (link.parent, link.previous, link.next) = (parent, previous, NOBODY);
        match previous {
            NOBODY => links[parent as usize].first = child,
            _ => links[previous as usize].next = child,
        }
    }

    fn cut(links: &mut [Link], child: u32) {
        let Link { parent, previous, next, .. } = links[child as usize];
        match previous {
            NOBODY => links[parent as usize].first = next,
            _ => links[previous as usize].next = next,
        }
        match next {
            NOBODY => links[parent as usize].last = previous,
            _ => links[next as usize].previous = previous,
        }
    }

    fn attach(links: &mut [Link], child: u32, parent: u32) {
        let mut above = parent;
        while above != NOBODY {
            assert!(above != child, "a circle");
            above = links[above as usize].parent;
        }
        cut(links, child);
        tie_last(links, child, parent);
    }

    pub fn register(cases: &mut Cases) {
        let build = || {
            let shape = ten_by_ten();
            let none = Link { parent: NOBODY, first: NOBODY, last: NOBODY, previous: NOBODY, next: NOBODY };
            let mut links = vec![none; shape.len()];
            for (node, above) in shape.iter().enumerate().skip(1) {
                tie_last(&mut links, node as u32, *above);
            }
            Moving::new(links, (0..shape.len() as u32).collect())
        };
        let run =
            |moving: &mut Moving<_, _>| moving.run(|links: &mut Vec<Link>, child, parent| attach(links, child, parent));
        let digest = |moving: &mut Moving<Vec<Link>, u32>| moving.digest(|links, leaf| links[leaf as usize].parent);
        cases.lasting(&workloads::REPARENT, "", build, run, digest);
    }
}

pub mod phalanx {
    use phalanx_scene::Kinship as _;

    use super::{Cases, Moving, ten_by_ten, workloads};
    use crate::ecs::trees::phalanx::spawn;

    pub fn register(cases: &mut Cases) {
        let build = || {
            let (world, entities) = spawn(&ten_by_ten());
            Moving::new(world, entities)
        };
        let run = |moving: &mut Moving<_, _>| {
            moving.run(|world: &mut phalanx_ecs::World, leaf, parent| world.attach(leaf, parent).expect("no circle"));
        };
        cases.lasting(&workloads::REPARENT, "", build, run, |moving| {
            moving.digest(|world, leaf| world.parent(leaf).expect("it has one"))
        });
    }
}

pub mod bevy {
    use bevy_ecs::hierarchy::ChildOf;
    use bevy_ecs::prelude::{Entity, World};

    use super::{Cases, Moving, ten_by_ten, workloads};
    use crate::ecs::trees::bevy::spawn;

    pub fn register(cases: &mut Cases) {
        let build = || {
            let (world, entities) = spawn(&ten_by_ten());
            Moving::new(world, entities)
        };
        let run = |moving: &mut Moving<_, _>| {
            moving.run(|world: &mut World, leaf: Entity, parent: Entity| {
                world.entity_mut(leaf).insert(ChildOf(parent));
            });
        };
        cases.lasting(&workloads::REPARENT, "", build, run, |moving| {
            moving.digest(|world, leaf| world.get::<ChildOf>(leaf).expect("has one").parent())
        });
    }
}

pub mod flecs {
    use flecs_ecs::prelude::*;

    use super::{Cases, Moving, ten_by_ten, workloads};
    use crate::ecs::trees::flecs::spawn;

    pub fn register(cases: &mut Cases) {
        let build = || {
            let (world, entities) = spawn(&ten_by_ten());
            Moving::new(world, entities)
        };
        let run = |moving: &mut Moving<_, _>| {
            moving.run(|world: &mut World, leaf: Entity, parent: Entity| {
                world.entity_from_id(leaf).child_of(parent);
            });
        };
        cases.lasting(&workloads::REPARENT, "", build, run, |moving| {
            moving.digest(|world, leaf| world.entity_from_id(leaf).parent().expect("has one").id())
        });
    }
}
