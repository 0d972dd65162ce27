//! `specs`: one `VecStorage` per component, indexed by entity, with a bit set beside it.

use rayon::prelude::*;
use specs::storage::ComponentEvent;
use specs::{
    BitSet, Builder as _, Component, Entity, Join as _, ParJoin as _, ReaderId, VecStorage, World, WorldExt as _,
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
    changed_rows(cases);
    cases.memory("", || mover_world(workloads::MEMORY.items), |world| digest_movers(world));
}

fn row_types() -> World {
    let mut world = World::new();
    world.register::<Transform>();
    world.register::<Position>();
    world.register::<Rotation>();
    world.register::<Velocity>();
    world
}

/// Gives each entity the next of `values`.
fn attach<T>(world: &World, entities: &[Entity], values: impl Iterator<Item = T>)
where
    T: Component<Storage = VecStorage<T>> + Send + Sync,
{
    let mut storage = world.write_storage::<T>();
    for (&entity, value) in entities.iter().zip(values) {
        storage.insert(entity, value).expect("alive");
    }
}

/// Gives each entity the four components of the next of `rows`.
fn attach_rows(world: &World, entities: &[Entity], rows: impl Iterator<Item = Row>) {
    let (mut transforms, mut positions) = (world.write_storage::<Transform>(), world.write_storage::<Position>());
    let (mut rotations, mut velocities) = (world.write_storage::<Rotation>(), world.write_storage::<Velocity>());
    for (&entity, (transform, position, rotation, velocity)) in entities.iter().zip(rows) {
        transforms.insert(entity, transform).expect("alive");
        positions.insert(entity, position).expect("alive");
        rotations.insert(entity, rotation).expect("alive");
        velocities.insert(entity, velocity).expect("alive");
    }
}

fn create(world: &mut World, count: usize) -> Vec<Entity> {
    world.create_iter().take(count).collect()
}

fn insert(cases: &mut Cases) {
    let from_columns = |columns: &'static Columns| {
        let mut world = row_types();
        let entities = create(&mut world, columns.positions.len());
        attach(&world, &entities, columns.transforms.iter().copied());
        attach(&world, &entities, columns.positions.iter().copied());
        attach(&world, &entities, columns.rotations.iter().copied());
        attach(&world, &entities, columns.velocities.iter().copied());
        world
    };
    cases.fresh(&workloads::SIMPLE_INSERT, "", columns, from_columns, |world| digest_rows(&world));

    let from_rows = |count| {
        let mut world = row_types();
        let entities = create(&mut world, count);
        attach_rows(&world, &entities, rows(count));
        world
    };
    let count = || workloads::SIMPLE_INSERT_ROWS.items;
    cases.fresh(&workloads::SIMPLE_INSERT_ROWS, "", count, from_rows, |world| digest_rows(&world));

    // Through borrowed storages, which spares `World::create_entity` its look-ups.
    let one_by_one = |count| {
        let mut world = row_types();
        spawn_each(&world, rows(count));
        world.maintain();
        world
    };
    cases.fresh(&workloads::SPAWN_ONE, "", || workloads::SPAWN_ONE.items, one_by_one, |world| digest_rows(&world));
}

fn spawn_each(world: &World, rows: impl Iterator<Item = Row>) {
    let entities = world.entities();
    let (mut transforms, mut positions) = (world.write_storage::<Transform>(), world.write_storage::<Position>());
    let (mut rotations, mut velocities) = (world.write_storage::<Rotation>(), world.write_storage::<Velocity>());
    for (transform, position, rotation, velocity) in rows {
        let entity = entities.build_entity().with(transform, &mut transforms).with(position, &mut positions);
        entity.with(rotation, &mut rotations).with(velocity, &mut velocities).build();
    }
}

fn digest_rows(world: &World) -> Digest {
    let (transforms, positions) = (world.read_storage::<Transform>(), world.read_storage::<Position>());
    let (rotations, velocities) = (world.read_storage::<Rotation>(), world.read_storage::<Velocity>());
    Digest::of((&transforms, &positions, &rotations, &velocities).join())
}

fn row_world(count: usize) -> World {
    let mut world = row_types();
    let entities = create(&mut world, count);
    attach_rows(&world, &entities, rows(count));
    world
}

fn mover_world(count: usize) -> World {
    spawn_movers(count).0
}

fn spawn_movers(count: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Position>();
    world.register::<Velocity>();
    let entities = create(&mut world, count);
    attach(&world, &entities, movers(count).map(|(position, _)| position));
    attach(&world, &entities, movers(count).map(|(_, velocity)| velocity));
    (world, entities)
}

fn digest_movers(world: &World) -> Digest {
    Digest::of((&world.read_storage::<Position>(), &world.read_storage::<Velocity>()).join())
}

