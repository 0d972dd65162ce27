//! `hecs`.

use hecs::{ChangeTracker, ColumnBatchType, CommandBuffer, Component, Entity, PreparedQuery, World};
use rayon::prelude::*;

use crate::THREADS;
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::matrix::heavy_work;
use crate::workloads::{self, Workload};

pub fn register(cases: &mut Cases) {
    insert(cases);
    iterate(cases);
    iterate_parts(cases);
    iterate_parallel(cases);
    add_remove(cases);
    despawn(cases);
    bulk_add(cases);
    reach(cases);
    changed_rows(cases);
    deferred(cases);
    super::trees::hecs::register(cases);
    cases.memory("", || mover_world(workloads::MEMORY.items), digest_movers);
}

fn insert(cases: &mut Cases) {
    let from_columns = |columns: &'static Columns| {
        let mut types = ColumnBatchType::new();
        types.add::<Transform>().add::<Position>().add::<Rotation>().add::<Velocity>();
        let batch = types.into_batch(columns.positions.len() as u32);
        fn write<T: Component + Copy>(batch: &hecs::ColumnBatchBuilder, column: &[T]) {
            let mut writer = batch.writer::<T>().expect("a type of the batch");
            for &value in column {
                let written = writer.push(value);
                debug_assert!(written.is_ok());
            }
        }
        write(&batch, &columns.transforms);
        write(&batch, &columns.positions);
        write(&batch, &columns.rotations);
        write(&batch, &columns.velocities);
        let mut world = World::new();
        world.spawn_column_batch(batch.build().expect("all columns are full"));
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT, "", columns, from_columns, digest_rows);

    let from_rows = |count| {
        let mut world = World::new();
        world.spawn_batch(rows(count));
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT_ROWS, "", || workloads::SIMPLE_INSERT_ROWS.items, from_rows, digest_rows);

    let one_by_one = |count| {
        let mut world = World::new();
        for row in rows(count) {
            world.spawn(row);
        }
        world
    };
    cases.fresh(&workloads::SPAWN_ONE, "", || workloads::SPAWN_ONE.items, one_by_one, digest_rows);
}

/// There is no deferred batch.
fn deferred(cases: &mut Cases) {
    let one_by_one = |count| {
        let (mut world, mut commands) = (World::new(), CommandBuffer::new());
        for row in rows(count) {
            commands.spawn(row);
        }
        commands.run_on(&mut world);
        world
    };
    cases.fresh(&workloads::COMMANDS, "", || workloads::COMMANDS.items, one_by_one, digest_rows);
}

fn digest_rows(mut world: World) -> Digest {
    digest_rows_of(&mut world)
}

fn digest_rows_of(world: &mut World) -> Digest {
    Digest::of(world.query_mut::<(&Transform, &Position, &Rotation, &Velocity)>())
}

fn row_world(count: usize) -> World {
    let mut world = World::new();
    world.spawn_batch(rows(count));
    world
}

fn mover_world(count: usize) -> World {
    let mut world = World::new();
    world.spawn_batch(movers(count));
    world
}

fn digest_movers(world: &mut World) -> Digest {
    Digest::of(world.query_mut::<(&Position, &Velocity)>())
}

fn iterate(cases: &mut Cases) {
    let step = |world: &mut World| {
        let query = world.query_mut::<(&mut Position, &Velocity)>();
        query.into_iter().for_each(|(position, velocity)| position.step(velocity));
    };
    cases.lasting(&workloads::SIMPLE_ITER, "", || row_world(workloads::SIMPLE_ITER.items), step, digest_movers);
    cases.lasting(&workloads::ITER_1M, "", || mover_world(workloads::ITER_1M.items), step, digest_movers);

    let in_tables = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn_batch((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), Data { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        (world, PreparedQuery::<&mut Data>::new())
    };
    let double = |(world, query): &mut (World, PreparedQuery<&'static mut Data>)| {
        query.query_mut(world).for_each(|data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "table", in_tables, double, |(world, _)| {
        Digest::of(world.query_mut::<&Data>())
    });
}

fn iterate_parts(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        for i in 0..FILTERED_TOTAL {
            let counter = Counter { value: i as f32 };
            match filter_kind(i) {
                (false, false) => world.spawn((counter,)),
                (true, false) => world.spawn((counter, C::default())),
                (false, true) => world.spawn((counter, D::default())),
                (true, true) => world.spawn((counter, C::default(), D::default())),
            };
        }
        world
    };
    let count_up = |world: &mut World| {
        let query = world.query_mut::<&mut Counter>().with::<&C>().without::<&D>();
        query.into_iter().for_each(|counter| counter.value += 1.0);
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |world| Digest::of(world.query_mut::<&Counter>()));

    let build = || {
        let mut world = World::new();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            if is_tagged(i) {
                world.spawn((position, Tag { value: 1.0 }))
            } else {
                world.spawn((position,))
            };
        }
        world
    };
    let shift = |world: &mut World| {
        let query = world.query_mut::<(&Tag, &mut Position)>();
        query.into_iter().for_each(|(tag, position)| position.x += tag.value);
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |world| Digest::of(world.query_mut::<&Position>()));
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |world: &mut World| {
        let size = workloads::PAR_ITER_1M.items.div_ceil(4 * THREADS) as u32;
        let batches = world.query_mut::<(&mut Position, &Velocity)>().into_iter_batched(size);
        batches.par_bridge().for_each(|batch| {
            batch.into_iter().for_each(|(position, velocity)| position.step(velocity));
        });
    };
    cases.lasting(&workloads::PAR_ITER_1M, "", || mover_world(workloads::PAR_ITER_1M.items), step, digest_movers);

    let compute = |world: &mut World| {
        let batches = world.query_mut::<(&mut Transform, &mut Position)>().into_iter_batched(64);
        batches.par_bridge().for_each(|batch| {
            batch.into_iter().for_each(|(transform, position)| heavy_work(transform, position));
        });
    };
    cases.lasting(&workloads::HEAVY_COMPUTE, "", || row_world(workloads::HEAVY_COMPUTE.items), compute, digest_rows_of);
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<Entity>,
}

