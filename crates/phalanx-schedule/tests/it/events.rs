//! Events in engines: kept until whoever reads them has had its turn, and not longer.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Losses, Reader, Writer, every_nth, fixed, manual};

#[derive(Event)]
struct Hit(u32);
#[derive(Resource, Default)]
struct Seen(Vec<u32>, u64);
#[derive(Component)]
struct Shield;

fn read(mut hits: Reader<Hit>, mut seen: ResMut<Seen>) {
    seen.0.extend(hits.read().map(|hit| hit.0));
    seen.1 += hits.missed();
}

fn send(mut hits: Writer<Hit>, mut next: phalanx_schedule::Local<u32>) {
    *next += 1;
    hits.send(Hit(*next));
}

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Seen::default());
    engine
}

#[track_caller]
fn assert_all_seen(engine: &Engine, at_least: u32) {
    let seen = engine.world().resource::<Seen>().unwrap();
    assert_eq!(seen.1, 0, "missed");
    assert!(seen.0.iter().copied().eq(1..=u32::try_from(seen.0.len()).unwrap()), "each once, in order");
    assert!(seen.0.len() >= at_least as usize, "{}", seen.0.len());
}

#[test]
fn events_of_frames_that_are_over_go() {
    for before in [false, true] {
        let mut engine = engine();
        if before {
            engine.add(read).unwrap();
            engine.add(send).unwrap();
        } else {
            engine.add(send).unwrap();
            engine.add(read).unwrap();
        }
        engine.run_frames(1000).unwrap();
        assert!(engine.world().events::<Hit>().len() <= 2);
        assert_all_seen(&engine, 999);
    }
}

#[test]
fn who_reads_seldom_sees_all_events_and_no_more_are_kept_than_that_takes() {
    for (pace, kept) in [(every_nth(10), 20), (fixed(7.0), 20), (fixed(240.0), 2)] {
        let mut engine = engine();
        engine.group("Slow").pace(pace).unwrap();
        engine.add(send).unwrap();
        engine.add(read).unwrap().to("Slow");
        engine.run_frames(1000).unwrap();
        let left = engine.world().events::<Hit>().len();
        assert!(left <= kept, "{left}");
        assert_all_seen(&engine, 980);
    }
}

#[test]
fn groups_that_do_not_read_or_do_not_run_keep_no_events() {
    let mut engine = engine();
    engine.group("Slow").pace(every_nth(500)).unwrap();
    engine.add(|| {}).unwrap().to("Slow");
    engine.group("By hand").pace(manual()).unwrap();
    engine.add(read).unwrap().to("By hand");
    engine.group("Off").disable();
    engine.add(|_: Losses<Shield>| {}).unwrap().to("Off");
    engine.add(send).unwrap();
    engine.run_frames(300).unwrap();
    assert!(engine.world().events::<Hit>().len() <= 2);
}
