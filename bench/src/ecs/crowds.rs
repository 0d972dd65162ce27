//! The rows about many systems: the scheduler against the same systems called in a row by hand, each with a query that is kept.

use phalanx_ecs::{Component, Entity, Prepared, Query, World};
use phalanx_schedule::Schedule;

use crate::harness::{Cases, Digest};
use crate::workloads::{self, Workload};

/// Systems are spread over so many components, so that some could run side by side.
const KINDS: usize = 8;
/// Entities with each of them.
const FEW: usize = 4;
/// Entities that the heavy system walks.
const MANY: usize = 200_000;

#[derive(Component, Clone, Copy)]
struct Small<const N: usize>(f32);
#[derive(Component, Clone, Copy)]
struct Large(f32);

fn light<const N: usize>(mut all: Query<&mut Small<N>>) {
    all.for_each(|value| value.0 += 1.0);
}

fn heavy(mut all: Query<&mut Large>) {
    all.for_each(|value| value.0 = value.0 * 0.5 + 1.0);
}

/// What is to be run: how many, of which so many first ones are awake, in a chain or not, with a heavy one in the middle or not.
#[derive(Clone, Copy)]
struct Crowd {
    workload: &'static Workload,
    awake: usize,
    chained: bool,
    heavy: bool,
}

const CROWDS: [Crowd; 4] = [
    Crowd { workload: &workloads::SYSTEMS_1000, awake: 1_000, chained: false, heavy: false },
    Crowd { workload: &workloads::SYSTEMS_CHAIN_1000, awake: 1_000, chained: true, heavy: false },
    Crowd { workload: &workloads::SYSTEMS_ASLEEP_9000, awake: 1_000, chained: false, heavy: false },
    Crowd { workload: &workloads::SYSTEMS_ONE_HEAVY, awake: 100, chained: false, heavy: true },
];

/// Calls a macro with the system of each kind.
macro_rules! of_kind {
    ($kind:expr, $use:ident) => {
        match $kind % KINDS {
            0 => $use!(0),
            1 => $use!(1),
            2 => $use!(2),
            3 => $use!(3),
            4 => $use!(4),
            5 => $use!(5),
            6 => $use!(6),
            _ => $use!(7),
        }
    };
}

fn world(heavy: bool) -> World {
    let mut world = World::new();
    for kind in 0..KINDS {
        macro_rules! spawn {
            ($n:literal) => {
                drop(world.spawn_batch((0..FEW).map(|_| Small::<$n>(0.0))))
            };
        }
        of_kind!(kind, spawn);
    }
    if heavy {
        world.spawn_batch((0..MANY).map(|_| Large(0.0)));
    }
    world
}

fn digest(world: &mut World) -> Digest {
    let mut sum = 0.0;
    for kind in 0..KINDS {
        macro_rules! add {
            ($n:literal) => {
                world.query::<(Entity, &Small<$n>)>().for_each(|(_, value)| sum += value.0 * (kind + 1) as f32)
            };
        }
        of_kind!(kind, add);
    }
    world.query::<&Large>().for_each(|value| sum += value.0);
    Digest::of([sum])
}

type ByPointer = Box<dyn FnMut(&mut World)>;

/// Called in a row by hand.
pub fn raw(cases: &mut Cases) {
    struct ByHand {
        world: World,
        systems: Vec<ByPointer>,
    }
    for crowd in CROWDS {
        let build = move || {
            let mut systems: Vec<ByPointer> = Vec::new();
            for at in 0..crowd.awake {
                if crowd.heavy && at == crowd.awake / 2 {
                    let mut query = Prepared::<&mut Large>::new();
                    systems.push(Box::new(move |world| heavy(query.on(world))));
                    continue;
                }
                macro_rules! push {
                    ($n:literal) => {{
                        let mut query = Prepared::<&mut Small<$n>>::new();
                        systems.push(Box::new(move |world| light::<$n>(query.on(world))));
                    }};
                }
                of_kind!(at, push);
            }
            ByHand { world: world(crowd.heavy), systems }
        };
        let run = |hand: &mut ByHand| {
            for system in std::hint::black_box(&mut hand.systems) {
                system(&mut hand.world);
            }
        };
        cases.lasting(crowd.workload, "", build, run, |hand| digest(&mut hand.world));
    }
}

/// By the scheduler.
pub fn phalanx(cases: &mut Cases) {
    struct Scheduled {
        world: World,
        schedule: Schedule,
    }
    for crowd in CROWDS {
        let build = move || {
            let (mut world, mut schedule) = (world(crowd.heavy), Schedule::new());
            let mut last = None;
            for at in 0..crowd.workload.items {
                let added = if crowd.heavy && at == crowd.awake / 2 {
                    schedule.add(&mut world, heavy)
                } else {
                    macro_rules! add {
                        ($n:literal) => {
                            schedule.add(&mut world, light::<$n>)
                        };
                    }
                    of_kind!(at, add)
                };
                let mut added = added.expect("a system");
                if let Some(last) = last.filter(|_| crowd.chained) {
                    added = added.after(last).expect("no cycle");
                }
                let id = added.id();
                last = Some(id);
                if at >= crowd.awake {
                    schedule.sleep(id, Some("nothing to do")).expect("just added");
                }
            }
            Scheduled { world, schedule }
        };
        let run = |scheduled: &mut Scheduled| scheduled.schedule.run(&mut scheduled.world).expect("nothing fails");
        cases.lasting(crowd.workload, "", build, run, |scheduled| digest(&mut scheduled.world));
    }
}
