//! `flecs_ecs`, the Rust binding of flecs.
//!
//! Two favours, so that the rows show flecs and not its binding. Where a row creates its world,
//! flecs's is created before the clock starts: `World::new` imports a dozen modules, in 1.7 ms. And
//! what happens entity by entity calls C directly: the binding takes locks, which cannot be switched
//! off, for the declarations that come with `flecs_ecs_sys` are laid out for them.

mod memory;
mod single;

use flecs_ecs::prelude::*;

use crate::THREADS;
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::matrix::heavy_work;
use crate::workloads;

pub fn register(cases: &mut Cases) {
    memory::install_hooks();
    insert(cases);
    iterate(cases);
    iterate_parts(cases);
    iterate_parallel(cases);
    single::spawn_one(cases);
    single::add_remove(cases);
    single::despawn(cases);
    single::bulk_add(cases);
    single::reach(cases);
    crate::ecs::scheduled::flecs(cases);
    crate::ecs::trees::flecs::register(cases);
    cases.memory("", || mover_world(workloads::MEMORY.items), |world| digest_movers(world));
}

fn row_types() -> World {
    let world = World::new();
    world.component::<Transform>();
    world.component::<Position>();
    world.component::<Rotation>();
    world.component::<Velocity>();
    world
}

fn insert_columns(world: &World, columns: &Columns) -> Vec<Entity> {
    let Columns { transforms, positions, rotations, velocities } = columns;
    let mut bulk = world.entity_bulk(positions.len() as u32);
    bulk.set(transforms).set(positions).set(rotations).set(velocities).build()
}

/// Gathers columns, then inserts them in bulk: faster than setting components entity by entity.
fn insert_rows(world: &World, rows: impl Iterator<Item = Row>) -> Vec<Entity> {
    let mut columns = <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
    columns.extend(rows);
    let (transforms, positions, rotations, velocities) = columns;
    insert_columns(world, &Columns { transforms, positions, rotations, velocities })
}

fn insert(cases: &mut Cases) {
    let from_columns = |world: World| {
        insert_columns(&world, columns());
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT, "", row_types, from_columns, |world| digest_rows(&world));

    let from_rows = |world: World| {
        insert_rows(&world, rows(workloads::SIMPLE_INSERT_ROWS.items));
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT_ROWS, "", row_types, from_rows, |world| digest_rows(&world));
}

fn digest_rows(world: &World) -> Digest {
    let mut digest = Digest::default();
    world.each::<(&Transform, &Position, &Rotation, &Velocity)>(|row| digest.add(row));
    digest
}

fn row_world(count: usize) -> World {
    let world = row_types();
    insert_rows(&world, rows(count));
    world
}

fn mover_world(count: usize) -> World {
    spawn_movers(count).0
}

fn spawn_movers(count: usize) -> (World, Vec<Entity>) {
    let world = World::new();
    let (positions, velocities): (Vec<_>, Vec<_>) = movers(count).unzip();
    let entities = world.entity_bulk(count as u32).set(&positions).set(&velocities).build();
    (world, entities)
}

fn digest_movers(world: &World) -> Digest {
    let mut digest = Digest::default();
    world.each::<(&Position, &Velocity)>(|row| digest.add(row));
    digest
}

/// A query before its world, for that is the order in which they must be dropped.
type Queried<T> = (Query<T>, World);

