//! `bevy_ecs`.
//!
//! Iteration goes through `contiguous_iter_mut`: whole columns at once, ticks written in bulk.

use bevy_ecs::component::Mutable;
use bevy_ecs::prelude::{Changed, Commands, Component, Entity, QueryState, With, Without, World};
use bevy_ecs::world::CommandQueue;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};

use crate::THREADS;
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::matrix::heavy_work;
use crate::workloads::{self, Workload};

/// Starts the pool of the parallel rows.
pub fn start_thread_pool() {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(THREADS).build());
}

pub fn register(cases: &mut Cases) {
    insert(cases);
    iterate(cases);
    iterate_parts(cases);
    iterate_parallel(cases);
    add_remove::<B>(cases, "table", || B { value: 1.0 });
    add_remove::<SparseB>(cases, "sparse", || SparseB { value: 1.0 });
    despawn(cases);
    bulk_add(cases);
    reach(cases);
    changed_rows(cases);
    deferred(cases);
    super::scheduled::bevy(cases);
    super::trees::bevy::register(cases);
    cases.memory("", || mover_world(workloads::MEMORY.items), digest_movers);
}

fn insert(cases: &mut Cases) {
    let from_columns = |columns: &'static Columns| {
        let mut world = World::new();
        world.spawn_batch(columns.zipped());
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

fn deferred(cases: &mut Cases) {
    let one_by_one = |count| {
        let (mut world, mut queue) = (World::new(), CommandQueue::default());
        let mut commands = Commands::new(&mut queue, &world);
        for row in rows(count) {
            commands.spawn(row);
        }
        queue.apply(&mut world);
        world
    };
    cases.fresh(&workloads::COMMANDS, "", || workloads::COMMANDS.items, one_by_one, digest_rows);

    let batch = |count| {
        let (mut world, mut queue) = (World::new(), CommandQueue::default());
        Commands::new(&mut queue, &world).spawn_batch(rows(count));
        queue.apply(&mut world);
        world
    };
    cases.fresh(&workloads::COMMANDS_BATCH, "", || workloads::COMMANDS_BATCH.items, batch, digest_rows);
}

fn digest_rows(mut world: World) -> Digest {
    let mut query = world.query::<(&Transform, &Position, &Rotation, &Velocity)>();
    Digest::of(query.iter(&world))
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
    let mut query = world.query::<(&Position, &Velocity)>();
    Digest::of(query.iter(world))
}

type Movers = (World, QueryState<(&'static mut Position, &'static Velocity)>);

fn with_query(mut world: World) -> Movers {
    let query = world.query();
    (world, query)
}

fn iterate(cases: &mut Cases) {
    let step = |(world, query): &mut Movers| {
        for (mut positions, velocities) in query.contiguous_iter_mut(world).expect("tables only") {
            positions.iter_mut().zip(velocities).for_each(|(position, velocity)| position.step(velocity));
        }
    };
    let digest = |(world, _): &mut Movers| digest_movers(world);
    let build = || with_query(row_world(workloads::SIMPLE_ITER.items));
    cases.lasting(&workloads::SIMPLE_ITER, "", build, step, digest);
    cases.lasting(&workloads::ITER_1M, "", || with_query(mover_world(workloads::ITER_1M.items)), step, digest);

    let in_tables = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn_batch((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), Data { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        let query = world.query::<&mut Data>();
        (world, query)
    };
    let double = |(world, query): &mut (World, QueryState<&'static mut Data>)| {
        query.iter_mut(world).for_each(|mut data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "table", in_tables, double, |(world, query)| Digest::of(query.iter(world)));

    let sparse = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn_batch((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), SparseData { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        let query = world.query::<&mut SparseData>();
        (world, query)
    };
    let double = |(world, query): &mut (World, QueryState<&'static mut SparseData>)| {
        query.iter_mut(world).for_each(|mut data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "", sparse, double, |(world, query)| Digest::of(query.iter(world)));
}

fn iterate_parts(cases: &mut Cases) {
    type Counters = (World, QueryState<&'static mut Counter, (With<C>, Without<D>)>);
    let build = || -> Counters {
        let mut world = World::new();
        for i in 0..FILTERED_TOTAL {
            let mut entity = world.spawn(Counter { value: i as f32 });
            let (c, d) = filter_kind(i);
            if c {
                entity.insert(C { value: 0.0 });
            }
            if d {
                entity.insert(D { value: 0.0 });
            }
        }
        let query = world.query_filtered();
        (world, query)
    };
    let count_up = |(world, query): &mut Counters| {
        for mut counters in query.contiguous_iter_mut(world).expect("tables only") {
            counters.iter_mut().for_each(|counter| counter.value += 1.0);
        }
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |(world, _)| {
        Digest::of(world.query::<&Counter>().iter(world))
    });

    type Tagged = (World, QueryState<(&'static Tag, &'static mut Position)>);
    let build = || -> Tagged {
        let mut world = World::new();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            let mut entity = world.spawn(position);
            if is_tagged(i) {
                entity.insert(Tag { value: 1.0 });
            }
        }
        let query = world.query();
        (world, query)
    };
    let shift = |(world, query): &mut Tagged| {
        for (tags, mut positions) in query.contiguous_iter_mut(world).expect("tables only") {
            tags.iter().zip(positions.iter_mut()).for_each(|(tag, position)| position.x += tag.value);
        }
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |(world, _)| {
        Digest::of(world.query::<&Position>().iter(world))
    });
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |(world, query): &mut Movers| {
        let chunks = query.contiguous_par_iter_mut(world).expect("tables only");
        chunks.for_each(|(mut positions, velocities)| {
            positions.iter_mut().zip(velocities).for_each(|(position, velocity)| position.step(velocity));
        });
    };
    let build = || with_query(mover_world(workloads::PAR_ITER_1M.items));
    cases.lasting(&workloads::PAR_ITER_1M, "", build, step, |(world, _)| digest_movers(world));

    let build = || {
        let mut world = row_world(workloads::HEAVY_COMPUTE.items);
        let query = world.query::<(&mut Transform, &mut Position)>();
        (world, query)
    };
    let compute = |(world, query): &mut (World, QueryState<(&'static mut Transform, &'static mut Position)>)| {
        query.par_iter_mut(world).for_each(|(mut transform, mut position)| heavy_work(&mut transform, &mut position));
    };
    cases.lasting(&workloads::HEAVY_COMPUTE, "", build, compute, |(world, _)| {
        let mut query = world.query::<(&Transform, &Position, &Rotation, &Velocity)>();
        Digest::of(query.iter(world))
    });
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<Entity>,
}

fn add_remove<T>(cases: &mut Cases, variant: &'static str, value: fn() -> T)
where
    T: Component<Mutability = Mutable> + crate::harness::digest::Digestible + Copy,
{
    let insert_all = move |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.entity_mut(entity).insert(value());
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.entity_mut(entity).remove::<T>();
        }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let world = &mut spawned.world;
        let mut digest = Digest::of(world.query_filtered::<&A, Without<T>>().iter(world));
        insert_all(spawned);
        let world = &mut spawned.world;
        digest.extend(world.query::<(&A, &T)>().iter(world));
        remove_all(spawned);
        digest
    };
    let narrow = || spawned(workloads::ADD_REMOVE.items, |world, i| world.spawn(A { value: i as f32 }).id());
    cases.lasting(&workloads::ADD_REMOVE, variant, narrow, both, digest);

    let wide = || {
        spawned(workloads::ADD_REMOVE_5COLS.items, |world, i| {
            let sides = (Side0::default(), Side1::default(), Side2::default(), Side3::default());
            world.spawn((A { value: i as f32 }, sides)).id()
        })
    };
    cases.lasting(&workloads::ADD_REMOVE_5COLS, variant, wide, both, digest);
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
                world.spawn(Marker::<$n>($n))
            };
        }
        for_each_marker!(spawn);
        let entities = world.spawn_batch(rows(workloads::DESPAWN.items)).collect();
        Spawned { world, entities }
    };
    let despawn_all = |mut spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.despawn(entity);
        }
        spawned
    };
    cases.fresh(&workloads::DESPAWN, "", build, despawn_all, |spawned| digest_rows(spawned.world));
}

