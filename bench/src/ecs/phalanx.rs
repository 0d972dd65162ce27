//! Phalanx.

use phalanx_ecs::{Bitwise, Component, Entity, Prepared, Storage, With, Without, World, flat, flat_mut};

use super::{over_time, shared};
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::matrix::heavy_work;
use crate::workloads::{self, Workload};

/// By hand instead of by derive: the attribute `component` belongs to a peer's derive here.
macro_rules! components {
    ($($storage:ident: $($name:ident)+;)+) => {
        $($(impl Component for $name {
            const STORAGE: Storage = Storage::$storage;
            // As the derive would find out by itself.
            const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
        })+)+
    };
}

components! {
    Table: Transform Position Rotation Velocity Bulk A B Side0 Side1 Side2 Side3 Data Counter C D Tag;
    Sparse: SparseB SparseData;
}

impl<const N: usize> Component for Marker<N> {}
impl<const N: usize> Component for Frag<N> {}

pub fn register(cases: &mut Cases) {
    insert_columns(cases, &workloads::SIMPLE_INSERT);
    insert_rows(cases, &workloads::SIMPLE_INSERT_ROWS);
    spawn_one(cases, &workloads::SPAWN_ONE);
    iterate(cases, &workloads::SIMPLE_ITER);
    iterate_movers(cases);
    iterate_flat(cases);
    iterate_fragmented(cases);
    iterate_parts(cases);
    iterate_parallel(cases);
    add_remove(cases);
    add_remove_sparse(cases);
    despawn(cases, &workloads::DESPAWN);
    bulk_add(cases, &workloads::BULK_ADD);
    random_get(cases, &workloads::RANDOM_GET);
    random_get_mut(cases);
    deferred(cases);
    over_time::register(cases);
    shared::register(cases);
    super::scheduled::phalanx(cases);
    super::crowds::phalanx(cases);
    super::trees::phalanx::register(cases);
    super::scenes::register(cases);
    cases.memory("", || mover_world(workloads::MEMORY.items), digest_movers);
}

pub fn insert_columns(cases: &mut Cases, workload: &'static Workload) {
    let from_columns = |columns: &'static Columns| {
        let mut world = World::new();
        let Columns { transforms, positions, rotations, velocities } = columns;
        let spawned = world.spawn_columns((&transforms[..], &positions[..], &rotations[..], &velocities[..]));
        spawned.expect("columns of one length");
        world
    };
    cases.fresh(workload, "", move || columns_of(workload.items), from_columns, digest_rows);
}

pub fn insert_rows(cases: &mut Cases, workload: &'static Workload) {
    let from_rows = |count| {
        let mut world = World::new();
        world.spawn_batch(rows(count));
        world
    };
    cases.fresh(workload, "", move || workload.items, from_rows, digest_rows);
}

pub fn spawn_one(cases: &mut Cases, workload: &'static Workload) {
    let one_by_one = |count| {
        let mut world = World::new();
        for row in rows(count) {
            world.spawn(row);
        }
        world
    };
    cases.fresh(workload, "", move || workload.items, one_by_one, digest_rows);
}

fn deferred(cases: &mut Cases) {
    let one_by_one = |count| {
        let mut world = World::new();
        let mut commands = world.commands();
        for row in rows(count) {
            commands.spawn(row);
        }
        world.apply(&mut commands).expect("room for all");
        world
    };
    cases.fresh(&workloads::COMMANDS, "", || workloads::COMMANDS.items, one_by_one, digest_rows);

    let batch = |count| {
        let mut world = World::new();
        let mut commands = world.commands();
        commands.spawn_batch(rows(count));
        world.apply(&mut commands).expect("room for all");
        world
    };
    cases.fresh(&workloads::COMMANDS_BATCH, "", || workloads::COMMANDS_BATCH.items, batch, digest_rows);
}

fn digest_rows(mut world: World) -> Digest {
    digest_rows_of(&mut world)
}

fn digest_rows_of(world: &mut World) -> Digest {
    Digest::of(world.query::<(&Transform, &Position, &Rotation, &Velocity)>())
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
    Digest::of(world.query::<(&Position, &Velocity)>())
}

