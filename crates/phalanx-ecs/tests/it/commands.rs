//! Commands: the same as direct changes, later.

use crate::allocated::allocations_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CommandErrors, CommandFault, Commands, Policy};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Component, Clone, Debug, PartialEq)]
struct Position(u32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Name(String);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Burning(u32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Tag;

#[derive(Component, Clone, Debug, PartialEq)]
#[component(requires(Position = Position(77)))]
struct Body(u8);

/// Counts how many of it are alive.
#[derive(Component, Clone)]
struct Token(#[allow(dead_code, reason = "counted")] Arc<()>);

fn is_send<T: Send>(_: &T) {}

#[test]
fn commands_do_nothing_before_they_are_applied() {
    let mut world = World::new();
    let orc = world.spawn(Position(1));
    let mut commands = world.commands();
    is_send(&commands);
    commands.insert(orc, Name("Grub".into()));
    commands.remove::<Position>(orc);
    let wolf = commands.spawn((Position(2), Tag));
    assert_eq!((commands.len(), world.is_alive(wolf), world.has::<Name>(orc)), (3, false, false));
    world.apply(&mut commands).expect("all can be done");
    assert!(commands.is_empty() && world.is_alive(wolf) && world.has::<Name>(orc) && !world.has::<Position>(orc));
    assert_eq!(world.get::<Position>(wolf), Some(&Position(2)));
    world.validate().expect("valid");
}

#[test]
fn an_id_can_be_used_before_its_entity_lives() {
    let mut world = World::new();
    let mut commands = world.commands();
    let wolf = commands.spawn(Tag);
    commands.insert(wolf, Name("Wolf".into()));
    commands.insert_if_new(wolf, Name("Dog".into()));
    commands.insert(wolf, (Burning(3), Body(1)));
    commands.retain::<(Name, Burning)>(wolf);
    let other = commands.spawn(());
    commands.despawn(other);
    world.apply(&mut commands).expect("all can be done");
    assert_eq!(world.get::<Name>(wolf), Some(&Name("Wolf".into())));
    assert_eq!(world.get::<Burning>(wolf), Some(&Burning(3)));
    assert!(!world.has::<Tag>(wolf) && !world.has::<Position>(wolf) && !world.is_alive(other));
    world.validate().expect("valid");
}

#[test]
fn what_is_queued_last_counts() {
    let mut world = World::new();
    let orc = world.spawn(());
    let mut commands = world.commands();
    for n in 0..10 {
        commands.insert(orc, Position(n));
    }
    world.apply(&mut commands).expect("alive");
    assert_eq!(world.get::<Position>(orc), Some(&Position(9)));
}

#[test]
fn a_queue_can_be_used_again_and_again() {
    let mut world = World::builder().min_free(4).build();
    let mut commands = world.commands();
    let mut all = Vec::new();
    for frame in 0..20 {
        let spawned: Vec<Entity> = (0..frame * 10).map(|n| commands.spawn(Position(n))).collect();
        world.apply(&mut commands).expect("room");
        assert!(spawned.iter().all(|entity| world.is_alive(*entity)));
        world.validate().expect("valid");
        all.extend(spawned);
        if frame % 3 == 2 {
            commands.despawn_batch(all.drain(..));
        }
    }
    world.apply(&mut commands).expect("alive");
    assert_eq!(world.alive(), all.len());
    world.validate().expect("valid");
}

#[test]
fn batches_have_their_ids_at_once() {
    let mut world = World::new();
    let mut commands = world.commands();
    let token = Arc::new(());
    let counted = Arc::clone(&token);
    let plain = commands.spawn_batch((0..5000).map(Position));
    let sparse = commands.spawn_batch((0..30).map(move |n| (Burning(n), Body(0), Token(Arc::clone(&counted)))));
    let from_vec = commands.spawn_batch(vec![Tag, Tag]);
    assert_eq!((plain.len(), sparse.len(), from_vec.len()), (5000, 30, 2));
    world.apply(&mut commands).expect("room");
    for (n, entity) in (0..).zip(&plain) {
        assert_eq!(world.get::<Position>(entity), Some(&Position(n)));
    }
    for (n, entity) in (0..).zip(&sparse) {
        assert_eq!(world.get::<Burning>(entity), Some(&Burning(n)));
        assert_eq!(world.get::<Position>(entity), Some(&Position(77)));
    }
    assert!(world.has::<Tag>(from_vec[1]));
    assert_eq!((world.alive(), Arc::strong_count(&token)), (5032, 31));
    world.validate().expect("valid");
}

#[test]
fn resources_events_and_functions_are_queued_too() {
    #[derive(Resource)]
    struct Score(u32);
    #[derive(Event)]
    struct Hit(u32);

    let mut world = World::new();
    let mut hits = EventReader::<Hit>::new();
    let mut commands = world.commands();
    commands.insert_resource(Score(1));
    commands.send(Hit(4));
    commands.run(|world: &mut World| world.resource_mut::<Score>().map(|mut score| score.0 += 1));
    assert!(!world.has_resource::<Score>());
    world.apply(&mut commands).expect("all can be done");
    assert_eq!(world.resource::<Score>().expect("there").0, 2);
    assert_eq!(hits.read(&world).map(|hit| hit.0).sum::<u32>(), 4);
    commands.remove_resource::<Score>();
    world.apply(&mut commands).expect("all can be done");
    assert!(!world.has_resource::<Score>());
}

#[test]
fn a_run_of_inserts_for_a_whole_table_changes_it_at_once() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(Position)).to_vec();
    let mut commands = world.commands();
    for (n, entity) in (0..).zip(&all) {
        commands.insert(*entity, Name(format!("{n}")));
    }
    world.apply(&mut commands).expect("alive");
    assert!(world.query::<(Entity, &Name)>().iter().map(|(entity, _)| entity).eq(all.iter().copied()));
    for entity in &all {
        commands.remove::<Position>(*entity);
    }
    world.apply(&mut commands).expect("alive");
    assert_eq!(world.query::<&Position>().count(), 0);
    assert_eq!(world.get::<Name>(all[42]).map(|name| &*name.0), Some("42"));
    world.validate().expect("valid");
}

#[test]
fn a_queued_function_may_use_queues_itself() {
    let mut world = World::new();
    let mut commands = world.commands();
    let before = commands.spawn(Position(0));
    commands.run(|world: &mut World| {
        let mut inner = world.commands();
        let entity = inner.spawn(Position(1));
        inner.run(move |world: &mut World| world.insert(entity, Tag));
        world.apply(&mut inner)
    });
    let after = commands.spawn(Position(2));
    world.apply(&mut commands).expect("all can be done");
    assert!(world.is_alive(before) && world.is_alive(after));
    let order: Vec<u32> = world.query::<&Position>().iter().map(|position| position.0).collect();
    assert_eq!(order, [0, 2, 1], "tables in order of creation");
    world.validate().expect("valid");
}

// ------------------------------------------------------------------------------------------------------------- policies

/// Despawns one entity twice, between two spawns.
fn with_an_error(world: &mut World) -> (Commands, Entity, Entity) {
    let orc = world.spawn(());
    let mut commands = world.commands();
    let first = commands.spawn(Position(0));
    for _ in 0..2 {
        commands.despawn(orc);
    }
    let last = commands.spawn(Position(1));
    (commands, first, last)
}

#[test]
fn by_default_all_is_applied_and_all_errors_come_back() {
    let mut world = World::new();
    let (mut commands, first, last) = with_an_error(&mut world);
    let errors = world.apply(&mut commands).expect_err("dead already");
    assert_eq!((errors.errors.len(), errors.not_applied), (1, 0));
    assert!(world.is_alive(first) && world.is_alive(last));
}

#[test]
fn a_queue_that_stops_keeps_the_rest() {
    let mut world = World::new();
    let (mut commands, first, last) = with_an_error(&mut world);
    commands.set_policy(Policy::Stop);
    let errors = world.apply(&mut commands).expect_err("dead already");
    assert_eq!((errors.errors.len(), errors.not_applied, commands.len()), (1, 1, 1));
    assert!(world.is_alive(first) && !world.is_alive(last));
    world.validate().expect("valid");
    let later = commands.spawn(Position(2));
    world.apply(&mut commands).expect("the rest can be done");
    assert!(world.is_alive(last) && world.is_alive(later));
    world.validate().expect("valid");
}

#[test]
fn a_run_that_stops_in_the_middle_keeps_its_rest() {
    let mut world = World::builder().limit(3).build();
    let mut commands = world.commands();
    commands.set_policy(Policy::Stop);
    let token = Arc::new(());
    let ids: Vec<Entity> = (0..5).map(|_| commands.spawn(Token(Arc::clone(&token)))).collect();
    assert!(matches!(world.apply(&mut commands), Err(CommandErrors { not_applied: 1, .. })));
    assert_eq!(ids.iter().filter(|id| world.is_alive(**id)).count(), 3);
    assert_eq!(Arc::strong_count(&token), 5, "three are alive, one is queued");
    world.despawn(ids[0]).expect("alive");
    world.apply(&mut commands).expect("there is room again");
    assert!(world.is_alive(ids[4]) && !world.is_alive(ids[3]));
    world.validate().expect("valid");
}

#[test]
fn errors_can_be_ignored() {
    let mut world = World::new();
    let (mut commands, _, last) = with_an_error(&mut world);
    commands.set_policy(Policy::Ignore);
    world.apply(&mut commands).expect("ignored");
    assert!(world.is_alive(last));
}

// --------------------------------------------------------------------------------------------------------- bad input

fn faults(result: Result<(), CommandErrors>) -> Vec<String> {
    let code = |error: &phalanx_ecs::CommandError| error.to_string()[6..10].to_owned();
    result.err().map_or_else(Vec::new, |errors| errors.errors.iter().map(code).collect())
}

#[test]
fn every_command_on_a_dead_entity_is_reported() {
    let mut world = World::new();
    let orc = world.spawn(Position(1));
    world.despawn(orc).expect("alive");
    let mut commands = world.commands();
    let token = Arc::new(());
    commands.insert(orc, Token(Arc::clone(&token)));
    commands.insert_if_new(orc, Token(Arc::clone(&token)));
    commands.remove::<Position>(orc);
    commands.retain::<Position>(orc);
    commands.despawn(orc);
    commands.despawn_batch([orc, orc]);
    assert_eq!(faults(world.apply(&mut commands)), ["K001"; 7]);
    assert_eq!(Arc::strong_count(&token), 1, "bundles are dropped");
    world.validate().expect("valid");
}

#[test]
fn an_id_of_another_queue_that_was_not_applied_is_reported_as_reserved() {
    let mut world = World::new();
    let (mut one, mut two) = (world.commands(), world.commands());
    let ids: Vec<Entity> = (0..40).map(|_| one.spawn(())).collect();
    two.insert(ids[0], Tag);
    two.insert(ids[39], Tag);
    let errors = world.apply(&mut two).expect_err("not spawned yet");
    assert!(errors.errors.iter().all(|error| error.to_string().contains("has reserved it")), "{errors}");
    world.apply(&mut one).expect("room");
    two.insert(ids[0], Tag);
    world.apply(&mut two).expect("alive now");
    world.validate().expect("valid");
}

#[test]
#[cfg(debug_assertions)]
fn an_entity_of_another_world_is_reported() {
    let (mut one, mut two) = (World::new(), World::new());
    let foreign = one.spawn(());
    two.spawn(());
    let mut commands = two.commands();
    commands.despawn(foreign);
    let errors = two.apply(&mut commands).expect_err("foreign");
    assert!(errors.to_string().contains("another world made this handle"));
}

#[test]
fn a_queue_of_another_world_is_refused_and_unchanged() {
    let (mut one, mut two) = (World::new(), World::new());
    let mut commands = one.commands();
    let wolf = commands.spawn(Position(1));
    assert_eq!(faults(two.apply(&mut commands)), ["K007"]);
    assert_eq!((two.alive(), commands.len()), (0, 1));
    one.apply(&mut commands).expect("its own world");
    assert_eq!(one.get::<Position>(wolf), Some(&Position(1)));
}

#[test]
fn the_limit_refuses_those_beyond_it() {
    let mut world = World::builder().limit(3).build();
    let mut commands = world.commands();
    for n in 0..5 {
        commands.spawn(Position(n));
    }
    commands.spawn_batch((0..2).map(Position));
    assert_eq!(faults(world.apply(&mut commands)), ["K002"; 3]);
    assert_eq!(world.alive(), 3);
    world.validate().expect("valid");
}

#[test]
fn an_iterator_that_gives_less_than_it_promised_is_reported() {
    struct Liar(usize);
    impl Iterator for Liar {
        type Item = Position;
        fn next(&mut self) -> Option<Position> {
            self.0 = self.0.checked_sub(1)?;
            Some(Position(0))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.0 * 2, Some(self.0 * 2))
        }
    }
    impl ExactSizeIterator for Liar {}

    let mut world = World::new();
    let mut commands = world.commands();
    let ids = commands.spawn_batch(Liar(20));
    let errors = world.apply(&mut commands).expect_err("too few");
    assert!(matches!(errors.errors[0].fault, CommandFault::Short { promised: 40, given: 20, .. }));
    assert_eq!(ids.iter().filter(|id| world.is_alive(*id)).count(), 20);
    world.validate().expect("valid");
}