fn add_remove(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.insert_one(entity, B { value: 1.0 }).expect("alive");
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.remove_one::<B>(entity).expect("has B");
        }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let mut digest = Digest::of(spawned.world.query_mut::<&A>().without::<&B>());
        insert_all(spawned);
        digest.extend(spawned.world.query_mut::<(&A, &B)>());
        remove_all(spawned);
        digest
    };
    let narrow = || spawned(workloads::ADD_REMOVE.items, |world, i| world.spawn((A { value: i as f32 },)));
    cases.lasting(&workloads::ADD_REMOVE, "table", narrow, both, digest);

    let wide = || {
        spawned(workloads::ADD_REMOVE_5COLS.items, |world, i| {
            let a = A { value: i as f32 };
            world.spawn((a, Side0::default(), Side1::default(), Side2::default(), Side3::default()))
        })
    };
    cases.lasting(&workloads::ADD_REMOVE_5COLS, "table", wide, both, digest);
}

fn spawned(count: usize, spawn: impl Fn(&mut World, usize) -> Entity) -> Spawned {
    let mut world = World::new();
    let entities = (0..count).map(|i| spawn(&mut world, i)).collect();
    Spawned { world, entities }
}

fn despawn(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn((Marker::<$n>($n),))
            };
        }
        for_each_marker!(spawn);
        let entities = world.spawn_batch(rows(workloads::DESPAWN.items)).collect();
        Spawned { world, entities }
    };
    let despawn_all = |mut spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.despawn(entity).expect("alive");
        }
        spawned
    };
    cases.fresh(&workloads::DESPAWN, "", build, despawn_all, |spawned| digest_rows(spawned.world));
}

/// There is no bulk route: one at a time.
fn bulk_add(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.insert_one(entity, BULK).expect("alive");
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.remove_one::<Bulk>(entity).expect("has Bulk");
        }
    };
    let build = || {
        let mut world = World::new();
        let positions = movers(workloads::BULK_ADD.items).map(|(position, _)| (position,));
        let entities = world.spawn_batch(positions).collect();
        Spawned { world, entities }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    cases.lasting(&workloads::BULK_ADD, "", build, both, move |spawned| {
        let mut digest = Digest::of(spawned.world.query_mut::<&Position>().without::<&Bulk>());
        insert_all(spawned);
        digest.extend(spawned.world.query_mut::<(&Position, &Bulk)>());
        remove_all(spawned);
        digest
    });
}

/// A world, its entities shuffled, and what the reads saw.
struct Reached {
    world: World,
    handles: Vec<Entity>,
    sum: f32,
}

fn reached(workload: &Workload) -> Reached {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch(movers(workload.items)).collect();
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    Reached { world, handles, sum: 0.0 }
}

fn reach(cases: &mut Cases) {
    let read = |reached: &mut Reached| {
        let view = reached.world.view_mut::<&Position>();
        let positions = reached.handles.iter().map(|&entity| view.get(entity).expect("alive"));
        reached.sum = positions.map(|position| position.x).sum();
    };
    let build = || reached(&workloads::RANDOM_GET);
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached| {
        let mut view = reached.world.view_mut::<&mut Position>();
        for &entity in &reached.handles {
            view.get_mut(entity).expect("alive").x += 1.0;
        }
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        Digest::of(reached.world.query_mut::<&Position>())
    });
}

fn changed_rows(cases: &mut Cases) {
    struct Seen {
        world: World,
        handles: Vec<Entity>,
        tracker: ChangeTracker<Watched>,
        sum: f32,
    }
    let build = || {
        let mut world = World::new();
        let entities: Vec<Entity> = world.spawn_batch(watched().map(|value| (value,))).collect();
        let mut tracker = ChangeTracker::new();
        drop(tracker.track(&mut world));
        let handles = changed(workloads::CHANGED_ITER.items).into_iter().map(|i| entities[i]).collect();
        Seen { world, handles, tracker, sum: 0.0 }
    };
    let run = |seen: &mut Seen| {
        let mut view = seen.world.view_mut::<&mut Watched>();
        for &entity in &seen.handles {
            view.get_mut(entity).expect("alive").x += 1.0;
        }
        drop(view);
        seen.sum = seen.tracker.track(&mut seen.world).changed().map(|(_, _, watched)| watched.x).sum();
    };
    cases.lasting(&workloads::CHANGED_ITER, "", build, run, |seen| {
        let mut digest = Digest::of([seen.sum]);
        digest.extend(seen.world.query_mut::<&Watched>());
        digest
    });
}
