//! Groups with a pace of their own, and the time.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, FaultPolicy, Local, Reader, Time, as_long_as, every_nth, fixed, manual};
use std::time::Duration;

#[derive(Resource, Default)]
struct Log(Vec<(&'static str, Duration)>);

fn engine_with(paces: &[(&'static str, phalanx_schedule::Pace)]) -> Engine {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    for (name, pace) in paces {
        let name: &'static str = name;
        engine.group(name).pace(*pace).unwrap();
        engine.add(move |time: Time, mut log: ResMut<Log>| log.0.push((name, time.elapsed()))).unwrap().to(name);
    }
    engine
}

fn counts(engine: &Engine, name: &str) -> usize {
    engine.world().resource::<Log>().unwrap().0.iter().filter(|(other, _)| *other == name).count()
}

#[test]
fn groups_run_at_their_own_pace() {
    let mut engine =
        engine_with(&[("fast", fixed(120.0)), ("slow", fixed(10.0)), ("third", every_nth(3)), ("asked", manual())]);
    engine.run_frames(60).unwrap();
    assert_eq!(["fast", "slow", "third", "asked"].map(|name| counts(&engine, name)), [120, 10, 20, 0]);
    engine.run_group("asked").unwrap();
    assert_eq!(counts(&engine, "asked"), 1);
}

#[test]
fn a_fixed_step_does_not_drift() {
    let mut engine = engine_with(&[("physics", fixed(60.0))]);
    engine.run_frames(3600).unwrap();
    let log = &engine.world().resource::<Log>().unwrap().0;
    assert_eq!((log.len(), log.last().unwrap().1), (3600, Duration::from_mins(1)));
    assert_eq!(engine.elapsed(), Duration::from_mins(1));
}

#[test]
fn a_late_frame_is_caught_up_with_up_to_a_bound() {
    let mut engine = engine_with(&[("physics", fixed(100.0))]);
    engine.set_catch_up(5);
    engine.run_frame(Duration::from_millis(30)).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.given_up()), (3, 0));
    engine.run_frame(Duration::from_secs(1)).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.given_up()), (8, 95));
    engine.run_frame(Duration::from_millis(10)).unwrap();
    assert_eq!(counts(&engine, "physics"), 9);
}

#[test]
fn a_paused_engine_keeps_its_state_and_can_be_stepped() {
    let mut engine = engine_with(&[("physics", fixed(60.0))]);
    engine.run_frames(3).unwrap();
    engine.pause();
    engine.run_frames(10).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.frame_count()), (3, 3));
    engine.step();
    engine.run_frames(10).unwrap();
    assert_eq!(counts(&engine, "physics"), 4);
    engine.play();
    engine.run_frames(2).unwrap();
    assert_eq!(counts(&engine, "physics"), 6);
}

#[test]
fn time_can_pass_slower() {
    let mut engine = engine_with(&[("physics", fixed(60.0))]);
    engine.set_time_scale(0.5);
    engine.run_frames(60).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.elapsed()), (30, Duration::from_millis(500)), "half of it");
    engine.set_time_scale(f64::NAN);
    let before = engine.elapsed();
    engine.run_frames(5).unwrap();
    assert_eq!(engine.elapsed(), before);
}

#[test]
fn paces_that_are_none_are_refused_and_the_group_keeps_its_own() {
    let mut engine = engine_with(&[("physics", fixed(60.0))]);
    for pace in [fixed(0.0), fixed(-1.0), fixed(f64::NAN), fixed(1e9), every_nth(0)] {
        assert!(engine.group("physics").pace(pace).is_err());
    }
    engine.run_frames(60).unwrap();
    assert_eq!(counts(&engine, "physics"), 60);
}

#[test]
fn a_pace_that_is_changed_goes_on_from_now() {
    let mut engine = engine_with(&[("physics", fixed(60.0))]);
    engine.run_frames(600).unwrap();
    engine.group("physics").pace(fixed(1.0)).unwrap();
    engine.run_frames(3600).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.given_up()), (660, 0), "once a second for a minute");
    engine.group("physics").pace(fixed(120.0)).unwrap();
    engine.run_frames(1).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.given_up()), (662, 0));
    engine.group("physics").pace(manual()).unwrap();
    engine.run_frames(600).unwrap();
    engine.group("physics").pace(fixed(120.0)).unwrap();
    engine.run_frames(1).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.given_up()), (664, 0), "the break is not made up for");
}