fn step(world: &mut World) {
    world.query::<(&mut Position, &Velocity)>().for_each(|(position, velocity)| position.step(velocity));
}

pub fn iterate(cases: &mut Cases, workload: &'static Workload) {
    cases.lasting(workload, "", move || row_world(workload.items), step, digest_movers);
}

fn iterate_movers(cases: &mut Cases) {
    cases.lasting(&workloads::ITER_1M, "", || mover_world(workloads::ITER_1M.items), step, digest_movers);
}

fn iterate_flat(cases: &mut Cases) {
    let step = |world: &mut World| {
        for (positions, velocities) in world.query::<(&mut Position, &Velocity)>().chunks() {
            flat_mut(positions).iter_mut().zip(flat(velocities)).for_each(|(position, velocity)| *position += velocity);
        }
    };
    cases.lasting(&workloads::SIMPLE_ITER, "flat", || row_world(workloads::SIMPLE_ITER.items), step, digest_movers);
    cases.lasting(&workloads::ITER_1M, "flat", || mover_world(workloads::ITER_1M.items), step, digest_movers);
}

fn iterate_fragmented(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn_batch((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), SparseData { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        (world, Prepared::<&mut SparseData>::new())
    };
    let double = |(world, query): &mut (World, Prepared<&'static mut SparseData>)| {
        query.on(world).for_each(|data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "", build, double, |(world, _)| Digest::of(world.query::<&SparseData>()));

    let build = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn_batch((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), Data { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        (world, Prepared::<&mut Data>::new())
    };
    let double = |(world, query): &mut (World, Prepared<&'static mut Data>)| {
        query.on(world).for_each(|data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "table", build, double, |(world, _)| Digest::of(world.query::<&Data>()));
}

fn iterate_parts(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        for i in 0..FILTERED_TOTAL {
            let counter = Counter { value: i as f32 };
            match filter_kind(i) {
                (false, false) => world.spawn(counter),
                (true, false) => world.spawn((counter, C::default())),
                (false, true) => world.spawn((counter, D::default())),
                (true, true) => world.spawn((counter, C::default(), D::default())),
            };
        }
        // As a system has it: worked out once.
        (world, Prepared::<&mut Counter, (With<C>, Without<D>)>::new())
    };
    type Counters = (World, Prepared<&'static mut Counter, (With<C>, Without<D>)>);
    let count_up = |(world, query): &mut Counters| {
        query.on(world).for_each(|counter| counter.value += 1.0);
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |(world, _)| Digest::of(world.query::<&Counter>()));

    let build = || {
        let mut world = World::new();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            if is_tagged(i) {
                world.spawn((position, Tag { value: 1.0 }))
            } else {
                world.spawn(position)
            };
        }
        (world, Prepared::<(&Tag, &mut Position)>::new())
    };
    let shift = |(world, query): &mut (World, Prepared<(&Tag, &mut Position)>)| {
        query.on(world).for_each(|(tag, position)| position.x += tag.value);
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |(world, _)| Digest::of(world.query::<&Position>()));
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |world: &mut World| {
        let mut query = world.query::<(&mut Position, &Velocity)>();
        query.par_for_each(|(position, velocity)| position.step(velocity));
    };
    cases.lasting(&workloads::PAR_ITER_1M, "", || mover_world(workloads::PAR_ITER_1M.items), step, digest_movers);

    let compute = |world: &mut World| {
        let mut query = world.query::<(&mut Transform, &mut Position)>();
        query.par_for_each(|(transform, position)| heavy_work(transform, position));
    };
    cases.lasting(&workloads::HEAVY_COMPUTE, "", || row_world(workloads::HEAVY_COMPUTE.items), compute, digest_rows_of);
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<Entity>,
}

fn spawned(count: usize, spawn: impl Fn(&mut World, usize) -> Entity) -> Spawned {
    let mut world = World::new();
    let entities = (0..count).map(|i| spawn(&mut world, i)).collect();
    Spawned { world, entities }
}

fn narrow() -> Spawned {
    spawned(workloads::ADD_REMOVE.items, |world, i| world.spawn(A { value: i as f32 }))
}

fn wide() -> Spawned {
    spawned(workloads::ADD_REMOVE_5COLS.items, |world, i| {
        let sides = (Side0::default(), Side1::default(), Side2::default(), Side3::default());
        world.spawn((A { value: i as f32 }, sides))
    })
}

fn add_remove(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.insert(entity, B { value: 1.0 }).expect("alive");
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.remove::<B>(entity).expect("has B");
        }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let mut digest = Digest::of(spawned.world.query_filtered::<&A, Without<B>>());
        insert_all(spawned);
        digest.extend(spawned.world.query::<(&A, &B)>());
        remove_all(spawned);
        digest
    };
    cases.lasting(&workloads::ADD_REMOVE, "table", narrow, both, digest);
    cases.lasting(&workloads::ADD_REMOVE_5COLS, "table", wide, both, digest);
}

fn add_remove_sparse(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        let mut values = world.sparse_mut::<SparseB>();
        for &entity in &*entities {
            values.insert(entity, SparseB { value: 1.0 }).expect("alive");
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        let mut values = world.sparse_mut::<SparseB>();
        for &entity in &*entities {
            values.remove(entity).expect("has SparseB");
        }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let mut digest = Digest::of(spawned.world.query_filtered::<&A, Without<SparseB>>());
        insert_all(spawned);
        digest.extend(spawned.world.query::<(&A, &SparseB)>());
        remove_all(spawned);
        digest
    };
    cases.lasting(&workloads::ADD_REMOVE, "sparse", narrow, both, digest);
    cases.lasting(&workloads::ADD_REMOVE_5COLS, "sparse", wide, both, digest);
}

pub fn despawn(cases: &mut Cases, workload: &'static Workload) {
    let build = move || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.spawn(Marker::<$n>($n))
            };
        }
        for_each_marker!(spawn);
        let entities = world.spawn_batch(rows(workload.items)).to_vec();
        Spawned { world, entities }
    };
    let despawn_all = |mut spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.despawn(entity).expect("alive");
        }
        spawned
    };
    cases.fresh(workload, "", build, despawn_all, |spawned| digest_rows(spawned.world));
}

