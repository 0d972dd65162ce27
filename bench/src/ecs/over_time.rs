//! What happens over time in a Phalanx world: changes, observers, toggles, lazy collection.
//!
//! Three of these rows compare Phalanx with itself: the bar is about what a feature costs those who do not use it, or
//! about two ways to the same end. The other side stands in the table as `raw`.

use phalanx_ecs::{Act, Bitwise, Changed, Component, Entity, Exact, Prepared, Sampling, Toggle, Tracked, World};

use crate::components::*;
use crate::harness::{Cases, Digest};
use crate::workloads;

impl Component for Watched {
    const TRACK: bool = true;
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}
impl Tracked for Watched {}

/// What `toggle_iter` counts up where it is on.
#[derive(Clone, Copy)]
struct Switched {
    value: f32,
}
impl Component for Switched {
    const TOGGLE: bool = true;
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}
impl Toggle for Switched {}

pub fn register(cases: &mut Cases) {
    changed_rows(cases);
    observed(cases, true);
    toggled(cases);
    collected(cases, true);
}

/// The other side of the rows that compare Phalanx with itself, and loops by hand.
pub fn references(cases: &mut Cases) {
    observed(cases, false);
    toggled_by_hand(cases);
    collected(cases, false);
}

fn changed_rows(cases: &mut Cases) {
    struct Seen {
        world: World,
        handles: Vec<Entity>,
        visit: Prepared<&'static Watched, Changed<Watched>>,
        sum: f32,
    }
    let build = || {
        let mut world = World::new();
        let entities = world.spawn_batch(watched()).to_vec();
        let mut visit = Prepared::new();
        visit.skip_to_now(&world);
        let handles = changed(workloads::CHANGED_ITER.items).into_iter().map(|i| entities[i]).collect();
        Seen { world, handles, visit, sum: 0.0 }
    };
    let run = |seen: &mut Seen| {
        let visited = seen.world.query::<&mut Watched>().for_each_of(&seen.handles, |watched| watched.x += 1.0);
        assert_eq!(visited, seen.handles.len(), "alive");
        seen.sum = seen.visit.on(&mut seen.world).iter().map(|watched| watched.x).sum();
    };
    cases.lasting(&workloads::CHANGED_ITER, "", build, run, |seen| {
        let mut digest = Digest::of([seen.sum]);
        digest.extend(seen.world.query::<&Watched>());
        digest
    });
}

/// Spawns, insertions and removals; with a hundred observers of components that do not come up in it, or without.
fn observed(cases: &mut Cases, watched: bool) {
    let build = move || {
        let mut world = World::new();
        if watched {
            macro_rules! observe {
                ($n:literal) => {
                    world.observe::<Marker<$n>>(if $n % 2 == 0 { Act::Insert } else { Act::Remove }, |_| {});
                };
            }
            for_each_marker!(observe);
        }
        world
    };
    let run = |mut world: World| {
        let entities: Vec<Entity> = rows(workloads::OBSERVED.items).map(|row| world.spawn(row)).collect();
        for &entity in &entities {
            world.insert(entity, B { value: 1.0 }).expect("alive");
        }
        for &entity in &entities {
            world.remove::<B>(entity).expect("has it");
        }
        world
    };
    cases.fresh(&workloads::OBSERVED, "", build, run, |mut world| Digest::of(world.query::<&Position>()));
}

fn is_off(i: usize) -> bool {
    // A coin per row, the same for everybody.
    (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 1 == 0
}

fn toggled(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        let entities =
            world.spawn_batch((0..workloads::TOGGLE_ITER.items).map(|i| Switched { value: i as f32 })).to_vec();
        for (i, &entity) in entities.iter().enumerate() {
            if is_off(i) {
                world.switch_off::<Switched>(entity).expect("has it");
            }
        }
        world
    };
    let count_up = |world: &mut World| world.query::<&mut Switched>().for_each(|switched| switched.value += 1.0);
    cases.lasting(&workloads::TOGGLE_ITER, "", build, count_up, |world| {
        Digest::of(world.query::<&Switched>().iter().map(|switched| switched.value).collect::<Vec<_>>())
    });
}

fn toggled_by_hand(cases: &mut Cases) {
    type Column = (Vec<f32>, Vec<u64>);
    let build = || -> Column {
        let count = workloads::TOGGLE_ITER.items;
        let mut on = vec![0; count.div_ceil(64)];
        (0..count).filter(|&i| !is_off(i)).for_each(|i| on[i / 64] |= 1 << (i % 64));
        ((0..count).map(|i| i as f32).collect(), on)
    };
    let count_up = |(values, on): &mut Column| {
        for (i, value) in values.iter_mut().enumerate() {
            if on[i / 64] >> (i % 64) & 1 == 1 {
                *value += 1.0;
            }
        }
    };
    cases.lasting(&workloads::TOGGLE_ITER, "", build, count_up, |(values, on)| {
        let is_on = |i: &usize| on[i / 64] >> (i % 64) & 1 == 1;
        Digest::of((0..values.len()).filter(is_on).map(|i| values[i]).collect::<Vec<_>>())
    });
}

/// A thousand dead among a hundred thousand; by sampling, or all at once.
fn collected(cases: &mut Cases, sampling: bool) {
    let build = || {
        let mut world = World::new();
        let entities = world.spawn_batch(movers(100_000)).to_vec();
        let dead = shuffled(entities.len()).into_iter().take(workloads::COLLECT.items);
        dead.for_each(|i| world.despawn_lazy(entities[i]).expect("alive"));
        world
    };
    let run = move |mut world: World| {
        // So many living rows in a row that in the end all the dead are found.
        if sampling {
            world.collect(Sampling { live_in_a_row: 1_000_000 });
        } else {
            world.collect(Exact);
        }
        world
    };
    cases.fresh(&workloads::COLLECT, "", build, run, |mut world| {
        let mut digest = Digest::of([world.uncollected() as f32]);
        digest.extend(world.query::<(&Position, &Velocity)>());
        digest
    });
}