#[test]
fn a_bundle_with_a_component_twice_is_reported() {
    // The compiler cannot see through a generic type.
    #[derive(Component)]
    struct Generic<T: Send + Sync + 'static>(T);

    let mut world = World::new();
    let orc = world.spawn(());
    let mut commands = world.commands();
    commands.insert(orc, (Generic(1u8), Generic(2u8)));
    commands.spawn((Generic(1u8), Generic(2u8)));
    commands.spawn_batch(vec![(Generic(1u8), Generic(2u8))]);
    assert_eq!(faults(world.apply(&mut commands)), ["K003"; 3]);
    world.validate().expect("valid");
}

#[test]
fn dropped_and_cleared_commands_give_their_ids_up() {
    let mut world = World::new();
    let token = Arc::new(());
    let mut commands = world.commands();
    let lost: Vec<Entity> = (0..100).map(|_| commands.spawn(Token(Arc::clone(&token)))).collect();
    commands.clear();
    assert_eq!(Arc::strong_count(&token), 1);
    let kept = commands.spawn(Position(1));
    world.apply(&mut commands).expect("room");
    assert!(world.is_alive(kept) && !lost.iter().any(|entity| world.is_alive(*entity)));
    let dropped = commands.spawn(());
    drop(commands);
    let mut commands = world.commands();
    world.validate().expect("valid");
    for _ in 0..3000 {
        let fresh = commands.spawn(());
        assert!(fresh != dropped && !lost.contains(&fresh), "no handle means two entities");
    }
    world.apply(&mut commands).expect("room");
    world.validate().expect("valid");
}

