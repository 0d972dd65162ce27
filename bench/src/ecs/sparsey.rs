//! `sparsey`: sparse sets, which a *group* keeps in one order.
//!
//! The iteration rows group what they iterate together; the rows that insert and remove do not.

use rayon::prelude::*;
use sparsey::World;
use sparsey::entity::Entity;
use sparsey::world::WorldBuilder;

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
    cases.memory("", || reached(&workloads::MEMORY).world, |world| digest_movers(world));
}

fn row_types() -> WorldBuilder {
    let mut builder = World::builder();
    builder.register::<Transform>().register::<Position>().register::<Rotation>().register::<Velocity>();
    builder
}

fn insert(cases: &mut Cases) {
    let from_columns = |columns: &'static Columns| {
        let mut world = row_types().build();
        world.extend(columns.zipped());
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT, "", columns, from_columns, |world| digest_rows(&world));

    let from_rows = |count| {
        let mut world = row_types().build();
        world.extend(rows(count));
        world
    };
    let count = || workloads::SIMPLE_INSERT_ROWS.items;
    cases.fresh(&workloads::SIMPLE_INSERT_ROWS, "", count, from_rows, |world| digest_rows(&world));

    let one_by_one = |count| {
        let mut world = row_types().build();
        for row in rows(count) {
            world.create(row);
        }
        world
    };
    cases.fresh(&workloads::SPAWN_ONE, "", || workloads::SPAWN_ONE.items, one_by_one, |world| digest_rows(&world));
}

fn digest_rows(world: &World) -> Digest {
    Digest::of(&mut world.query_all::<(&Transform, &Position, &Rotation, &Velocity)>())
}

fn digest_movers(world: &World) -> Digest {
    Digest::of(&mut world.query_all::<(&Position, &Velocity)>())
}

/// A world that keeps positions and velocities in one order.
fn mover_world(count: usize) -> World {
    let mut world = World::builder().add_group::<(Position, Velocity)>().build();
    world.extend(movers(count));
    world
}

