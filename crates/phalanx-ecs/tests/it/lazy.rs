//! Entities that die now and whose rows are collected later.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{HandleLayout, NotAliveReason, Sampling, Within};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Component, Clone)]
struct Number(u32);

#[derive(Component)]
struct Owned(Arc<()>);

#[derive(Component)]
#[component(storage = "sparse")]
struct Beside(Arc<()>);

#[derive(Component)]
#[component(track)]
struct Tracked(u32);

fn crowd(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::builder().min_free(1).seed(11).build();
    let all = world.spawn_batch((0..count).map(|n| (Number(n), Tracked(n)))).to_vec();
    (world, all)
}

#[test]
fn the_handle_dies_at_once_and_no_query_shows_the_row() {
    let (mut world, all) = crowd(300);
    for entity in all.iter().step_by(3) {
        world.despawn_lazy(*entity).expect("alive");
        assert!(!world.is_alive(*entity) && world.get::<Number>(*entity).is_none());
        assert!(world.despawn_lazy(*entity).is_err() && world.despawn(*entity).is_err());
    }
    assert_eq!((world.alive(), world.uncollected()), (200, 100));
    let left: Vec<Entity> = all.iter().copied().enumerate().filter(|(at, _)| at % 3 != 0).map(|(_, e)| e).collect();
    assert_eq!(world.query::<(Entity, &Number)>().iter().map(|(e, _)| e).collect::<Vec<_>>(), left);
    assert_eq!(world.query::<(Entity, &mut Number)>().into_iter().map(|(e, _)| e).collect::<Vec<_>>(), left);
    let mut folded = Vec::new();
    world.query::<(Entity, &Number)>().for_each(|(e, _)| folded.push(e));
    assert_eq!(folded, left);
    assert_eq!(world.query::<&Number>().count(), 200);
    assert_eq!(world.query::<&Number>().iter().size_hint().1, Some(300));
    assert_eq!(world.query::<&Number>().chunks().map(<[Number]>::len).sum::<usize>(), 200);
    assert_eq!(world.query::<(Entity, &Number)>().sorted_by_key(|(_, n)| n.0).count(), 200);
    assert_eq!(world.query::<Entity>().count(), 200);
    let mut pairs = 0;
    world.query::<&Number>().pairs(|_, _| pairs += 1);
    assert_eq!(pairs, 200 * 199 / 2);
    let number = world.register::<Number>();
    assert_eq!(world.entities_with(number).len(), 200);
    let mut dynamic = phalanx_ecs::DynQuery::builder().read(number).build().expect("no conflict");
    assert_eq!(dynamic.count(&world), 200);
    world.validate().expect("valid");
}

#[test]
fn an_index_is_not_used_again_before_its_row_is_gone() {
    let (mut world, all) = crowd(10);
    for entity in &all {
        world.despawn_lazy(*entity).expect("alive");
    }
    let fresh = world.spawn(());
    assert_eq!(fresh.index(), 10);
    assert_eq!(world.collect(Exact), 10);
    assert!(world.spawn(()).index() < 10);
    world.validate().expect("valid");
}

#[test]
fn rows_of_the_dead_do_not_disturb_what_happens_around_them() {
    let (mut world, all) = crowd(64);
    for entity in &all[40..] {
        world.despawn_lazy(*entity).expect("alive");
    }
    // Dead rows fill the holes.
    for entity in &all[..10] {
        world.despawn(*entity).expect("alive");
    }
    for entity in &all[10..20] {
        world.insert(*entity, Owned(Arc::new(()))).expect("alive");
    }
    world.spawn((Number(100), Tracked(100)));
    world.validate().expect("valid");
    let mut numbers: Vec<u32> = world.query::<&Number>().iter().map(|n| n.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (10..40).chain([100]).collect::<Vec<_>>());
    assert_eq!(world.collect(Exact), 24);
    let mut numbers: Vec<u32> = world.query::<&Number>().iter().map(|n| n.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (10..40).chain([100]).collect::<Vec<_>>());
    assert!(all[10..40].iter().all(|e| world.get::<Number>(*e).is_some_and(|n| n.0 == e.index())));
    world.validate().expect("valid");
}

#[test]
fn bulk_changes_and_clearing_collect_what_is_in_their_way() {
    let (mut world, all) = crowd(50);
    all[..20].iter().for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
    let tally = Arc::new(());
    world.insert_where_with::<With<Number>, Owned>(|_| Owned(Arc::clone(&tally)));
    assert_eq!((world.uncollected(), world.query::<&Owned>().count()), (0, 30));
    all[20..30].iter().for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
    world.remove_where::<With<Number>, Owned>();
    assert_eq!((world.uncollected(), Arc::strong_count(&tally)), (0, 1));
    all[30..40].iter().for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
    world.clear();
    assert_eq!((world.alive(), world.uncollected()), (0, 0));
    world.validate().expect("valid");
}

#[test]
fn values_are_dropped_once_when_collected_and_sparse_ones_at_once() {
    let tally = Arc::new(());
    let mut world = World::new();
    let one = world.spawn((Owned(Arc::clone(&tally)), Beside(Arc::clone(&tally))));
    let two = world.spawn((Owned(Arc::clone(&tally)), Beside(Arc::clone(&tally))));
    world.despawn_lazy(one).expect("alive");
    assert_eq!(Arc::strong_count(&tally), 4);
    assert_eq!(world.collect(Exact), 1);
    assert_eq!(Arc::strong_count(&tally), 3);
    world.despawn_lazy(two).expect("alive");
    drop(world);
    assert_eq!(Arc::strong_count(&tally), 1);
}

