//! Random schedules of random systems end in the same world on any number of threads.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{
    ApplyQueued, Local, Losses, MainMut, Reader, Res, Schedule, Threads, Writer, insert_main, take_main,
};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

#[derive(Component, Clone)]
struct Heat(u64);
#[derive(Component, Clone)]
#[component(track)]
struct Mass(u64);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Burning(u64);
#[derive(Component)]
struct Marked;
#[derive(Event)]
struct Struck(u64);
#[derive(Resource)]
struct Total(u64);
#[derive(Resource)]
struct Seen(u64);

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn mix(value: u64, salt: u64) -> u64 {
    (value ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// How many kinds of systems there are.
const KINDS: u64 = 16;

fn add_system(schedule: &mut Schedule, world: &mut World, kind: u64, salt: u64) {
    let added = match kind {
        0 => schedule.add(world, move |mut all: Query<&mut Heat>| all.for_each(|heat| heat.0 = mix(heat.0, salt))),
        1 => schedule.add(world, move |mut all: Query<(&mut Mass, &Heat)>| {
            all.for_each(|(mass, heat)| mass.0 = mix(mass.0 ^ heat.0, salt));
        }),
        2 => schedule.add(world, move |mut all: Query<(&mut Heat, &Burning)>| {
            all.for_each(|(heat, fire)| heat.0 ^= mix(fire.0, salt));
        }),
        3 => schedule.add(world, move |all: Query<(Entity, &Heat), Without<Burning>>, commands: &mut Commands| {
            for (entity, heat) in &all {
                if heat.0 % 7 == salt % 7 {
                    commands.insert(entity, Burning(heat.0));
                }
            }
        }),
        4 => schedule.add(world, move |all: Query<(Entity, &Burning)>, commands: &mut Commands| {
            for (entity, fire) in &all {
                if fire.0 % 5 == salt % 5 {
                    commands.remove::<Burning>(entity);
                }
            }
        }),
        5 => schedule.add(world, move |commands: &mut Commands| {
            for i in 0..salt % 4 {
                commands.spawn((Heat(mix(i, salt)), Mass(salt)));
            }
        }),
        6 => schedule.add(world, move |all: Query<(Entity, &Mass)>, commands: &mut Commands| {
            for (entity, _) in all.iter().filter(|(_, mass)| mix(mass.0, salt).is_multiple_of(31)) {
                commands.despawn(entity);
            }
        }),
        7 => schedule.add(world, move |all: Query<&Heat>, mut struck: Writer<Struck>| {
            struck.send(Struck(all.iter().fold(salt, |sum, heat| mix(sum, heat.0))));
        }),
        8 => schedule.add(world, move |mut struck: Reader<Struck>, mut total: ResMut<Total>| {
            for event in struck.read() {
                total.0 = mix(total.0, event.0);
            }
        }),
        9 => schedule.add(world, move |total: Res<Total>, mut all: Query<&mut Mass>| {
            all.par_for_each(|mass| mass.0 = mix(mass.0, total.0));
        }),
        10 => schedule.add(world, move |mut changed: Query<&Mass, Changed<Mass>>, mut seen: ResMut<Seen>| {
            changed.for_each(|mass| seen.0 = mix(seen.0, mass.0));
        }),
        11 => schedule.add(world, move |mut lost: Losses<Burning>, mut seen: ResMut<Seen>| {
            for gone in lost.read() {
                seen.0 = mix(seen.0, gone.entity.to_bits());
            }
        }),
        12 => schedule.add(world, move |mut runs: Local<u64>, mut total: Option<ResMut<Total>>| {
            *runs += salt;
            if let Some(total) = &mut total {
                total.0 ^= *runs;
            }
        }),
        13 => schedule.add(world, ApplyQueued),
        14 => schedule.add(world, move |mut tally: MainMut<Rc<u64>>, mut all: Query<(&Heat, &mut Burning)>| {
            all.for_each(|(heat, fire)| fire.0 ^= heat.0);
            *tally = Rc::new(mix(**tally, salt));
        }),
        _ => schedule.add(world, move |world: &mut World| {
            let some: Vec<Entity> = world.query::<(Entity, &Heat)>().iter().map(|(entity, _)| entity).take(3).collect();
            for entity in some {
                let _ = world.insert(entity, Marked);
            }
        }),
    };
    let added = added.expect("arguments that go together").named(format!("{kind}-{salt}"));
    if salt.is_multiple_of(3) {
        added.run_if(move |all: Query<&Heat>| all.count() as u64 % 4 != salt % 4).expect("only reads");
    }
}

/// How many entities of each kind there are.
const CROWD: u64 = if cfg!(miri) { 4 } else { 40 };

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Total(1));
    world.insert_resource(Seen(1));
    insert_main(&mut world, Rc::new(1_u64));
    world.spawn_batch((0..CROWD).map(|i| (Heat(i), Mass(i * i))));
    world.spawn_batch((0..CROWD).map(|i| (Heat(i), Burning(i))));
    world
}

