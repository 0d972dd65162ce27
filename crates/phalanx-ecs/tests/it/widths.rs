//! Values of every width that is moved in a way of its own, and rows and values that fill the holes others leave.

use phalanx_ecs::Component;
use phalanx_ecs::prelude::*;

/// A value of so many words, each of them `word`.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Words<const N: usize>([u32; N]);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Byte(u8);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Long([u8; 100]);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Mark(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Burning(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Frozen(u32);

type Wide = (Words<1>, Words<2>, Words<3>, (Byte, Words<4>, Words<5>, Words<16>), Long);

fn wide(number: u8) -> Wide {
    let word = u32::from(number) * 0x0101_0101;
    let words = (Byte(number), Words([word; 4]), Words([word; 5]), Words([word; 16]));
    (Words([word]), Words([word; 2]), Words([word; 3]), words, Long([number; 100]))
}

#[track_caller]
fn assert_is_wide(world: &World, entity: Entity, number: u8) {
    let (one, two, three, (byte, four, five, sixteen), long) = wide(number);
    assert_eq!(world.get::<Words<1>>(entity), Some(&one));
    assert_eq!(world.get::<Words<2>>(entity), Some(&two));
    assert_eq!(world.get::<Words<3>>(entity), Some(&three));
    assert_eq!(world.get::<Words<4>>(entity), Some(&four));
    assert_eq!(world.get::<Words<5>>(entity), Some(&five));
    assert_eq!(world.get::<Words<16>>(entity), Some(&sixteen));
    assert_eq!((world.get::<Byte>(entity), world.get::<Long>(entity)), (Some(&byte), Some(&long)));
}

fn wide_world() -> (World, Vec<(Entity, u8)>) {
    let mut world = World::new();
    let entities = (1..=9).map(|number| (world.spawn(wide(number)), number)).collect();
    (world, entities)
}

#[test]
fn values_of_every_width_survive_moves_between_tables() {
    let (mut world, entities) = wide_world();
    // Twice, so that the second time is the one that takes the short way; the first, one in the middle and the last of a table.
    for _ in 0..2 {
        for at in [0, 4, 8] {
            world.insert(entities[at].0, Mark(7)).expect("alive");
        }
        for &(entity, number) in &entities {
            assert_is_wide(&world, entity, number);
        }
        assert_eq!(world.query::<&Mark>().iter().count(), 3);
        for at in [4, 8, 0] {
            assert_eq!(world.remove::<Mark>(entities[at].0), Ok(1));
        }
        for &(entity, number) in &entities {
            assert_is_wide(&world, entity, number);
        }
        world.validate().expect("valid");
    }
}

#[test]
fn values_of_every_width_fill_the_holes_of_despawned_rows() {
    let (mut world, mut entities) = wide_world();
    for at in [8, 0, 3, 5, 0, 3, 0, 1, 0] {
        world.despawn(entities.remove(at).0).expect("alive");
        for &(entity, number) in &entities {
            assert_is_wide(&world, entity, number);
        }
        world.validate().expect("valid");
    }
    assert!(entities.is_empty());
}

#[test]
fn a_sparse_value_that_is_not_the_last_joined_leaves_the_others_in_place() {
    let mut world = World::new();
    let entities: Vec<Entity> = (0..5).map(|_| world.spawn(())).collect();
    for (number, &entity) in (0..).zip(&entities) {
        world.insert(entity, Burning(number)).expect("alive");
        world.insert(entity, Frozen(number + 10)).expect("alive");
    }
    let mut burning = world.sparse_mut::<Burning>();
    // `Frozen` came later, so `Burning` is not the first in anybody's list.
    assert_eq!(burning.remove(entities[1]), Some(Burning(1)));
    assert_eq!(burning.remove(entities[1]), None);
    assert_eq!(burning.remove(entities[4]), Some(Burning(4)));
    burning.insert(entities[1], Burning(21)).expect("alive");
    burning.insert(entities[0], Burning(20)).expect("alive");
    assert_eq!(burning.remove(entities[2]), Some(Burning(2)));
    let left = [Some(&Burning(20)), Some(&Burning(21)), None, Some(&Burning(3)), None];
    assert_eq!(entities.iter().map(|&entity| world.get::<Burning>(entity)).collect::<Vec<_>>(), left);
    for (number, &entity) in (10..).zip(&entities) {
        assert_eq!(world.get::<Frozen>(entity), Some(&Frozen(number)));
    }
    world.validate().expect("valid");
    for &entity in &entities {
        world.despawn(entity).expect("alive");
        world.validate().expect("valid");
    }
    assert_eq!(world.query::<&Frozen>().iter().count(), 0);
}

#[test]
fn a_batch_that_outgrows_its_promise_keeps_every_row_in_order() {
    let mut world = World::new();
    world.spawn(Mark(1000));
    // No hint at all: rows come on and on, and the table grows under them.
    let mut next = 0;
    let rows = std::iter::from_fn(|| {
        next += 1;
        (next <= 100).then_some(Mark(next))
    });
    let spawned = world.spawn_batch(rows);
    assert_eq!(next, 101, "nothing is asked for after the end");
    assert_eq!(spawned.len(), 100);
    for (number, entity) in (1..).zip(&spawned) {
        assert_eq!(world.get::<Mark>(entity), Some(&Mark(number)));
    }
    world.validate().expect("valid");
}
