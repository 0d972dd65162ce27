//! `shipyard`: sparse sets only.

use rayon::prelude::*;
use shipyard::{
    AddComponent as _, Delete as _, EntitiesViewMut, EntityId, Get as _, IntoIter as _, View, ViewMut, World,
};

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
    cases.memory("", || mover_world(workloads::MEMORY.items), digest_movers);
}

fn insert(cases: &mut Cases) {
    let from_columns = |columns: &'static Columns| {
        let mut world = World::new();
        world.bulk_add_entity(columns.zipped());
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT, "", columns, from_columns, |mut world| digest_rows(&mut world));

    let from_rows = |count| {
        let mut world = World::new();
        world.bulk_add_entity(rows(count));
        world
    };
    let count = || workloads::SIMPLE_INSERT_ROWS.items;
    cases.fresh(&workloads::SIMPLE_INSERT_ROWS, "", count, from_rows, |mut world| digest_rows(&mut world));

    // Through borrowed views, which spares `World::add_entity` its four look-ups per entity.
    let one_by_one = |count| {
        let world = World::new();
        world.run(
            |mut entities: EntitiesViewMut,
             mut transforms: ViewMut<Transform>,
             mut positions: ViewMut<Position>,
             mut rotations: ViewMut<Rotation>,
             mut velocities: ViewMut<Velocity>| {
                for row in rows(count) {
                    entities.add_entity((&mut transforms, &mut positions, &mut rotations, &mut velocities), row);
                }
            },
        );
        world
    };
    cases.fresh(
        &workloads::SPAWN_ONE,
        "",
        || workloads::SPAWN_ONE.items,
        one_by_one,
        |mut world| digest_rows(&mut world),
    );
}

fn digest_rows(world: &mut World) -> Digest {
    world.run(|t: View<Transform>, p: View<Position>, r: View<Rotation>, v: View<Velocity>| {
        Digest::of((&t, &p, &r, &v).iter())
    })
}

fn row_world(count: usize) -> World {
    let mut world = World::new();
    world.bulk_add_entity(rows(count));
    world
}

fn mover_world(count: usize) -> World {
    let mut world = World::new();
    world.bulk_add_entity(movers(count));
    world
}

fn digest_movers(world: &mut World) -> Digest {
    world.run(|positions: View<Position>, velocities: View<Velocity>| Digest::of((&positions, &velocities).iter()))
}

fn iterate(cases: &mut Cases) {
    let step = |world: &mut World| {
        world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
            (&mut positions, &velocities).iter().for_each(|(position, velocity)| position.step(velocity));
        });
    };
    cases.lasting(&workloads::SIMPLE_ITER, "", || row_world(workloads::SIMPLE_ITER.items), step, digest_movers);
    cases.lasting(&workloads::ITER_1M, "", || mover_world(workloads::ITER_1M.items), step, digest_movers);

    let build = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.bulk_add_entity((0..FRAG_ROWS).map(|_| (Frag::<$n>(1.0), Data { value: 1.0 })))
            };
        }
        for_each_frag!(spawn);
        world
    };
    let double = |world: &mut World| {
        world.run(|mut data: ViewMut<Data>| (&mut data).iter().for_each(|data| data.value *= 2.0));
    };
    cases.lasting(&workloads::FRAG_ITER, "", build, double, |world| {
        world.run(|data: View<Data>| Digest::of(data.iter()))
    });
}

fn iterate_parts(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        for i in 0..FILTERED_TOTAL {
            let entity = world.add_entity(Counter { value: i as f32 });
            let (c, d) = filter_kind(i);
            if c {
                world.add_component(entity, C::default());
            }
            if d {
                world.add_component(entity, D::default());
            }
        }
        world
    };
    let count_up = |world: &mut World| {
        world.run(|mut counters: ViewMut<Counter>, c: View<C>, d: View<D>| {
            (&mut counters, &c, !&d).iter().for_each(|(counter, ..)| counter.value += 1.0);
        });
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |world| {
        world.run(|counters: View<Counter>| Digest::of(counters.iter()))
    });

    let build = || {
        let mut world = World::new();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            let entity = world.add_entity(position);
            if is_tagged(i) {
                world.add_component(entity, Tag { value: 1.0 });
            }
        }
        world
    };
    let shift = |world: &mut World| {
        world.run(|tags: View<Tag>, mut positions: ViewMut<Position>| {
            (&tags, &mut positions).iter().for_each(|(tag, position)| position.x += tag.value);
        });
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |world| {
        world.run(|positions: View<Position>| Digest::of(positions.iter()))
    });
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |world: &mut World| {
        world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
            (&mut positions, &velocities).par_iter().for_each(|(position, velocity)| position.step(velocity));
        });
    };
    cases.lasting(&workloads::PAR_ITER_1M, "", || mover_world(workloads::PAR_ITER_1M.items), step, digest_movers);

    let compute = |world: &mut World| {
        world.run(|mut transforms: ViewMut<Transform>, mut positions: ViewMut<Position>| {
            let both = (&mut transforms, &mut positions).par_iter();
            both.for_each(|(transform, position)| heavy_work(transform, position));
        });
    };
    cases.lasting(&workloads::HEAVY_COMPUTE, "", || row_world(workloads::HEAVY_COMPUTE.items), compute, digest_rows);
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<EntityId>,
}