/// In a sparse set, where it takes two thirds of the time of a table; removing has no bulk route.
fn bulk_add(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        world.insert_batch(entities.iter().map(|&entity| (entity, SPARSE_BULK)));
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.entity_mut(entity).remove::<SparseBulk>();
        }
    };
    let build = || {
        let mut world = World::new();
        let positions = movers(workloads::BULK_ADD.items).map(|(position, _)| position);
        let entities = world.spawn_batch(positions).collect();
        Spawned { world, entities }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    cases.lasting(&workloads::BULK_ADD, "", build, both, move |spawned| {
        let world = &mut spawned.world;
        let mut digest = Digest::of(world.query_filtered::<&Position, Without<SparseBulk>>().iter(world));
        insert_all(spawned);
        let world = &mut spawned.world;
        digest.extend(world.query::<(&Position, &SparseBulk)>().iter(world));
        remove_all(spawned);
        digest
    });
}

/// A world, its entities shuffled, a query, and what the reads saw.
struct Reached<Q: bevy_ecs::query::QueryData + 'static> {
    world: World,
    handles: Vec<Entity>,
    query: QueryState<Q>,
    sum: f32,
}

fn reached<Q: bevy_ecs::query::QueryData>(workload: &Workload) -> Reached<Q> {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch(movers(workload.items)).collect();
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    let query = world.query();
    Reached { world, handles, query, sum: 0.0 }
}

fn reach(cases: &mut Cases) {
    let read = |reached: &mut Reached<&'static Position>| {
        let query = reached.query.query(&reached.world);
        let positions = reached.handles.iter().map(|&entity| query.get(entity).expect("alive"));
        reached.sum = positions.map(|position| position.x).sum();
    };
    let build = || reached(&workloads::RANDOM_GET);
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached<&'static mut Position>| {
        let mut query = reached.query.query_mut(&mut reached.world);
        for &entity in &reached.handles {
            query.get_mut(entity).expect("alive").x += 1.0;
        }
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        Digest::of(reached.query.iter(&reached.world))
    });
}

fn changed_rows(cases: &mut Cases) {
    struct Seen {
        world: World,
        handles: Vec<Entity>,
        change: QueryState<&'static mut Watched>,
        visit: QueryState<&'static Watched, Changed<Watched>>,
        sum: f32,
    }
    let build = || {
        let mut world = World::new();
        let entities: Vec<Entity> = world.spawn_batch(watched()).collect();
        world.clear_trackers();
        let handles = changed(workloads::CHANGED_ITER.items).into_iter().map(|i| entities[i]).collect();
        let (change, visit) = (world.query(), world.query_filtered());
        Seen { world, handles, change, visit, sum: 0.0 }
    };
    let run = |seen: &mut Seen| {
        let mut query = seen.change.query_mut(&mut seen.world);
        for &entity in &seen.handles {
            query.get_mut(entity).expect("alive").x += 1.0;
        }
        seen.sum = seen.visit.iter(&seen.world).map(|watched| watched.x).sum();
        seen.world.clear_trackers();
    };
    cases.lasting(&workloads::CHANGED_ITER, "", build, run, |seen| {
        let mut digest = Digest::of([seen.sum]);
        digest.extend(seen.world.query::<&Watched>().iter(&seen.world));
        digest
    });
}
