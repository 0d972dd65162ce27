//! Faults of prefabs that were found and mended.

use phalanx_ecs::prelude::*;
use phalanx_scene::{Prefab, PrefabWorld};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Target(Entity);

fn valid(world: &World) {
    world.validate().unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn what_is_added_to_an_edited_prefab_wins_over_the_edits() {
    let mut world = World::new();
    let orc = world.add_prefab("orc", Prefab::new().with(Health(10)).part("hand", Prefab::new())).unwrap();
    let top = orc.instantiate(&mut world, 1).unwrap()[0];
    let health = |world: &World| (orc.get::<Health>(world, "").copied(), world.get::<Health>(top).copied());
    orc.insert(&mut world, "", Health(12)).unwrap();
    let more = orc.prefab(&world).unwrap().clone().with(Health(99));
    orc.set(&mut world, more).unwrap();
    assert_eq!(health(&world), (Some(Health(99)), Some(Health(99))));
    let without = orc.prefab(&world).unwrap().clone().without::<Health>();
    orc.set(&mut world, without).unwrap();
    assert_eq!(health(&world), (None, None));
    orc.insert(&mut world, "", Health(13)).unwrap();
    assert_eq!(health(&world), (Some(Health(13)), Some(Health(13))), "an edit wins over what was there");
    let other = world.spawn(());
    orc.insert(&mut world, "hand", Target(other)).unwrap();
    let bound = orc.prefab(&world).unwrap().clone().bind_in("hand", |parts| Target(parts.top()));
    orc.set(&mut world, bound).unwrap();
    let hand = world.part_of(top, "hand").unwrap();
    assert_eq!(world.get(hand), Some(&Target(top)));
    orc.insert(&mut world, "hand", Target(other)).unwrap();
    assert_eq!(world.get(hand), Some(&Target(other)), "and over what was bound");
    let within = orc.prefab(&world).unwrap().clone().within("hand", Prefab::new().with(Target(hand)));
    orc.set(&mut world, within).unwrap();
    assert_eq!(world.get(hand), Some(&Target(hand)));
    valid(&world);
}

#[test]
fn changes_of_a_copy_win_over_edits_among_them() {
    let mut world = World::new();
    let boss = world.add_prefab("boss", Prefab::new().with(Health(10))).unwrap();
    boss.insert(&mut world, "", Health(12)).unwrap();
    let orc = world.add_prefab("orc", Prefab::new().with(Health(1))).unwrap();
    let changes = boss.prefab(&world).unwrap().clone().with(Health(99));
    let top = orc.copies(1).changed(changes).make(&mut world).unwrap()[0];
    assert_eq!(world.get(top), Some(&Health(99)));
    let changes = boss.prefab(&world).unwrap().clone().without::<Health>();
    let top = orc.copies(1).changed(changes).make(&mut world).unwrap()[0];
    assert_eq!(world.get::<Health>(top), None);
}

#[test]
fn edits_of_what_was_nested_and_of_the_whole_do_not_meet() {
    let mut world = World::new();
    let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::new())).unwrap();
    cart.insert(&mut world, "left", Health(1)).unwrap();
    let nested = cart.prefab(&world).unwrap().clone();
    let pair = Prefab::new()
        .part("left", Prefab::new())
        .part("cart", nested)
        .within("cart/left", Prefab::new().with(Health(3)));
    let pair = world.add_prefab("pair", pair).unwrap();
    pair.insert(&mut world, "left", Health(2)).unwrap();
    let health = |path: &str| pair.get::<Health>(&world, path).copied();
    assert_eq!((health("left"), health("cart/left")), (Some(Health(2)), Some(Health(3))));
}
