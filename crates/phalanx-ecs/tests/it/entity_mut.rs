//! Chains of edits: they give what the same edits give one by one, and a panic loses nothing.

use crate::hostile::{Held, Ledger, assert_well, held, panic_of};
use phalanx_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Wheels(u32);

#[derive(Component)]
#[component(requires(Wheels = Wheels(4)))]
struct Car;

#[test]
fn what_came_along_and_is_then_removed_is_gone() {
    let mut world = World::new();
    let (one, two) = (world.spawn(()), world.spawn(()));
    world.insert(one, Car).expect("alive");
    world.remove::<Wheels>(one).expect("alive");
    assert_eq!(world.get::<Wheels>(one), None);
    world.entity_mut(two).expect("alive").insert(Car).remove::<Wheels>().apply();
    assert_eq!(world.get::<Wheels>(two), None, "the last word on the wheels was to remove them");
}

#[test]
fn what_was_there_and_is_removed_after_its_user_came_is_gone() {
    let mut world = World::new();
    let entity = world.spawn(Wheels(2));
    world.entity_mut(entity).expect("alive").insert(Car).remove::<Wheels>().apply();
    assert_eq!(world.get::<Wheels>(entity), None);
}

#[test]
fn what_came_along_stays_when_its_user_goes_again() {
    let mut world = World::new();
    let (one, two) = (world.spawn(()), world.spawn(()));
    world.insert(one, Car).expect("alive");
    world.remove::<Car>(one).expect("alive");
    world.entity_mut(two).expect("alive").insert(Car).remove::<Car>().apply();
    assert_eq!(world.get::<Wheels>(two), world.get::<Wheels>(one));
}

#[test]
fn a_panic_in_the_drop_of_a_waiting_value_leaks_nothing() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    ledger.drop_panics_at(1);
    let message = panic_of(|| {
        let mut edit = world.entity_mut(entity).expect("alive");
        edit.insert(held::<false, 0>());
        // Takes the place of the value above, whose drop panics; the second part must not be lost.
        edit.insert((held::<false, 0>(), held::<false, 1>()));
    });
    assert_eq!(message, "this drop panics");
    let on_it = usize::from(world.has::<Held<false, 0>>(entity)) + usize::from(world.has::<Held<false, 1>>(entity));
    assert_well(&world, ledger, on_it);
}

#[test]
fn despawning_through_an_editor_ends_the_entity_though_a_waiting_value_panics() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    let message = panic_of(|| {
        let mut edit = world.entity_mut(entity).expect("alive");
        edit.insert(held::<false, 0>());
        ledger.drop_panics_at(1);
        edit.despawn();
    });
    assert_eq!(message, "this drop panics");
    assert!(!world.is_alive(entity));
    assert_well(&world, ledger, 0);
}

#[test]
fn an_editor_dropped_while_panicking_swallows_a_second_panic() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(held::<false, 0>());
    let message = panic_of(|| {
        let mut edit = world.entity_mut(entity).expect("alive");
        edit.insert(held::<false, 0>());
        ledger.drop_panics_at(1);
        panic!("the user's own");
    });
    assert_eq!(message, "the user's own");
    assert_well(&world, ledger, 1);
}

#[test]
fn several_waiting_values_whose_drops_all_panic_are_all_dropped() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    for route in 0..3 {
        let message = panic_of(|| {
            let mut edit = world.entity_mut(entity).expect("alive");
            edit.insert((held::<false, 0>(), held::<false, 1>(), held::<true, 2>()));
            ledger.all_drops_panic(true);
            match route {
                0 => _ = edit.insert((held::<false, 1>(), held::<true, 2>(), held::<false, 0>())),
                1 => _ = edit.remove::<(Held<false, 0>, Held<false, 1>, Held<true, 2>)>(),
                _ => edit.despawn(),
            }
        });
        ledger.all_drops_panic(false);
        assert_eq!(message, "this drop panics", "route {route}");
        let left = world.live_values();
        assert_well(&world, ledger, left.total());
        assert_eq!(left.total(), [3, 0, 0][route]);
        if route < 2 {
            world.retain::<()>(entity).expect("alive");
        }
    }
    assert!(!world.is_alive(entity));
}

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component)]
struct Slot<T>(T);

#[test]
fn a_bundle_with_a_component_twice_is_refused_though_its_drop_panics() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    ledger.all_drops_panic(true);
    let message = panic_of(|| {
        let bundle = (held::<false, 0>(), Slot(1_u8), Slot(2_u8));
        world.entity_mut(entity).expect("alive").insert(bundle);
    });
    ledger.all_drops_panic(false);
    assert!(
        message.starts_with("error[C002]: the bundle contains component `Slot<u8>` twice\n  asked by: "),
        "{message}"
    );
    assert_eq!(world.signature(entity).expect("alive"), []);
    assert_well(&world, ledger, 0);
}

#[derive(Component, Debug, PartialEq)]
#[component(track, toggle)]
struct Shield(u32);

#[derive(Component, Debug, PartialEq)]
#[component(track, toggle, storage = "sparse")]
struct Glow(u32);

/// As `remove` and `insert` one after the other do.
#[test]
fn what_goes_and_comes_again_is_new_and_on() {
    let mut world = World::new();
    let entity = world.spawn((Shield(1), Glow(1), Wheels(3)));
    world.switch_off::<Shield>(entity).expect("there");
    world.switch_off::<Glow>(entity).expect("there");
    let mut shields = Prepared::<Entity, Added<Shield>>::new();
    let mut glows = Prepared::<Entity, Added<Glow>>::new();
    let mut seen = |world: &mut World| (shields.on(world).count(), glows.on(world).count());
    seen(&mut world);
    world.entity_mut(entity).expect("alive").insert((Shield(2), Glow(2)));
    assert!(!world.is_on::<Shield>(entity) && !world.is_on::<Glow>(entity), "a new value changes nothing else");
    world.entity_mut(entity).expect("alive").remove::<(Shield, Glow)>().insert((Shield(3), Glow(3)));
    assert!(world.is_on::<Shield>(entity) && world.is_on::<Glow>(entity));
    assert_eq!(seen(&mut world), (1, 1));
    assert_eq!((world.get::<Shield>(entity), world.get::<Wheels>(entity)), (Some(&Shield(3)), Some(&Wheels(3))));
    world.validate().expect("valid");
}

#[test]
fn what_goes_and_comes_again_is_dropped_once() {
    let (ledger, mut world) = (Ledger::new(), World::new());
    let entity = world.spawn((held::<false, 0>(), held::<true, 1>(), Wheels(1)));
    let mut edits = world.entity_mut(entity).expect("alive");
    edits.remove::<(Held<false, 0>, Held<true, 1>)>().insert((held::<false, 0>(), held::<true, 1>()));
    edits.remove::<Held<false, 0>>().insert(held::<false, 0>()).remove::<Wheels>().apply();
    drop(edits);
    assert_well(&world, ledger, 2);
}