#[test]
fn a_world_that_is_replaced_while_a_queue_is_applied_does_no_harm() {
    let mut world = World::new();
    let mut commands = world.commands();
    commands.spawn(Position(0));
    commands.run(|world: &mut World| *world = World::new());
    commands.spawn(Position(1));
    let _ = world.apply(&mut commands);
    let _ = world.apply(&mut commands);
    world.validate().expect("valid");
    drop(commands);
    world.commands().spawn(());
    world.validate().expect("valid");
}

// ------------------------------------------------------------------------------------------------------------- panics

#[derive(Component)]
struct Bomb(Arc<AtomicU32>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("a bomb");
    }
}

#[test]
fn after_a_panic_the_rest_is_applied_and_then_it_goes_on() {
    let mut world = World::new();
    let drops = Arc::new(AtomicU32::new(0));
    let bomb = world.spawn(Bomb(Arc::clone(&drops)));
    let mut commands = world.commands();
    commands.despawn(bomb);
    commands.run(|_: &mut World| -> () { panic!("a function") });
    let wolf = commands.spawn(Position(1));
    let panic = catch_unwind(AssertUnwindSafe(|| world.apply(&mut commands))).expect_err("it panicked");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bomb"), "the first panic");
    assert!(world.is_alive(wolf) && !world.is_alive(bomb) && commands.is_empty());
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    world.validate().expect("valid");
    commands.spawn(());
    world.apply(&mut commands).expect("the queue works on");
}