#[test]
fn a_fixed_group_that_is_made_late_is_in_step_at_once() {
    let mut engine = engine_with(&[]);
    engine.run_frames(216_000).unwrap();
    engine.group("physics").pace(fixed(60.0)).unwrap();
    engine.add(|time: Time, mut log: ResMut<Log>| log.0.push(("physics", time.elapsed()))).unwrap().to("physics");
    engine.run_frames(1).unwrap();
    assert_eq!((counts(&engine, "physics"), engine.given_up()), (1, 0));
    assert_eq!(engine.world().resource::<Log>().unwrap().0[0].1, engine.elapsed());
}

#[test]
fn a_pace_that_is_set_again_keeps_the_steps_that_are_due() {
    let mut engine = engine_with(&[("physics", fixed(100.0))]);
    engine.add(|time: Time| if time.count() == 1 { Err("once") } else { Ok(()) }).unwrap().to("physics");
    engine.run_frame(Duration::from_millis(40)).unwrap_err();
    assert_eq!(counts(&engine, "physics"), 2);
    engine.group("physics").pace(fixed(100.0)).unwrap();
    engine.run_frame(Duration::ZERO).unwrap();
    assert_eq!(counts(&engine, "physics"), 4);
}

#[test]
fn time_that_is_too_much_ends_at_the_longest_there_is() {
    let mut engine = engine_with(&[("physics", fixed(999_999.999_999)), ("slow", fixed(0.000_001))]);
    engine.set_time_scale(1e300);
    engine.run_frames(3).unwrap();
    assert_eq!(engine.elapsed(), Duration::from_secs(50_000), "a million times faster");
    engine.run_frame(Duration::MAX).unwrap();
    engine.set_time_scale(1.0);
    engine.run_frame(Duration::MAX).unwrap();
    assert_eq!((engine.elapsed(), engine.given_up()), (Duration::MAX, u64::MAX));
    assert_eq!(engine.frame_count(), 5);
}

#[test]
fn scaled_time_does_not_drift() {
    let mut engine = engine_with(&[("physics", fixed(60.0))]);
    engine.set_time_scale(0.1);
    engine.run_frames(216_000).unwrap();
    assert_eq!((engine.elapsed(), counts(&engine, "physics")), (Duration::from_mins(6), 21_600), "of an hour");
    let mut engine = engine_with(&[]);
    engine.set_time_scale(1.0 / 3.0);
    for _ in 0..300_000 {
        engine.run_frame(Duration::from_nanos(2)).unwrap();
    }
    assert_eq!(engine.elapsed(), Duration::from_micros(200));
}

#[derive(Resource, Default)]
struct Asked(Vec<(Duration, u64)>);

#[test]
fn a_group_runs_as_long_as_somebody_says_so() {
    fn thrice(world: &mut World, passed: Duration, runs: u64) -> bool {
        world.init_resource::<Asked>().0.push((passed, runs));
        runs < 3
    }
    fn count(time: Time, mut runs: Local<u64>) {
        assert_eq!((time.count(), time.step_duration()), (*runs, Duration::from_millis(20)));
        *runs += 1;
    }
    let mut engine = Engine::new();
    engine.group("Asking").pace(as_long_as(thrice)).expect("a pace");
    engine.add(count).expect("no conflict").to("Asking");
    for _ in 0..2 {
        engine.run_frame(Duration::from_millis(20)).expect("no fault");
    }
    assert_eq!(engine.schedule().info(count).expect("there").runs, 6);
    let asked = (0..2).flat_map(|_| 0..4).map(|runs| (Duration::from_millis(20), runs));
    assert!(engine.world().resource::<Asked>().expect("there").0.iter().copied().eq(asked));
    engine.group("Asking").disable();
    engine.run_frames(1).expect("no fault");
    assert_eq!(engine.world().resource::<Asked>().expect("there").0.len(), 8, "a disabled group is not asked for");
}

