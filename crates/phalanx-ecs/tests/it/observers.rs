//! Observers and hooks: who is called, when, in which order, by every way components come and go.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, DynValue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Debug, PartialEq)]
struct Health(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Burning(u32);

#[derive(Component, Clone)]
#[component(requires(Health = Health(7)))]
struct Alive;

#[derive(Component, Clone)]
struct Position(f32);

#[derive(Component, Clone)]
#[component(toggle)]
struct Shield;

#[derive(Event)]
struct Hit(u32);

type Log = Arc<Mutex<Vec<String>>>;

/// Watches everything that happens to `Health` and `Burning`, with the value at that time.
fn watched() -> (World, Log) {
    let (mut world, log) = (World::new(), Log::default());
    for act in [Act::Insert, Act::Replace, Act::Remove, Act::Despawn] {
        let health = Arc::clone(&log);
        world.observe::<Health>(act, move |trigger| {
            let value = trigger.get::<Health>().expect("the value is there").0;
            health.lock().expect("sound").push(format!("{act:?} Health {value} {}", trigger.entity()));
        });
        let burning = Arc::clone(&log);
        world.observe::<Burning>(act, move |trigger| {
            let value = trigger.get::<Burning>().expect("the value is there").0;
            burning.lock().expect("sound").push(format!("{act:?} Burning {value} {}", trigger.entity()));
        });
    }
    (world, log)
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().expect("sound"))
}

#[test]
fn every_way_of_coming_and_going_is_told() {
    let (mut world, log) = watched();
    let a = world.spawn((Health(1), Burning(2)));
    assert_eq!(taken(&log), ["Insert Health 1 0v0", "Insert Burning 2 0v0"]);
    world.insert(a, (Health(3), Position(0.0))).expect("alive");
    assert_eq!(taken(&log), ["Replace Health 1 0v0", "Insert Health 3 0v0"]);
    world.insert(a, Burning(4)).expect("alive");
    assert_eq!(taken(&log), ["Replace Burning 2 0v0", "Insert Burning 4 0v0"]);
    assert_eq!(world.replace(a, Health(5)).expect("alive"), Some(Health(3)));
    assert_eq!(taken(&log), ["Replace Health 3 0v0", "Insert Health 5 0v0"]);
    assert!(!world.insert_if_new(a, Health(6)).expect("alive"));
    assert!(taken(&log).is_empty());
    world.remove::<(Health, Burning)>(a).expect("alive");
    assert_eq!(taken(&log), ["Remove Health 5 0v0", "Remove Burning 4 0v0"]);
    world.remove::<(Health, Burning)>(a).expect("alive");
    assert!(taken(&log).is_empty(), "nothing was there");
    world.insert(a, Alive).expect("alive");
    assert_eq!(taken(&log), ["Insert Health 7 0v0"], "what is required comes too");
    assert_eq!(world.take::<Health>(a).expect("there"), Health(7));
    assert_eq!(taken(&log), ["Remove Health 7 0v0"]);
    assert!(world.take::<(Position, Health)>(a).is_err() && taken(&log).is_empty());
    world.entity_mut(a).expect("alive").insert((Health(8), Burning(8))).remove::<Position>().apply();
    assert_eq!(taken(&log), ["Insert Health 8 0v0", "Insert Burning 8 0v0"]);
    world.retain::<Burning>(a).expect("alive");
    assert_eq!(taken(&log), ["Remove Health 8 0v0"]);
    let health = world.register::<Health>();
    world.insert_dyn(a, health, DynValue::new(Health(9))).expect("fits");
    assert_eq!(taken(&log), ["Insert Health 9 0v0"]);
    world.remove_dyn(a, health).expect("there");
    assert_eq!(taken(&log), ["Remove Health 9 0v0"]);
    let b = world.clone_entity(a).expect("cloneable");
    assert_eq!(taken(&log), ["Insert Burning 8 1v0"]);
    world.despawn(b).expect("alive");
    assert_eq!(taken(&log), ["Despawn Burning 8 1v0", "Remove Burning 8 1v0"]);
    world.insert(a, Health(1)).expect("alive");
    taken(&log);
    world.despawn_lazy(a).expect("alive");
    assert_eq!(
        taken(&log),
        ["Despawn Health 1 0v0", "Despawn Burning 8 0v0", "Remove Health 1 0v0", "Remove Burning 8 0v0"]
    );
    world.validate().expect("valid");
}