fn iterate(cases: &mut Cases) {
    let queried = |world: World| (world.query::<(&mut Position, &Velocity)>().set_cached().build(), world);
    let step = |(query, _): &mut Queried<(&'static mut Position, &'static Velocity)>| {
        query.run(|mut it| {
            while it.next() {
                let (mut positions, velocities) = (it.field_mut::<Position>(0), it.field::<Velocity>(1));
                let pairs = positions.as_mut_slice().iter_mut().zip(velocities.as_slice());
                pairs.for_each(|(position, velocity)| position.step(velocity));
            }
        });
    };
    let build = move || queried(row_world(workloads::SIMPLE_ITER.items));
    cases.lasting(&workloads::SIMPLE_ITER, "", build, step, |(_, world)| digest_movers(world));
    let build = move || queried(mover_world(workloads::ITER_1M.items));
    cases.lasting(&workloads::ITER_1M, "", build, step, |(_, world)| digest_movers(world));

    let build = || {
        let world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world
                    .entity_bulk(FRAG_ROWS as u32)
                    .set(&[Frag::<$n>(1.0); FRAG_ROWS])
                    .set(&[Data { value: 1.0 }; FRAG_ROWS])
                    .build()
            };
        }
        for_each_frag!(spawn);
        (world.query::<&mut Data>().set_cached().build(), world)
    };
    let double = |(query, _): &mut Queried<&'static mut Data>| {
        query.run(|mut it| {
            while it.next() {
                it.field_mut::<Data>(0).as_mut_slice().iter_mut().for_each(|data| data.value *= 2.0);
            }
        });
    };
    cases.lasting(&workloads::FRAG_ITER, "table", build, double, |(_, world)| {
        let mut digest = Digest::default();
        world.each::<&Data>(|data| digest.add(data));
        digest
    });

    let build = || {
        let world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                for _ in 0..FRAG_ROWS {
                    world.entity().set(Frag::<$n>(1.0)).set(SparseData { value: 1.0 });
                }
            };
        }
        for_each_frag!(spawn);
        (world.query::<&mut SparseData>().set_cached().build(), world)
    };
    let double = |(query, _): &mut Queried<&'static mut SparseData>| query.each(|data| data.value *= 2.0);
    cases.lasting(&workloads::FRAG_ITER, "", build, double, |(_, world)| {
        let mut digest = Digest::default();
        world.each::<&SparseData>(|data| digest.add(data));
        digest
    });
}

fn iterate_parts(cases: &mut Cases) {
    let build = || {
        let world = World::new();
        for i in 0..FILTERED_TOTAL {
            let entity = world.entity().set(Counter { value: i as f32 });
            let (c, d) = filter_kind(i);
            if c {
                entity.set(C::default());
            }
            if d {
                entity.set(D::default());
            }
        }
        let query = world.query::<&mut Counter>().with(C::id()).without(D::id()).set_cached().build();
        (query, world)
    };
    let count_up = |(query, _): &mut Queried<&'static mut Counter>| {
        query.run(|mut it| {
            while it.next() {
                it.field_mut::<Counter>(0).as_mut_slice().iter_mut().for_each(|counter| counter.value += 1.0);
            }
        });
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |(_, world)| {
        let mut digest = Digest::default();
        world.each::<&Counter>(|counter| digest.add(counter));
        digest
    });

    let build = || {
        let world = World::new();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            let entity = world.entity().set(position);
            if is_tagged(i) {
                entity.set(Tag { value: 1.0 });
            }
        }
        (world.query::<(&Tag, &mut Position)>().set_cached().build(), world)
    };
    let shift = |(query, _): &mut Queried<(&'static Tag, &'static mut Position)>| {
        query.run(|mut it| {
            while it.next() {
                let (tags, mut positions) = (it.field::<Tag>(0), it.field_mut::<Position>(1));
                let pairs = tags.as_slice().iter().zip(positions.as_mut_slice());
                pairs.for_each(|(tag, position)| position.x += tag.value);
            }
        });
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |(_, world)| {
        let mut digest = Digest::default();
        world.each::<&Position>(|position| digest.add(position));
        digest
    });
}

/// flecs has threads of its own, which take part in systems run by `progress`.
fn iterate_parallel(cases: &mut Cases) {
    let build = || {
        let world = mover_world(workloads::PAR_ITER_1M.items);
        world.set_threads(THREADS as i32);
        world.system::<(&mut Position, &Velocity)>().par_run(|mut it| {
            while it.next() {
                let (mut positions, velocities) = (it.field_mut::<Position>(0), it.field::<Velocity>(1));
                let pairs = positions.as_mut_slice().iter_mut().zip(velocities.as_slice());
                pairs.for_each(|(position, velocity)| position.step(velocity));
            }
        });
        world
    };
    let progress = |world: &mut World| {
        world.progress();
    };
    cases.lasting(&workloads::PAR_ITER_1M, "", build, progress, |world| digest_movers(world));

    let build = || {
        let world = row_world(workloads::HEAVY_COMPUTE.items);
        world.set_threads(THREADS as i32);
        world
            .system::<(&mut Transform, &mut Position)>()
            .par_each(|(transform, position)| heavy_work(transform, position));
        world
    };
    cases.lasting(&workloads::HEAVY_COMPUTE, "", build, progress, |world| digest_rows(world));
}