fn iterate(cases: &mut Cases) {
    let step = |world: &mut World| {
        let (mut positions, velocities) = (world.write_storage::<Position>(), world.read_storage::<Velocity>());
        (&mut positions, &velocities).join().for_each(|(position, velocity)| position.step(velocity));
    };
    let build = || row_world(workloads::SIMPLE_ITER.items);
    cases.lasting(&workloads::SIMPLE_ITER, "", build, step, |world| digest_movers(world));
    cases.lasting(
        &workloads::ITER_1M,
        "",
        || mover_world(workloads::ITER_1M.items),
        step,
        |world| digest_movers(world),
    );

    let build = || {
        let mut world = World::new();
        world.register::<Data>();
        macro_rules! spawn {
            ($n:literal) => {
                world.register::<Frag<$n>>();
                for _ in 0..FRAG_ROWS {
                    world.create_entity().with(Frag::<$n>(1.0)).with(Data { value: 1.0 }).build();
                }
            };
        }
        for_each_frag!(spawn);
        world
    };
    let double = |world: &mut World| {
        (&mut world.write_storage::<Data>()).join().for_each(|data| data.value *= 2.0);
    };
    cases.lasting(&workloads::FRAG_ITER, "", build, double, |world| Digest::of(world.read_storage::<Data>().join()));
}

fn iterate_parts(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        world.register::<Counter>();
        world.register::<C>();
        world.register::<D>();
        for i in 0..FILTERED_TOTAL {
            let (c, d) = filter_kind(i);
            let entity = world.create_entity().with(Counter { value: i as f32 });
            let entity = if c { entity.with(C::default()) } else { entity };
            let entity = if d { entity.with(D::default()) } else { entity };
            entity.build();
        }
        world
    };
    let count_up = |world: &mut World| {
        let mut counters = world.write_storage::<Counter>();
        let (c, d) = (world.read_storage::<C>(), world.read_storage::<D>());
        (&mut counters, c.mask(), !d.mask()).join().for_each(|(counter, ..)| counter.value += 1.0);
    };
    cases.lasting(&workloads::FILTERED_ITER, "", build, count_up, |world| {
        Digest::of(world.read_storage::<Counter>().join())
    });

    let build = || {
        let mut world = World::new();
        world.register::<Position>();
        world.register::<Tag>();
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            let entity = world.create_entity().with(position);
            if is_tagged(i) {
                entity.with(Tag { value: 1.0 }).build()
            } else {
                entity.build()
            };
        }
        world
    };
    let shift = |world: &mut World| {
        let (tags, mut positions) = (world.read_storage::<Tag>(), world.write_storage::<Position>());
        (&tags, &mut positions).join().for_each(|(tag, position)| position.x += tag.value);
    };
    cases.lasting(&workloads::SPARSE_ITER, "", build, shift, |world| {
        Digest::of(world.read_storage::<Position>().join())
    });
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |world: &mut World| {
        let (mut positions, velocities) = (world.write_storage::<Position>(), world.read_storage::<Velocity>());
        (&mut positions, &velocities).par_join().for_each(|(position, velocity)| position.step(velocity));
    };
    let build = || mover_world(workloads::PAR_ITER_1M.items);
    cases.lasting(&workloads::PAR_ITER_1M, "", build, step, |world| digest_movers(world));

    let compute = |world: &mut World| {
        let (mut transforms, mut positions) = (world.write_storage::<Transform>(), world.write_storage::<Position>());
        let both = (&mut transforms, &mut positions).par_join();
        both.for_each(|(transform, position)| heavy_work(transform, position));
    };
    let build = || row_world(workloads::HEAVY_COMPUTE.items);
    cases.lasting(&workloads::HEAVY_COMPUTE, "", build, compute, |world| digest_rows(world));
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<Entity>,
}

fn add_remove(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        let mut b = world.write_storage::<B>();
        for &entity in &*entities {
            b.insert(entity, B { value: 1.0 }).expect("alive");
        }
    };
    let remove_all = |Spawned { world, entities }: &mut Spawned| {
        let mut b = world.write_storage::<B>();
        for &entity in &*entities {
            b.remove(entity);
        }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    let digest = move |spawned: &mut Spawned| {
        let world = &spawned.world;
        let mut digest = Digest::of((&world.read_storage::<A>(), !&world.read_storage::<B>()).join().map(|(a, ())| a));
        insert_all(spawned);
        let world = &spawned.world;
        digest.extend((&world.read_storage::<A>(), &world.read_storage::<B>()).join());
        remove_all(spawned);
        digest
    };
    let build = |count| {
        let mut world = World::new();
        world.register::<A>();
        world.register::<B>();
        let entities = create(&mut world, count);
        attach(&world, &entities, (0..count).map(|i| A { value: i as f32 }));
        Spawned { world, entities }
    };
    cases.lasting(&workloads::ADD_REMOVE, "sparse", move || build(workloads::ADD_REMOVE.items), both, digest);

    let wide = move || {
        let mut spawned = build(workloads::ADD_REMOVE_5COLS.items);
        let Spawned { world, entities } = &mut spawned;
        world.register::<Side0>();
        world.register::<Side1>();
        world.register::<Side2>();
        world.register::<Side3>();
        attach(world, entities, std::iter::repeat(Side0::default()));
        attach(world, entities, std::iter::repeat(Side1::default()));
        attach(world, entities, std::iter::repeat(Side2::default()));
        attach(world, entities, std::iter::repeat(Side3::default()));
        spawned
    };
    cases.lasting(&workloads::ADD_REMOVE_5COLS, "sparse", wide, both, digest);
}

