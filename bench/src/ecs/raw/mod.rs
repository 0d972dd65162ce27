//! The yardstick: a struct of arrays as one would write it by hand for exactly this workload.

mod store;

use rayon::prelude::*;

use self::store::{Movers, Soa, SparseSet};
use super::{over_time, shared};
use crate::THREADS;
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::matrix::heavy_work;
use crate::workloads::{self, Workload};

pub fn register(cases: &mut Cases) {
    insert_columns(cases, &workloads::SIMPLE_INSERT);
    insert_rows(cases, &workloads::SIMPLE_INSERT_ROWS);
    spawn_one(cases, &workloads::SPAWN_ONE);
    iterate(cases, &workloads::SIMPLE_ITER);
    iterate(cases, &workloads::ITER_1M);
    iterate_fragmented(cases);
    iterate_parts(cases);
    iterate_parallel(cases);
    add_remove(cases);
    despawn(cases, &workloads::DESPAWN);
    bulk_add(cases, &workloads::BULK_ADD);
    random_get(cases, &workloads::RANDOM_GET);
    random_get_mut(cases);
    deferred(cases);
    changed(cases);
    over_time::references(cases);
    shared::references(cases);
    crate::ecs::scheduled::raw(cases);
    crate::ecs::crowds::raw(cases);
    crate::ecs::trees::raw::register(cases);
    crate::ecs::scenes::references(cases);
    cases.memory("", || Movers::new(workloads::MEMORY.items), |movers| movers.digest());
}

pub fn insert_columns(cases: &mut Cases, workload: &'static Workload) {
    let from_columns = |columns: &'static Columns| Soa {
        ids: (0..columns.positions.len() as u32).collect(),
        transforms: columns.transforms.to_vec(),
        positions: columns.positions.to_vec(),
        rotations: columns.rotations.to_vec(),
        velocities: columns.velocities.to_vec(),
        ..Soa::default()
    };
    cases.fresh(workload, "", move || columns_of(workload.items), from_columns, |soa| soa.digest());
}

pub fn insert_rows(cases: &mut Cases, workload: &'static Workload) {
    // Pushing row by row takes twice as long as this: `extend` of a tuple of vectors reserves once.
    let from_rows = |count: usize| {
        let mut columns = <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        columns.extend(rows(count));
        let (transforms, positions, rotations, velocities) = columns;
        let ids = (0..count as u32).collect();
        Soa { ids, transforms, positions, rotations, velocities, ..Soa::default() }
    };
    cases.fresh(workload, "", move || workload.items, from_rows, |soa| soa.digest());
}

pub fn spawn_one(cases: &mut Cases, workload: &'static Workload) {
    let one_by_one = |count| Soa::of_rows(rows(count));
    cases.fresh(workload, "", move || workload.items, one_by_one, |soa| soa.digest());
}

/// By hand, what is to be spawned later is a list of rows, or an iterator that is asked later.
fn deferred(cases: &mut Cases) {
    let queue_and_apply = |count: usize| {
        let mut queue = Vec::new();
        rows(count).for_each(|row| queue.push(row));
        Soa::of_rows(std::hint::black_box(queue).into_iter())
    };
    cases.fresh(&workloads::COMMANDS, "", || workloads::COMMANDS.items, queue_and_apply, |soa| soa.digest());

    let ask_later = |count: usize| {
        let queue = std::hint::black_box(Box::new(rows(count)));
        let mut columns = <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        columns.extend(*queue);
        let (transforms, positions, rotations, velocities) = columns;
        let ids = (0..count as u32).collect();
        Soa { ids, transforms, positions, rotations, velocities, ..Soa::default() }
    };
    cases.fresh(&workloads::COMMANDS_BATCH, "", || workloads::COMMANDS_BATCH.items, ask_later, |soa| soa.digest());
}

pub fn iterate(cases: &mut Cases, workload: &'static Workload) {
    let step = |movers: &mut Movers| movers.step();
    let digest = |movers: &mut Movers| movers.digest();
    cases.lasting(workload, "", move || Movers::new(workload.items), step, digest);
}

fn iterate_fragmented(cases: &mut Cases) {
    let packed = || -> Vec<Data> { (0..workloads::FRAG_ITER.items).map(|_| Data { value: 1.0 }).collect() };
    let double = |data: &mut Vec<Data>| data.iter_mut().for_each(|data| data.value *= 2.0);
    cases.lasting(&workloads::FRAG_ITER, "", packed, double, |data| Digest::of(&*data));

    let tables =
        || -> Vec<Vec<Data>> { vec![vec![Data { value: 1.0 }; FRAG_ROWS]; workloads::FRAG_ITER.items / FRAG_ROWS] };
    let double = |tables: &mut Vec<Vec<Data>>| {
        for table in tables {
            table.iter_mut().for_each(|data| data.value *= 2.0);
        }
    };
    cases.lasting(&workloads::FRAG_ITER, "table", tables, double, |tables| Digest::of(tables.iter().flatten()));
}

