//! What panics, refuses or stays behind in the middle of an operation: the world and its queues go on, and nothing is lost, left over or tried for ever.

use crate::hostile::panic_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Bitwise, Check, CloneError, Component, Requirements, Storage, Trigger, Wish};
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Component, Clone, Copy)]
#[component(toggle, left_out_of(moves))]
struct Lamp;

#[derive(Component, Clone, Copy)]
#[component(toggle, storage = "sparse", left_out_of(moves))]
struct Torch;

#[derive(Component, Clone, Copy)]
#[component(left_out_of(clones, moves))]
struct Anchor;

#[derive(Component, Clone, Copy)]
#[component(toggle, depends_on(Anchor))]
struct Moored;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(toggle)]
struct Sail(u32);

#[test]
fn what_is_switched_off_and_stays_behind_does_not_keep_an_entity_from_moving() {
    let (mut here, mut there) = (World::new(), World::new());
    let ship = here.spawn((Lamp, Torch, Anchor, Moored, Sail(3)));
    here.switch_off::<Lamp>(ship).unwrap();
    here.switch_off::<Torch>(ship).unwrap();
    here.switch_off::<Moored>(ship).unwrap();
    here.switch_off::<Sail>(ship).unwrap();
    let moved = here.move_entity(ship, &mut there).unwrap();
    assert!(!here.is_alive(ship) && there.is_alive(moved));
    assert_eq!(there.get::<Sail>(moved), Some(&Sail(3)));
    assert!(!there.is_on::<Sail>(moved), "what is switched off stays so");
    assert!(!there.has::<Lamp>(moved) && !there.has::<Torch>(moved) && !there.has::<Moored>(moved));
    here.validate().unwrap();
    there.validate().unwrap();
}

/// A type that cannot say what it requires.
struct Speechless;
impl Component for Speechless {
    fn require(_: &mut Requirements<'_>) {
        panic!("speechless");
    }
}

#[derive(Component)]
struct Plain(u32);

#[test]
fn a_queue_whose_command_panics_before_it_is_done_comes_to_an_end() {
    let mut world = World::new();
    // Known before: a type that could not say what it requires is asked again before another is registered.
    let known = world.spawn(Plain(0));
    world.despawn(known).unwrap();
    let one = world.spawn(());
    let mut commands = world.commands();
    let lost = commands.spawn(Speechless);
    for _ in 0..2 {
        commands.insert(one, Speechless);
    }
    let both = commands.spawn(Plain(1));
    commands.insert(both, Speechless);
    let last = commands.spawn(Plain(2));
    assert_eq!(panic_of(|| world.apply(&mut commands)), "speechless");
    assert!(commands.is_empty(), "what panicked is not tried again, and the rest is done");
    assert!(!world.is_alive(lost) && world.has::<Plain>(last) && world.has::<Plain>(both));
    world.validate().unwrap();
}

/// Asks for nothing but trouble: panics at `0`, refuses `1`.
#[derive(Component, Clone, Copy)]
#[component(check)]
struct Touchy(u32);

impl Check for Touchy {
    fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>> {
        assert!(wishes.iter().all(|wish| wish.value.0 != 0), "touched");
        if wishes.iter().any(|wish| wish.value.0 == 1) { Err("no".into()) } else { Ok(()) }
    }
}

#[test]
#[cfg_attr(miri, ignore = "long")]
fn ids_of_queued_spawns_come_back_if_a_check_panics() {
    let mut world = World::new();
    let mut highest = Vec::new();
    for round in 0..40 {
        let mut commands = world.commands();
        commands.spawn_batch((0..100).map(Touchy).collect::<Vec<_>>());
        for _ in 0..100 {
            commands.spawn(Touchy(0));
        }
        assert_eq!(panic_of(|| world.apply(&mut commands)), "touched");
        if round % 10 == 9 {
            highest.push(world.stats().entities.highest_index);
        }
    }
    assert_eq!(world.alive(), 0);
    let (first, last) = (highest[0].unwrap_or(0), highest[3].unwrap_or(0));
    assert!(last <= 4 * first.max(1000), "{highest:?}");
    world.validate().unwrap();
}

