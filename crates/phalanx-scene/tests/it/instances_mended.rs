//! Faults of instances of prefabs that were found and mended.

use phalanx_ecs::prelude::*;
use phalanx_scene::{InstanceOf, Kinship, Prefab, PrefabError, PrefabWorld};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Lamp(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Target(Entity);

fn valid(world: &World) {
    world.validate().unwrap_or_else(|broken| panic!("{broken}"));
}

// ------------------------------------------------------------------------------------------------ what observers make

/// A prefab whose copies have a lamp, and then cannot be.
fn bad() -> Prefab {
    Prefab::new().with(Lamp(1)).part("x", Prefab::new().bind(|parts| Target(parts["nowhere"])))
}

#[test]
fn an_instantiation_that_fails_ends_nobody_who_was_there_before() {
    let mut world = World::new();
    let orc = world.add_prefab("orc", Prefab::new().with(Health(1))).unwrap().instantiate(&mut world, 1).unwrap()[0];
    let bad = world.add_prefab("bad", bad()).unwrap();
    let mark = *world.get::<InstanceOf>(orc).unwrap();
    let hero = world.spawn(Health(99));
    world.observe::<Lamp>(Act::Insert, move |trigger| trigger.defer(move |world| world.insert(hero, mark).unwrap()));
    assert!(bad.instantiate(&mut world, 2).is_err());
    assert_eq!((world.alive(), world.get(hero), world.has::<Lamp>(hero)), (2, Some(&Health(99)), false));
    valid(&world);
}

#[test]
fn copies_that_an_observer_makes_outlive_an_instantiation_that_fails() {
    let mut world = World::new();
    let orc = Prefab::new().with(Health(1)).part("hand", Prefab::new());
    let orc = world.add_prefab("orc", orc).unwrap();
    let first = orc.instantiate(&mut world, 1).unwrap()[0];
    let bad = world.add_prefab("bad", bad()).unwrap();
    let made = Arc::new(Mutex::new(Vec::new()));
    let (seen, mut once) = (Arc::clone(&made), true);
    world.observe::<Lamp>(Act::Insert, move |trigger| {
        // It is told of the copy of the copy, too.
        if !std::mem::take(&mut once) {
            return;
        }
        let (seen, top) = (Arc::clone(&seen), trigger.entity());
        trigger.defer(move |world| {
            let mut seen = seen.lock().unwrap();
            seen.push(world.clone_tree(first).unwrap());
            seen.extend(orc.instantiate(world, 2).unwrap());
            seen.push(world.clone_tree(top).unwrap());
        });
    });
    assert!(bad.instantiate(&mut world, 1).is_err());
    let mut made = made.lock().unwrap();
    let of_bad = made.pop().unwrap();
    for top in &*made {
        assert!(world.part_of(*top, "hand").is_some(), "{top}");
    }
    assert!(world.query_filtered::<Entity, With<Lamp>>().iter().eq([of_bad]));
    valid(&world);
}

#[test]
fn a_change_that_is_refused_ends_nobody_who_was_there_before() {
    for panics in [false, true] {
        let mut world = World::new();
        let prefab = world.add_prefab("p", Prefab::new().with(Health(1))).unwrap();
        let tops = prefab.instantiate(&mut world, 2).unwrap();
        let mark = *world.get::<InstanceOf>(tops[0]).unwrap();
        let hero = world.spawn(Health(99));
        world
            .observe::<Lamp>(Act::Insert, move |trigger| trigger.defer(move |world| world.insert(hero, mark).unwrap()));
        let part = if panics { Prefab::new().bind(|_| -> Target { panic!("never") }) } else { bad() };
        let new = Prefab::new().with(Health(1)).part("a", Prefab::new().with(Lamp(1))).part("b", part);
        let refused = catch_unwind(AssertUnwindSafe(|| prefab.set(&mut world, new)));
        assert_eq!((refused.is_err(), refused.is_ok_and(|set| set.is_ok())), (panics, false));
        assert_eq!((world.alive(), world.get(hero)), (3, Some(&Health(99))));
        valid(&world);
    }
}

#[test]
fn layers_that_come_one_by_one_are_ended_with_what_fails() {
    #[derive(Component, Clone)]
    #[component(depends_on(Health))]
    struct Alive;
    let mut world = World::new();
    // A tag below what it depends on: all of a copy come at once then.
    let prefab = Prefab::new().with(Alive).with(Health(1)).part("x", bad());
    let prefab = world.add_prefab("p", prefab).unwrap();
    let other = world.spawn(());
    assert!(prefab.instantiate(&mut world, 3).is_err());
    assert!(world.entities().eq([other]));
    valid(&world);
}

// ------------------------------------------------------------------------------------------------ what is given back

#[test]
fn what_refers_to_a_part_that_is_lost_is_not_reverted() {
    let mut world = World::new();
    let gun = Prefab::new().part("barrel", Prefab::new()).bind(|parts| Target(parts["barrel"]));
    let tank = Prefab::new().part("gun", gun).bind(|parts| Target(parts["gun/barrel"]));
    let tank = world.add_prefab("tank", tank).unwrap();
    let top = tank.instantiate(&mut world, 1).unwrap()[0];
    let gun = world.part_of(top, "gun").unwrap();
    let barrel = world.part_of(gun, "barrel").unwrap();
    let stranger = world.spawn(());
    world.insert(top, Target(stranger)).unwrap();
    world.revert::<Target>(top).unwrap();
    assert_eq!(world.get(top), Some(&Target(barrel)));

    world.despawn(barrel).unwrap();
    for (entity, lost) in [(top, "gun/barrel"), (gun, "barrel")] {
        world.insert(entity, Target(stranger)).unwrap();
        world.keep_own::<Target>(entity).unwrap();
        let error = world.revert::<Target>(entity).unwrap_err();
        assert!(
            matches!(&error, PrefabError::NoPartOfInstance { is_lost: true, path, entity: of, .. }
            if path == lost && *of == entity),
            "{error}"
        );
        assert!(error.to_string().contains("instances_mended.rs:"), "{error}");
        assert_eq!(world.get(entity), Some(&Target(stranger)));
        assert!(world.is_own::<Target>(entity).unwrap());
    }
    // What asks whether it is there gets an answer.
    let asks = Prefab::new().part("a", Prefab::new()).bind(|parts| Target(parts.get("a").unwrap_or(parts.top())));
    let top = world.add_prefab("asks", asks).unwrap().instantiate(&mut world, 1).unwrap()[0];
    world.despawn(world.part_of(top, "a").unwrap()).unwrap();
    world.insert(top, Target(stranger)).unwrap();
    world.revert::<Target>(top).unwrap();
    assert_eq!(world.get(top), Some(&Target(top)));
    valid(&world);
}
