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

/// Lets a panic come through and its payload go, without a second panic.
fn defused(f: impl FnOnce()) {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    if let Err(payload) = payload.downcast::<&str>() {
        // A bomb has no size, so no memory is lost.
        std::mem::forget(payload);
    }
}

/// A world that is not dropped where a test fails, so that the failure is told and not a second fault.
struct Careful(ManuallyDrop<World>);

impl Careful {
    fn new() -> Self {
        Self(ManuallyDrop::new(World::new()))
    }

    /// Drops the world, with what is left in it.
    fn end(self, left: usize) {
        let world = ManuallyDrop::into_inner(self.0);
        if left == 0 { drop(world) } else { defused(|| drop(world)) }
    }
}

impl std::ops::Deref for Careful {
    type Target = World;
    fn deref(&self) -> &World {
        &self.0
    }
}

impl std::ops::DerefMut for Careful {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.0
    }
}

#[test]
fn despawning_drops_each_value_once_though_a_second_payload_panics() {
    let ledger = Ledger::new();
    let mut world = Careful::new();
    let entity = world.spawn((Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token())));
    defused(|| world.despawn(entity).expect("alive"));
    assert_well(&world, ledger, 0);
    world.end(0);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn removing_drops_each_value_once_though_a_second_payload_panics() {
    let ledger = Ledger::new();
    let mut world = Careful::new();
    let entity = world.spawn((Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token())));
    defused(|| {
        world.remove::<(Fuse<0>, Fuse<1>)>(entity).expect("alive");
    });
    assert_well(&world, ledger, 0);
    world.despawn(entity).expect("alive, and has nothing");
    world.end(0);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn replacing_drops_each_value_once_though_a_second_payload_panics() {
    let ledger = Ledger::new();
    let mut world = Careful::new();
    let entity = world.spawn((Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token())));
    defused(|| world.insert(entity, (Fuse::<0>(ledger.token()), Fuse::<1>(ledger.token()))).expect("alive"));
    assert_well(&world, ledger, 2);
    let there =
        (world.get::<Fuse<0>>(entity).map(|fuse| fuse.0.id), world.get::<Fuse<1>>(entity).map(|fuse| fuse.0.id));
    assert_eq!(there, (Some(2), Some(3)), "the new values; the old ones are dropped");
    world.end(2);
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_kept_panic_whose_payload_panics_is_forgotten_when_another_goes_by() {
    let ledger = Ledger::new();
    let mut world = Careful::new();
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
    world.end(2);
    assert_eq!(ledger.alive(), 0);
}
