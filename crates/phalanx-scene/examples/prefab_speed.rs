//! What copies of a prefab cost beside the same rows spawned in batches by hand.
//!
//! `cargo run --release -p phalanx-scene --example prefab_speed`

#![allow(missing_docs, reason = "an example, not a library")]

use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Parent, Prefab, PrefabId, PrefabWorld};
use std::time::{Duration, Instant};

#[derive(Component, Clone, Copy)]
struct Place([f32; 3]);
#[derive(Component, Clone, Copy)]
struct Velocity([f32; 3]);
#[derive(Component, Clone, Copy)]
struct Mesh(u32);
#[derive(Component, Clone, Copy)]
struct Health(u32);

type Row = (Place, Velocity, Mesh, Health);

const COPIES: usize = 10_000;
/// Of each of the ten parts: below which it is. The first is the top.
const BELOW: [usize; 10] = [0, 0, 0, 0, 1, 1, 4, 4, 2, 8];

fn row(part: u32) -> Row {
    (Place([1.0, 2.0, 3.0]), Velocity([0.5; 3]), Mesh(part), Health(100))
}

fn is_parent(part: usize) -> bool {
    BELOW.iter().skip(1).any(|below| *below == part)
}

fn by_hand(world: &mut World) -> Vec<Entity> {
    let mut columns: Vec<Vec<Entity>> = Vec::with_capacity(BELOW.len());
    for (part, below) in BELOW.into_iter().enumerate() {
        let row = row(u32::try_from(part).expect("ten"));
        let spawned = match (part, is_parent(part)) {
            (0, _) => world.spawn_batch((0..COPIES).map(|_| (row, Parent))),
            (_, true) => world.spawn_batch(columns[below].iter().map(|parent| (row, ChildOf(*parent), Parent))),
            (_, false) => world.spawn_batch(columns[below].iter().map(|parent| (row, ChildOf(*parent)))),
        };
        columns.push(spawned.to_vec());
    }
    columns.swap_remove(0)
}

fn tree_at(part: usize, layers: bool) -> Prefab {
    let (place, velocity, mesh, health) = row(u32::try_from(part).expect("ten"));
    let prefab = Prefab::new();
    let mut prefab = if layers {
        prefab.with((place, velocity)).with((mesh, health))
    } else {
        prefab.with((place, velocity, mesh, health))
    };
    for (child, _) in BELOW.iter().enumerate().skip(1).filter(|(_, below)| **below == part) {
        prefab = prefab.part(format!("part {child}"), tree_at(child, layers));
    }
    prefab
}

#[derive(Clone, Copy, PartialEq)]
enum Start {
    New,
    /// It had as many entities of each way as are to come, and has room for them.
    Emptied,
    /// It has them.
    Grown,
}

/// A world with prefabs in one and in two layers.
fn world(start: Start) -> (World, [PrefabId; 2]) {
    let mut world = World::new();
    let prefabs = [("one", false), ("two", true)]
        .map(|(name, layers)| world.add_prefab(name, tree_at(0, layers)).expect("a new name"));
    if start != Start::New {
        by_hand(&mut world);
        for prefab in prefabs {
            prefab.instantiate(&mut world, COPIES).expect("there is room");
        }
    }
    if start == Start::Emptied {
        world.clear();
    }
    (world, prefabs)
}

/// How long a way takes in a world of its own.
fn time(start: Start, way: impl Fn(&mut World, [PrefabId; 2])) -> Duration {
    let (mut world, prefabs) = world(start);
    let begin = Instant::now();
    way(&mut world, prefabs);
    let took = begin.elapsed();
    assert!(world.alive() >= COPIES * BELOW.len());
    took
}

fn main() {
    let copies = |which: usize| {
        move |world: &mut World, prefabs: [PrefabId; 2]| {
            drop(prefabs[which].instantiate(world, COPIES).expect("there is room"));
        }
    };
    let starts = [
        ("a new world", Start::New),
        ("a world that had as many", Start::Emptied),
        ("a world that has as many", Start::Grown),
    ];
    for (name, start) in starts {
        // In turn, so that what else the machine does meets all of them; the shortest is the least disturbed.
        let mut shortest = [Duration::MAX; 3];
        for _round in 0..40 {
            let round = [time(start, |world, _| drop(by_hand(world))), time(start, copies(0)), time(start, copies(1))];
            shortest.iter_mut().zip(round).for_each(|(shortest, took)| *shortest = took.min(*shortest));
        }
        let [hand, one, two] = shortest;
        let ratio = |took: Duration| took.as_secs_f64() / hand.as_secs_f64();
        println!(
            "{name}: by hand {hand:.2?}; a prefab {one:.2?}, {:.2} times that; one of two layers {two:.2?}, {:.2} times",
            ratio(one),
            ratio(two)
        );
    }

    let (mut world, [one, _]) = world(Start::New);
    one.instantiate(&mut world, COPIES).expect("there is room");
    let shortest = (0..20).map(|number| {
        let begin = Instant::now();
        one.insert(&mut world, "part 1", Health(number)).expect("a part");
        begin.elapsed()
    });
    let shortest = shortest.min().expect("several");
    println!(
        "a component of one part changes, and {COPIES} instances of {} entities follow: {shortest:.2?}",
        BELOW.len()
    );
}