fn despawn(cases: &mut Cases) {
    let build = || {
        let mut world = row_types();
        macro_rules! spawn {
            ($n:literal) => {
                world.register::<Marker<$n>>();
                world.create_entity().with(Marker::<$n>($n)).build();
            };
        }
        for_each_marker!(spawn);
        let entities = create(&mut world, workloads::DESPAWN.items);
        attach_rows(&world, &entities, rows(workloads::DESPAWN.items));
        Spawned { world, entities }
    };
    let despawn_all = |mut spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.delete_entity(entity).expect("alive");
        }
        spawned
    };
    cases.fresh(&workloads::DESPAWN, "", build, despawn_all, |spawned| digest_rows(&spawned.world));
}

/// Adding has no bulk route, removing from all has.
fn bulk_add(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        let mut bulk = world.write_storage::<Bulk>();
        for &entity in &*entities {
            bulk.insert(entity, BULK).expect("alive");
        }
    };
    let remove_all = |Spawned { world, .. }: &mut Spawned| world.write_storage::<Bulk>().clear();
    let build = || {
        let mut world = World::new();
        world.register::<Position>();
        world.register::<Bulk>();
        let entities = create(&mut world, workloads::BULK_ADD.items);
        attach(&world, &entities, movers(workloads::BULK_ADD.items).map(|(position, _)| position));
        Spawned { world, entities }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    cases.lasting(&workloads::BULK_ADD, "", build, both, move |spawned| {
        let world = &spawned.world;
        let positions_without = |world: &World| {
            let (positions, bulk) = (world.read_storage::<Position>(), world.read_storage::<Bulk>());
            Digest::of((&positions, !&bulk).join().map(|(position, ())| position))
        };
        let mut digest = positions_without(world);
        insert_all(spawned);
        let world = &spawned.world;
        digest.extend((&world.read_storage::<Position>(), &world.read_storage::<Bulk>()).join());
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
    let (world, entities) = spawn_movers(workload.items);
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    Reached { world, handles, sum: 0.0 }
}

fn reach(cases: &mut Cases) {
    let read = |reached: &mut Reached| {
        let positions = reached.world.read_storage::<Position>();
        reached.sum = reached.handles.iter().map(|&entity| positions.get(entity).expect("alive").x).sum();
    };
    let build = || reached(&workloads::RANDOM_GET);
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached| {
        let mut positions = reached.world.write_storage::<Position>();
        for &entity in &reached.handles {
            positions.get_mut(entity).expect("alive").x += 1.0;
        }
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        Digest::of(reached.world.read_storage::<Position>().join())
    });
}

fn changed_rows(cases: &mut Cases) {
    struct Seen {
        world: World,
        handles: Vec<Entity>,
        reader: ReaderId<ComponentEvent>,
        modified: BitSet,
        sum: f32,
    }
    let build = || {
        let mut world = World::new();
        world.register::<Watched>();
        let entities = create(&mut world, WATCHED);
        let reader = {
            let mut storage = world.write_storage::<Watched>();
            for (&entity, value) in entities.iter().zip(watched()) {
                storage.insert(entity, value).expect("alive");
            }
            storage.register_reader()
        };
        let handles = changed(workloads::CHANGED_ITER.items).into_iter().map(|i| entities[i]).collect();
        Seen { world, handles, reader, modified: BitSet::new(), sum: 0.0 }
    };
    let run = |seen: &mut Seen| {
        let mut storage = seen.world.write_storage::<Watched>();
        for &entity in &seen.handles {
            storage.get_mut(entity).expect("alive").x += 1.0;
        }
        seen.modified.clear();
        for event in storage.channel().read(&mut seen.reader) {
            if let ComponentEvent::Modified(index) = event {
                seen.modified.add(*index);
            }
        }
        seen.sum = (&storage, &seen.modified).join().map(|(watched, _)| watched.x).sum();
    };
    cases.lasting(&workloads::CHANGED_ITER, "", build, run, |seen| {
        let mut digest = Digest::of([seen.sum]);
        digest.extend(seen.world.read_storage::<Watched>().join());
        digest
    });
}