#[test]
fn who_panics_when_asked_for_a_run_is_a_fault_of_the_group() {
    fn bad(_: &mut World, _: Duration, runs: u64) -> bool {
        assert!(runs < 1, "no more");
        true
    }
    fn work() {}
    let mut engine = Engine::new();
    engine.group("Asking").pace(as_long_as(bad)).expect("a pace");
    engine.add(work).expect("no conflict").to("Asking");
    let fault = engine.run_frame(Duration::ZERO).expect_err("it panics").to_string();
    assert!(fault.contains("`Asking`") && fault.contains("no more"), "{fault}");
    assert_eq!(engine.schedule().info(work).expect("there").runs, 1);
    engine.schedule_mut().set_policy(FaultPolicy::Disable);
    engine.run_frame(Duration::ZERO).expect("no fault that stops");
    engine.run_frame(Duration::ZERO).expect("no fault that stops");
    assert_eq!((engine.schedule().info(work).expect("there").runs, engine.faults().len()), (2, 1));
}

#[test]
fn who_panics_when_asked_whom_a_group_has_served_is_a_fault_of_the_group() {
    fn once(_: &mut World, _: Duration, runs: u64) -> bool {
        runs < 1
    }
    fn unknown(_: &mut World) -> bool {
        panic!("nobody knows")
    }
    let mut engine = Engine::new();
    engine.group("Asking").pace(as_long_as(once).served_when(unknown)).expect("a pace");
    engine.add(|| ()).expect("no conflict").to("Asking");
    let fault = engine.run_frame(Duration::ZERO).expect_err("it panics").to_string();
    assert!(fault.contains("`Asking`") && fault.contains("nobody knows"), "{fault}");
    engine.schedule_mut().set_policy(FaultPolicy::Skip);
    engine.run_frame(Duration::ZERO).expect("no fault that stops");
    assert_eq!(engine.faults().len(), 1);
}

#[test]
fn time_may_come_to_its_end() {
    let mut clock = phalanx_schedule::Pacer::new("it", fixed(60.0)).expect("a pace");
    clock.pass(Duration::MAX);
    while clock.begin_step().is_some() {}
    clock.ask(1);
    assert!(clock.begin_step().is_some());
}

#[test]
fn what_keeps_a_group_from_running_is_not_asked_again_and_does_not_count() {
    fn twice(world: &mut World, passed: Duration, runs: u64) -> bool {
        world.init_resource::<Asked>().0.push((passed, runs));
        runs < 2
    }
    fn note(time: Time, mut counts: ResMut<'_, Counts>) {
        counts.0.push(time.count());
    }
    #[derive(Resource, Default)]
    struct Counts(Vec<u64>);
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Counts::default());
    let mut asked = 0;
    let every_third_not = move || {
        asked += 1;
        asked % 3 != 0
    };
    engine.group("Asking").pace(as_long_as(twice)).expect("a pace").only_if(every_third_not).expect("a condition");
    engine.add(note).expect("no conflict").to("Asking");
    for _ in 0..4 {
        engine.run_frame(Duration::ZERO).expect("no fault");
    }
    let runs: Vec<u64> = engine.world().resource::<Asked>().expect("there").0.iter().map(|(_, runs)| *runs).collect();
    assert_eq!(runs, [0, 1, 2, 0, 0, 1, 2, 0], "a frame in which it was held ends there");
    assert_eq!(engine.world().resource::<Counts>().expect("there").0, [0, 1, 2, 3]);
}

#[derive(Event)]
struct Hit;

#[test]
fn events_do_not_wait_for_a_group_that_nobody_asks_for() {
    fn never(_: &mut World, _: Duration, _: u64) -> bool {
        false
    }
    fn hear(mut hits: Reader<'_, Hit>) {
        hits.read().count();
    }
    for disabled in [true, false] {
        let mut engine = Engine::new();
        engine.group("Asking").pace(as_long_as(never)).expect("a pace");
        engine.add(hear).expect("no conflict").to("Asking");
        if disabled {
            engine.group("Asking").disable();
        }
        for _ in 0..100 {
            engine.world_mut().send(Hit);
            engine.run_frames(1).expect("no fault");
        }
        assert!(engine.world().events::<Hit>().len() < 3, "disabled: {disabled}");
    }
}
