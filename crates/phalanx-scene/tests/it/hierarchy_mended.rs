//! Faults of trees that were found and mended.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{NotAliveReason, TransferError, Trigger};
use phalanx_scene::{ChildOf, InstanceOf, Kinship, Node, Parent, Prefab, PrefabWorld, SceneWorld};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[derive(Component, Debug, PartialEq)]
struct Number(u32);

/// Nobody can have a copy of this one.
const UNIQUE: u32 = 104;

impl Clone for Number {
    fn clone(&self) -> Self {
        assert!(self.0 != UNIQUE, "I cannot be cloned");
        Self(self.0)
    }
}

#[derive(Component, Clone)]
struct Lamp;

/// `0 [1 [2 3 [4]] 5 [6]]`, below a mother.
fn tree(world: &mut World) -> (Entity, Vec<Entity>) {
    let mother = world.spawn(Number(9));
    let all: Vec<Entity> = world.spawn_batch((0..7).map(Number)).into_iter().collect();
    world.attach(all[0], mother).unwrap();
    for (child, parent) in [(1, 0), (2, 1), (3, 1), (4, 3), (5, 0), (6, 5)] {
        world.attach(all[child], all[parent]).unwrap();
    }
    (mother, all)
}

fn valid(world: &World) {
    world.validate().unwrap_or_else(|broken| panic!("{broken}"));
}

fn panics<R>(act: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(act)).is_err()
}

// -------------------------------------------------------------------------------------------------------- who panics

#[test]
fn an_observer_that_panics_leaves_no_copy_of_a_tree() {
    for told in 0..7 {
        let mut world = World::new();
        let (mother, all) = tree(&mut world);
        let before = world.content_checksum();
        let count = AtomicUsize::new(0);
        let observer = world.observe::<Number>(Act::Insert, move |_| {
            assert!(count.fetch_add(1, Relaxed) != told, "I saw it");
        });
        assert!(panics(|| world.clone_tree(all[0])));
        assert_eq!((world.alive(), world.content_checksum()), (8, before), "told of copy {told}");
        valid(&world);
        world.remove_observer(observer);
        let copy = world.clone_tree(all[0]).unwrap();
        assert!(world.children(mother).eq([all[0], copy]));
    }
}

#[test]
fn an_observer_of_who_is_put_below_a_copy_may_panic_too() {
    for told in 0..20 {
        let mut world = World::new();
        let (_, all) = tree(&mut world);
        let before = world.content_checksum();
        let count = Arc::new(AtomicUsize::new(0));
        for both in [false, true] {
            let count = Arc::clone(&count);
            let see = move |_: &mut Trigger<'_>| assert!(count.fetch_add(1, Relaxed) != told, "I saw it");
            if both {
                world.observe::<ChildOf>(Act::Insert, see)
            } else {
                world.observe::<Parent>(Act::Insert, see)
            };
        }
        let panicked = panics(|| world.clone_tree(all[0]));
        assert_eq!(panicked, count.load(Relaxed) > told, "{told}");
        assert!(panicked || told > 10);
        if panicked {
            assert_eq!((world.alive(), world.content_checksum()), (8, before));
        }
        valid(&world);
    }
}

#[test]
fn what_cannot_be_cloned_leaves_no_copy_of_a_tree() {
    let mut world = World::new();
    let (_, all) = tree(&mut world);
    world.insert(all[4], Number(UNIQUE)).unwrap();
    let before = world.content_checksum();
    assert!(panics(|| world.clone_tree(all[0])));
    assert_eq!((world.alive(), world.content_checksum()), (8, before));
    valid(&world);
}

#[test]
fn the_end_of_the_copies_of_a_tree_does_not_hide_why() {
    let mut world = World::new();
    let (_, all) = tree(&mut world);
    let last = all[6];
    world.observe::<Number>(Act::Insert, move |trigger| {
        let of_last = trigger.world().get::<Number>(last) == trigger.get::<Number>();
        assert!(!of_last, "I saw it");
    });
    world.observe::<Number>(Act::Despawn, |_| panic!("it is the end"));
    let panic = catch_unwind(AssertUnwindSafe(|| world.clone_tree(all[0]))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"I saw it"));
    assert_eq!(world.alive(), 8);
    valid(&world);
}

#[test]
fn a_top_goes_alone_though_an_observer_of_its_children_panics() {
    for act in [Act::Remove, Act::Despawn] {
        let mut world = World::new();
        let (mother, all) = tree(&mut world);
        match act {
            Act::Remove => drop(world.observe::<ChildOf>(act, |_| panic!("I saw it"))),
            _ => drop(world.observe::<Number>(act, |_| panic!("I saw it"))),
        }
        assert!(panics(|| world.despawn_alone(all[0])));
        assert!(!world.is_alive(all[0]) && !world.has::<Parent>(mother));
        assert!(all[1..].iter().all(|below| world.is_alive(*below)));
        assert_eq!([1, 5].map(|child| world.parent(all[child])), [None, None]);
        valid(&world);
    }
}