#[test]
fn bulk_ways_tell_of_every_entity() {
    let (mut world, log) = watched();
    let all = world.spawn_batch((0..3).map(|n| (Health(n), Position(0.0)))).to_vec();
    assert_eq!(taken(&log), ["Insert Health 0 0v0", "Insert Health 1 1v0", "Insert Health 2 2v0"]);
    world.insert_where_with::<With<Position>, Burning>(|entity| Burning(entity.index()));
    assert_eq!(taken(&log), ["Insert Burning 0 0v0", "Insert Burning 1 1v0", "Insert Burning 2 2v0"]);
    world.insert_where::<With<Position>, Health>(Health(5));
    assert_eq!(taken(&log).len(), 6);
    assert_eq!(world.remove_where::<With<Position>, Burning>(), 3);
    assert_eq!(taken(&log), ["Remove Burning 0 0v0", "Remove Burning 1 1v0", "Remove Burning 2 2v0"]);
    world.insert_batch(&all[..2], [Burning(8), Burning(9)]).expect("alive");
    assert_eq!(taken(&log), ["Insert Burning 8 0v0", "Insert Burning 9 1v0"]);
    world.remove::<Burning>(all[0]).expect("alive");
    taken(&log);
    world.insert_batch([all[0], all[0]], [Burning(1), Burning(8)]).expect("alive");
    assert_eq!(taken(&log), ["Insert Burning 1 0v0", "Replace Burning 1 0v0", "Insert Burning 8 0v0"]);
    let bare = world.spawn(());
    world.insert_batch([bare, bare], [Alive, Alive]).expect("alive");
    assert_eq!(taken(&log).len(), 1, "what is required comes once");
    world.despawn(bare).expect("alive");
    taken(&log);
    world.remove_batch::<Burning>(&all[1..2]).expect("alive");
    assert_eq!(taken(&log), ["Remove Burning 9 1v0"]);
    world.despawn_batch(&all[..1]).expect("alive");
    assert_eq!(taken(&log).len(), 4);
    assert_eq!(world.despawn_where::<With<Position>>(), 2);
    assert_eq!(taken(&log).len(), 4);
    let columns = world.spawn_columns((vec![Health(1), Health(2)],)).expect("even");
    assert_eq!(taken(&log).len(), 2);
    let mut other = World::new();
    world.move_entity(columns[0], &mut other).expect("room");
    assert_eq!(taken(&log).len(), 2);
    world.clear();
    assert_eq!(taken(&log).len(), 2);
    world.validate().expect("valid");
}

#[test]
fn observers_run_in_order_hooks_first_and_can_be_paused_and_removed() {
    let (mut world, log) = (World::new(), Log::default());
    let say = |log: &Log, what: &'static str| {
        let log = Arc::clone(log);
        move |_: &mut phalanx_ecs::Trigger<'_>| log.lock().expect("sound").push(what.into())
    };
    let first = world.observe::<Health>(Act::Insert, say(&log, "first"));
    let second = world.observe::<Health>(Act::Insert, say(&log, "second"));
    world.hook::<Health>(Act::Insert, say(&log, "hook")).expect("free");
    assert!(world.hook::<Health>(Act::Insert, |_| ()).is_err());
    world.spawn(Health(1));
    assert_eq!(taken(&log), ["hook", "first", "second"]);
    assert!(world.enable_observer(first, false));
    world.spawn(Health(1));
    assert_eq!(taken(&log), ["hook", "second"]);
    assert!(world.enable_observer(first, true) && world.remove_observer(second) && !world.remove_observer(second));
    world.spawn(Health(1));
    assert_eq!(taken(&log), ["hook", "first"]);
    assert!(!world.enable_observer(second, true));
}

#[test]
fn what_is_deferred_is_done_after_the_whole_operation_in_order() {
    let (mut world, log) = (World::new(), Log::default());
    let own = Arc::clone(&log);
    world.observe::<Health>(Act::Insert, move |trigger| {
        let (entity, own) = (trigger.entity(), Arc::clone(&own));
        trigger.defer(move |world| {
            own.lock().expect("sound").push(format!("{entity} of {}", world.query::<&Health>().count()));
            if world.query::<&Burning>().count() < 2 {
                world.insert(entity, Burning(0)).expect("alive");
                own.lock().expect("sound").push(format!("{entity} burns"));
            }
        });
    });
    let own = Arc::clone(&log);
    world.observe::<Burning>(Act::Insert, move |trigger| {
        let (entity, own) = (trigger.entity(), Arc::clone(&own));
        trigger.defer(move |_| own.lock().expect("sound").push(format!("{entity} is seen to burn")));
    });
    world.spawn_batch((0..3).map(Health));
    assert_eq!(
        taken(&log),
        ["0v0 of 3", "0v0 burns", "1v0 of 3", "1v0 burns", "2v0 of 3", "0v0 is seen to burn", "1v0 is seen to burn"]
    );
}

