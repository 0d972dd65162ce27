//! Commands on one entity that follow each other: one move, and the result is that of one by one.

use crate::hostile::{Ledger, assert_well, held};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, CommandFault, Policy};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct B(u64);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct C([u8; 3]);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Mark;

type Held = crate::hostile::Held<false, 0>;

/// Bytes reserved by the table of these components.
fn room_of(world: &World, names: &[&str]) -> usize {
    let memory = world.memory();
    let named =
        |table: &&phalanx_ecs::TableMemory| table.components.iter().map(String::as_str).eq(names.iter().copied());
    memory.tables.iter().find(named).map_or(0, |table| table.reserved)
}

#[test]
fn several_edits_of_one_entity_are_one_move() {
    let mut world = World::new();
    let old = world.spawn((A(1), Mark));
    let mut commands = world.commands();
    for round in 0..2 {
        let new = commands.spawn(A(2));
        commands.insert(new, B(3));
        commands.insert(new, C([4; 3]));
        commands.insert(old, (B(5), C([6; 3])));
        commands.remove::<Mark>(old);
        world.apply(&mut commands).expect("alive");
        for (entity, found) in [(new, (A(2), B(3), C([4; 3]))), (old, (A(1), B(5), C([6; 3])))] {
            let one = world.query::<(Entity, (&A, &B, &C))>();
            assert!(one.iter().any(|(e, (a, b, c))| e == entity && (*a, *b, *c) == found), "round {round}");
        }
        assert!(!world.has::<Mark>(old));
        world.remove::<(B, C)>(old).expect("alive");
        world.insert(old, Mark).expect("alive");
        world.validate().expect("valid");
    }
    // The first time the bundles were new to the world.
    let before = room_of(&world, &["A", "B"]);
    let ids: Vec<Entity> = (0..1000)
        .map(|_| {
            let new = commands.spawn(A(2));
            commands.insert(new, B(3));
            commands.insert(new, C([4; 3]));
            new
        })
        .collect();
    world.apply(&mut commands).expect("alive");
    assert!(ids.iter().all(|id| world.get::<C>(*id) == Some(&C([4; 3]))));
    assert_eq!(room_of(&world, &["A", "B"]), before, "nobody was ever there");
}

#[test]
fn a_new_entity_without_anything_is_filled_in_one_move() {
    let mut world = World::new();
    let mut commands = world.commands();
    for _ in 0..3 {
        let ids: Vec<Entity> = (0..30)
            .map(|n| {
                let id = commands.spawn(());
                commands.insert(id, A(n));
                commands.insert(id, Mark);
                commands.remove::<A>(id);
                commands.insert(id, A(n + 1));
                id
            })
            .collect();
        world.apply(&mut commands).expect("room");
        assert!(ids.iter().enumerate().all(|(n, id)| world.get::<A>(*id).map(|a| a.0 as usize) == Some(n + 1)));
        assert!(ids.iter().all(|id| world.has::<Mark>(*id)));
        world.validate().expect("valid");
    }
}

#[test]
fn who_leaves_its_table_and_comes_back_is_its_last() {
    let build = |queued: bool| {
        let mut world = World::new();
        let all = world.spawn_batch((0..4).map(A)).to_vec();
        let mut commands = world.commands();
        for _ in 0..2 {
            commands.insert(all[1], Mark);
            commands.remove::<Mark>(all[1]);
            if queued {
                world.apply(&mut commands).expect("alive");
            } else {
                commands.clear();
                world.insert(all[1], Mark).expect("alive");
                world.remove::<Mark>(all[1]).expect("alive");
            }
        }
        world.query::<&A>().iter().map(|a| a.0).collect::<Vec<_>>()
    };
    assert_eq!(build(true), build(false));
}

#[test]
fn values_that_own_something_are_dropped_once() {
    let (ledger, mut world) = (Ledger::new(), World::new());
    let mut commands = world.commands();
    for _ in 0..3 {
        let id = commands.spawn((A(1), held::<false, 0>()));
        commands.insert(id, B(2));
        commands.insert(id, held::<false, 0>());
        commands.insert(id, Mark);
        commands.remove::<Held>(id);
        commands.insert(id, held::<false, 0>());
        commands.insert(id, C([0; 3]));
        world.apply(&mut commands).expect("alive");
        assert!(world.has::<Held>(id) && world.has::<C>(id));
    }
    assert_eq!(ledger.alive(), 3);
    let id = commands.spawn(A(1));
    commands.insert(id, held::<false, 0>());
    commands.insert(id, B(1));
    drop(commands);
    assert_well(&world, ledger, 3);
}

