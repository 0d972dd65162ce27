//! The yardstick: a struct of arrays as one would write it by hand for exactly this workload.

mod store;

use rayon::prelude::*;

use self::store::{Movers, Soa, SparseSet};
use crate::THREADS;
use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::matrix::heavy_work;
use crate::workloads;

pub fn register(cases: &mut Cases) {
    insert(cases);
    iterate(cases);
    iterate_parts(cases);
    iterate_parallel(cases);
    change(cases);
    reach(cases);
    cases.memory("", || Movers::new(workloads::MEMORY.items), |movers| movers.digest());
}

fn insert(cases: &mut Cases) {
    let from_columns = |columns: &'static Columns| Soa {
        ids: (0..columns.positions.len() as u32).collect(),
        transforms: columns.transforms.to_vec(),
        positions: columns.positions.to_vec(),
        rotations: columns.rotations.to_vec(),
        velocities: columns.velocities.to_vec(),
        ..Soa::default()
    };
    cases.fresh(&workloads::SIMPLE_INSERT, "", columns, from_columns, |soa| soa.digest());

    // Pushing row by row takes twice as long as this: `extend` of a tuple of vectors reserves once.
    let from_rows = |count: usize| {
        let mut columns = <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        columns.extend(rows(count));
        let (transforms, positions, rotations, velocities) = columns;
        let ids = (0..count as u32).collect();
        Soa { ids, transforms, positions, rotations, velocities, ..Soa::default() }
    };
    let count = || workloads::SIMPLE_INSERT_ROWS.items;
    cases.fresh(&workloads::SIMPLE_INSERT_ROWS, "", count, from_rows, |soa| soa.digest());

    let one_by_one = |count| Soa::of_rows(rows(count));
    cases.fresh(&workloads::SPAWN_ONE, "", || workloads::SPAWN_ONE.items, one_by_one, |soa| soa.digest());
}

fn iterate(cases: &mut Cases) {
    let step = |movers: &mut Movers| movers.step();
    let digest = |movers: &mut Movers| movers.digest();
    cases.lasting(&workloads::SIMPLE_ITER, "", || Movers::new(workloads::SIMPLE_ITER.items), step, digest);
    cases.lasting(&workloads::ITER_1M, "", || Movers::new(workloads::ITER_1M.items), step, digest);

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

fn change(cases: &mut Cases) {
    let both = |set: &mut SparseSet| {
        set.insert_all();
        set.remove_all();
    };
    for workload in [&workloads::ADD_REMOVE, &workloads::ADD_REMOVE_5COLS] {
        cases.lasting(workload, "", || SparseSet::new(workload.items), both, |set| set.digest());
    }

    let despawn_all = |mut soa: Soa| {
        for id in 0..workloads::DESPAWN.items as u32 {
            soa.despawn(id);
        }
        soa
    };
    cases.fresh(
        &workloads::DESPAWN,
        "",
        || Soa::of_rows(rows(workloads::DESPAWN.items)),
        despawn_all,
        |soa| soa.digest(),
    );

    // By hand, a column on all entities is a column beside the others.
    let fill = |positions: &mut Vec<Position>| {
        drop(std::hint::black_box(vec![BULK; positions.len()]));
    };
    let positions = || Movers::new(workloads::BULK_ADD.items).positions;
    cases.lasting(&workloads::BULK_ADD, "", positions, fill, |positions| {
        let mut digest = Digest::of(&*positions);
        digest.extend(positions.iter().map(|position| (position, BULK)));
        digest
    });
}

/// Positions and the order to reach them in; the sum is what the reads saw.
struct Reached {
    positions: Vec<Position>,
    handles: Vec<u32>,
    sum: f32,
}

fn reach(cases: &mut Cases) {
    let build = || {
        let positions = Movers::new(workloads::RANDOM_GET.items).positions;
        let handles = shuffled(positions.len()).into_iter().map(|i| i as u32).collect();
        Reached { positions, handles, sum: 0.0 }
    };
    let read = |reached: &mut Reached| {
        reached.sum = reached.handles.iter().map(|&i| reached.positions[i as usize].x).sum();
    };
    cases.lasting(&workloads::RANDOM_GET, "", build, read, |reached| Digest::of([reached.sum]));

    let write = |reached: &mut Reached| {
        for &i in &reached.handles {
            reached.positions[i as usize].x += 1.0;
        }
    };
    cases.lasting(&workloads::RANDOM_GET_MUT, "", build, write, |reached| Digest::of(&reached.positions));
}