#[test]
fn a_chain_without_end_is_ended_and_shown() {
    let mut world = World::new();
    world.observe::<Health>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| world.insert(entity, Health(0)).expect("alive"));
    });
    let panic = catch_unwind(AssertUnwindSafe(|| world.spawn(Health(1)))).expect_err("endless");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("error[O002]") && message.contains("Insert of `Health` on 0v0"), "{message}");
    assert!(message.contains("observers.rs:"), "{message}");
    world.validate().expect("valid");
    world.spawn(Position(0.0));
}

#[test]
fn a_panic_of_an_observer_keeps_nothing_else_from_happening() {
    for act in [Act::Insert, Act::Replace, Act::Remove] {
        let (mut world, log) = (World::new(), Log::default());
        let entity = world.spawn(Health(1));
        world.observe::<Health>(act, |_| panic!("observer"));
        let own = Arc::clone(&log);
        world.observe::<Health>(act, move |trigger| {
            own.lock().expect("sound").push("second".into());
            let own = Arc::clone(&own);
            trigger.defer(move |_| own.lock().expect("sound").push("deferred".into()));
        });
        let operation = |world: &mut World| match act {
            Act::Remove => drop(world.remove::<Health>(entity)),
            _ => drop(world.insert(entity, Health(2))),
        };
        let panic = catch_unwind(AssertUnwindSafe(|| operation(&mut world))).expect_err("it goes on");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"observer"), "{act:?}");
        assert_eq!(taken(&log), ["second", "deferred"], "{act:?}");
        assert_eq!(world.get::<Health>(entity).cloned(), (act != Act::Remove).then_some(Health(2)), "{act:?}");
        world.validate().expect("valid");
    }
}

#[test]
fn switching_is_told_where_it_changes_something() {
    let (mut world, log) = (World::new(), Log::default());
    for act in [Act::SwitchOn, Act::SwitchOff] {
        let own = Arc::clone(&log);
        world.observe::<Shield>(act, move |_| own.lock().expect("sound").push(format!("{act:?}")));
    }
    let orc = world.spawn(Shield);
    for _ in 0..2 {
        world.switch_off::<Shield>(orc).expect("there");
    }
    for _ in 0..2 {
        world.switch_on::<Shield>(orc).expect("there");
    }
    assert_eq!(taken(&log), ["SwitchOff", "SwitchOn"]);
}

#[test]
fn events_are_aimed_at_entities() {
    let mut world = World::new();
    let orc = world.spawn(Health(10));
    world.trigger(Hit(1), orc);
    let observer = world.observe_event::<Hit>(|hit, trigger| {
        assert!(trigger.act().is_none() && trigger.component().is_none());
        let (left, entity) =
            (trigger.get::<Health>().map_or(0, |health| health.0.saturating_sub(hit.0)), trigger.entity());
        trigger.get_mut::<Health>().expect("there").0 = left;
        if left == 0 {
            trigger.defer(move |world| world.despawn(entity).expect("alive"));
        }
    });
    world.trigger(Hit(4), orc);
    assert_eq!(world.get::<Health>(orc), Some(&Health(6)));
    world.trigger(Hit(40), orc);
    assert!(!world.is_alive(orc));
    assert!(world.remove_observer(observer));
    world.trigger(Hit(1), orc);
}

#[test]
fn an_entity_that_observers_end_takes_no_more_changes() {
    let mut world = World::new();
    world.observe::<Health>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| world.despawn(entity).expect("alive"));
    });
    let entity = world.spawn(());
    let value = Arc::new(());
    {
        let mut edits = world.entity_mut(entity).expect("alive");
        edits.insert(Health(1)).apply();
        assert!(!edits.is_alive());
        edits.insert((Burning(2), Owned(Arc::clone(&value)))).remove::<Position>();
    }
    assert_eq!((world.alive(), Arc::strong_count(&value)), (0, 1));
    world.validate().expect("valid");
    let entity = world.spawn(());
    let mut edits = world.entity_mut(entity).expect("alive");
    edits.insert(Health(1)).apply();
    edits.despawn();
    world.validate().expect("valid");
}

