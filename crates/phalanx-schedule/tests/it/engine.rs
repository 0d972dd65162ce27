//! The loop: start, frames, end.

use phalanx_ecs::ResMut;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Res, Stopper, Time};

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.add_start(|mut log: ResMut<Log>| log.0.push("start")).unwrap();
    engine.add_end(|mut log: ResMut<Log>| log.0.push("end")).unwrap();
    engine
}

fn log(engine: &Engine) -> &[&'static str] {
    &engine.world().resource::<Log>().unwrap().0
}

#[test]
fn a_run_has_a_start_frames_and_an_end() {
    let mut engine = engine();
    engine
        .add(|time: Time, mut log: ResMut<Log>, stopper: Res<Stopper>| {
            log.0.push("frame");
            if time.count() == 1 {
                stopper.stop();
            }
        })
        .unwrap();
    engine.run().unwrap();
    assert_eq!(log(&engine), ["start", "frame", "frame", "end"]);
}

#[test]
fn the_end_runs_after_a_fault_too() {
    let mut engine = engine();
    engine.add(|| -> Result<(), &str> { Err("no") }).unwrap();
    assert!(engine.run().unwrap_err().to_string().contains("it returned: no"));
    assert_eq!(log(&engine), ["start", "end"]);
}

#[test]
fn somebody_else_can_stop_it() {
    let mut engine = engine();
    let stopper = engine.stopper();
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(20));
        stopper.stop();
    });
    engine.set_frame_limit(Some(500.0));
    engine.run().unwrap();
    waiting.join().unwrap();
    assert!((1..=30).contains(&engine.frame_count()), "{} frames", engine.frame_count());
    assert_eq!(log(&engine), ["start", "end"]);
}
