//! What passes over transforms cost: how often they ask for memory, and how they grow with the world. On its own, so that nothing else disturbs it.

#[path = "../../../phalanx-ecs/tests/it/allocated.rs"]
#[allow(dead_code, reason = "the tests of the core ask for more")]
mod allocated;

use allocated::allocations_of;
use glam::Vec3;
use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Kinship, Place, Transform, Transforms, propagate};
use std::time::Instant;

/// A root, a tenth of all below it, and the others below those.
fn tree(world: &mut World, count: usize) -> (Vec<Entity>, Vec<Entity>) {
    let root = world.spawn(Transform::IDENTITY);
    let branches: Vec<Entity> =
        world.spawn_batch(vec![(Transform::at(Vec3::X), ChildOf(root)); count / 10]).into_iter().collect();
    let parents = (0..count - count / 10).map(|leaf| ChildOf(branches[leaf % branches.len()]));
    let leaves = world.spawn_batch(parents.map(|parent| (Transform::at(Vec3::Y), parent)).collect::<Vec<_>>());
    (branches, leaves.into_iter().collect())
}

#[test]
fn passes_ask_for_no_memory_once_they_have_enough() {
    let mut world = World::new();
    let (branches, leaves) = tree(&mut world, 2000);
    let mut lone = world.spawn(Transform::IDENTITY);
    let mut asked = 0;
    for frame in 0..1200 {
        let leaf = leaves[frame * 7 % leaves.len()];
        world.attach(leaf, branches[frame % branches.len()]).unwrap();
        world.attach(branches[frame % 90], branches[100 + frame % 90]).unwrap();
        world.detach(branches[(frame + 45) % 90]).unwrap();
        world.despawn(lone).unwrap();
        lone = world.spawn(Transform::IDENTITY);
        world.translate(leaf, Vec3::X).unwrap();
        if frame % 5 == 0 {
            world.query::<&mut Transform>().for_each(|transform| transform.translation.x += 1.0);
        }
        let now = allocations_of(|| assert!(propagate(&mut world) > 0));
        if frame >= 600 {
            asked += now;
        }
    }
    assert_eq!(asked, 0);
}

/// How much longer a pass takes in a world 64 times as large, after the same change.
fn growth(mut change: impl FnMut(&mut World, &[Entity], &[Entity], usize)) -> f64 {
    let mut best = |count| {
        let mut world = World::new();
        let (branches, leaves) = tree(&mut world, count);
        propagate(&mut world);
        let mut best = f64::MAX;
        for round in 0..60 {
            change(&mut world, &branches, &leaves, round);
            let start = Instant::now();
            propagate(&mut world);
            best = best.min(start.elapsed().as_secs_f64());
        }
        best
    };
    best(64_000) / best(1000)
}

#[test]
fn a_pass_takes_as_long_as_there_is_that_has_changed() {
    // In proportion to the world, they would take 64 times as long. Machines that others use too are allowed much.
    type Change = fn(&mut World, &[Entity], &[Entity], usize);
    let changes: [(&str, Change); 6] = [
        ("a leaf gets another parent", |world, branches, leaves, round| {
            world.attach(leaves[5], branches[round]).unwrap();
        }),
        ("one who is alone comes", |world, _, _, _| {
            world.spawn(Transform::IDENTITY);
        }),
        ("a leaf goes", |world, _, leaves, round| world.despawn(leaves[round]).unwrap()),
        ("a branch is nobody's child", |world, branches, _, round| {
            world.detach(branches[round]).unwrap();
        }),
        ("two who take no part are tied", |world, _, _, _| {
            let [a, b] = [world.spawn(()), world.spawn(())];
            world.attach(a, b).unwrap();
        }),
        ("a leaf becomes the first child", |world, _, leaves, round| {
            let parent = world.parent(leaves[round]).unwrap();
            world.attach_at(leaves[round], parent, Place::First).unwrap();
        }),
    ];
    for (what, change) in changes {
        let growth = growth(change);
        assert!(growth < 24.0, "{what}: {growth} times as long");
    }
}