/// The rows that visit a part of the entities: by hand, that part has columns of its own.
fn iterate_parts(cases: &mut Cases) {
    let kinds = || -> [Vec<Counter>; 4] {
        let mut kinds = [const { Vec::new() }; 4];
        for i in 0..FILTERED_TOTAL {
            let (c, d) = filter_kind(i);
            kinds[usize::from(c) + 2 * usize::from(d)].push(Counter { value: i as f32 });
        }
        kinds
    };
    let count_up = |[_, with_c, ..]: &mut [Vec<Counter>; 4]| with_c.iter_mut().for_each(|counter| counter.value += 1.0);
    cases.lasting(&workloads::FILTERED_ITER, "", kinds, count_up, |kinds| Digest::of(kinds.iter().flatten()));

    let tagged = || -> (Vec<Tag>, Vec<Position>, Vec<Position>) {
        let (mut tags, mut tagged, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (position, _)) in movers(SPARSE_TOTAL).enumerate() {
            if is_tagged(i) {
                tags.push(Tag { value: 1.0 });
                tagged.push(position);
            } else {
                others.push(position);
            }
        }
        (tags, tagged, others)
    };
    let shift = |(tags, tagged, _): &mut (Vec<Tag>, Vec<Position>, Vec<Position>)| {
        tags.iter().zip(tagged).for_each(|(tag, position)| position.x += tag.value);
    };
    cases.lasting(&workloads::SPARSE_ITER, "", tagged, shift, |(_, tagged, others)| {
        Digest::of(tagged.iter().chain(&*others))
    });
}

fn iterate_parallel(cases: &mut Cases) {
    let step = |movers: &mut Movers| {
        let size = movers.positions.len().div_ceil(4 * THREADS);
        let chunks = movers.positions.par_chunks_mut(size).zip(movers.velocities.par_chunks(size));
        chunks.for_each(|(positions, velocities)| {
            positions.iter_mut().zip(velocities).for_each(|(position, velocity)| position.step(velocity));
        });
    };
    let digest = |movers: &mut Movers| movers.digest();
    cases.lasting(&workloads::PAR_ITER_1M, "", || Movers::new(workloads::PAR_ITER_1M.items), step, digest);

    let compute = |soa: &mut Soa| {
        let chunks = soa.transforms.par_chunks_mut(64).zip(soa.positions.par_chunks_mut(64));
        chunks.for_each(|(transforms, positions)| {
            transforms.iter_mut().zip(positions).for_each(|(transform, position)| heavy_work(transform, position));
        });
    };
    let build = || Soa::of_rows(rows(workloads::HEAVY_COMPUTE.items));
    cases.lasting(&workloads::HEAVY_COMPUTE, "", build, compute, |soa| soa.digest());
}

fn add_remove(cases: &mut Cases) {
    let both = |set: &mut SparseSet| {
        set.insert_all();
        set.remove_all();
    };
    for workload in [&workloads::ADD_REMOVE, &workloads::ADD_REMOVE_5COLS] {
        cases.lasting(workload, "", || SparseSet::new(workload.items), both, |set| set.digest());
    }
}

pub fn despawn(cases: &mut Cases, workload: &'static Workload) {
    let despawn_all = move |mut soa: Soa| {
        for id in 0..workload.items as u32 {
            soa.despawn(id);
        }
        soa
    };
    cases.fresh(workload, "", move || Soa::of_rows(rows(workload.items)), despawn_all, |soa| soa.digest());
}

pub fn bulk_add(cases: &mut Cases, workload: &'static Workload) {
    // By hand, a column on all entities is a column beside the others.
    let fill = |positions: &mut Vec<Position>| {
        drop(std::hint::black_box(vec![BULK; positions.len()]));
    };
    let positions = move || Movers::new(workload.items).positions;
    cases.lasting(workload, "", positions, fill, |positions| {
        let mut digest = Digest::of(&*positions);
        digest.extend(positions.iter().map(|position| (position, BULK)));
        digest
    });
}

fn changed(cases: &mut Cases) {
    // By hand, who changes something says so.
    struct Noted {
        values: Vec<Watched>,
        handles: Vec<u32>,
        dirty: Vec<u32>,
        sum: f32,
    }
    let build = || {
        let handles = self::changed_handles(workloads::CHANGED_ITER.items);
        Noted { values: watched().collect(), handles, dirty: Vec::new(), sum: 0.0 }
    };
    let change = |noted: &mut Noted| {
        for &i in &noted.handles {
            noted.values[i as usize].x += 1.0;
            noted.dirty.push(i);
        }
        noted.sum = noted.dirty.drain(..).map(|i| noted.values[i as usize].x).sum();
    };
    cases.lasting(&workloads::CHANGED_ITER, "", build, change, |noted| {
        let mut digest = Digest::of([noted.sum]);
        digest.extend(&noted.values);
        digest
    });
}

fn changed_handles(count: usize) -> Vec<u32> {
    crate::components::changed(count).into_iter().map(|i| i as u32).collect()
}

/// Positions and the order to reach them in; the sum is what the reads saw.
struct Reached {
    positions: Vec<Position>,
    handles: Vec<u32>,
    sum: f32,
}

fn reached(workload: &Workload) -> Reached {
    let positions = Movers::new(workload.items).positions;
    let handles = shuffled(positions.len()).into_iter().map(|i| i as u32).collect();
    Reached { positions, handles, sum: 0.0 }
}

pub fn random_get(cases: &mut Cases, workload: &'static Workload) {
    let read = |reached: &mut Reached| {
        reached.sum = reached.handles.iter().map(|&i| reached.positions[i as usize].x).sum();
    };
    cases.lasting(workload, "", move || reached(workload), read, |reached| Digest::of([reached.sum]));
}

fn random_get_mut(cases: &mut Cases) {
    let build = || reached(&workloads::RANDOM_GET_MUT);
    let write = |reached: &mut Reached| {
        for &i in &reached.handles {
            reached.positions[i as usize].x += 1.0;
        }
    };
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| Digest::of(&reached.positions));
}
