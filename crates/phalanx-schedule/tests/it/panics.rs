//! Drops, handlers and queued commands that panic: what must still happen does.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::faults::quietly;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{
    ApplyQueued, Engine, FaultKind, FaultPolicy, In, IntoSystem, Param, Refusal, Res, Schedule, run_once,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Panics when it is dropped.
struct Spiky(&'static str);

impl Drop for Spiky {
    fn drop(&mut self) {
        std::panic::panic_any(self.0);
    }
}

/// Panics with something that panics when it is dropped.
fn throw() {
    std::panic::panic_any(Spiky("thrown"));
}

/// What an act panicked with.
fn panic_of<T>(act: impl FnOnce() -> T) -> String {
    let caught = quietly(|| catch_unwind(AssertUnwindSafe(act)));
    let Err(payload) = caught else { panic!("it did not panic") };
    (*payload.downcast::<&'static str>().expect("a text")).to_owned()
}

/// A system that panics when it is dropped.
fn spiky(name: &'static str) -> impl FnMut() + Send + 'static {
    let spike = Spiky(name);
    move || {
        let _ = &spike;
    }
}

#[test]
fn a_group_is_removed_as_a_whole_if_the_drop_of_a_system_panics() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, spiky("first")).unwrap().to("Level");
    schedule.add(&mut world, spiky("second")).unwrap().to("Level");
    let dropped = Arc::new(());
    let held = dropped.clone();
    schedule.add(&mut world, move || drop(held.clone())).unwrap().to("Level");
    let stays = schedule.add(&mut world, || ()).unwrap().id();
    schedule.group("Level").before("Update").unwrap();
    let spike = Spiky("condition");
    let condition = move || {
        let _ = &spike;
        true
    };
    schedule.group("Level").only_if(&mut world, condition).unwrap();
    assert_eq!(panic_of(|| schedule.remove_group("Level")), "condition");
    assert_eq!((schedule.len(), Arc::strong_count(&dropped)), (1, 1), "all are gone");
    assert!(!schedule.has_group("Level") && schedule.in_order("Update") == [stays]);
    schedule.group("Level").after("Update").unwrap();
    schedule.run(&mut world).unwrap();
}

#[test]
fn a_system_is_removed_if_its_drop_panics() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    let id = schedule.add(&mut world, spiky("one")).unwrap().named("one").id();
    let then = schedule.add(&mut world, || ()).unwrap().after(id).unwrap().id();
    assert_eq!(panic_of(|| schedule.remove(id)), "one");
    assert!(!schedule.contains(id) && schedule.find("one").is_err());
    assert_eq!((schedule.in_order("Update"), schedule.len()), (vec![then], 1));
    let next = schedule.add(&mut world, || ()).unwrap().before(then).unwrap().id();
    schedule.run(&mut world).unwrap();
    assert_eq!(schedule.in_order("Update"), [next, then]);
}

#[test]
fn of_systems_that_are_refused_together_none_stays_if_drops_panic() {
    #[derive(Resource)]
    struct Shared<T: Send + Sync + 'static>(T);
    fn refused(read: Res<Shared<u32>>, write: ResMut<Shared<u32>>) {
        assert_eq!(read.0, write.0);
    }
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    let panic = panic_of(|| schedule.add_all(&mut world, (spiky("first"), spiky("second"), refused)).is_ok());
    assert_eq!((panic.as_str(), schedule.len(), schedule.in_order("Update").len()), ("first", 0, 0));
    schedule.run(&mut world).unwrap();
}

#[derive(Resource)]
struct Dead(Entity);

/// A queue with two commands that cannot be done.
fn fail(commands: &mut Commands, dead: &Dead) {
    commands.despawn(dead.0);
    commands.run(|_: &mut World| Err::<(), _>("important error"));
}

/// An engine with an entity that is not alive.
fn with_dead() -> Engine {
    let mut engine = Engine::new();
    let dead = engine.world_mut().spawn(());
    engine.world_mut().despawn(dead).unwrap();
    engine.world_mut().insert_resource(Dead(dead));
    engine.schedule_mut().set_policy(FaultPolicy::Skip);
    engine
}

fn boom(_: &mut World) {
    panic!("boom");
}

#[test]
fn errors_of_one_queue_are_told_if_another_of_the_system_panics() {
    fn in_arguments(a: &mut Commands, b: &mut Commands, dead: Res<Dead>) {
        fail(a, &dead);
        b.run(boom);
    }
    #[derive(Param)]
    struct Derived<'a> {
        b: &'a mut Commands,
        a: &'a mut Commands,
        dead: Res<'a, Dead>,
    }
    fn in_struct(Derived { a, b, dead }: Derived) {
        in_arguments(a, b, dead);
    }
    fn first(a: &mut Commands, dead: Res<Dead>) {
        fail(a, &dead);
    }
    fn second(_: In<()>, b: &mut Commands) {
        b.run(boom);
    }
    for at in 0..3 {
        let mut engine = with_dead();
        match at {
            0 => engine.add(in_arguments).unwrap(),
            1 => engine.add(in_struct).unwrap(),
            _ => engine.add(first.pipe(second)).unwrap(),
        };
        quietly(|| engine.run_frames(1)).unwrap();
        let faults = engine.faults();
        let [panic, errors] = &faults[..] else { panic!("{faults:?}") };
        assert!(matches!(&panic.kind, FaultKind::Panicked(panic) if panic.message() == "boom"), "{panic}");
        assert!(
            matches!(&errors.kind, FaultKind::Refused(Refusal::Commands(all)) if all.errors.len() == 2),
            "{errors}"
        );
        assert!(errors.to_string().contains("important error"), "{errors}");
    }
    let mut engine = with_dead();
    assert_eq!(panic_of(|| run_once(engine.world_mut(), in_arguments)), "boom", "who runs one system hears the panic");
}

