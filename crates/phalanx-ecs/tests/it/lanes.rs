//! Ids of queues: the same on any number of threads, and none lost.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Commands, HandleLayout};
use std::sync::Mutex;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Mark(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Other(u32);

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(bound)).expect("below a u32")
    }
}

/// What one system does in one frame.
fn fill(commands: &mut Commands, seed: u64, alive: &[Entity]) {
    let mut random = Random(seed);
    let mut own = Vec::new();
    let most = [3, 20, 1500][random.below(3) as usize];
    let most = if cfg!(miri) { most.min(40) } else { most };
    for _ in 0..random.below(most) {
        match random.below(6) {
            0..3 => own.push(commands.spawn(Mark(random.below(1000)))),
            3 => own.extend(commands.spawn_batch((0..random.below(50)).map(Other))),
            4 if !alive.is_empty() => {
                commands.despawn(alive[random.below(u32::try_from(alive.len()).expect("few")) as usize]);
            }
            _ => {
                if let Some(entity) = own.last() {
                    commands.insert(*entity, Other(random.below(1000)));
                }
            }
        }
    }
}

/// A world after some frames in which queues were filled by so many threads.
fn play(threads: usize) -> World {
    let mut world = World::builder().min_free(64).build();
    let names: Vec<String> = (0..8).map(|n| format!("system {n}")).collect();
    let mut queues = world.commands_for_each(&names);
    for frame in 0..if cfg!(miri) { 3 } else { 6 } {
        let alive: Vec<Entity> = world.entities().collect();
        let work = Mutex::new(queues.iter_mut().enumerate().collect::<Vec<_>>());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let Some((system, queue)) = work.lock().expect("no panic").pop() else { break };
                        fill(queue, frame * 100 + system as u64, &alive);
                    }
                });
            }
        });
        // Some entities are named by several systems; those errors are the same too.
        let _ = world.apply_all(&mut queues);
        world.validate().expect("valid");
        // Direct changes in between take ids as well.
        world.spawn_batch((0..40).map(Mark));
    }
    world
}

#[test]
fn the_world_is_the_same_on_any_number_of_threads() {
    let contents = |world: &mut World| -> Vec<(Entity, Option<Mark>, Option<Other>)> {
        let all = world.query::<(Entity, Option<&Mark>, Option<&Other>)>();
        all.iter().map(|(entity, mark, other)| (entity, mark.copied(), other.copied())).collect()
    };
    let expected = contents(&mut play(1));
    assert!(expected.len() > 100);
    for threads in [2, 3, 8] {
        assert_eq!(contents(&mut play(threads)), expected, "{threads} threads");
    }
}

#[test]
fn a_queue_that_is_not_used_takes_no_ids() {
    let mut world = World::new();
    for _ in 0..100 {
        let mut queues = world.commands_for(["a", "b"]);
        world.apply_all(&mut queues).expect("nothing to do");
    }
    world.apply_all([]).expect("what was dropped comes back");
    assert_eq!(world.spawn(()).to_string(), "0v0");
    world.validate().expect("valid");
}

#[test]
fn direct_spawns_go_on_while_queues_are_out() {
    let mut world = World::new();
    let mut queues = world.commands_for(["a", "b", "c"]);
    let mut all: Vec<Entity> = Vec::new();
    let count = if cfg!(miri) { 60 } else { 1500 };
    for round in 0..4 {
        for queue in &mut queues {
            all.extend((0..count).map(|n| queue.spawn(Mark(n))));
        }
        all.extend(world.spawn_batch((0..count).map(Mark)).iter());
        all.extend((0..count).map(|n| world.spawn(Mark(n))));
        world.validate().expect("valid");
        // Queues come back one by one, in another order than they were dealt.
        let turn = (round + 1) % 3;
        world.apply(&mut queues[turn]).expect("room");
        world.validate().expect("valid");
    }
    world.apply_all(&mut queues).expect("room");
    world.validate().expect("valid");
    assert_eq!(world.alive(), all.len());
    assert!(all.iter().all(|entity| world.is_alive(*entity)));
    all.sort_unstable();
    all.dedup();
    assert_eq!(world.alive(), all.len(), "no id was handed out twice");
    drop(queues);
    world.apply_all([]).expect("what was dropped comes back");
    world.validate().expect("valid");
}

