//! What somebody hostile found, each with what must be instead.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, DynQuery, DynRemoved, ObserverId, Policy, ResourceReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Debug, PartialEq)]
struct Coin(u32);
#[derive(Component)]
struct Door;
#[derive(Component)]
struct Torch;
#[derive(Component)]
#[component(storage = "sparse")]
struct Gem(Box<u32>);

/// Panics when it is dropped, unless that happens in a panic.
#[derive(Component)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "it went off");
    }
}

fn valid(world: &World) {
    world.validate().unwrap_or_else(|broken| panic!("{broken}"));
}

/// A queue of another world in the place of the one that an observer was lent, and that one kept, in a list that outlives both.
fn with_exchanged_queues(world: &mut World, other: &mut World) -> Arc<Mutex<Vec<Commands>>> {
    let (foreign, kept) = (Mutex::new(Some(other.commands())), Arc::new(Mutex::new(Vec::new())));
    let list = kept.clone();
    world.observe::<Torch>(Act::Insert, move |trigger| {
        if let Some(mut queue) = foreign.lock().unwrap().take() {
            trigger.commands().spawn(Coin(1));
            queue.spawn(Coin(2));
            std::mem::swap(trigger.commands(), &mut queue);
            trigger.commands().spawn(Coin(3));
            list.lock().unwrap().push(queue);
        }
    });
    kept
}

#[test]
fn a_queue_of_another_world_in_an_observers_place_leaves_ids_alone() {
    let (mut world, mut other) = (World::new(), World::new());
    let mut alive = world.spawn_batch((0..40).map(|gem| (Door, Gem(Box::new(gem))))).to_vec();
    let kept = with_exchanged_queues(&mut world, &mut other);
    alive.push(world.spawn(Torch));
    valid(&world);
    for _ in 0..100 {
        alive.push(world.spawn(Door));
    }
    let all = alive.len();
    alive.sort_unstable();
    alive.dedup();
    assert_eq!((alive.len(), world.alive()), (all, all), "no id is there twice");
    assert_eq!(world.query::<Option<&mut Gem>>().into_iter().flatten().count(), 40);

    // What was kept is a queue of its world as any other.
    let mut queue = kept.lock().unwrap().pop().unwrap();
    world.apply(&mut queue).unwrap();
    assert!(world.read::<&Coin>().iter().eq([&Coin(1)]));
    drop(queue);
    world.spawn(Torch);
    for world in [&mut world, &mut other] {
        world.apply_all([]).unwrap();
        valid(world);
    }
    assert_eq!(other.alive(), 0);
    let fresh = other.spawn_batch((0..100).map(Coin)).to_vec();
    assert!(fresh.iter().all(|coin| other.is_alive(*coin)));
    valid(&other);
}

#[test]
fn a_queue_whose_world_has_gone_ends_in_another_world() {
    let mut world = World::new();
    let kept = with_exchanged_queues(&mut world, &mut World::new());
    world.spawn(Torch);
    drop(world);
    let mut next = World::new();
    assert!(next.apply(&mut kept.lock().unwrap()[0]).is_err());
    valid(&next);
}

#[test]
fn a_cleared_queue_is_empty_whatever_panics_in_it() {
    let mut world = World::new();
    let old = world.spawn(Coin(0));
    let mut commands = world.commands();
    commands.insert(old, Bomb);
    commands.spawn(Coin(1));
    commands.insert(old, Coin(7));
    assert!(catch_unwind(AssertUnwindSafe(|| commands.clear())).is_err());
    assert!(commands.is_empty());
    let new = commands.spawn(Coin(2));
    world.apply(&mut commands).unwrap();
    assert_eq!((world.get::<Coin>(new), world.get::<Coin>(old)), (Some(&Coin(2)), Some(&Coin(0))));
    assert_eq!(world.alive(), 2);
    valid(&world);
}

#[test]
fn what_one_observer_did_not_do_is_not_done_for_another() {
    let mut world = World::new();
    let dead = world.spawn(());
    world.despawn(dead).unwrap();
    world.observe::<Door>(Act::Insert, move |trigger| {
        let commands = trigger.commands();
        commands.set_policy(Policy::Stop);
        commands.insert(dead, Coin(0));
        commands.insert(dead, Bomb);
        commands.spawn(Coin(1));
    });
    world.observe::<Torch>(Act::Insert, |trigger| {
        trigger.commands().spawn(Coin(2));
    });
    assert!(catch_unwind(AssertUnwindSafe(|| world.spawn(Door))).is_err());
    world.spawn(Torch);
    assert!(world.read::<&Coin>().iter().eq([&Coin(2)]));
    valid(&world);
}