#[derive(Component)]
struct Owned(Arc<()>);

#[test]
fn a_chain_that_grows_broader_without_end_is_ended() {
    for broad in [2, 10] {
        let (mut world, done) = (World::new(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&done);
        world.observe::<Health>(Act::Insert, move |trigger| {
            let entity = trigger.entity();
            for _ in 0..broad {
                let counted = Arc::clone(&counted);
                trigger.defer(move |world| {
                    counted.fetch_add(1, Ordering::Relaxed);
                    world.insert(entity, Health(0)).expect("alive");
                });
            }
        });
        let panic = catch_unwind(AssertUnwindSafe(|| world.spawn(Health(1)))).expect_err("endless");
        assert!(panic.downcast_ref::<String>().expect("a message").contains("error[O002]"));
        assert!(done.load(Ordering::Relaxed) < 20_000 * broad, "{done:?} changes by {broad} at a time");
        world.validate().expect("valid");
    }
}

#[test]
fn nobody_is_told_of_what_is_refused_or_not_there() {
    let (mut world, log) = watched();
    let entity = world.spawn(Alive);
    world.remove::<Health>(entity).expect("alive");
    taken(&log);
    world.clone_entity(entity).expect("cloneable");
    assert!(taken(&log).is_empty(), "the copy has no health either");
    let wounded = world.spawn(Health(1));
    taken(&log);
    let mut full = World::builder().limit(0).build();
    assert!(world.move_entity(wounded, &mut full).is_err());
    assert!(world.is_alive(wounded) && taken(&log).is_empty());
    world.remove_batch::<Health>([wounded, wounded]).expect("alive");
    assert_eq!(taken(&log).len(), 1);
    let panic = catch_unwind(AssertUnwindSafe(|| world.sparse_mut::<Burning>().insert(wounded, Burning(1))))
        .expect_err("observed");
    assert!(panic.downcast_ref::<String>().expect("a message").contains("error[O003]"));
}

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component)]
struct Slot<T>(T);

#[test]
fn what_is_refused_is_not_told() {
    let (mut world, log) = (World::new(), Log::default());
    for act in [Act::Insert, Act::Replace, Act::Remove] {
        let log = Arc::clone(&log);
        world.observe::<Slot<u8>>(act, move |_| log.lock().expect("sound").push(format!("{act:?}")));
    }
    let orc = world.spawn(Slot(1u8));
    assert_eq!(taken(&log), ["Insert"]);
    assert!(world.insert(orc, (Slot(2u8), Slot(3u8))).is_err());
    assert!(world.insert_batch([orc], [(Slot(2u8), Slot(3u8))]).is_err());
    assert!(world.remove::<(Slot<u8>, Slot<u8>)>(orc).is_err());
    assert!(world.remove_batch::<(Slot<u8>, Slot<u8>)>([orc]).is_err());
    assert!(world.take::<(Slot<u8>, Slot<u8>)>(orc).is_err());
    assert_eq!(taken(&log), [""; 0]);
    assert_eq!(world.get::<Slot<u8>>(orc).expect("untouched").0, 1);
}

#[test]
fn who_is_named_twice_in_a_batch_has_its_first_value_replaced() {
    let (mut world, log) = watched();
    let [a, b] = [world.spawn(()), world.spawn(())];
    world.insert_batch([a, b, a, a], [1, 2, 3, 4].map(Health)).expect("alive");
    let expected = ["Insert Health 1 0v0", "Insert Health 2 1v0", "Replace Health 1 0v0", "Insert Health 3 0v0"];
    assert_eq!(taken(&log), [&expected[..], &["Replace Health 3 0v0", "Insert Health 4 0v0"]].concat());
    assert_eq!((world.get::<Health>(a), world.get::<Health>(b)), (Some(&Health(4)), Some(&Health(2))));
}