/// Its drop panics.
struct Loud;
impl Component for Loud {
    const STORAGE: Storage = Storage::Table;
}
impl Drop for Loud {
    fn drop(&mut self) {
        panic!("loud");
    }
}

#[test]
fn a_check_that_panics_ends_no_program_whatever_is_dropped_because_of_it() {
    let quiet = |act: &mut dyn FnMut(&mut World)| {
        let mut world = World::new();
        let message = panic_of(|| act(&mut world));
        assert_eq!(message, "touched");
        world.validate().unwrap();
    };
    quiet(&mut |world| drop(world.try_spawn((Loud, Touchy(0)))));
    quiet(&mut |world| {
        let one = world.spawn(());
        drop(world.insert(one, (Loud, Touchy(0))));
    });
    quiet(&mut |world| drop(world.spawn_columns((vec![Loud], vec![Touchy(0)]))));
    quiet(&mut |world| {
        let one = world.spawn(());
        drop(world.entity_mut(one).unwrap().try_insert((Loud, Touchy(0))));
    });
    quiet(&mut |world| {
        let mut commands = world.commands();
        commands.spawn((Loud, Touchy(0)));
        drop(world.apply(&mut commands));
    });
}

#[derive(Component)]
#[component(on_insert = protest)]
struct Hooked(Loud);

fn protest(trigger: &mut Trigger<'_>) {
    assert!(trigger.world().get_resource::<Strict>().is_none(), "protest");
}

#[derive(Resource)]
struct Strict;

#[test]
fn what_is_handed_out_is_dropped_quietly_if_somebody_panics() {
    let mut world = World::new();
    let one = world.spawn(Loud);
    world.observe::<Loud>(Act::Remove, |_| panic!("observed"));
    assert_eq!(panic_of(|| drop(world.take::<Loud>(one))), "observed");

    let two = world.spawn(Hooked(Loud));
    world.insert_resource(Strict);
    assert_eq!(panic_of(|| drop(world.replace(two, Hooked(Loud)))), "protest");
    world.validate().unwrap();
    // Two values are left, and their drops panic.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(world)));
}

#[derive(Component)]
#[component(on_insert = twins)]
struct Twin;

fn twins(trigger: &mut Trigger<'_>) {
    trigger.defer(|world| {
        world.spawn(Twin);
        world.spawn(Twin);
    });
}

#[test]
#[cfg_attr(miri, ignore = "long")]
fn a_component_that_brings_more_and_more_of_its_kind_is_stopped() {
    let mut world = World::new();
    assert!(panic_of(|| world.spawn(Twin)).starts_with("error[O002]"));
    world.validate().unwrap();
}

#[derive(Component, Clone, Copy)]
#[component(check, no_clone)]
struct Sealed(u32);