pub fn bulk_add(cases: &mut Cases, workload: &'static Workload) {
    let build = move || {
        let mut world = World::new();
        world.spawn_batch(movers(workload.items).map(|(position, _)| position));
        world
    };
    let insert_all = |world: &mut World| {
        world.insert_where::<With<Position>, Bulk>(BULK);
    };
    let remove_all = |world: &mut World| {
        world.remove_where::<With<Position>, Bulk>();
    };
    let both = move |world: &mut World| {
        insert_all(world);
        remove_all(world);
    };
    cases.lasting(workload, "", build, both, move |world| {
        let mut digest = Digest::of(world.query_filtered::<&Position, Without<Bulk>>());
        insert_all(world);
        digest.extend(world.query::<(&Position, &Bulk)>());
        remove_all(world);
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
    let entities = world.spawn_batch(movers(workload.items)).to_vec();
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    Reached { world, handles, sum: 0.0 }
}

pub fn random_get(cases: &mut Cases, workload: &'static Workload) {
    let read = |reached: &mut Reached| {
        let mut query = reached.world.query::<&Position>();
        let view = query.view();
        let positions = reached.handles.iter().map(|&entity| view.get(entity).expect("alive"));
        reached.sum = positions.map(|position| position.x).sum();
    };
    cases.lasting(workload, "", move || reached(workload), read, |reached| Digest::of([reached.sum]));
}

fn random_get_mut(cases: &mut Cases) {
    let write = |reached: &mut Reached| {
        let mut query = reached.world.query::<&mut Position>();
        let mut view = query.view();
        for &entity in &reached.handles {
            view.get_mut(entity).expect("alive").x += 1.0;
        }
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        Digest::of(reached.world.query::<&Position>())
    });
}