#[test]
fn what_goes_and_comes_again_in_a_chain_is_not_replaced() {
    let (mut world, log) = watched();
    let entity = world.spawn((Health(1), Burning(1)));
    taken(&log);
    let mut edits = world.entity_mut(entity).expect("alive");
    edits.remove::<(Health, Burning)>().insert((Health(2), Burning(2))).apply();
    let expected = ["Remove Health 1 0v0", "Remove Burning 1 0v0", "Insert Health 2 0v0", "Insert Burning 2 0v0"];
    assert_eq!(taken(&log), expected);
    edits.insert(Health(3)).remove::<Health>().apply();
    assert_eq!(taken(&log), ["Remove Health 2 0v0"], "what was waiting never came");
}

thread_local!(static MAKING_PANICS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });

#[derive(Component, Clone, PartialEq, Debug)]
#[component(requires(Blade = Blade::make()))]
struct Sword(u32);

#[derive(Component, Clone)]
struct Blade;

impl Blade {
    fn make() -> Self {
        assert!(!MAKING_PANICS.get(), "no blade");
        Self
    }
}

/// A value that panics when it is dropped.
#[derive(Component)]
struct Sharp(bool);
impl Drop for Sharp {
    fn drop(&mut self) {
        assert!(!self.0, "sharp");
    }
}

#[test]
fn nobody_is_told_of_what_did_not_come_because_something_panicked() {
    let (mut world, log) = (World::new(), Log::default());
    let own = Arc::clone(&log);
    world.observe::<Sword>(Act::Insert, move |trigger| {
        own.lock().expect("sound").push(format!("{:?} {}", trigger.get::<Sword>().expect("there"), trigger.entity()));
    });
    let all = [0, 1, 2].map(|n| world.spawn((Sword(n), Position(0.0))));
    taken(&log);
    world.remove::<Blade>(all[1]).expect("alive");
    MAKING_PANICS.set(true);
    let panics = |world: &mut World, act: &dyn Fn(&mut World)| {
        catch_unwind(AssertUnwindSafe(|| act(world))).expect_err("no blade");
    };
    panics(&mut world, &|world| drop(world.insert(all[1], Sword(7))));
    panics(&mut world, &|world| drop(world.replace(all[1], Sword(7))));
    assert!(taken(&log).is_empty(), "the old one is still there, and no other came");
    panics(&mut world, &|world| drop(world.insert_batch(all, [Sword(8), Sword(8), Sword(8)])));
    assert_eq!(taken(&log), ["Sword(8) 0v0"], "those before have theirs");
    panics(&mut world, &|world| {
        world.insert_where::<With<Position>, _>(Sword(9));
    });
    assert_eq!(taken(&log).len(), 2, "the two that have a blade are in a table before the one that has none");
    assert_eq!(world.get::<Sword>(all[1]), Some(&Sword(1)));
    world.validate().expect("valid");
}

#[test]
fn a_drop_that_panics_does_not_keep_observers_from_being_told() {
    let (mut world, log) = (World::new(), Log::default());
    let own = Arc::clone(&log);
    world.observe::<Sharp>(Act::Insert, move |_| own.lock().expect("sound").push("come".into()));
    let entity = world.spawn(Sharp(true));
    assert!(catch_unwind(AssertUnwindSafe(|| world.insert(entity, Sharp(true)))).is_err());
    assert!(
        catch_unwind(AssertUnwindSafe(|| world.insert_batch([entity, entity], [Sharp(true), Sharp(false)]))).is_err()
    );
    assert!(
        catch_unwind(AssertUnwindSafe(|| world.entity_mut(entity).expect("alive").insert(Sharp(false)).apply()))
            .is_ok()
    );
    assert_eq!(taken(&log).len(), 5);
    world.validate().expect("valid");
}

// ------------------------------------------------------------------------------------------------ commands of observers

#[test]
fn commands_of_observers_and_what_they_defer_are_done_in_order() {
    let (mut world, log) = (World::new(), Log::default());
    let own = Arc::clone(&log);
    world.observe::<Health>(Act::Insert, move |trigger| {
        let entity = trigger.entity();
        let say = |what: &'static str| {
            let own = Arc::clone(&own);
            move |world: &mut World| {
                own.lock().expect("sound").push(format!("{entity} {what}, {} burn", world.query::<&Burning>().count()));
            }
        };
        trigger.commands().run(say("one"));
        trigger.commands().insert(entity, Burning(1));
        trigger.defer(say("two"));
        let ghost = trigger.commands().spawn(Burning(2));
        trigger.commands().run(say("three"));
        trigger.commands().despawn(ghost);
        assert!(!trigger.world().is_alive(ghost) && trigger.get::<Burning>().is_none(), "nothing is done yet");
    });
    world.spawn_batch([1, 2].map(Health));
    let expected = ["0v0 one, 0 burn", "0v0 two, 1 burn", "0v0 three, 2 burn", "1v0 one, 1 burn", "1v0 two, 2 burn"];
    assert_eq!(taken(&log), [&expected[..], &["1v0 three, 3 burn"]].concat());
    assert_eq!((world.alive(), world.query::<&Burning>().count()), (2, 2));
    world.validate().expect("valid");
}