fn iterate(cases: &mut Cases) {
    let step = |world: &mut World| {
        let mut query = world.query_all::<(&mut Position, &Velocity)>();
        let (positions, velocities) = query.slice().expect("grouped");
        positions.iter_mut().zip(velocities).for_each(|(position, velocity)| position.step(velocity));
    };
    let build = || {
        let mut world = row_types().add_group::<(Position, Velocity)>().build();
        world.extend(rows(workloads::SIMPLE_ITER.items));
        world
    };
    cases.lasting(&workloads::SIMPLE_ITER, "", build, step, |world| digest_movers(world));
    cases.lasting(
        &workloads::ITER_1M,
        "",
        || mover_world(workloads::ITER_1M.items),
        step,
        |world| digest_movers(world),
    );

    let build = || {
        let mut world = World::builder().register::<Data>().build();
        macro_rules! spawn {
            ($n:literal) => {
                world.register::<Frag<$n>>();
                world.extend((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), Data { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        world
    };
    let double = |world: &mut World| {
        world.borrow_mut::<Data>().as_mut_slice().iter_mut().for_each(|data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "", build, double, |world| Digest::of(world.borrow::<Data>().as_slice()));
}

fn iterate_parts(cases: &mut Cases) {
    let build = || {
        let mut builder = World::builder();
        let mut world = builder.add_group::<(Counter, C)>().add_group::<(Counter, C, D)>().build();
        for i in 0..FILTERED_TOTAL {
            let counter = Counter { value: i as f32 };
            match filter_kind(i) {
                (false, false) => world.create((counter,)),
                (true, false) => world.create((counter, C::default())),
                (false, true) => world.create((counter, D::default())),
                (true, true) => world.create((counter, C::default(), D::default())),
            };
        }
        world
    };
    // Not `slice()`: with `exclude` it returns the wrong part of the group in 0.13.4.
    let count_up = |world: &mut World| {
        let mut query = world.query_all::<&mut Counter>().include::<&C>().exclude::<&D>();
        query.iter().for_each(|counter| counter.value += 1.0);
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |world| {
        Digest::of(world.borrow::<Counter>().as_slice())
    });

    let build = || {
        let mut world = World::builder().add_group::<(Tag, Position)>().build();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            if is_tagged(i) {
                world.create((position, Tag { value: 1.0 }))
            } else {
                world.create((position,))
            };
        }
        world
    };
    let shift = |world: &mut World| {
        let mut query = world.query_all::<(&Tag, &mut Position)>();
        let (tags, positions) = query.slice().expect("grouped");
        tags.iter().zip(positions).for_each(|(tag, position)| position.x += tag.value);
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |world| Digest::of(world.borrow::<Position>().as_slice()));
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |world: &mut World| {
        let mut query = world.query_all::<(&mut Position, &Velocity)>();
        query.par_iter().for_each(|(position, velocity)| position.step(velocity));
    };
    let build = || mover_world(workloads::PAR_ITER_1M.items);
    cases.lasting(&workloads::PAR_ITER_1M, "", build, step, |world| digest_movers(world));

    let build = || {
        let mut world = row_types().add_group::<(Transform, Position)>().build();
        world.extend(rows(workloads::HEAVY_COMPUTE.items));
        world
    };
    let compute = |world: &mut World| {
        let mut query = world.query_all::<(&mut Transform, &mut Position)>();
        query.par_iter().for_each(|(transform, position)| heavy_work(transform, position));
    };
    cases.lasting(&workloads::HEAVY_COMPUTE, "", build, compute, |world| digest_rows(world));
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<Entity>,
}

fn add_remove(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.insert(entity, (B { value: 1.0 },));
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.delete::<(B,)>(entity);
        }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let mut digest = Digest::of(&mut spawned.world.query_all::<&A>().exclude::<&B>());
        insert_all(spawned);
        digest.extend(&mut spawned.world.query_all::<(&A, &B)>());
        remove_all(spawned);
        digest
    };
    let narrow = || {
        let mut world = World::builder().register::<A>().register::<B>().build();
        let a = (0..workloads::ADD_REMOVE.items).map(|i| (A { value: i as f32 },));
        let entities = world.extend(a).to_vec();
        Spawned { world, entities }
    };
    cases.lasting(&workloads::ADD_REMOVE, "sparse", narrow, both, digest);

    let wide = || {
        let mut builder = World::builder();
        builder.register::<Side0>().register::<Side1>().register::<Side2>().register::<Side3>();
        let mut world = builder.register::<A>().register::<B>().build();
        let wide = (0..workloads::ADD_REMOVE_5COLS.items).map(|i| {
            let a = A { value: i as f32 };
            (a, Side0::default(), Side1::default(), Side2::default(), Side3::default())
        });
        let entities = world.extend(wide).to_vec();
        Spawned { world, entities }
    };
    cases.lasting(&workloads::ADD_REMOVE_5COLS, "sparse", wide, both, digest);
}

fn despawn(cases: &mut Cases) {
    let build = || {
        let mut world = row_types().build();
        macro_rules! spawn {
            ($n:literal) => {
                world.register::<Marker<$n>>();
                world.create((Marker::<$n>($n),))
            };
        }
        for_each_marker!(spawn);
        let entities = world.extend(rows(workloads::DESPAWN.items)).to_vec();
        Spawned { world, entities }
    };
    let despawn_all = |mut spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.destroy(entity);
        }
        spawned
    };
    cases.fresh(&workloads::DESPAWN, "", build, despawn_all, |spawned| digest_rows(&spawned.world));
}

/// There is no bulk route: one at a time.
fn bulk_add(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.insert(entity, (BULK,));
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        for &entity in &*entities {
            world.delete::<(Bulk,)>(entity);
        }
    };
    let build = || {
        let mut world = World::builder().register::<Position>().register::<Bulk>().build();
        let positions = movers(workloads::BULK_ADD.items).map(|(position, _)| (position,));
        let entities = world.extend(positions).to_vec();
        Spawned { world, entities }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    cases.lasting(&workloads::BULK_ADD, "", build, both, move |spawned| {
        let mut digest = Digest::of(&mut spawned.world.query_all::<&Position>().exclude::<&Bulk>());
        insert_all(spawned);
        digest.extend(&mut spawned.world.query_all::<(&Position, &Bulk)>());
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
    let mut world = World::builder().register::<Position>().register::<Velocity>().build();
    let entities = world.extend(movers(workload.items)).to_vec();
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    Reached { world, handles, sum: 0.0 }
}

fn reach(cases: &mut Cases) {
    let read = |reached: &mut Reached| {
        let positions = reached.world.borrow::<Position>();
        reached.sum = reached.handles.iter().map(|&entity| positions.get(entity).expect("alive").x).sum();
    };
    let build = || reached(&workloads::RANDOM_GET);
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached| {
        let mut positions = reached.world.borrow_mut::<Position>();
        for &entity in &reached.handles {
            positions.get_mut(entity).expect("alive").x += 1.0;
        }
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        Digest::of(reached.world.borrow::<Position>().as_slice())
    });
}
