//! Trees of ten entities, 10,000 times: as instances of a prefab, and part by part in batches of the same rows.
//!
//! ```text
//! 0 ┬ 1 ┬ 4      each with the four components of `simple_insert`
//!   │   └ 5
//!   ├ 2 ┬ 6
//!   │   └ 7
//!   └ 3 ┬ 8
//!       └ 9
//! ```

use phalanx_ecs::{Entity, World};
use phalanx_scene::{ChildOf, Prefab, PrefabId, PrefabWorld as _};

use crate::components::{Position, Rotation, Transform, Velocity, row};
use crate::harness::{Cases, Digest};
use crate::workloads;

/// By part: which one is above.
const ABOVE: [Option<usize>; 10] =
    [None, Some(0), Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)];

const COPIES: usize = workloads::PREFAB.items / ABOVE.len();

/// What all have, and how many are below which part.
fn digest(mut world: World) -> Digest {
    let mut digest = Digest::of(world.query::<(&Transform, &Position, &Rotation, &Velocity)>());
    let above: Vec<Entity> = world.query::<&ChildOf>().iter().map(|child| child.0).collect();
    digest.extend(above.into_iter().map(|above| *world.get::<Position>(above).expect("alive")));
    digest
}

/// A part with all that is below it.
fn part(at: usize) -> Prefab {
    let below = (at + 1..ABOVE.len()).filter(|other| ABOVE[*other] == Some(at));
    below.fold(Prefab::new().with(row(at)), |prefab, other| prefab.part(other.to_string(), part(other)))
}

pub fn instances(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        let prefab = world.add_prefab("ten", part(0)).expect("the first of its name");
        (world, prefab)
    };
    let instantiate = |(mut world, prefab): (World, PrefabId)| {
        let tops = prefab.instantiate(&mut world, COPIES).expect("it is there");
        (world, tops)
    };
    cases.fresh(&workloads::PREFAB, "", build, instantiate, |(world, _)| digest(world));
}

pub fn batches(cases: &mut Cases) {
    let spawn = |mut world: World| {
        let mut parts: Vec<Vec<Entity>> = Vec::with_capacity(ABOVE.len());
        for (at, above) in ABOVE.into_iter().enumerate() {
            let spawned = match above {
                None => world.spawn_batch((0..COPIES).map(|_| row(at))).to_vec(),
                Some(above) => world.spawn_batch(parts[above].iter().map(|above| (row(at), ChildOf(*above)))).to_vec(),
            };
            parts.push(spawned);
        }
        (world, parts)
    };
    cases.fresh(&workloads::PREFAB, "", World::new, spawn, |(world, _)| digest(world));
}