#[test]
fn a_reader_by_id_stays_where_it_is_when_it_looks_at_another_world() {
    let mut world = World::new();
    let coin = world.register::<Coin>();
    let mut lost = DynRemoved::new(&mut world, coin).unwrap();
    for _ in 0..500 {
        let entity = world.spawn(Coin(1));
        world.despawn(entity).unwrap();
        assert_eq!(lost.read(&world).count(), 1);
    }
    assert_eq!(lost.read(&World::new()).count(), 0);
    assert_eq!((lost.read(&world).count(), lost.missed()), (0, 0));
}

#[test]
fn tags_that_go_along_are_not_counted_by_id_either() {
    #[derive(Component)]
    #[component(depends_on(Coin))]
    struct Shiny;
    let mut world = World::new();
    let coin = world.register::<Coin>();
    let both = world.spawn_batch([(Coin(1), Shiny), (Coin(2), Shiny)]).to_vec();
    assert_eq!(world.remove_batch_dyn(&both[..1], coin).unwrap(), 1);
    assert_eq!(world.remove_batch_dyn(&both, coin).unwrap(), 1);
    world.spawn_batch([(Coin(1), Shiny), (Coin(2), Shiny)]);
    let mut query = DynQuery::builder().with(coin).build().unwrap();
    assert_eq!(world.remove_where_dyn(&mut query, coin).unwrap(), 2);
    let kept = world.spawn((Coin(3), Shiny, Door));
    assert_eq!(world.retain::<Door>(kept).unwrap(), 2, "all that is not kept counts");
    let kept = world.spawn((Coin(3), Shiny));
    assert_eq!(world.retain::<Shiny>(kept).unwrap(), 2, "it cannot be kept without what it depends on");
    valid(&world);
}

#[test]
fn a_resource_of_another_world_is_news() {
    #[derive(Resource)]
    struct Score(u32);
    let mut world = World::new();
    let mut reader = ResourceReader::<Score>::new();
    world.insert_resource(Score(0));
    for _ in 0..100 {
        world.resource_mut::<Score>().unwrap().0 += 1;
    }
    assert!(reader.changed(&world) && reader.added(&world) && !reader.removed(&world));
    world = World::new();
    assert!(!reader.changed(&world) && !reader.removed(&world));
    world.insert_resource(Score(7));
    assert!(reader.changed(&world) && reader.added(&world));
    assert!(!reader.changed(&world) && !reader.added(&world));
}

#[test]
fn an_observer_is_known_to_its_own_world_only() {
    let (mut one, mut two) = (World::new(), World::new());
    let observe = |world: &mut World| -> ObserverId { world.observe::<Coin>(Act::Insert, |_| ()) };
    let (of_one, of_two) = (observe(&mut one), observe(&mut two));
    assert!(!two.remove_observer(of_one) && !two.enable_observer(of_one, false));
    assert!(two.remove_observer(of_two) && one.remove_observer(of_one));
}

#[test]
fn whatever_a_command_does_to_an_entity_the_dead_are_called_dead() {
    #[derive(Component)]
    #[component(toggle)]
    struct Awake;
    #[derive(Component, PartialEq, Eq, Hash)]
    #[component(shared)]
    struct Team(u32);
    let mut world = World::new();
    let dead = world.spawn((Awake, Team(1)));
    world.despawn(dead).unwrap();
    let mut commands = world.commands();
    commands.despawn_lazy(dead);
    commands.switch_on::<Awake>(dead);
    commands.switch_off::<Awake>(dead);
    commands.edit_shared::<Team>(dead, |team| team.0 = 2);
    let errors = world.apply(&mut commands).unwrap_err().errors;
    assert_eq!(errors.len(), 4);
    for error in errors {
        assert_eq!(error.entity, Some(dead));
        assert!(matches!(error.fault, phalanx_ecs::CommandFault::Dead { .. }), "{error}");
        assert!(error.to_string().starts_with("error[K001]"), "{error}");
    }
}

