//! What goes wrong while an entity moves to another world leaves both of them whole.

use crate::hostile::panic_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, Name, Removed, Uuid};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Component)]
struct X;
#[derive(Component)]
#[component(toggle)]
struct Shield;
#[derive(Component)]
#[component(toggle, storage = "sparse")]
struct Torch;

const ID: Uuid = Uuid::from_u128(7);

/// An entity that is known by name and uuid and has two things switched off moves to another world, and something panics.
fn move_in_a_panic(mut here: World, with: impl Bundle) {
    let mut there = World::new();
    // Other ids there.
    there.register::<Torch>();
    let traveller = here.spawn((X, Name::new("Ann"), ID, Shield, Torch));
    here.insert(traveller, with).expect("alive");
    here.switch_off::<Shield>(traveller).expect("has it");
    here.switch_off::<Torch>(traveller).expect("has it");
    let seen = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&seen);
    there.observe::<X>(Act::Insert, move |_| {
        told.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(panic_of(|| here.move_entity(traveller, &mut there)), "as told");
    assert_eq!((here.alive(), there.alive(), here.by_uuid(&ID)), (0, 1, None));
    let arrived = there.by_uuid(&ID).expect("it has arrived");
    assert_eq!(there.named("Ann"), Some(arrived));
    assert!(!there.is_on::<Shield>(arrived) && !there.is_on::<Torch>(arrived));
    assert_eq!(seen.load(Ordering::Relaxed), 1, "who observes the other world is told");
    assert!(there.try_spawn(ID).is_err(), "the uuid is taken");
    for world in [&here, &there] {
        world.validate().expect("whole");
    }
}

#[test]
fn an_observer_that_panics_does_not_keep_who_moves_from_arriving() {
    let mut here = World::new();
    here.observe::<X>(Act::Remove, |_| panic!("as told"));
    move_in_a_panic(here, ());
}

#[test]
fn a_deferred_act_that_panics_does_not_keep_who_moves_from_arriving() {
    let mut here = World::new();
    here.observe::<X>(Act::Despawn, |trigger| trigger.defer(|_| panic!("as told")));
    move_in_a_panic(here, ());
}

#[test]
fn a_clone_for_the_log_that_panics_does_not_keep_who_moves_from_arriving() {
    #[derive(Component)]
    struct Bad;
    impl Clone for Bad {
        fn clone(&self) -> Self {
            panic!("as told")
        }
    }
    let mut here = World::new();
    let _reader = Removed::<Bad>::with_values(&mut here);
    move_in_a_panic(here, Bad);
}

#[test]
fn an_observer_of_the_other_world_that_panics_does_not_undo_the_move() {
    let (mut here, mut there) = (World::new(), World::new());
    here.observe::<X>(Act::Remove, |_| panic!("the first"));
    there.observe::<X>(Act::Insert, |_| panic!("the second"));
    let traveller = here.spawn((X, ID));
    assert_eq!(panic_of(|| here.move_entity(traveller, &mut there)), "the first");
    assert!(there.by_uuid(&ID).is_some());
    for world in [&here, &there] {
        world.validate().expect("whole");
    }
}

thread_local! { static FRAGILE: Cell<bool> = const { Cell::new(false) }; }

/// A value whose drop panics while it is fragile.
#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Glass;

impl Drop for Glass {
    fn drop(&mut self) {
        assert!(!FRAGILE.replace(false), "as told");
    }
}

#[test]
fn a_shared_value_whose_drop_panics_when_its_last_entity_leaves_does_not_keep_it_from_arriving() {
    let (mut here, mut there) = (World::new(), World::new());
    // An equal one is there, so the one that is here goes.
    there.spawn(Glass);
    let traveller = here.spawn((X, ID, Glass, Shield));
    here.switch_off::<Shield>(traveller).expect("has it");
    FRAGILE.set(true);
    assert_eq!(panic_of(|| here.move_entity(traveller, &mut there)), "as told");
    let arrived = there.by_uuid(&ID).expect("it has arrived");
    assert!(!there.is_on::<Shield>(arrived) && there.has::<Glass>(arrived));
    for world in [&here, &there] {
        world.validate().expect("whole");
    }
}

#[test]
fn a_deferred_act_may_put_another_world_in_the_place_of_the_one_that_is_left() {
    let (mut here, mut there) = (World::new(), World::new());
    here.observe::<X>(Act::Remove, |trigger| trigger.defer(|world| *world = World::new()));
    let traveller = here.spawn((X, Shield));
    here.switch_off::<Shield>(traveller).expect("has it");
    let arrived = here.move_entity(traveller, &mut there).expect("room");
    assert!(there.has::<X>(arrived) && there.has::<Shield>(arrived) && !there.is_on::<Shield>(arrived));
    assert!(here.components().is_empty(), "the new one");
    for world in [&here, &there] {
        world.validate().expect("whole");
    }
}
