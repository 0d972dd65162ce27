//! Systems that fail.

use phalanx_ecs::ResMut;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, FaultPolicy, Res, Schedule};

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
    assert!(fault.contains("needs resource `Missing`") && fault.contains("world.insert_resource("), "{fault}");
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
