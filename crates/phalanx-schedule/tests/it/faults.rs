//! Systems that fail.

use crate::ways::WAYS;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, FaultPolicy, IntoCondition, IntoSystem, Local, Res, Schedule};
use std::sync::{Arc, Mutex};

#[derive(Resource)]
struct Count(u32);
#[derive(Resource)]
struct Missing;

fn boom() {
    panic!("boom");
}
fn count(mut count: ResMut<Count>) {
    count.0 += 1;
}

pub fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = act();
    std::panic::set_hook(hook);
    result
}

#[test]
fn a_panic_names_its_system_and_the_others_of_the_stage_still_run() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Count(0));
    schedule.add(&mut world, boom).unwrap();
    schedule.add(&mut world, count).unwrap();
    let fault = quietly(|| schedule.run(&mut world)).unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("error[S006]: system `boom` of group `Update` failed\n  found: it panicked: boom")
    );
    assert_eq!(world.resource::<Count>().unwrap().0, 1);
    world.validate().unwrap();
}

#[test]
fn a_missing_resource_is_named_with_what_to_do() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, |_: Res<Missing>| ()).unwrap();
    let fault = schedule.run(&mut world).unwrap_err().to_string();
    assert!(
        fault.contains("needs resource `Missing`") && fault.contains("world.insert_resource::<Missing>(…)"),
        "{fault}"
    );
}

#[test]
fn a_disabled_system_does_not_fail_twice_and_a_skipped_one_does() {
    let mut engine = Engine::new();
    engine.add(boom).unwrap().on_fault(FaultPolicy::Disable);
    quietly(|| engine.run_frames(3)).unwrap();
    assert_eq!(engine.faults().len(), 1);
    let mut engine = Engine::new();
    engine.add(boom).unwrap().on_fault(FaultPolicy::Skip);
    quietly(|| engine.run_frames(3)).unwrap();
    assert_eq!(engine.faults().len(), 3);
}

#[test]
fn a_handler_is_asked_at_the_end_of_the_stage_in_its_order_on_any_number_of_threads() {
    fn slow() -> Result<(), &'static str> {
        std::thread::sleep(std::time::Duration::from_millis(5));
        Err("slow")
    }
    #[expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]
    fn kill(dead: Query<Entity>, commands: &mut Commands) {
        dead.iter().for_each(|entity| [0, 1].into_iter().for_each(|_| commands.despawn(entity)));
    }
    fn quick() -> Result<(), &'static str> {
        Err("quick")
    }
    for way in WAYS {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        #[cfg(feature = "parallel")]
        schedule.set_pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap()));
        way.set(&mut schedule);
        world.insert_resource(Count(0));
        world.spawn(());
        schedule.add(&mut world, slow).unwrap();
        schedule.add(&mut world, kill).unwrap();
        schedule.add(&mut world, quick).unwrap();
        schedule.add(&mut world, count).unwrap().after_applied(kill).unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        schedule.handle_faults(move |fault| {
            log.lock().unwrap().push(fault.system.clone());
            if fault.system == "kill" { FaultPolicy::Stop } else { FaultPolicy::Skip }
        });
        let fault = schedule.run(&mut world).unwrap_err();
        assert_eq!(fault.system, "kill");
        assert_eq!(*asked.lock().unwrap(), ["slow", "kill", "quick"], "{way:?}");
        assert_eq!(world.resource::<Count>().unwrap().0, 0, "the next stage does not run");
        assert_eq!(world.alive(), 0, "what was queued is applied before");
    }
}

#[test]
fn a_system_that_has_a_handler_or_a_policy_does_not_ask_that_of_the_schedule() {
    let mut engine = Engine::new();
    engine.handle_faults(|fault| {
        assert_eq!(fault.system, "third");
        FaultPolicy::Disable
    });
    let fails = || Err::<(), _>("no");
    engine.add(fails).unwrap().named("first").handle_faults(|_| FaultPolicy::Skip);
    engine.add(fails).unwrap().named("second").on_fault(FaultPolicy::Skip);
    engine.add(fails).unwrap().named("third");
    engine.run_frames(2).unwrap();
    let names: Vec<_> = engine.faults().into_iter().map(|fault| fault.system.clone()).collect();
    assert_eq!(names, ["first", "second", "third", "first", "second"]);
    engine.schedule_mut().set_policy(FaultPolicy::Stop);
    engine.schedule_mut().enable("third").unwrap();
    assert_eq!(engine.run_frames(1).unwrap_err().system, "third", "what was said last counts");
}

