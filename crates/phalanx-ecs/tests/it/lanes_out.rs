//! Queues that stay out for as long as the program runs: what they hold is little, and does not grow.

#![cfg(not(miri))]

use phalanx_ecs::Commands;
use phalanx_ecs::prelude::*;
use std::collections::HashSet;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Mark(u32);

fn highest(world: &World) -> usize {
    world.stats().entities.highest_index.map_or(0, |index| index as usize)
}

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

#[test]
fn an_idle_queue_does_not_push_others_away() {
    let mut world = World::new();
    let _idle = world.commands();
    let mut busy = world.commands();
    for frame in 0..500 {
        busy.spawn(Mark(frame));
        world.apply(&mut busy).expect("room");
        for n in 0..200 {
            world.spawn(Mark(n));
        }
    }
    assert_eq!(world.alive(), 100_500);
    assert!(highest(&world) < 3 * world.alive(), "highest index {}", highest(&world));
    world.validate().expect("valid");
}

#[test]
fn the_world_spawns_densely_while_queues_are_out() {
    for count in [1, 2, 3, 16, 100, 1000] {
        let mut world = World::new();
        let idle: Vec<Commands> = (0..count).map(|_| world.commands()).collect();
        for n in 0..100_000 {
            world.spawn(Mark(n));
        }
        assert!(highest(&world) < 300_000 + 32 * count, "{count} queues, highest index {}", highest(&world));
        world.validate().expect("valid");
        drop(idle);
        world.apply_all([]).expect("what was dropped comes back");
        world.validate().expect("valid");
        let more = highest(&world) + 1 - world.alive();
        world.spawn_batch((0..more).map(|_| Mark(0)));
        assert_eq!(highest(&world) + 1, world.alive(), "{count} queues: what they held is used before anything else");
    }
}

#[test]
fn the_ids_of_the_only_queue_are_near() {
    for count in [1_000, 10_000, 100_000] {
        let (mut world, mut in_one) = (World::new(), World::new());
        let mut queue = world.commands();
        for _ in 0..count {
            queue.spawn(Mark(0));
        }
        world.apply(&mut queue).expect("room");
        let mut queue = in_one.commands();
        queue.spawn_batch((0..u32::try_from(count).expect("few")).map(Mark));
        in_one.apply(&mut queue).expect("room");
        // A batch is not cut into pieces, so it may pass over what is too short for it.
        for (world, most) in [(world, 4 * count + 4096), (in_one, 9 * count)] {
            assert_eq!(world.alive(), count);
            assert!(highest(&world) < most, "{count} ids, highest index {}", highest(&world));
            world.validate().expect("valid");
        }
    }
}

#[test]
fn idle_queues_take_a_few_ids_each() {
    let limits = [None, Some(100)];
    for (count, limit) in [1, 16, 200, 900, 2000].into_iter().flat_map(|count| limits.map(|limit| (count, limit))) {
        let new = || limit.map_or_else(World::builder, |limit| World::builder().limit(limit)).build();
        let (mut one_by_one, mut together) = (new(), new());
        let mut idle: Vec<Commands> = (0..count).map(|_| one_by_one.commands()).collect();
        idle.extend(together.commands_for_each((0..count).map(|n| format!("queue {n}"))));
        for world in [&one_by_one, &together] {
            assert!(highest(world) < 4096 + 48 * count, "{count} queues, highest index {}", highest(world));
            assert_eq!(world.stats().entities.reserved, 16 * count);
            world.validate().expect("valid");
        }
    }
}

#[test]
fn ten_thousand_queues_have_ids_for_all() {
    for together in [false, true] {
        let mut world = World::new();
        let mut queues: Vec<Commands> = if together {
            world.commands_for_each((0..10_000).map(|n| format!("queue {n}")))
        } else {
            (0..10_000).map(|_| world.commands()).collect()
        };
        let all: HashSet<Entity> = queues.iter_mut().map(|queue| queue.spawn(Mark(1))).collect();
        world.apply_all(&mut queues).expect("ids for all");
        assert_eq!((all.len(), world.alive()), (10_000, 10_000));
        assert!(highest(&world) < 50 * 10_000, "highest index {}", highest(&world));
        world.validate().expect("valid");
        // Each can have more than was set aside.
        for queue in [0, 4999, 9999] {
            for n in 0..100 {
                queues[queue].spawn(Mark(n));
            }
        }
        world.apply_all(&mut queues).expect("ids for all");
        assert_eq!(world.alive(), 10_300);
        world.validate().expect("valid");
    }
}