// ----------------------------------------------------------------------------------------------------- a world that is full

#[derive(Node)]
struct Numbered<'w> {
    _number: &'w Number,
}

#[test]
fn a_tree_that_another_world_has_no_room_for_keeps_all_it_has() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let turret = Prefab::new().with(Number(2)).part("barrel", Prefab::new().with(Number(3)));
    let tank = world.add_prefab("tank", Prefab::new().with(Number(1)).part("turret", turret)).unwrap();
    let tank = tank.instantiate(&mut world, 1).unwrap()[0];
    let all: Vec<Entity> = world.descendants(tank).chain([tank]).collect();
    level.add_nodes::<Numbered>(&mut world, &all).unwrap();
    for room in 0..3 {
        let mut full = World::builder().limit(room + 1).build();
        full.spawn(Number(0));
        let before = (world.content_checksum(), full.content_checksum());
        let error = world.move_tree(tank, &mut full).unwrap_err();
        assert!(matches!(&error, TransferError::Full(full) if (full.alive, full.asked) == (1, 3)), "{error}");
        assert!(error.to_string().contains("hierarchy_mended.rs:"), "{error}");
        assert_eq!((world.content_checksum(), full.content_checksum()), before);
        assert_eq!(level.nodes::<Numbered>(&world).len(), 3);
        assert!(all.iter().all(|part| world.has::<InstanceOf>(*part)));
        assert_eq!(world.part_of(tank, "turret/barrel"), Some(all[1]));
        valid(&full);
    }
    let mut roomy = World::builder().limit(3).build();
    world.move_tree(tank, &mut roomy).unwrap();
    assert_eq!((world.alive(), roomy.alive()), (0, 3));
    valid(&roomy);
}

// ------------------------------------------------------------------------------------------ a world that is exchanged

/// Whether an empty world calls its entities as another does.
fn is_twin(world: &World, of: Entity) -> bool {
    let absent = world.entity(of).unwrap_err();
    !matches!(absent.reason, NotAliveReason::Foreign)
}

/// A world with a tree whose observers of a component put another in its place, once, after so many times.
fn exchanging<T: Component>(act: Act, after: usize) -> (World, Vec<Entity>, Arc<Mutex<World>>) {
    let mut world = World::new();
    let (mother, all) = tree(&mut world);
    // Handles of most others would be known for foreign ones in this build.
    let mut other = std::iter::repeat_with(World::new).find(|other| is_twin(other, mother)).unwrap();
    let (_, others) = tree(&mut other);
    other.insert_batch(&others, others.iter().map(|_| Lamp)).unwrap();
    // Who is called as the copies will be.
    other.spawn_batch([(); 20]);
    assert!(all.iter().all(|entity| other.has::<Lamp>(*entity)));
    let other = Arc::new(Mutex::new(other));
    let (away, count) = (Arc::clone(&other), AtomicUsize::new(0));
    world.observe::<T>(act, move |trigger| {
        if count.fetch_add(1, Relaxed) == after {
            let away = Arc::clone(&away);
            trigger.defer(move |world| std::mem::swap(world, &mut away.lock().unwrap()));
        }
    });
    (world, all, other)
}

#[test]
fn a_world_that_is_exchanged_while_a_tree_is_copied_is_left_alone() {
    let steps = [(Act::Insert, 7, false), (Act::Insert, 10, true)];
    for (act, count, of_child) in steps {
        for after in 0..count {
            let (mut world, all, away) =
                if of_child { exchanging::<ChildOf>(act, after) } else { exchanging::<Number>(act, after) };
            let before = away.lock().unwrap().content_checksum();
            let copy = world.clone_tree(all[0]).unwrap();
            assert_eq!((world.alive(), world.content_checksum()), (28, before), "{after}");
            valid(&world);
            let mut away = away.lock().unwrap();
            valid(&away);
            assert_eq!(away.get::<Number>(copy), Some(&Number(0)), "as far as it had come");
            assert!(away.clone_tree(all[0]).is_ok() && all.iter().all(|entity| away.is_alive(*entity)));
        }
    }
}

#[test]
fn a_world_that_is_exchanged_while_children_are_left_is_left_alone() {
    let (mut world, all, away) = exchanging::<ChildOf>(Act::Remove, 0);
    let before = away.lock().unwrap().content_checksum();
    world.despawn_alone(all[0]).unwrap();
    assert_eq!((world.alive(), world.content_checksum()), (28, before));
    valid(&world);
    let away = away.lock().unwrap();
    valid(&away);
    assert!(away.is_alive(all[0]) && away.children(all[0]).len() == 0);
}