#[test]
fn a_handler_that_panics_leaves_a_schedule_that_can_be_run() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Count(0));
    schedule.add(&mut world, boom).unwrap();
    schedule.add(&mut world, count).unwrap();
    schedule.handle_faults(|_| panic!("the handler too"));
    let caught = quietly(|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| schedule.run(&mut world))));
    assert!(caught.is_err());
    schedule.handle_faults(|_| FaultPolicy::Disable);
    quietly(|| schedule.run(&mut world)).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(world.resource::<Count>().unwrap().0, 3);
}

#[test]
fn a_handler_judges_conditions_of_groups_too() {
    let mut engine = Engine::new();
    engine.add((|| true).pipe(|_: phalanx_schedule::In<bool>| ())).unwrap().to("Life");
    engine.group("Life").only_if(|_: Res<Missing>| true).unwrap();
    engine.handle_faults(|fault| if fault.is_condition { FaultPolicy::Disable } else { FaultPolicy::Stop });
    engine.run_frames(2).unwrap();
    assert_eq!(engine.faults().len(), 1);
}

#[test]
fn a_fault_fits_where_any_error_does() {
    fn run() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut engine = Engine::new();
        engine.add(|| Err::<(), _>("no"))?;
        engine.run_frames(1)?;
        Ok(())
    }
    assert!(run().unwrap_err().to_string().starts_with("error[S006]"));
}

#[test]
fn a_condition_that_fails_is_named_with_its_system() {
    fn fine() -> bool {
        true
    }
    fn broken() -> bool {
        panic!("boom");
    }
    fn needs(_: Res<Missing>) -> bool {
        true
    }
    fn other() {}
    for way in WAYS {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        way.set(&mut schedule);
        world.insert_resource(Count(0));
        schedule.add(&mut world, count).unwrap().run_if(fine).unwrap().run_if(broken.negated()).unwrap();
        schedule.add(&mut world, other).unwrap();
        let fault = quietly(|| schedule.run(&mut world)).unwrap_err();
        let start = "error[S006]: condition `not broken` of system `count` of group `Update` failed";
        assert!(fault.to_string().starts_with(start), "{fault}");
        assert_eq!((fault.system.as_str(), fault.condition.as_deref()), ("count", Some("not broken")));
        schedule.remove(count).unwrap();
        schedule.add(&mut world, boom).unwrap().run_if(needs).unwrap();
        let fault = schedule.run(&mut world).unwrap_err();
        assert!(fault.to_string().contains("condition `needs` needs resource `Missing`"), "{fault}");
        assert_eq!(fault.condition.as_deref(), Some("needs"));
        world.insert_resource(Missing);
        let fault = quietly(|| schedule.run(&mut world)).unwrap_err();
        assert_eq!((fault.system.as_str(), &fault.condition), ("boom", &None), "now it is the system itself");
    }
}

#[test]
fn of_faults_that_nobody_asks_for_the_last_are_kept_and_the_others_counted() {
    let mut engine = Engine::new();
    engine.add(|| Err::<(), _>("no")).unwrap().to("Often").on_fault(FaultPolicy::Skip);
    engine.run_frames(5_000).unwrap();
    for _ in 0..5_000 {
        engine.run_group("Often").unwrap();
    }
    assert_eq!(engine.faults_dropped(), 10_000 - 1_024);
    let faults = engine.faults();
    assert_eq!((faults.len(), faults[0].run, faults[1_023].run), (1_024, 10_000 - 1_024, 9_999));
    assert!(faults.capacity() < 5_000);
    engine.run_frames(10).unwrap();
    assert_eq!((engine.faults().len(), engine.faults_dropped()), (10, 10_000 - 1_024));
}

#[test]
fn a_fault_of_the_end_is_kept_when_another_ended_the_run() {
    let mut engine = Engine::new();
    engine.add(|| Err::<(), _>("frame")).unwrap().named("frame");
    engine.add_end(|| Err::<(), _>("end")).unwrap().named("end");
    assert_eq!(engine.run().unwrap_err().system, "frame");
    let faults: Vec<String> = engine.faults().iter().map(|fault| fault.system.clone()).collect();
    assert_eq!(faults, ["end"]);
}