fn add_remove(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        world.run(|mut b: ViewMut<B>| {
            for &entity in &*entities {
                b.add_component_unchecked(entity, B { value: 1.0 });
            }
        });
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        world.run(|mut b: ViewMut<B>| {
            for &entity in &*entities {
                b.delete(entity);
            }
        });
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let mut digest = spawned.world.run(|a: View<A>, b: View<B>| Digest::of((&a, !&b).iter().map(|(a, _)| a)));
        insert_all(spawned);
        spawned.world.run(|a: View<A>, b: View<B>| digest.extend((&a, &b).iter()));
        remove_all(spawned);
        digest
    };
    let narrow = || spawned(workloads::ADD_REMOVE.items, |world, i| world.add_entity(A { value: i as f32 }));
    cases.lasting(&workloads::ADD_REMOVE, "sparse", narrow, both, digest);

    let wide = || {
        spawned(workloads::ADD_REMOVE_5COLS.items, |world, i| {
            let a = A { value: i as f32 };
            world.add_entity((a, Side0::default(), Side1::default(), Side2::default(), Side3::default()))
        })
    };
    cases.lasting(&workloads::ADD_REMOVE_5COLS, "sparse", wide, both, digest);
}

fn spawned(count: usize, spawn: impl Fn(&mut World, usize) -> EntityId) -> Spawned {
    let mut world = World::new();
    let entities = (0..count).map(|i| spawn(&mut world, i)).collect();
    Spawned { world, entities }
}

fn despawn(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($n:literal) => {
                world.add_entity(Marker::<$n>($n))
            };
        }
        for_each_marker!(spawn);
        let entities = world.bulk_add_entity(rows(workloads::DESPAWN.items)).collect();
        Spawned { world, entities }
    };
    let despawn_all = |mut spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.delete_entity(entity);
        }
        spawned
    };
    cases.fresh(&workloads::DESPAWN, "", build, despawn_all, |mut spawned| digest_rows(&mut spawned.world));
}

/// Adding has no bulk route, removing from all has.
fn bulk_add(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        world.run(|mut bulk: ViewMut<Bulk>| {
            bulk.reserve(entities.len());
            for &entity in &*entities {
                bulk.add_component_unchecked(entity, BULK);
            }
        });
    };
    let remove_all = |Spawned { world, .. }: &mut Spawned| world.run(|mut bulk: ViewMut<Bulk>| bulk.clear());
    let build = || {
        let mut world = World::new();
        let positions = movers(workloads::BULK_ADD.items).map(|(position, _)| position);
        let entities = world.bulk_add_entity(positions).collect();
        Spawned { world, entities }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    cases.lasting(&workloads::BULK_ADD, "", build, both, move |spawned| {
        let world = &spawned.world;
        let mut digest = world
            .run(|p: View<Position>, bulk: View<Bulk>| Digest::of((&p, !&bulk).iter().map(|(position, _)| position)));
        insert_all(spawned);
        spawned.world.run(|p: View<Position>, bulk: View<Bulk>| digest.extend((&p, &bulk).iter()));
        remove_all(spawned);
        digest
    });
}

/// A world, its entities shuffled, and what the reads saw.
struct Reached {
    world: World,
    handles: Vec<EntityId>,
    sum: f32,
}

fn reached(workload: &Workload) -> Reached {
    let mut world = World::new();
    let entities: Vec<EntityId> = world.bulk_add_entity(movers(workload.items)).collect();
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    Reached { world, handles, sum: 0.0 }
}

fn reach(cases: &mut Cases) {
    let read = |reached: &mut Reached| {
        reached.sum = reached.world.run(|positions: View<Position>| {
            reached.handles.iter().map(|&entity| positions.get(entity).expect("alive").x).sum()
        });
    };
    let build = || reached(&workloads::RANDOM_GET);
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached| {
        reached.world.run(|mut positions: ViewMut<Position>| {
            for &entity in &reached.handles {
                (&mut positions).get(entity).expect("alive").x += 1.0;
            }
        });
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        reached.world.run(|positions: View<Position>| Digest::of(positions.iter()))
    });
}
