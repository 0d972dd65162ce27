//! The loop: start, frames, end.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Local, Res, Stopper, Time};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
        std::thread::sleep(Duration::from_millis(20));
        stopper.stop();
    });
    engine.set_frame_limit(Some(500.0));
    engine.run().unwrap();
    waiting.join().unwrap();
    assert!((1..=30).contains(&engine.frame_count()), "{} frames", engine.frame_count());
    assert_eq!(log(&engine), ["start", "end"]);
}

#[test]
fn a_stop_that_was_asked_for_before_ends_the_run_at_once_and_no_other() {
    let mut engine = engine();
    engine
        .add(|mut log: ResMut<Log>, stopper: Res<Stopper>| {
            log.0.push("frame");
            stopper.stop();
        })
        .unwrap();
    engine.stopper().stop();
    engine.run().unwrap();
    assert_eq!(
        (log(&engine), engine.stopper().is_stopped()),
        (&[""; 0][..], false),
        "there was no start, so there is no end"
    );
    engine.run().unwrap();
    assert_eq!(log(&engine), ["start", "frame", "end"], "the next one runs");
    engine.run_frames(1).unwrap();
    engine.run().unwrap();
    assert_eq!(log(&engine)[3..], ["start", "frame", "end"], "what was started by a frame before comes to its end");
}

#[test]
fn frames_that_are_stopped_say_how_many_ran_and_leave_the_end_to_others() {
    let mut engine = engine();
    engine
        .add(|time: Time, stopper: Res<Stopper>| {
            if time.count() % 5 == 4 {
                stopper.stop();
            }
        })
        .unwrap();
    assert_eq!(engine.run_frames(3).unwrap(), 3);
    assert_eq!(engine.run_frames(10).unwrap(), 2);
    assert_eq!(engine.run_frames(5).unwrap(), 5, "asked for in the last one, it ended none");
    assert!(engine.stopper().is_stopped());
    assert_eq!(engine.run_frames(0).unwrap(), 0);
    assert!(engine.stopper().is_stopped(), "what runs nothing is not stopped");
    assert_eq!((engine.run_frames(4).unwrap(), engine.frame_count()), (0, 10));
    assert_eq!((engine.run_frames(4).unwrap(), engine.frame_count()), (4, 14));
    assert_eq!(log(&engine), ["start"]);
}

#[test]
fn the_end_uses_up_a_stop_so_that_who_runs_frames_one_by_one_can_begin_anew() {
    let mut engine = engine();
    engine.add(|stopper: Res<Stopper>| stopper.stop()).unwrap();
    while !engine.stopper().is_stopped() {
        engine.run_frame(Duration::from_millis(10)).unwrap();
    }
    engine.finish().unwrap();
    assert!(!engine.stopper().is_stopped());
    assert_eq!(engine.run_frames(1).unwrap(), 1);
    assert_eq!(log(&engine), ["start", "end", "start"]);
}

/// Stops an engine when this much time is over.
fn stop_after(engine: &Engine, time: Duration) {
    let stopper = engine.stopper();
    std::thread::spawn(move || {
        std::thread::sleep(time);
        stopper.stop();
    });
}

#[test]
fn after_a_stall_frames_keep_their_distance() {
    let mut engine = Engine::new();
    engine.set_frame_limit(Some(200.0));
    let (begun, ends) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
    let noted = ends.clone();
    let frame = move |time: Time, stopper: Res<Stopper>| {
        if time.count() == 1 {
            std::thread::sleep(Duration::from_millis(200));
        }
        noted.lock().unwrap().push(begun.elapsed());
        if time.count() == 20 {
            stopper.stop();
        }
    };
    engine.add(frame).unwrap();
    engine.run().unwrap();
    let ends = ends.lock().unwrap();
    let took = ends[20].saturating_sub(ends[1]);
    assert!(took >= Duration::from_millis(85), "19 frames of 5 ms took {took:?}");
}

#[test]
fn a_stop_is_seen_while_the_next_frame_is_waited_for() {
    let mut engine = engine();
    engine.set_frame_limit(Some(0.2));
    stop_after(&engine, Duration::from_millis(30));
    let begun = Instant::now();
    engine.run().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!((log(&engine), engine.frame_count()), (&["start", "end"][..], 1));
}

#[test]
fn a_run_that_is_paused_rests() {
    let mut engine = engine();
    engine.pause();
    stop_after(&engine, Duration::from_millis(100));
    let begun = Instant::now();
    engine.run().unwrap();
    let (frames, took) = (engine.stats().frames(), begun.elapsed());
    assert!(frames > 0 && u128::from(frames) <= took.as_millis() + 1, "{frames} frames in {took:?}");
}

#[test]
fn a_start_that_failed_is_run_again() {
    let mut engine = engine();
    let no_file = |mut tries: Local<u32>| {
        *tries += 1;
        if *tries < 3 { Err("no file") } else { Ok(()) }
    };
    engine.add_start(no_file).unwrap();
    engine
        .add(|mut log: ResMut<Log>, stopper: Res<Stopper>| {
            log.0.push("frame");
            stopper.stop();
        })
        .unwrap();
    engine.run_frames(1).unwrap_err();
    assert_eq!((log(&engine), engine.frame_count()), (&["start"][..], 0));
    engine.run().unwrap_err();
    assert_eq!(log(&engine)[1..], ["start", "end"], "a run ends what it tried to start");
    engine.run().unwrap();
    assert_eq!(log(&engine)[3..], ["start", "frame", "end"]);
}
