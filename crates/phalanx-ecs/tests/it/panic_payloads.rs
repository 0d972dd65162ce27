//! A panic's payload can itself panic when it is dropped.

use crate::hostile::{Ledger, Token, assert_well, panic_of};
use phalanx_ecs::{Component, With, World};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

/// The payload of a panic; dropping it panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload panics");
    }
}

/// Dropping it panics: the first with a text, the others with a bomb.
struct Fuse<const N: u8>(Token);

impl<const N: u8> Component for Fuse<N> {}

impl<const N: u8> Drop for Fuse<N> {
    fn drop(&mut self) {
        assert!(N != 0, "a text");
        panic_any(Bomb);
    }
}

fn defused(f: impl FnOnce()) {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    std::mem::forget(payload);
}

#[test]
fn despawning_drops_each_value_once_though_a_second_payload_panics() {
    let ledger = Ledger::new();
    let mut world = ManuallyDrop::new(World::new()); // so that a failure is told, not a second fault
    let entity = world.spawn((Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token())));
    defused(|| world.despawn(entity).expect("alive"));
    assert_well(&world, ledger, 0);
}

#[test]
fn removing_drops_each_value_once_though_a_second_payload_panics() {
    let ledger = Ledger::new();
    let mut world = ManuallyDrop::new(World::new()); // so that a failure is told, not a second fault
    let entity = world.spawn((Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token())));
    defused(|| {
        world.remove::<(Fuse<0>, Fuse<1>)>(entity).expect("alive");
    });
    assert_well(&world, ledger, 0);
    world.despawn(entity).expect("alive, and has nothing");
}

#[test]
fn replacing_drops_each_value_once_though_a_second_payload_panics() {
    let ledger = Ledger::new();
    let mut world = ManuallyDrop::new(World::new()); // so that a failure is told, not a second fault
    let entity = world.spawn((Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token())));
    defused(|| world.insert(entity, (Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token()))).expect("alive"));
    assert_well(&world, ledger, 2);
    let there =
        (world.get::<Fuse<0>>(entity).map(|fuse| fuse.0.id), world.get::<Fuse<1>>(entity).map(|fuse| fuse.0.id));
    assert_eq!(there, (Some(2), Some(3)), "the new values; the old ones are dropped");
}

#[test]
fn a_kept_panic_whose_payload_panics_is_forgotten_when_another_goes_by() {
    let ledger = Ledger::new();
    let mut world = ManuallyDrop::new(World::new()); // so that a failure is told, not a second fault
    world.spawn_batch([Fuse::<1>(ledger.token()), Fuse::<1>(ledger.token())]);
    let mut calls = 0;
    let message = panic_of(|| {
        world.insert_where_with::<With<Fuse<1>>, _>(|_| {
            calls += 1;
            // The first value was replaced; the bomb from its drop waits.
            assert!(calls < 2, "the maker panics");
            Fuse::<1>(ledger.token())
        });
    });
    assert_eq!(message, "the maker panics");
    assert_well(&world, ledger, 2);
}