#[test]
fn longer_lists_than_are_made_at_once_are_made_too() {
    let mut world = World::new();
    let mut commands = world.commands();
    for round in 0..3 {
        let id = commands.spawn(A(0));
        for _ in 0..7 {
            commands.insert(id, B(1));
            commands.insert(id, Mark);
            commands.remove::<B>(id);
            commands.remove::<Mark>(id);
        }
        commands.insert(id, C([7; 3]));
        world.apply(&mut commands).expect("alive");
        assert_eq!((world.get::<C>(id), world.has::<B>(id)), (Some(&C([7; 3])), false), "round {round}");
        world.validate().expect("valid");
    }
}

#[test]
fn an_error_inside_a_chain_names_its_command() {
    let mut world = World::new();
    let [mut commands] = world.commands_for(["ai"]);
    for _ in 0..2 {
        let (id, line) = (commands.spawn(A(1)), line!() + 2);
        commands.despawn(id);
        commands.insert(id, B(1));
        commands.insert(id, Mark);
        let errors = world.apply(&mut commands).expect_err("dead").errors;
        let lines: Vec<u32> = errors.iter().map(|error| error.caller.line()).collect();
        assert_eq!(lines, [line, line + 1]);
        assert!(
            errors.iter().all(|error| matches!(error.fault, CommandFault::Dead { .. }) && error.entity == Some(id))
        );
    }
    let mut full = World::builder().limit(1).build();
    let mut commands = full.commands();
    for _ in 0..2 {
        let id = commands.spawn(A(1));
        commands.insert(id, B(1));
        commands.insert(id, Mark);
    }
    assert_eq!(full.apply(&mut commands).expect_err("full").errors.len(), 3);
    assert_eq!(full.query::<(&A, &B)>().count(), 1);
}

#[test]
fn a_queue_that_stops_keeps_what_comes_after() {
    let mut world = World::new();
    let (dead, alive) = (world.spawn(()), world.spawn(A(1)));
    world.despawn(dead).expect("alive");
    let mut commands = world.commands();
    for _ in 0..2 {
        commands.set_policy(Policy::Stop);
        commands.insert(dead, B(1));
        commands.insert(alive, B(2));
        commands.insert(alive, Mark);
        let errors = world.apply(&mut commands).expect_err("dead");
        assert_eq!((errors.errors.len(), errors.not_applied), (1, 2));
        assert!(!world.has::<Mark>(alive));
        world.apply(&mut commands).expect("alive");
        assert!(world.has::<Mark>(alive) && commands.is_empty());
        world.remove::<(B, Mark)>(alive).expect("alive");
    }
}

#[test]
fn what_is_observed_is_told_step_by_step() {
    let (mut world, log) = (World::new(), Arc::new(Mutex::new(Vec::new())));
    let mut commands = world.commands();
    let queue = |commands: &mut Commands| {
        let id = commands.spawn(A(1));
        commands.insert(id, B(1));
        commands.insert(id, A(2));
        commands.remove::<A>(id);
        commands.insert(id, A(3));
    };
    queue(&mut commands);
    world.apply(&mut commands).expect("alive");
    for act in [Act::Insert, Act::Replace, Act::Remove] {
        let log = Arc::clone(&log);
        world.observe::<A>(act, move |trigger| {
            log.lock().expect("sound").push((act, trigger.get::<A>().expect("there").0));
        });
    }
    queue(&mut commands);
    world.apply(&mut commands).expect("alive");
    let told = std::mem::take(&mut *log.lock().expect("sound"));
    assert_eq!(told, [(Act::Insert, 1), (Act::Replace, 1), (Act::Insert, 2), (Act::Remove, 2), (Act::Insert, 3)]);
}

#[derive(Component, Clone, PartialEq, Eq, Hash, Default, Debug)]
#[component(shared)]
struct Team(u8);

#[derive(Component, Clone)]
#[component(requires(Team = Team(3)))]
struct Player(u32);

/// Where they lead depends on values, so they go one by one; others that do not touch them are folded.
#[test]
fn shared_components_beside_and_inside_a_chain_come_out_the_same() {
    let mut world = World::new();
    let old = world.spawn((Team(1), A(1)));
    let mut commands = world.commands();
    for round in 0..3 {
        let new = commands.spawn(A(1));
        commands.insert(new, Player(2));
        commands.insert(new, B(3));
        commands.insert(new, Team(4));
        commands.insert(new, Mark);
        commands.insert(old, B(round));
        commands.insert(old, Mark);
        commands.remove::<Mark>(old);
        world.apply(&mut commands).expect("alive");
        assert_eq!((world.get::<Team>(new), world.get::<Team>(old)), (Some(&Team(4)), Some(&Team(1))));
        assert_eq!((world.get::<Player>(new).map(|player| player.0), world.get::<B>(old)), (Some(2), Some(&B(round))));
        assert!(world.has::<Mark>(new) && !world.has::<Mark>(old));
        world.validate().expect("valid");
    }
}
