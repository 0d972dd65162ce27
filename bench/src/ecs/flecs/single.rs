//! The rows that reach one entity after another; they call C directly, as `mod.rs` explains.

#![expect(unsafe_code, reason = "calls C")]

use std::ptr;

use flecs_ecs::prelude::*;
use flecs_ecs::sys;

use super::{digest_rows, insert_rows, row_types, spawn_movers};
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::workloads::{self, Workload};

pub fn spawn_one(cases: &mut Cases) {
    // As the C++ binding does it, for the Rust one moves the entity to another table with each `set`.
    let one_by_one = |world: World| {
        let ids = [
            *world.component_id::<Transform>(),
            *world.component_id::<Position>(),
            *world.component_id::<Rotation>(),
            *world.component_id::<Velocity>(),
        ];
        let raw = world.ptr_mut();
        // SAFETY: the world lives, the ids are its own, and null is the table without components.
        let table = ids.iter().fold(ptr::null_mut(), |table, &id| unsafe { sys::ecs_table_add_id(raw, table, id) });
        for (transform, position, rotation, velocity) in rows(workloads::SPAWN_ONE.items) {
            // SAFETY: the entity is new in a table with these four columns, each of the type of its id.
            unsafe {
                let entity = sys::ecs_new_w_table(raw, table);
                sys::ecs_get_mut_id(raw, entity, ids[0]).cast::<Transform>().write(transform);
                sys::ecs_get_mut_id(raw, entity, ids[1]).cast::<Position>().write(position);
                sys::ecs_get_mut_id(raw, entity, ids[2]).cast::<Rotation>().write(rotation);
                sys::ecs_get_mut_id(raw, entity, ids[3]).cast::<Velocity>().write(velocity);
            }
        }
        world
    };
    cases.fresh(&workloads::SPAWN_ONE, "", row_types, one_by_one, |world| digest_rows(&world));
}

/// A world and its entities in spawn order.
struct Spawned {
    world: World,
    entities: Vec<Entity>,
}

/// A macro, for the bounds of a generic function would be longer than its body.
macro_rules! add_remove {
    ($cases:ident, $variant:literal, $T:ident) => {{
        let insert_all = |Spawned { world, entities }: &mut Spawned| {
            let id = *world.component_id::<$T>();
            for &entity in &*entities {
                let value = $T { value: 1.0 };
                // SAFETY: the world lives, and the value is of the type of its id.
                unsafe { sys::ecs_set_id(world.ptr_mut(), *entity, id, size_of::<$T>(), ptr::from_ref(&value).cast()) };
            }
        };
        let remove_all = |Spawned { world, entities }: &mut Spawned| {
            let id = *world.component_id::<$T>();
            for &entity in &*entities {
                // SAFETY: the world lives.
                unsafe { sys::ecs_remove_id(world.ptr_mut(), *entity, id) };
            }
        };
        let both = move |spawned: &mut Spawned| {
            insert_all(spawned);
            remove_all(spawned);
        };
        let digest = move |spawned: &mut Spawned| {
            let mut digest = Digest::default();
            let without = spawned.world.query::<&A>().without($T::id()).build();
            without.each(|a| digest.add(a));
            insert_all(spawned);
            spawned.world.each::<(&A, &$T)>(|row| digest.add(row));
            remove_all(spawned);
            digest
        };
        let narrow = || spawned(workloads::ADD_REMOVE.items, |entity, i| entity.set(A { value: i as f32 }));
        $cases.lasting(&workloads::ADD_REMOVE, $variant, narrow, both, digest);
        let wide = || {
            spawned(workloads::ADD_REMOVE_5COLS.items, |entity, i| {
                let entity = entity.set(A { value: i as f32 }).set(Side0::default()).set(Side1::default());
                entity.set(Side2::default()).set(Side3::default())
            })
        };
        $cases.lasting(&workloads::ADD_REMOVE_5COLS, $variant, wide, both, digest);
    }};
}