#[test]
fn a_steady_program_does_not_grow() {
    let mut world = World::builder().min_free(64).build();
    let mut queues: Vec<Commands> = (0..100).map(|_| world.commands()).collect();
    let (mut random, mut alive, mut seen) = (Random(7), Vec::new(), HashSet::new());
    let mut early = 0;
    for frame in 0..1000 {
        let mut chosen: Vec<usize> = (0..10).map(|_| random.below(100)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        for &queue in &chosen {
            // Now and then there is a wave.
            let count = if random.below(100) == 0 { 300 } else { random.below(5) };
            alive.extend((0..count).map(|_| queues[queue].spawn(Mark(frame))));
        }
        let mut applied: Vec<&mut Commands> = Vec::new();
        for (number, queue) in queues.iter_mut().enumerate() {
            if chosen.contains(&number) {
                applied.push(queue);
            }
        }
        world.apply_all(applied).expect("room");
        alive.extend((0..20).map(|_| world.spawn(Mark(frame))));
        for entity in alive.iter().rev().take(400) {
            // Those who live on were checked when they were new.
            assert!(world.is_alive(*entity));
        }
        seen.extend(alive.iter().copied());
        while alive.len() > 1000 {
            world.despawn(alive.swap_remove(random.below(alive.len()))).expect("alive");
        }
        assert_eq!(world.alive(), alive.len());
        if frame % 100 == 99 {
            world.validate().expect("valid");
        }
        if frame == 299 {
            early = highest(&world);
        }
    }
    assert!(seen.len() > 30_000, "{} entities", seen.len());
    assert!(early < 600_000 && highest(&world) < early + early / 4, "highest index {} then {}", early, highest(&world));
    drop(queues);
    world.shrink();
    assert_eq!(world.stats().entities.reserved, 0);
    world.validate().expect("valid");
}

#[test]
fn a_queue_that_gets_new_ids_has_them_as_near_as_the_first() {
    let mut world = World::new();
    let mut queues = world.commands_for_each((0..100).map(|n| format!("system {n}")));
    // Each is applied alone, and each time needs more than was set aside.
    for count in [100, 400] {
        for queue in &mut queues {
            for n in 0..count {
                queue.spawn(Mark(n));
            }
            world.apply(queue).expect("room");
        }
    }
    assert_eq!(world.alive(), 50_000);
    assert!(highest(&world) < 10 * world.alive(), "highest index {}", highest(&world));
    world.validate().expect("valid");
}

#[test]
fn one_of_many_queues_can_use_many_ids() {
    for together in [false, true] {
        let mut world = World::new();
        let mut queues: Vec<Commands> = if together {
            world.commands_for_each((0..200).map(|n| format!("system {n}")))
        } else {
            (0..200).map(|_| world.commands()).collect()
        };
        for queue in [0, 1, 199] {
            let all: HashSet<Entity> = (0..1000).map(|n| queues[queue].spawn(Mark(n))).collect();
            assert_eq!(all.len(), 1000);
        }
        world.apply_all(&mut queues).expect("room");
        assert!(highest(&world) < 1_500_000, "highest index {}", highest(&world));
        world.validate().expect("valid");
    }
}

#[test]
fn waves_use_the_shares_that_were_used_least() {
    // One queue is always out, another is made for each wave: its ids cannot be foreseen, and do not come from ever further away.
    let mut world = World::builder().min_free(1 << 20).build();
    let _idle: Vec<Commands> = (0..20).map(|_| world.commands()).collect();
    let mut all = HashSet::new();
    for wave in 0..200 {
        let mut queue = world.commands_for([format!("wave {wave}")]);
        all.extend((0..500).map(|n| queue[0].spawn(Mark(n))));
        world.apply_all(&mut queue).expect("room");
    }
    assert_eq!((all.len(), world.alive()), (100_000, 100_000));
    assert!(highest(&world) < 20 * world.alive(), "highest index {}", highest(&world));
    world.validate().expect("valid");
}

#[test]
fn memory_comes_back_when_queues_are_dropped() {
    let mut world = World::new();
    world.spawn(Mark(0));
    world.shrink();
    let before = world.memory().reserved();
    let mut queues: Vec<Commands> = (0..200).map(|_| world.commands()).collect();
    // Far away, and never applied.
    for n in 0..1000 {
        queues[199].spawn(Mark(n));
    }
    for n in 0..50_000 {
        queues[0].spawn(Mark(n));
    }
    assert!(world.memory().reserved() > before + 200 * 16 * 4);
    queues.truncate(1);
    world.shrink();
    assert!(highest(&world) > 1000, "ids that somebody may hold are used up");
    drop(queues);
    let idle: Vec<Commands> = (0..200).map(|_| world.commands()).collect();
    assert!(world.stats().entities.reserved >= 200);
    drop(idle);
    world.shrink();
    assert_eq!(world.stats().entities.reserved, 0);
    world.validate().expect("valid");

    let mut fresh = World::new();
    fresh.spawn(Mark(0));
    drop((0..2000).map(|_| fresh.commands()).collect::<Vec<_>>());
    fresh.shrink();
    assert_eq!(highest(&fresh), 0, "nobody got an id, so none is used up");
    assert!(fresh.memory().reserved() < before + 4096, "{} bytes, {before} before", fresh.memory().reserved());
}