#[test]
fn sampling_does_much_where_much_is_dead_and_little_where_little_is() {
    let (mut world, all) = crowd(10_000);
    all[..9_000].iter().for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
    let much = world.collect(Sampling { live_in_a_row: 4 });
    assert!(much > 3_000, "{much}");
    world.collect(Exact);
    all[9_000..9_010].iter().for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
    let little = world.collect(Sampling { live_in_a_row: 4 });
    assert!(little <= 5, "{little}");
    assert_eq!(world.collect(Sampling { live_in_a_row: 0 }), 0);
    assert_eq!(world.collect(Sampling { live_in_a_row: 100_000 }), 10 - little);
    world.validate().expect("valid");
}

#[test]
fn the_same_seed_collects_the_same_rows() {
    let run = |seed: u64| {
        let mut world = World::builder().seed(seed).build();
        let all = world.spawn_batch((0..1000).map(Number)).to_vec();
        all.iter().step_by(2).for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
        world.collect(Sampling { live_in_a_row: 6 });
        world.query::<&Number>().iter().map(|n| n.0).collect::<Vec<_>>()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

/// Writes its number down when it is dropped.
#[derive(Component)]
struct Logged(usize, Arc<Mutex<Vec<usize>>>);

impl Drop for Logged {
    fn drop(&mut self) {
        self.1.lock().expect("nobody panics").push(self.0);
    }
}

#[test]
fn every_dead_row_is_as_likely_to_be_found() {
    let mut found = [0u32; 40];
    for seed in 0..4000 {
        let mut world = World::builder().seed(seed).build();
        let log = Arc::new(Mutex::new(Vec::new()));
        let all = world.spawn_batch((0..40).map(|n| Logged(n, Arc::clone(&log)))).to_vec();
        all.iter().step_by(2).for_each(|entity| world.despawn_lazy(*entity).expect("alive"));
        world.collect(Sampling { live_in_a_row: 2 });
        log.lock().expect("nobody panics").iter().for_each(|n| found[*n] += 1);
    }
    let dead: Vec<u32> = found.iter().copied().step_by(2).collect();
    assert!(found.iter().skip(1).step_by(2).all(|count| *count == 0), "the living are left alone: {found:?}");
    let mean = dead.iter().sum::<u32>() / 20;
    assert!(mean > 400, "{dead:?}");
    assert!(dead.iter().all(|count| count.abs_diff(mean) * 5 < mean), "{dead:?}");
}

#[test]
fn a_budget_of_no_time_collects_next_to_nothing_and_a_long_one_all() {
    let (mut world, all) = crowd(1000);
    for entity in &all {
        world.despawn_lazy(*entity).expect("alive");
    }
    assert!(world.collect(Within(Duration::ZERO)) < 64);
    let left = world.uncollected();
    assert_eq!(world.collect(Within(Duration::from_mins(1))), left);
    world.validate().expect("valid");
}

#[test]
fn generations_used_up_and_compact_handles_are_collected_like_others() {
    let mut world = World::builder().layout(HandleLayout::Compact).min_free(1).build();
    for _ in 0..3000 {
        let entity = world.spawn(Number(1));
        world.despawn_lazy(entity).expect("alive");
        assert_eq!(world.collect(Exact), 1);
    }
    world.validate().expect("valid");
}

#[test]
fn a_walk_that_was_begun_goes_on_over_the_gaps() {
    let (mut world, all) = crowd(200);
    for at in [1, 2, 70, 150] {
        world.despawn_lazy(all[at]).expect("alive");
    }
    assert_eq!(world.query::<&Number>().iter().map(|n| n.0).max(), Some(199));
    let mut query = world.query::<&Number>();
    let mut rest = query.iter_mut();
    assert_eq!(rest.next().map(|n| n.0), Some(0));
    assert_eq!(rest.count(), 195);
    assert_eq!(world.insert_where_with::<With<Number>, Logged>(|_| Logged(0, Arc::default())), 196);
}

#[test]
fn shrinking_forgets_no_row_that_waits() {
    let (mut world, all) = crowd(10);
    world.despawn_lazy(all[3]).expect("alive");
    world.shrink();
    let why = world.entity(all[3]).expect_err("dead");
    assert!(matches!(why.reason, NotAliveReason::Uncollected { .. }), "{why}");
    assert_eq!(world.collect(Exact), 1);
    world.validate().expect("valid");
}

#[derive(Component)]
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.0, "bomb");
    }
}

#[test]
fn a_dead_row_whose_drop_panics_does_not_stop_bulk_changes() {
    let mut world = World::new();
    let all = world.spawn_batch((0..6).map(|n| Bomb(n == 0))).to_vec();
    world.despawn_lazy(all[0]).expect("alive");
    let insert = |world: &mut World| world.insert_where_with::<With<Bomb>, Number>(|_| Number(1));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| insert(&mut world))).is_err());
    assert_eq!(world.query::<&Number>().count(), 5);
    world.validate().expect("valid");
}

#[test]
fn a_sparse_editor_says_who_waits_to_be_collected() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Spark;
    let mut world = World::new();
    let entity = world.spawn(());
    world.despawn_lazy(entity).unwrap();
    let error = world.sparse_mut::<Spark>().insert(entity, Spark).unwrap_err();
    assert_eq!(error.reason, world.insert(entity, Spark).map_err(dead).unwrap_err().reason);
    assert!(matches!(error.reason, NotAliveReason::Uncollected { .. }), "{error}");

    fn dead(error: phalanx_ecs::InsertError) -> phalanx_ecs::NoSuchEntity {
        match error {
            phalanx_ecs::InsertError::Dead(dead) => dead,
            other => panic!("{other}"),
        }
    }
}
