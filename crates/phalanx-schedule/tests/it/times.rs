//! How long systems take.

use crate::ways::WAYS;
use phalanx_schedule::Engine;
use std::time::Duration;

fn light() {}
fn heavy() {
    std::thread::sleep(Duration::from_millis(1));
}

#[test]
#[cfg_attr(miri, ignore = "no system is light in an interpreter")]
fn of_a_light_system_few_runs_are_timed_and_the_histogram_has_just_those() {
    let mut engine = Engine::new();
    engine.add_all((light, heavy)).unwrap();
    engine.run_frames(50).unwrap();
    let info = engine.schedule().info(light).unwrap();
    assert!(info.runs == 50 && (4..50).contains(&info.timed), "{}", info.timed);
    assert_eq!(info.histogram.count(), info.timed);
    let info = engine.schedule().info(heavy).unwrap();
    assert_eq!((info.timed, info.histogram.count()), (50, 50));
    assert!(info.histogram.quantile(0.5) >= Duration::from_millis(1));
    assert!(info.histogram.quantile(1.0) >= info.longest, "rounded up");
}

#[test]
#[cfg_attr(miri, ignore = "no system is light in an interpreter")]
fn every_run_is_timed_on_request_of_systems_that_are_there_and_of_those_to_come() {
    for way in WAYS {
        let mut engine = Engine::new();
        way.set(engine.schedule_mut());
        engine.add(light).unwrap();
        engine.run_frames(20).unwrap();
        let before = engine.schedule().info(light).unwrap().timed;
        engine.time_every_run(true);
        engine.add(|| ()).unwrap().named("late");
        engine.run_frames(100).unwrap();
        assert_eq!(engine.schedule().info(light).unwrap().timed, before + 100);
        assert_eq!(engine.schedule().info("late").unwrap().histogram.count(), 100);
        engine.time_every_run(false);
        engine.run_frames(100).unwrap();
        assert!(engine.schedule().info("late").unwrap().timed < 190);
    }
}