/// What is left after a few runs of a random schedule.
fn outcome(seed: u64, threads: Threads, pool: Option<&Arc<rayon::ThreadPool>>, order: Option<u64>) -> (String, String) {
    let mut random = Random(seed);
    let (mut schedule, mut world) = (Schedule::new(), world());
    schedule.set_threads(threads);
    schedule.shuffle(order);
    if let Some(pool) = pool {
        schedule.set_pool(pool.clone());
    }
    for _ in 0..3 + random.below(10) {
        let (kind, salt) = (random.below(KINDS), random.below(1000));
        add_system(&mut schedule, &mut world, kind, salt);
    }
    let ids = schedule.in_order("Update");
    for _ in 0..random.below(6) {
        let mut one = || ids[usize::try_from(random.below(ids.len() as u64)).expect("few")];
        let _ = schedule.order(one(), one());
    }
    for _ in 0..if cfg!(miri) { 2 } else { 4 } {
        if let Err(fault) = schedule.run(&mut world) {
            assert!(fault.to_string().contains("K001"), "only dead entities may be in the way: {fault}");
        }
        world.update_events();
    }
    world.validate().expect("consistent");
    let tally = take_main::<Rc<u64>>(&mut world).expect("it stays here");
    (format!("{:?}", world.checksum()), format!("{:?}, {tally:?}", world.resource::<Seen>().map(|seen| seen.0)))
}

#[test]
fn random_schedules_end_in_the_same_world_on_any_number_of_threads() {
    let pools: Vec<Arc<rayon::ThreadPool>> = [1, 2, 3, 8]
        .map(|threads| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")))
        .into();
    let count = std::env::var("PHALANX_SCHEDULES").map_or(150, |count| count.parse().expect("a number"));
    let pools = if cfg!(miri) { &pools[1..3] } else { &pools[..] };
    for seed in 0..count {
        let expected = outcome(seed, Threads::Never, None, None);
        assert_eq!(outcome(seed, Threads::Never, None, Some(seed)), expected, "seed {seed}, in another order");
        for pool in pools {
            assert_eq!(outcome(seed, Threads::Always, Some(pool), None), expected, "seed {seed}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "half a million runs of systems")]
fn many_light_systems_that_wait_for_each_other_need_no_deep_stack() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(192 * 1024).build().expect("threads");
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_pool(Arc::new(pool));
    // Two that are worth to be dealt out, so that the stage is; and a way of light ones, each of which frees three, the next step in the middle.
    schedule.add(&mut world, || std::thread::sleep(Duration::from_millis(1))).unwrap();
    schedule.add(&mut world, || std::thread::sleep(Duration::from_millis(1))).unwrap();
    let mut last = schedule.add(&mut world, || ()).unwrap().id();
    for _ in 0..1_000 {
        let freed = [(); 3].map(|()| schedule.add(&mut world, || ()).unwrap().id());
        for one in freed {
            schedule.order(last, one).unwrap();
        }
        last = freed[1];
    }
    for _ in 0..200 {
        schedule.run(&mut world).unwrap();
    }
    assert_eq!(schedule.info(last).unwrap().runs, 200);
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of systems of which each pair is compared")]
fn a_long_way_of_heavy_systems_that_each_set_several_free_needs_no_deep_stack() {
    for threads in 1..5 {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(1024 * 1024).build().expect("threads");
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        schedule.set_pool(Arc::new(pool));
        schedule.set_threads(Threads::Always);
        let mut last = schedule.add(&mut world, || ()).unwrap().id();
        let first = last;
        for step in 0..1_000 {
            let freed = [(); 3].map(|()| schedule.add(&mut world, || ()).unwrap().id());
            for one in freed {
                schedule.order(last, one).unwrap();
            }
            last = freed[step % 3];
        }
        for _ in 0..3 {
            schedule.run(&mut world).unwrap();
        }
        assert_eq!([first, last].map(|id| schedule.info(id).unwrap().runs), [3, 3], "{threads} threads");
    }
}