#[test]
fn a_queue_that_stops_keeps_the_rest_after_a_panic() {
    let mut world = World::new();
    let mut commands = world.commands();
    commands.set_policy(Policy::Stop);
    for n in 0..3 {
        commands.run(move |world: &mut World| {
            world.spawn(Position(n));
            assert!(n != 1, "number 1");
        });
    }
    let wolf = commands.spawn(());
    assert!(catch_unwind(AssertUnwindSafe(|| world.apply(&mut commands))).is_err());
    assert_eq!((world.alive(), commands.len()), (2, 2));
    world.apply(&mut commands).expect("the rest");
    assert!(world.is_alive(wolf) && world.alive() == 4);
    world.validate().expect("valid");
}

#[test]
fn a_batch_whose_iterator_panics_is_not_there() {
    let mut world = World::new();
    let mut commands = world.commands();
    let token = Arc::new(());
    let (one, two) = (Arc::clone(&token), Arc::clone(&token));
    let plain = commands.spawn_batch((0..50).map(move |n| {
        assert!(n < 30, "thirty");
        Token(Arc::clone(&one))
    }));
    let sparse = commands.spawn_batch((0..50).map(move |n| {
        assert!(n < 30, "thirty");
        (Token(Arc::clone(&two)), Burning(1))
    }));
    assert!(catch_unwind(AssertUnwindSafe(|| world.apply(&mut commands))).is_err());
    assert_eq!((world.alive(), Arc::strong_count(&token)), (0, 1));
    assert!(!plain.iter().chain(&sparse).any(|entity| world.is_alive(entity)));
    world.validate().expect("valid");
}