#[test]
fn indices_between_lanes_are_used_before_new_ones() {
    let mut world = World::new();
    let mut queues = world.commands_for(["a", "b"]);
    for _ in 0..1200 {
        queues[1].spawn(Mark(0));
    }
    world.apply_all(&mut queues).expect("room");
    drop(queues);
    world.apply_all([]).expect("what was dropped comes back");
    let highest = world.entities().last().expect("some").index();
    let free = highest as usize + 1 - world.alive();
    let batch = world.spawn_batch((0..u32::try_from(free).expect("few")).map(Mark));
    assert!(batch.iter().all(|entity| entity.index() < highest && entity.generation() == 0));
    world.validate().expect("valid");
    assert_eq!(world.spawn(()).index(), highest + 1);
}

#[test]
fn many_queues_can_be_out_at_once() {
    let mut world = World::new();
    let mut queues: Vec<Commands> = (0..if cfg!(miri) { 12 } else { 200 }).map(|_| world.commands()).collect();
    let mut all: Vec<Entity> = Vec::new();
    for queue in &mut queues {
        all.extend((0..100).map(|n| queue.spawn(Mark(n))));
    }
    world.apply_all(&mut queues).expect("ids for all");
    world.validate().expect("valid");
    assert!(all.iter().all(|entity| world.is_alive(*entity)));
    assert_eq!(world.alive(), all.len());
}

#[test]
fn a_queue_without_ids_says_so() {
    // The queues are out until the end, so what they hold does not come back; a world of this layout has 2²² indices.
    let mut world = World::builder().layout(HandleLayout::Compact).build();
    let out: Vec<_> = (0..1000).map(|_| world.commands()).collect();
    let mut commands = world.commands();
    let spawned: Vec<Entity> = (0..2000).map(|n| commands.spawn(Mark(n))).collect();
    let errors = world.apply(&mut commands).expect_err("the share of each of so many queues is small");
    assert!(errors.to_string().contains("K005"), "{errors}");
    assert_eq!(world.alive() + errors.errors.len(), 2000);
    assert!((16..2000).contains(&world.alive()), "{} alive", world.alive());
    assert_eq!(spawned.iter().filter(|entity| world.is_alive(**entity)).count(), world.alive());
    world.validate().expect("valid");
    drop(out);
}

#[test]
fn queues_keep_their_order_whether_or_not_they_need_new_ids() {
    let mut world = World::new();
    let mut queues = world.commands_for(["a", "b", "c"]);
    for frame in 0..20 {
        // By turns one of them uses up what was set aside for it.
        for (queue, number) in queues.iter_mut().zip(0..) {
            let count = if frame % 4 == number { 200 } else { 1 };
            for _ in 0..count {
                queue.spawn(Mark(number));
            }
        }
        world.clear();
        world.apply_all(&mut queues).expect("room");
        let marks: Vec<u32> = world.query::<&Mark>().iter().map(|mark| mark.0).collect();
        assert!(marks.is_sorted(), "frame {frame}: {marks:?}");
    }
}

#[test]
fn queues_dropped_on_other_threads_give_their_ids_back() {
    let mut world = World::new();
    let mut queues = world.commands_for(["a", "b", "c"]);
    for queue in &mut queues {
        (0..40).for_each(|n| drop(queue.spawn_batch([Mark(n)])));
    }
    std::thread::scope(|scope| {
        for queue in queues {
            scope.spawn(move || drop(queue));
        }
    });
    world.validate().expect("valid before they are back");
    assert!(world.stats().entities.reserved > 0);
    world.apply_all([]).expect("what was dropped comes back");
    assert_eq!(world.stats().entities.reserved, 0);
    world.validate().expect("valid");
}

#[test]
fn queues_keep_a_block_of_ids_until_they_are_dropped_and_the_next_is_made() {
    let mut world = World::new();
    let mut queues = world.commands_for(["a", "b"]);
    queues[0].spawn(());
    world.apply_all(&mut queues).expect("room");
    let stats = world.stats().entities;
    assert!(stats.reserved > 0 && stats.to_string().contains(&format!("reserved {}, ", stats.reserved)), "{stats}");
    let two = stats.reserved;
    drop(queues);
    assert_eq!(world.stats().entities.reserved, two, "nobody has looked yet");
    drop(world.commands());
    let mut fresh = World::new();
    let _queue = fresh.commands();
    let one = fresh.stats().entities.reserved;
    assert!(one < two);
    assert_eq!(world.stats().entities.reserved, one, "that of the one made last");
    world.validate().expect("valid");
}