#[test]
fn all_queues_of_a_system_are_applied_whatever_panics_carry() {
    fn queue(a: &mut Commands, b: &mut Commands, c: &mut Commands) {
        for commands in [a, b, c] {
            commands.run(|_: &mut World| throw());
            commands.spawn(());
        }
    }
    let mut engine = Engine::new();
    engine.schedule_mut().set_policy(FaultPolicy::Skip);
    engine.add(queue).unwrap();
    quietly(|| engine.run_frames(1)).unwrap();
    assert_eq!(engine.world().alive(), 3);
    let mut faults = engine.faults();
    assert_eq!(faults.len(), 1);
    let FaultKind::Panicked(panic) = faults.remove(0).into_facts().kind else { panic!("no panic") };
    let payload = panic.into_payload();
    assert_eq!(payload.downcast_ref::<Spiky>().unwrap().0, "thrown");
    assert_eq!(panic_of(|| drop(payload)), "thrown");
}

#[test]
fn faults_are_dropped_whatever_their_panics_carry() {
    let mut engine = Engine::new();
    engine.schedule_mut().set_policy(FaultPolicy::Skip);
    engine.add(throw).unwrap();
    quietly(|| engine.run_frames(3_000)).unwrap();
    assert_eq!(engine.faults_dropped(), 3_000 - 1_024);
    quietly(|| drop(engine.faults()));
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.set_policy(FaultPolicy::Skip);
    schedule.add_all(&mut world, (throw, throw)).unwrap();
    quietly(|| schedule.run(&mut world)).unwrap();
}

#[test]
fn all_faults_are_judged_whatever_the_panics_of_handlers_carry() {
    let mut engine = Engine::new();
    for name in ["one", "two", "three"] {
        let handler = |_: &phalanx_schedule::Fault| std::panic::panic_any(Spiky("handler"));
        engine.add(|| Err::<(), _>("no")).unwrap().named(name).handle_faults(handler);
    }
    engine.add(|| Err::<(), _>("no")).unwrap().named("four").on_fault(FaultPolicy::Disable);
    let caught = quietly(|| catch_unwind(AssertUnwindSafe(|| engine.run_frames(1)))).unwrap_err();
    assert_eq!(caught.downcast_ref::<Spiky>().unwrap().0, "handler");
    std::mem::forget(caught);
    assert_eq!(engine.faults().len(), 4);
    assert!(!engine.schedule().info("four").unwrap().enabled);
}

#[test]
fn a_handler_that_panics_over_a_condition_of_a_group_loses_no_fault() {
    fn broken() -> bool {
        panic!("no answer");
    }
    let mut engine = Engine::new();
    engine.group("Life").only_if(broken).unwrap();
    engine.handle_faults(|_| std::panic::panic_any("handler"));
    for _ in 0..2 {
        assert_eq!(panic_of(|| engine.run_frames(1)), "handler");
    }
    let faults = engine.faults();
    assert!(faults.len() == 2 && faults.iter().all(|fault| fault.is_condition && fault.system == "broken"));
}

#[test]
fn a_run_in_which_a_handler_panics_counts() {
    let mut engine = Engine::new();
    engine.add(|| Err::<(), _>("no")).unwrap();
    engine.handle_faults(|_| std::panic::panic_any("handler"));
    for _ in 0..3 {
        assert_eq!(panic_of(|| engine.run_frames(1)), "handler");
    }
    assert_eq!(engine.faults().iter().map(|fault| fault.run).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_point_whose_condition_fails_holds_back_what_was_queued() {
    #[derive(Resource)]
    struct Missing;
    fn broken() -> bool {
        panic!("no answer");
    }
    fn needs(_: Res<Missing>) -> bool {
        true
    }
    fn spawn(commands: &mut Commands) {
        commands.spawn(());
    }
    fn none(all: Query<Entity>) {
        assert_eq!(all.count(), 0);
    }
    for at in 0..2 {
        let mut engine = Engine::new();
        engine.schedule_mut().set_policy(FaultPolicy::Skip);
        engine.add(spawn).unwrap();
        match at {
            0 => engine.add(ApplyQueued).unwrap().run_if(broken).unwrap(),
            _ => engine.add(ApplyQueued).unwrap().run_if(needs).unwrap(),
        };
        engine.add(none).unwrap();
        quietly(|| engine.run_frames(1)).unwrap();
        let faults = engine.faults();
        assert!(faults.len() == 1 && faults[0].condition.is_some(), "{faults:?}");
        assert_eq!(engine.world().alive(), 1, "applied at the end of the group");
    }
}