fn spawned(count: usize, fill: impl for<'w> Fn(EntityView<'w>, usize) -> EntityView<'w>) -> Spawned {
    let world = World::new();
    let entities = (0..count).map(|i| fill(world.entity(), i).id()).collect();
    Spawned { world, entities }
}

pub fn add_remove(cases: &mut Cases) {
    add_remove!(cases, "table", B);
    add_remove!(cases, "sparse", SparseB);
}

pub fn despawn(cases: &mut Cases) {
    let build = || {
        let world = row_types();
        macro_rules! spawn {
            ($n:literal) => {
                world.entity().set(Marker::<$n>($n))
            };
        }
        for_each_marker!(spawn);
        let entities = insert_rows(&world, rows(workloads::DESPAWN.items));
        Spawned { world, entities }
    };
    let despawn_all = |spawned: Spawned| {
        for &entity in &spawned.entities {
            spawned.world.entity_from_id(entity).destruct();
        }
        spawned
    };
    cases.fresh(&workloads::DESPAWN, "", build, despawn_all, |spawned| digest_rows(&spawned.world));
}

pub fn bulk_add(cases: &mut Cases) {
    let insert_all = |Spawned { world, entities }: &mut Spawned| {
        let id = *world.component_id::<Bulk>();
        for &entity in &*entities {
            // SAFETY: the world lives, and the value is of the type of its id.
            unsafe { sys::ecs_set_id(world.ptr_mut(), *entity, id, size_of::<Bulk>(), ptr::from_ref(&BULK).cast()) };
        }
    };
    let remove_all = |Spawned { world, .. }: &mut Spawned| world.remove_all(Bulk::id());
    let build = || {
        let world = World::new();
        let positions: Vec<Position> = movers(workloads::BULK_ADD.items).map(|(position, _)| position).collect();
        let entities = world.entity_bulk(positions.len() as u32).set(&positions).build();
        Spawned { world, entities }
    };
    let both = move |spawned: &mut Spawned| {
        insert_all(spawned);
        remove_all(spawned);
    };
    cases.lasting(&workloads::BULK_ADD, "", build, both, move |spawned| {
        let mut digest = Digest::default();
        let without = spawned.world.query::<&Position>().without(Bulk::id()).build();
        without.each(|position| digest.add(position));
        insert_all(spawned);
        spawned.world.each::<(&Position, &Bulk)>(|row| digest.add(row));
        remove_all(spawned);
        digest
    });
}

/// A world, its entities shuffled, the id of `Position`, and what the reads saw.
struct Reached {
    world: World,
    handles: Vec<Entity>,
    position: u64,
    sum: f32,
}

fn reached(workload: &Workload) -> Reached {
    let (world, entities) = spawn_movers(workload.items);
    let handles = shuffled(workload.items).into_iter().map(|i| entities[i]).collect();
    let position = *world.component_id::<Position>();
    Reached { world, handles, position, sum: 0.0 }
}

pub fn reach(cases: &mut Cases) {
    let read = |reached: &mut Reached| {
        let world = reached.world.ptr_mut();
        let position_of = |&entity: &Entity| {
            // SAFETY: the world lives, and the id is that of `Position`.
            let position = unsafe { sys::ecs_get_id(world, *entity, reached.position).cast::<Position>().as_ref() };
            position.expect("alive").x
        };
        reached.sum = reached.handles.iter().map(position_of).sum();
    };
    let build = || reached(&workloads::RANDOM_GET);
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached| {
        let world = reached.world.ptr_mut();
        for &entity in &reached.handles {
            // SAFETY: as above, and nobody else refers to the component.
            let position = unsafe { sys::ecs_get_mut_id(world, *entity, reached.position).cast::<Position>().as_mut() };
            position.expect("alive").x += 1.0;
        }
    };
    let build = || reached(&workloads::RANDOM_GET_MUT);
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| {
        let mut digest = Digest::default();
        reached.world.each::<&Position>(|position| digest.add(position));
        digest
    });
}
