//! A chain of edits gives what the same edits give one by one.

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
