//! What must not grow with the square of how many there are: types, tables, rows.

#![cfg(not(miri))]

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, ComponentId, ComponentLayout, DynQuery, DynRemoved, DynValue, Removed, Storage};
use std::time::{Duration, Instant};

/// Times an act for `few` and for `many` of something, the best of some tries each, and fails if `many` takes more than `most` times as long.
#[track_caller]
fn grows_at_most(most: u32, (few, many): (usize, usize), mut act: impl FnMut(usize) -> Duration) {
    let mut tries = Vec::new();
    // Others may be using the machine: a good try is enough, for what is quadratic never has one.
    for _ in 0..5 {
        let small = (0..3).map(|_| act(few)).min().expect("three");
        let large = act(many);
        if large < most * small {
            return;
        }
        tries.push((small, large));
    }
    panic!("{many} take more than {most} times as long as {few}: {tries:?}");
}

fn types(world: &mut World, count: usize, storage: Storage) -> Vec<ComponentId> {
    let layout = |at: usize| ComponentLayout::new(format!("type {at}")).size(1).storage(storage);
    (0..count).map(|at| world.register_dyn(layout(at)).expect("possible")).collect()
}

/// A world with as many tables of one row.
fn tables(count: usize) -> World {
    let mut world = World::new();
    for id in types(&mut world, count, Storage::Table) {
        let entity = world.spawn(());
        world.insert_dyn(entity, id, DynValue::bytes(&[1])).expect("fits");
    }
    world
}

const SIZES: (usize, usize) = (1_000, 20_000);
/// Twenty times as many, with a wide margin for a busy machine; the square of it is 400.
const LINEAR: u32 = 250;

#[test]
fn registering_many_sparse_types_is_linear() {
    grows_at_most(LINEAR, SIZES, |count| {
        let mut world = World::new();
        let start = Instant::now();
        types(&mut world, count, Storage::Sparse);
        start.elapsed()
    });
}

#[test]
fn validating_many_tables_is_linear() {
    let worlds = [SIZES.0, SIZES.1].map(|count| (count, tables(count)));
    grows_at_most(LINEAR, SIZES, |count| {
        let (_, world) = worlds.iter().find(|(of, _)| *of == count).expect("one of the two");
        let start = Instant::now();
        world.validate().expect("consistent");
        start.elapsed()
    });
}

#[test]
fn a_component_in_many_tables_is_validated_in_linear_time() {
    let worlds = [SIZES.0, SIZES.1].map(|count| {
        let mut world = tables(count);
        let common = world.register_dyn(ComponentLayout::new("common")).expect("possible");
        for entity in world.entities().collect::<Vec<_>>() {
            world.insert_dyn(entity, common, DynValue::bytes(&[])).expect("fits");
        }
        world.reclaim();
        (count, world)
    });
    grows_at_most(LINEAR, SIZES, |count| {
        let (_, world) = worlds.iter().find(|(of, _)| *of == count).expect("one of the two");
        let start = Instant::now();
        world.validate().expect("consistent");
        start.elapsed()
    });
}

#[test]
fn a_query_pays_for_new_tables_only() {
    grows_at_most(LINEAR, (500, 10_000), |count| {
        let mut world = World::new();
        let ids = types(&mut world, count, Storage::Table);
        let mut query = DynQuery::builder().maybe_read(ids[0]).build().expect("one term");
        let mut asking = Duration::ZERO;
        for id in ids {
            let entity = world.spawn(());
            world.insert_dyn(entity, id, DynValue::bytes(&[1])).expect("fits");
            let start = Instant::now();
            assert!(!query.explain(&world, entity).terms.is_empty());
            asking += start.elapsed();
        }
        asking
    });
}

#[test]
fn a_new_query_pays_for_the_tables_it_finds_only() {
    #[derive(Component)]
    struct Rare;
    let mut worlds = [SIZES.0, SIZES.1].map(|count| {
        let mut world = tables(count);
        world.spawn(Rare);
        (count, world)
    });
    // Thirty times as many tables make no difference that a hundred new queries would feel.
    grows_at_most(5, SIZES, |count| {
        let (_, world) = worlds.iter_mut().find(|(of, _)| *of == count).expect("one of the two");
        let start = Instant::now();
        for _ in 0..200 {
            assert_eq!(Prepared::<&Rare>::new().on(world).iter().size_hint(), (1, Some(1)));
        }
        start.elapsed()
    });
}