#[test]
fn ids_of_commands_of_observers_are_apart_and_come_to_life() {
    // A lane deals out ids in blocks; Miri has no time for more than one.
    const EACH: u32 = if cfg!(miri) { 3 } else { 30 };
    let (mut world, ids) = (World::new(), Arc::new(Mutex::new(Vec::new())));
    let own = Arc::clone(&ids);
    world.observe::<Health>(Act::Insert, move |trigger| {
        let more = trigger.get::<Health>().expect("there").0;
        let mut got = vec![trigger.commands().spawn(Burning(more))];
        if more == 7 {
            trigger.commands().clear();
            got.pop();
        }
        if more > 0 && more < 4 {
            got.extend(trigger.commands().spawn_batch((0..EACH).map(move |_| Health(more - 1))).iter());
        }
        own.lock().expect("sound").extend(got);
    });
    world.spawn_batch((0..40).map(|n| Health(n % 8)));
    let mut ids = std::mem::take(&mut *ids.lock().expect("sound"));
    assert!(ids.iter().all(|id| world.is_alive(*id)));
    let handed_out = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), world.alive()), (handed_out, handed_out + 40));
    assert_eq!(world.stats().entities.reserved, 0, "what was not used is given back");
    world.validate().expect("valid");
}

#[test]
fn commands_of_an_observer_that_panics_are_applied_too() {
    let mut world = World::new();
    world.observe::<Health>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.commands().insert(entity, Burning(1));
        panic!("observer");
    });
    let entity = catch_unwind(AssertUnwindSafe(|| world.spawn(Health(1)))).map(drop);
    assert!(entity.is_err());
    assert_eq!(world.query::<(&Health, &Burning)>().count(), 1);
    world.validate().expect("valid");
}

#[test]
fn errors_of_commands_of_observers_name_them_and_reach_the_queue_that_called_them() {
    let mut world = World::new();
    world.observe::<Health>(Act::Remove, |trigger| {
        let entity = trigger.entity();
        trigger.commands().despawn(entity);
        trigger.commands().insert(entity, Burning(1));
    });
    let [a, b] = [1, 2].map(|n| world.spawn(Health(n)));
    let panic = catch_unwind(AssertUnwindSafe(|| world.remove::<Health>(a))).expect_err("refused");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.starts_with("error[O004]") && message.contains("insert `Burning` into entity 0v0"), "{message}");
    assert!(!world.is_alive(a));

    let [mut commands] = world.commands_for(["ai"]);
    commands.remove::<Health>(b);
    let errors = world.apply(&mut commands).expect_err("refused").errors;
    assert_eq!((errors.len(), errors[0].entity), (1, Some(b)));
    assert!(errors[0].queue.as_deref().expect("named").starts_with("observer at "), "{}", errors[0]);
    let phalanx_ecs::CommandFault::Dead { death: Some(death), .. } = &errors[0].fault else { panic!("{}", errors[0]) };
    assert!(death.queue.as_deref().expect("named").starts_with("observer at "), "{death}");

    world.observe::<Shield>(Act::Insert, |trigger| {
        let entity = trigger.entity();
        trigger.commands().set_policy(phalanx_ecs::Policy::Ignore);
        trigger.commands().despawn(entity);
        trigger.commands().despawn(entity);
    });
    let shield = world.spawn(Shield);
    assert!(!world.is_alive(shield), "the second time is ignored");
    world.validate().expect("valid");
}

#[test]
fn commands_of_observers_that_call_observers_without_end_are_ended() {
    let mut world = World::new();
    world.observe::<Health>(Act::Insert, |trigger| {
        trigger.commands().spawn(Health(0));
    });
    let panic = catch_unwind(AssertUnwindSafe(|| world.spawn(Health(1)))).expect_err("endless");
    assert!(panic.downcast_ref::<String>().expect("a message").contains("error[O002]"));
    world.validate().expect("valid");
    drop(world.commands());
}