#[test]
fn a_handler_that_panics_keeps_no_other_fault_from_being_judged() {
    let mut engine = Engine::new();
    engine.add(|| Err::<(), _>("one")).unwrap().named("one").handle_faults(|_| panic!("handler"));
    engine.add(|| Err::<(), _>("two")).unwrap().named("two").on_fault(FaultPolicy::Disable);
    engine.add(|| Err::<(), _>("three")).unwrap().named("three").on_fault(FaultPolicy::Stop);
    quietly(|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.run_frames(1)))).unwrap_err();
    assert!(!engine.schedule().info("two").unwrap().enabled);
    let faults: Vec<String> = engine.faults().iter().map(|fault| fault.system.clone()).collect();
    assert_eq!(faults, ["one", "two", "three"]);
}

#[test]
fn functions_of_types_and_traits_are_named_by_their_last_word() {
    struct Foo;
    trait Tool {
        fn go();
    }
    impl Tool for Foo {
        fn go() {}
    }
    struct Pair<T>(T);
    impl<T: 'static> Pair<T> {
        fn run() {}
    }
    fn of<T: Component>(_: Query<&T>) {}
    #[derive(Component)]
    struct Health;
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add_all(&mut world, (<Foo as Tool>::go, Pair::<Option<u8>>::run, of::<Health>)).unwrap();
    schedule.add(&mut world, of::<Health> as fn(Query<&'static Health>)).unwrap();
    for name in ["go", "run", "of", "fn(…)"] {
        schedule.find(name).unwrap();
    }
    let _ = (Foo, Pair(Health));
}

#[test]
fn messages_are_the_same_on_any_number_of_threads_with_the_ticks_in_them() {
    fn despawn(mut doomed: Local<Option<Entity>>, commands: &mut Commands) {
        match doomed.take() {
            None => *doomed = Some(commands.spawn(())),
            Some(entity) => {
                commands.despawn(entity);
                commands.despawn(entity);
            }
        }
    }
    let messages = WAYS.iter().map(|way| {
        let mut engine = Engine::new();
        way.set(engine.schedule_mut());
        engine.world_mut().insert_resource(Count(0));
        engine.add(|mut count: ResMut<Count>| count.0 += 1).unwrap();
        // What asks for nothing of the world, or only for queues.
        engine.add(|| ()).unwrap();
        engine.add(|_: &mut Commands| ()).unwrap();
        engine.add(despawn).unwrap().on_fault(FaultPolicy::Skip);
        engine.run_frames(8).unwrap();
        engine.faults().iter().map(ToString::to_string).collect::<Vec<_>>()
    });
    let messages: Vec<Vec<String>> = messages.collect();
    assert!(messages[0].len() == 4 && messages[0][3].contains("at tick "), "{messages:?}");
    assert!(messages.iter().all(|others| *others == messages[0]), "{messages:?}");
}

#[test]
fn how_a_run_goes_on_is_said_where_it_ended_and_nowhere_else() {
    fn load() -> Result<(), &'static str> {
        Err("no such file")
    }
    let mut engine = Engine::new();
    engine.add(load).unwrap();
    let fault = engine.run_frames(1).unwrap_err();
    assert!(fault.stopped && fault.to_string().contains("help: if the run is to go on all the same"), "{fault}");
    engine.schedule_mut().set_policy(FaultPolicy::Skip);
    engine.run_frames(1).unwrap();
    let fault = &engine.faults()[0];
    assert!(!fault.stopped && !fault.to_string().contains("help"), "{fault}");
}

#[test]
fn a_panic_of_a_command_is_not_one_of_its_system() {
    fn spill(commands: &mut Commands) {
        commands.run(|world: &mut World| assert!(world.alive() > 9, "out of paint"));
    }
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, spill).unwrap();
    let fault = quietly(|| schedule.run(&mut world)).unwrap_err();
    let found = "\n  found: a command that it queued panicked when it was applied: out of paint\n";
    assert!(fault.to_string().contains(found), "{fault}");
    let mut schedule = Schedule::new();
    schedule.add(&mut world, boom).unwrap();
    let fault = quietly(|| schedule.run(&mut world)).unwrap_err();
    assert!(fault.to_string().contains("\n  found: it panicked: boom\n"), "{fault}");
}

#[test]
fn what_a_system_queued_before_it_failed_is_applied() {
    fn give_up(commands: &mut Commands) -> Result<(), &'static str> {
        commands.spawn(());
        Err("no more")
    }
    fn break_down(commands: &mut Commands) {
        commands.spawn(());
        boom();
    }
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, give_up).unwrap();
    schedule.add(&mut world, break_down).unwrap();
    quietly(|| schedule.run(&mut world)).unwrap_err();
    assert_eq!(world.alive(), 2);
}