#[test]
fn counting_with_a_dynamic_query_looks_at_tables_and_not_at_rows() {
    let mut world = World::new();
    let id = world.register_dyn(ComponentLayout::new("number").size(1)).expect("possible");
    let mut spawned = 0;
    grows_at_most(5, (500, 20_000), |count| {
        while spawned < count {
            let entity = world.spawn(());
            world.insert_dyn(entity, id, DynValue::bytes(&[1])).expect("fits");
            spawned += 1;
        }
        while spawned > count {
            let last = world.entities().last().expect("one more");
            world.despawn(last).expect("alive");
            spawned -= 1;
        }
        let mut query = DynQuery::builder().read(id).build().expect("one term");
        assert_eq!(query.count(&world), count);
        let start = Instant::now();
        for _ in 0..100 {
            assert_eq!(query.count(&world), count);
        }
        start.elapsed()
    });
}

#[derive(Component, Clone, PartialEq, Eq, Hash)]
#[component(shared)]
struct Scene;

#[derive(Component, Clone, PartialEq, Eq, Hash)]
#[component(shared)]
struct Shade(usize);

#[test]
fn a_shared_value_of_many_tables_is_let_go_in_constant_time() {
    grows_at_most(LINEAR, SIZES, |count| {
        let mut world = World::new();
        let all: Vec<Entity> = (0..count).map(|at| world.spawn((Scene, Shade(at)))).collect();
        let start = Instant::now();
        for entity in &all {
            world.despawn(*entity).expect("alive");
        }
        let elapsed = start.elapsed();
        assert_eq!(world.shared_values::<Scene>().count(), 0);
        elapsed
    });
}

/// One entity goes to and fro, and all other tables are empty.
#[test]
fn changing_one_of_two_shared_values_does_not_look_at_all_tables_of_the_other() {
    grows_at_most(5, SIZES, |count| {
        let mut world = World::new();
        let scenes: Vec<Entity> = (0..count).map(|at| world.spawn((Scene, Shade(at)))).collect();
        world.spawn_batch((0..count).map(Shade));
        for entity in &scenes[1..] {
            world.despawn(*entity).expect("alive");
        }
        let start = Instant::now();
        for at in 0..2000 {
            world.insert(scenes[0], Shade(count - 1 - at % 2)).expect("alive");
        }
        let elapsed = start.elapsed();
        assert_eq!((world.shared_values::<Shade>().count(), world.alive()), (count, count + 1));
        elapsed
    });
}

#[test]
fn many_shared_values_that_went_are_validated_in_linear_time() {
    let worlds = [SIZES.0, SIZES.1].map(|count| {
        let mut world = World::new();
        for entity in world.spawn_batch((0..count).map(|at| (Scene, Shade(at)))).to_vec() {
            world.despawn(entity).expect("alive");
        }
        (count, world)
    });
    grows_at_most(LINEAR, SIZES, |count| {
        let (_, world) = worlds.iter().find(|(of, _)| *of == count).expect("one of the two");
        let start = Instant::now();
        world.validate().expect("consistent");
        start.elapsed()
    });
}

#[derive(Component)]
struct Read;

/// How long it takes to despawn some entities with a component that is read.
fn despawning(world: &mut World) -> Duration {
    let entities = world.spawn_batch((0..20).map(|_| Read)).to_vec();
    let start = Instant::now();
    for entity in entities {
        world.despawn(entity).expect("alive");
    }
    start.elapsed()
}

#[test]
fn a_loss_is_noted_in_linear_time_beside_readers_by_id_of_many_components() {
    grows_at_most(120, (100, 2_000), |count| {
        let mut world = World::new();
        let mut ids = types(&mut world, count, Storage::Table);
        ids.push(world.register::<Read>());
        let readers: Vec<_> = ids.iter().map(|id| DynRemoved::new(&mut world, *id).expect("known")).collect();
        let taken = despawning(&mut world);
        drop(readers);
        taken
    });
}

#[test]
fn readers_that_were_dropped_do_not_slow_down_those_that_follow() {
    grows_at_most(30, (10, 20_000), |count| {
        let mut world = World::new();
        let first = Removed::<Read>::new(&mut world);
        for _ in 0..count {
            drop(Removed::<Read>::new(&mut world));
        }
        drop(first);
        let _reader = Removed::<Read>::new(&mut world);
        despawning(&mut world)
    });
}

#[test]
fn readers_by_id_that_were_dropped_do_not_slow_down_those_that_follow() {
    grows_at_most(30, (10, 20_000), |count| {
        let mut world = World::new();
        let read = world.register::<Read>();
        for _ in 0..count {
            drop(DynRemoved::new(&mut world, read).expect("known"));
        }
        let _reader = DynRemoved::new(&mut world, read).expect("known");
        despawning(&mut world)
    });
}
