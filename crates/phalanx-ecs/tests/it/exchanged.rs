//! Worlds that are put in each other's place by functions that have one to themselves.

use phalanx_ecs::prelude::*;
use std::mem::{replace, swap, take};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Component)]
struct Door;

#[derive(Component)]
struct Coin(u32);

/// Where a world is put away.
type Elsewhere = Arc<Mutex<World>>;

fn exchange(queue: &mut Commands, other: &Elsewhere) {
    let other = other.clone();
    queue.run(move |world: &mut World| swap(world, &mut other.lock().unwrap()));
}

#[test]
fn queues_keep_the_ids_of_their_own_world() {
    let (mut world, mut menu) = (World::new(), World::new());
    let old = menu.spawn_batch((0..4).map(Coin)).to_vec();
    let (mut of_world, mut of_menu) = (world.commands(), menu.commands());
    let other: Elsewhere = Arc::new(Mutex::new(menu));
    exchange(&mut of_world, &other);
    exchange(&mut of_menu, &other);
    world.apply(&mut of_world).unwrap();
    world.apply(&mut of_menu).unwrap();
    let mut menu = take(&mut *other.lock().unwrap());
    drop(of_menu);
    menu.apply_all([]).unwrap();
    menu.validate().unwrap();
    world.apply(&mut of_world).unwrap();
    world.validate().unwrap();
    let new = menu.spawn(Coin(100));
    assert!(!old.contains(&new) && old.iter().all(|old| menu.is_alive(*old)));
}

#[test]
fn a_queue_goes_on_after_its_world_was_away() {
    let (mut world, menu) = (World::new(), World::new());
    let mut queue = world.commands();
    let other: Elsewhere = Arc::new(Mutex::new(menu));
    for round in 0..300 {
        exchange(&mut queue, &other);
        world.apply(&mut queue).unwrap();
        swap(&mut world, &mut other.lock().unwrap());
        queue.spawn(Coin(round));
        // Its ids went with the world; it gets others.
        let _ = world.apply(&mut queue);
        let coin = queue.spawn(Coin(round));
        world.apply(&mut queue).unwrap();
        assert!(world.is_alive(coin), "{round}");
        world.validate().unwrap();
    }
    drop(queue);
    world.apply_all([]).unwrap();
    assert_eq!(world.stats().entities.reserved, 0);
}

#[test]
fn commands_of_a_run_stop_when_another_world_is_there() {
    let (mut world, mut menu) = (World::new(), World::new());
    let (mut of_world, mut of_menu) = (world.commands(), menu.commands());
    let other: Elsewhere = Arc::new(Mutex::new(menu));
    // From one line, so that they are one run.
    for at in 0..3 {
        let other = other.clone();
        of_world.run(move |world: &mut World| {
            if at == 0 {
                swap(world, &mut other.lock().unwrap());
            } else {
                world.spawn(Coin(at));
            }
        });
    }
    exchange(&mut of_menu, &other);
    of_menu.spawn(Coin(7));
    let _ = world.apply(&mut of_world);
    assert_eq!(world.alive(), 0, "this is the menu");
    let _ = world.apply(&mut of_menu);
    let _ = world.apply(&mut of_world);
    assert_eq!(world.alive(), 2);
    world.validate().unwrap();
    other.lock().unwrap().validate().unwrap();
}

#[test]
fn what_observers_queue_stays_in_its_world() {
    let mut world = World::new();
    world.spawn_batch((0..40).map(Coin));
    let other: Elsewhere = Arc::default();
    let away = other.clone();
    world.observe::<Door>(Act::Insert, move |trigger| exchange(trigger.commands(), &away));
    other.lock().unwrap().observe::<Door>(Act::Insert, |trigger| _ = trigger.commands().spawn(Coin(1)));
    world.spawn(Door);
    for _ in 0..3 {
        world.spawn(Door);
    }
    assert_eq!(world.query::<&Coin>().count(), 3);
    let mut first = take(&mut *other.lock().unwrap());
    drop(world);
    first.apply_all([]).unwrap();
    first.validate().unwrap();
    assert_eq!(first.query::<&Coin>().count(), 40);
}

#[test]
fn observers_of_a_world_that_was_away_defer_as_before() {
    let (kept, heard) = (Arc::new(Mutex::new(None)), Arc::new(AtomicUsize::new(0)));
    let mut world = World::new();
    let (keep, hear) = (kept.clone(), heard.clone());
    world.observe::<Door>(Act::Insert, move |trigger| {
        let keep = keep.clone();
        trigger.defer(move |world| *keep.lock().unwrap() = Some(replace(world, World::new())));
    });
    world.observe::<Coin>(Act::Insert, move |trigger| {
        let hear = hear.clone();
        trigger.defer(move |_| _ = hear.fetch_add(1, Ordering::Relaxed));
    });
    world.spawn(Coin(0));
    world.spawn(Door);
    let mut level = kept.lock().unwrap().take().unwrap();
    for _ in 0..5 {
        level.spawn(Coin(1));
    }
    assert_eq!(heard.load(Ordering::Relaxed), 6);
    level.validate().unwrap();
}

#[test]
fn what_observers_queue_in_vain_is_told_after_their_world_was_away() {
    let kept = Arc::new(Mutex::new(None));
    let keep = kept.clone();
    let mut world = World::builder().limit(2).build();
    world.observe::<Coin>(Act::Insert, |trigger| {
        trigger.commands().spawn(Door);
        trigger.commands().spawn(Door);
    });
    let mut queue = world.commands();
    queue.run(move |world: &mut World| *keep.lock().unwrap() = Some(take(world)));
    world.apply(&mut queue).unwrap();
    let mut level = kept.lock().unwrap().take().unwrap();
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| level.spawn(Coin(0))));
    assert!(told.unwrap_err().downcast::<String>().unwrap().contains("error[O004]"));
}

#[test]
fn queues_after_one_that_exchanged_the_world_wait_for_their_own() {
    let (mut world, mut menu) = (World::new(), World::new());
    menu.spawn(Coin(9));
    let other: Elsewhere = Arc::new(Mutex::new(menu));
    let [mut first, mut second] = world.commands_for(["a", "b"]);
    exchange(&mut first, &other);
    second.run(World::clear);
    let coin = second.spawn(Coin(77));
    let errors = world.apply_all([&mut first, &mut second]).unwrap_err();
    assert!(errors.to_string().contains("error[K007]"), "{errors}");
    assert_eq!((world.alive(), second.len()), (1, 2));
    swap(&mut world, &mut other.lock().unwrap());
    world.apply(&mut second).unwrap();
    assert!(world.is_alive(coin));
    world.validate().unwrap();
}

#[test]
fn ids_of_queues_that_others_were_applied_in_come_back_with_their_world() {
    let (mut world, other): (World, Elsewhere) = (World::new(), Arc::default());
    for _ in 0..200 {
        let (mut outer, other2) = (world.commands(), other.clone());
        outer.run(move |world: &mut World| {
            let mut inner = world.commands();
            exchange(&mut inner, &other2);
            let _ = world.apply(&mut inner);
        });
        world.apply(&mut outer).unwrap();
        drop(outer);
        swap(&mut world, &mut other.lock().unwrap());
        world.apply_all([]).unwrap();
    }
    assert!(world.stats().entities.reserved <= 32, "{}", world.stats());
    world.validate().unwrap();
}