#[test]
fn a_constructor_that_panics_takes_one_entity_only() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    #[derive(Component)]
    struct Made;
    fn make() -> Made {
        assert!(CALLS.fetch_add(1, Ordering::Relaxed) != 1, "the second");
        Made
    }
    #[derive(Component)]
    #[component(requires(Made = make()))]
    struct Needy(#[allow(dead_code, reason = "counted")] Arc<()>);

    let token = Arc::new(());
    let mut world = World::new();
    let mut commands = world.commands();
    let ids: Vec<Entity> = (0..4).map(|_| commands.spawn(Needy(Arc::clone(&token)))).collect();
    assert!(catch_unwind(AssertUnwindSafe(|| world.apply(&mut commands))).is_err());
    let alive: Vec<bool> = ids.iter().map(|id| world.is_alive(*id)).collect();
    assert_eq!(alive, [true, false, true, true]);
    assert_eq!(Arc::strong_count(&token), 4);
    world.validate().expect("valid");
}

/// Each frame one queue spawns and one ends as many; others insert and remove.
fn frames(queues: usize, frames: usize) -> usize {
    let mut world = World::new();
    let names = (0..queues).map(|number| format!("queue {number}"));
    let mut queues = world.commands_for_each(names);
    let mut frame = |world: &mut World| {
        let count = queues.len();
        for (number, queue) in queues.iter_mut().enumerate() {
            for _ in 0..10 {
                queue.spawn((Position(1), Tag));
            }
            let all = world.read::<Entity>();
            for entity in all.iter().skip(number * 10).take(10) {
                match number % 3 {
                    0 => queue.insert(entity, Position(2)),
                    1 => queue.remove::<Tag>(entity),
                    _ => queue.insert(entity, Burning(1)),
                }
            }
            if all.count() > 40 * count {
                for entity in all.iter().skip(all.count() - 10 * (number + 1)).take(10) {
                    queue.despawn(entity);
                }
            }
        }
        for queue in &mut queues {
            queue.set_policy(Policy::Ignore);
            world.apply(queue).unwrap();
        }
    };
    (0..if cfg!(miri) { 60 } else { 500 }).for_each(|_| frame(&mut world));
    assert!(world.alive() > 0);
    let asked = allocations_of(|| (0..frames).for_each(|_| frame(&mut world)));
    world.validate().unwrap();
    asked
}

#[test]
fn queues_that_are_filled_and_applied_again_and_again_ask_for_no_memory() {
    const FRAMES: usize = if cfg!(miri) { 12 } else { 300 };
    for queues in [1, 2, 3, 7] {
        let asked = frames(queues, FRAMES);
        assert!(asked <= 3, "{queues} queues ask {asked} times in {FRAMES} frames");
    }
}

#[test]
fn a_queue_that_lost_its_world_while_it_was_applied_hands_out_right_handles_again() {
    let mut world = World::new();
    let other = Arc::new(std::sync::Mutex::new(World::new()));
    let mut queue = world.commands();
    queue.spawn(Position(1));
    let elsewhere = Arc::clone(&other);
    queue.run(move |world: &mut World| std::mem::swap(world, &mut elsewhere.lock().unwrap()));
    world.apply(&mut queue).unwrap();
    std::mem::swap(&mut world, &mut other.lock().unwrap());
    // Its ids went with the other world; from the next time on it has some again.
    queue.spawn(Position(2));
    assert!(matches!(world.apply(&mut queue), Err(errors) if errors.errors.len() == 1));
    for number in 3..30 {
        let entity = queue.spawn(Position(number));
        world.apply(&mut queue).unwrap();
        assert_eq!(world.get::<Position>(entity), Some(&Position(number)));
    }
    world.validate().unwrap();
}

#[test]
fn a_batch_for_which_there_never_are_enough_ids_takes_none() {
    let mut world = World::new();
    let mut commands = world.commands();
    assert!(commands.spawn_batch(std::iter::repeat_n(Position(1), usize::MAX)).is_empty());
    let next = commands.spawn(Position(2));
    let memory = world.memory().reserved();
    assert_eq!(faults(world.apply(&mut commands)), ["K005"]);
    assert_eq!((world.alive(), world.get::<Position>(next).map(|position| position.0)), (1, Some(2)));
    assert!(world.memory().reserved() < memory + 1_000_000);
    world.validate().expect("valid");
}