impl Check for Sealed {
    fn check(world: &World, _: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>> {
        if world.get_resource::<Strict>().is_some() { Err("strict".into()) } else { Ok(()) }
    }
}

#[derive(Component, Clone, Copy)]
#[component(check, depends_on(Anchor))]
struct Checked;

impl Check for Checked {
    fn check(world: &World, _: &[Wish<Self>]) -> Result<(), Box<dyn Error + Send + Sync>> {
        if world.get_resource::<Strict>().is_some() { Err("strict".into()) } else { Ok(()) }
    }
}

#[test]
fn copies_and_moves_ask_only_what_comes_along() {
    let (mut here, mut there) = (World::new(), World::new());
    let ship = here.spawn((Sail(1), Sealed(2), Anchor, Checked));
    for world in [&mut here, &mut there] {
        world.insert_resource(Strict);
    }
    let copy = here.clone_entity_partly(ship).unwrap();
    assert!(here.has::<Sail>(copy) && !here.has::<Sealed>(copy) && !here.has::<Checked>(copy));
    assert!(matches!(here.clone_entity(ship), Err(CloneError::NotCloneable { .. })));
    here.remove::<Sealed>(ship).unwrap();
    let moved = here.move_entity(ship, &mut there).unwrap();
    assert!(there.has::<Sail>(moved) && !there.has::<Checked>(moved));
}

macro_rules! component {
    ($name:ident, $settings:meta) => {
        #[derive(Component, Clone, Copy)]
        #[$settings]
        struct $name;
    };
}
component!(FromMacro, component(storage = "sparse", immutable, left_out_of(clones)));

#[test]
fn settings_that_come_through_a_macro_count() {
    assert!(matches!(FromMacro::STORAGE, Storage::Sparse));
    const { assert!(!FromMacro::MUTABLE && FromMacro::LEFT_OUT_OF_CLONES) };
    let _: Option<Bitwise<FromMacro>> = FromMacro::COPY;
}

#[test]
fn functions_of_one_line_stay_out_of_a_world_that_takes_the_place_of_theirs() {
    let mut world = World::new();
    let mut commands = world.commands();
    for number in 0..3 {
        commands.run(move |world: &mut World| {
            if number == 0 {
                *world = World::new();
            }
            world.spawn(Plain(number));
        });
    }
    let _ = world.apply(&mut commands);
    assert_eq!(world.alive(), 1, "the others were for the world that is gone");
    world.validate().unwrap();
}

#[test]
#[cfg_attr(miri, ignore = "long")]
fn removes_and_batches_of_a_type_that_panics_do_not_keep_a_queue_from_its_end() {
    let mut world = World::new();
    world.spawn(Plain(0));
    world.observe::<Sail>(Act::Remove, |_| ());
    let [a, b] = [world.spawn(()), world.spawn(())];
    let mut highest = Vec::new();
    for _ in 0..30 {
        let mut commands = world.commands();
        for entity in [a, b] {
            commands.remove::<Speechless>(entity);
        }
        for _ in 0..5 {
            commands.spawn_batch((0..100).map(|_| Speechless).collect::<Vec<_>>());
        }
        commands.spawn_batch(vec![(Loud, Speechless)]);
        let last = commands.spawn(Plain(3));
        assert_eq!(panic_of(|| world.apply(&mut commands)), "speechless");
        assert!(commands.is_empty() && world.is_alive(last));
        world.despawn(last).unwrap();
        highest.push(world.stats().entities.highest_index.unwrap_or(0));
    }
    assert!(highest[29] <= 4 * highest[9].max(1000), "{highest:?}");
    world.validate().unwrap();
}

/// Cannot say what it requires, and panics when it is dropped.
struct Both;
impl Component for Both {
    fn require(_: &mut Requirements<'_>) {
        panic!("speechless");
    }
}
impl Drop for Both {
    fn drop(&mut self) {
        panic!("loud");
    }
}

#[test]
fn a_type_that_panics_when_it_is_registered_ends_no_program_whatever_is_dropped_because_of_it() {
    let mut world = World::new();
    let one = world.spawn(());
    assert_eq!(panic_of(|| world.insert(one, (Loud, Speechless))), "speechless");
    assert_eq!(panic_of(|| world.insert_if_new(one, Both)), "speechless");
    assert_eq!(panic_of(|| world.replace(one, Both)), "speechless");
    assert_eq!(panic_of(|| world.entity_mut(one).unwrap().insert((Loud, Speechless)).id()), "speechless");
    let mut commands = world.commands();
    commands.insert_if_new(one, Both);
    assert_eq!(panic_of(|| world.apply(&mut commands)), "speechless");
    world.validate().unwrap();
}

#[derive(Component)]
#[component(on_despawn = end_the_rest)]
struct Flock;

fn end_the_rest(trigger: &mut Trigger<'_>) {
    trigger.defer(|world| {
        world.despawn_where::<With<Sail>>();
    });
}

#[test]
#[cfg_attr(miri, ignore = "long")]
fn as_much_as_one_likes_may_follow_from_one_operation() {
    #[derive(Resource, Default)]
    struct Heard(usize);
    let mut world = World::new();
    let flock = world.spawn(Flock);
    world.spawn_batch((0..50_000).map(Sail));
    world.observe::<Sail>(Act::Despawn, |trigger| trigger.defer(|world| world.init_resource::<Heard>().0 += 1));
    world.despawn(flock).unwrap();
    assert_eq!(world.resource::<Heard>().unwrap().0, 50_000);
}