/// Panics whenever it is dropped.
#[derive(Component)]
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        panic!("it went off");
    }
}

#[test]
fn equal_commands_that_all_panic_when_they_are_dropped_are_dropped_one_by_one() {
    let mut world = World::new();
    let entity = world.spawn(());
    let fill = |commands: &mut Commands| (0..3).for_each(|_| commands.insert(entity, Mine));
    let mut commands = world.commands();
    fill(&mut commands);
    assert!(catch_unwind(AssertUnwindSafe(|| commands.clear())).is_err());
    assert!(commands.is_empty());
    fill(&mut commands);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(commands))).is_err());
    valid(&world);
}

/// A world in which the first observer of torches puts a queue that was applied before in the place of its own.
fn with_used_queue(act: impl Fn(&mut Commands, usize) + Send + Sync + 'static) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut queue = world.commands();
    queue.spawn(());
    world.apply(&mut queue).unwrap();
    let (slot, calls) = (Mutex::new(Some(queue)), Mutex::new(0));
    world.observe::<Torch>(Act::Remove, move |trigger| {
        if let Some(queue) = slot.lock().unwrap().take() {
            *trigger.commands() = queue;
        }
        let mut calls = calls.lock().unwrap();
        act(trigger.commands(), *calls);
        *calls += 1;
    });
    let torches = world.spawn_batch([Torch, Torch, Torch]).to_vec();
    (world, torches)
}

#[test]
fn a_used_queue_in_an_observers_place_names_what_it_spawns() {
    let got = Arc::new(Mutex::new(Vec::new()));
    let list = got.clone();
    let (mut world, torches) = with_used_queue(move |queue, call| {
        let coin = queue.spawn(Coin(u32::try_from(call).unwrap()));
        list.lock().unwrap().push(coin);
    });
    world.despawn_batch(torches).unwrap();
    let coins: Vec<u32> = got.lock().unwrap().iter().map(|coin| world.get::<Coin>(*coin).unwrap().0).collect();
    assert_eq!(coins, [0, 1, 2]);
    valid(&world);
}

#[test]
fn after_a_used_queue_in_an_observers_place_the_world_goes_on() {
    let (mut world, torches) = with_used_queue(|queue, call| match call {
        0 => {
            queue.spawn(());
        }
        _ => queue.run(|_: &mut World| ()),
    });
    world.despawn_batch(torches.iter().copied()).unwrap();
    assert!(torches.iter().all(|torch| !world.is_alive(*torch)));
    world.observe::<Door>(Act::Insert, |trigger| {
        trigger.defer(|world| {
            world.spawn(Coin(9));
        });
    });
    world.spawn(Door);
    world.apply_all([]).unwrap();
    assert_eq!((world.query::<&Coin>().count(), world.stats().entities.reserved), (1, 0));
    valid(&world);
}

#[test]
fn a_queue_that_an_observer_kept_counts_what_it_has_used() {
    let mut world = World::new();
    let old = world.spawn_batch((0..if cfg!(miri) { 1_200 } else { 10_000 }).map(Coin)).to_vec();
    world.despawn_batch(old).unwrap();
    let [mut one, two] = world.commands_for(["one", "two"]);
    one.spawn(());
    world.apply(&mut one).unwrap();
    let (slots, out, calls) = (Mutex::new((Some(one), Some(two))), Arc::new(Mutex::new(None)), Mutex::new(0));
    let list = out.clone();
    world.observe::<Torch>(Act::Remove, move |trigger| {
        let (mut calls, mut slots) = (calls.lock().unwrap(), slots.lock().unwrap());
        match *calls {
            0 => {
                *trigger.commands() = slots.0.take().unwrap();
                trigger.commands().spawn(());
            }
            1 => {
                *list.lock().unwrap() = Some(std::mem::replace(trigger.commands(), slots.1.take().unwrap()));
            }
            _ => {}
        }
        *calls += 1;
    });
    let torches = world.spawn_batch([Torch, Torch]).to_vec();
    world.despawn_batch(torches).unwrap();
    let mut kept = out.lock().unwrap().take().unwrap();
    world.apply(&mut kept).unwrap();
    assert!(world.stats().entities.reserved < 100, "{}", world.stats().entities.reserved);
    valid(&world);
}
