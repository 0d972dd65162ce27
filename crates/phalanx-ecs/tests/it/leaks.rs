//! What is left when a world is gone, by component type.

use crate::hostile::{Held, Ledger, Tag, held};
use phalanx_ecs::prelude::*;
use phalanx_ecs::testing::{LeakCheck, Witness};
use phalanx_ecs::{Component, ComponentLayout, DynValue, Storage};

#[derive(Component, Clone, Debug, PartialEq)]
#[component(requires(Shadow))]
struct Health(u32);

#[derive(Component, Default)]
struct Shadow;

#[derive(Component)]
#[component(storage = "sparse", name = "the sword")]
struct Sword;

#[test]
fn what_a_world_holds_is_told_by_type() {
    Ledger::new();
    let mut world = World::new();
    assert_eq!(world.live_values().to_string(), "nothing");
    let mana = ComponentLayout::new("Mana").size(2).storage(Storage::Sparse);
    let mana = world.register_dyn(mana).expect("possible");
    world.register::<Held<false, 9>>();
    let entity = world.spawn((Health(1), Sword, Tag::<false>::new()));
    world.spawn_batch((0..3).map(|_| (Health(2), held::<true, 0>())));
    world.insert_dyn(entity, mana, DynValue::bytes(&[1, 2])).expect("fits");
    let live = world.live_values();
    assert_eq!((live.of("Health"), live.of("Shadow"), live.of("the sword"), live.of("Mana")), (4, 4, 1, 1));
    assert_eq!((live.of("Held<true, 0>"), live.of("Tag<false>"), live.of("Held<false, 9>")), (3, 1, 0));
    assert_eq!((live.total(), live.types.len()), (14, 6));
    world.clear();
    assert!(world.live_values().is_empty());
}

#[test]
fn when_the_world_is_gone_nothing_is_left_and_the_check_says_so() {
    let check = LeakCheck::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..5).map(|n| (check.count(Health(n)), check.count(Sword)))).to_vec();
    world.clone_entity_partly(all[0]).expect("the health");
    assert_eq!(check.left().to_string(), "6 × Health, 5 × Sword");
    drop(world.take::<phalanx_ecs::testing::Counted<Sword>>(all[1]).expect("has it"));
    world.despawn(all[2]).expect("alive");
    world.insert(all[3], check.count(Health(9))).expect("alive");
    assert_eq!(check.left().to_string(), "5 × Health, 3 × Sword");
    drop(world);
    check.finish().expect("nothing is left");
}

#[test]
fn a_counted_component_is_kept_and_accompanied_as_it_would_be_alone() {
    let check = LeakCheck::new();
    let mut world = World::new();
    let entity = world.spawn((check.count(Health(3)), check.count(Sword)));
    assert!(world.has::<Shadow>(entity), "it came along");
    let health = world.get_mut::<phalanx_ecs::testing::Counted<Health>>(entity).expect("has it");
    assert_eq!(**health, Health(3));
    health.0 = 4;
    let infos: Vec<(&str, Storage)> = world.components().iter().map(|info| (info.name(), info.storage())).collect();
    assert!(infos.contains(&("the sword", Storage::Sparse)), "{infos:?}");
    assert!(infos.contains(&("Counted<Health>", Storage::Table)), "{infos:?}");
}

#[test]
fn a_world_that_is_forgotten_is_told_by_type_and_count() {
    #[derive(Component)]
    struct Watched(Witness);

    let check = LeakCheck::new();
    let mut world = World::new();
    world.spawn_batch((0..3).map(|_| (check.count(Health(1)), Watched(check.witness::<Watched>()))));
    // Stands for a world that is leaked: it is kept apart, so that no memory is.
    let forgotten = std::mem::ManuallyDrop::new(world);
    let error = check.finish().expect_err("the values are alive");
    assert_eq!((error.left.of("Health"), error.left.of("Watched"), error.left.total()), (3, 3, 6));
    let text = error.to_string();
    assert!(
        text.contains("error[W002]: not every value is gone\n  left: 3 × Health, 3 × Watched\n  asked by: "),
        "{text}"
    );
    assert!(text.contains("leaks.rs:"), "{text}");
    drop(std::mem::ManuallyDrop::into_inner(forgotten));
    check.finish().expect("nothing is left");
}

#[test]
fn checks_do_not_see_each_others_values() {
    let (one, two) = (LeakCheck::new(), LeakCheck::new());
    let value = one.count(Sword);
    two.finish().expect("nothing was counted");
    assert_eq!(one.left().total(), 1);
    drop(value);
    one.finish().expect("it is gone");
}
