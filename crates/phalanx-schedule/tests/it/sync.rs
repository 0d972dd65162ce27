//! Points at which what was queued is applied.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use crate::ways::WAYS;
use phalanx_ecs::prelude::*;
use phalanx_schedule::{ApplyQueued, Engine, Idle, Res, Schedule};

#[derive(Resource)]
struct Seen(Vec<usize>);
#[derive(Resource)]
struct Open(bool);

fn spawn(commands: &mut Commands) {
    commands.spawn(());
}
fn count(all: Query<Entity>, mut seen: ResMut<Seen>) {
    seen.0.push(all.count());
}
fn count_again(all: Query<Entity>, mut seen: ResMut<Seen>) {
    seen.0.push(all.count());
}
fn is_open(open: Res<Open>) -> bool {
    open.0
}

/// Spawn and count, with a point between them.
fn with_point() -> (Schedule, World) {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Seen(Vec::new()));
    schedule.add(&mut world, count).unwrap();
    schedule.add(&mut world, spawn).unwrap();
    schedule.add(&mut world, ApplyQueued).unwrap().after(spawn).unwrap().before(count).unwrap();
    (schedule, world)
}

fn seen(schedule: &mut Schedule, world: &mut World) -> Vec<usize> {
    schedule.run(world).expect("nothing fails");
    std::mem::take(&mut world.resource_mut::<Seen>().expect("inserted").0)
}

#[test]
fn what_was_queued_before_a_point_is_seen_behind_it() {
    for way in WAYS {
        let (mut schedule, mut world) = with_point();
        way.set(&mut schedule);
        assert_eq!(seen(&mut schedule, &mut world), [1]);
        schedule.remove(ApplyQueued).unwrap();
        schedule.order(spawn, count).unwrap();
        assert_eq!(
            seen(&mut schedule, &mut world),
            [1],
            "without it, only what was applied at the end of the last run"
        );
        assert_eq!(seen(&mut schedule, &mut world), [2]);
    }
}

#[test]
fn without_edges_a_point_stands_where_it_was_added() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Seen(Vec::new()));
    schedule.add(&mut world, spawn).unwrap();
    schedule.add(&mut world, count).unwrap();
    schedule.add(&mut world, ApplyQueued).unwrap();
    schedule.add(&mut world, count_again).unwrap();
    assert_eq!(seen(&mut schedule, &mut world), [0, 1]);
    assert_eq!(schedule.stages("Update").iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn a_point_that_does_not_run_leaves_what_was_queued_to_the_next_one() {
    let (mut schedule, mut world) = with_point();
    schedule.disable(ApplyQueued).unwrap();
    assert_eq!(seen(&mut schedule, &mut world), [0]);
    assert_eq!(schedule.why_idle(ApplyQueued).unwrap(), Idle::Disabled);
    schedule.enable(ApplyQueued).unwrap();
    assert_eq!(seen(&mut schedule, &mut world), [2]);
    schedule.sleep(ApplyQueued, Some("nothing to do")).unwrap();
    assert_eq!(seen(&mut schedule, &mut world), [2]);
    schedule.sleep(ApplyQueued, None).unwrap();
    schedule.add(&mut world, ApplyQueued).unwrap().named("last").after(count).unwrap();
    schedule.add(&mut world, count_again).unwrap().after("last").unwrap();
    schedule.disable("ApplyQueued").unwrap();
    assert_eq!(seen(&mut schedule, &mut world), [3, 4]);
}

#[test]
fn a_point_can_have_a_condition() {
    for way in WAYS {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        way.set(&mut schedule);
        world.insert_resource(Seen(Vec::new()));
        world.insert_resource(Open(false));
        schedule.add(&mut world, spawn).unwrap();
        schedule.add(&mut world, ApplyQueued).unwrap().run_if(is_open).unwrap();
        schedule.add(&mut world, count).unwrap();
        assert_eq!(seen(&mut schedule, &mut world), [0]);
        world.insert_resource(Open(true));
        assert_eq!(seen(&mut schedule, &mut world), [2]);
    }
}

#[test]
fn who_asks_for_what_another_queued_gets_it_though_a_point_between_them_is_held_back() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Seen(Vec::new()));
    schedule.add(&mut world, spawn).unwrap();
    schedule.add(&mut world, ApplyQueued).unwrap();
    schedule.add(&mut world, count).unwrap().after_applied(spawn).unwrap();
    schedule.disable(ApplyQueued).unwrap();
    assert_eq!(seen(&mut schedule, &mut world), [1]);
}

#[test]
fn a_point_is_a_system_for_edges_and_for_the_engine() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Seen(Vec::new()));
    engine.add(spawn).unwrap().to("Life");
    engine.add(ApplyQueued).unwrap().to("Life").after(spawn).unwrap();
    engine.add(count).unwrap().to("Life").after(ApplyQueued).unwrap();
    assert!(engine.schedule_mut().order(count, spawn).unwrap_err().to_string().contains("ApplyQueued → count"));
    engine.run_frames(2).unwrap();
    assert_eq!(engine.world().resource::<Seen>().unwrap().0, [1, 2]);
}

#[test]
fn a_point_is_in_the_pictures_with_what_it_applies() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    world.insert_resource(Seen(Vec::new()));
    schedule.add(&mut world, spawn).unwrap();
    schedule.add(&mut world, count).unwrap();
    schedule.add(&mut world, ApplyQueued).unwrap();
    schedule.add(&mut world, count_again).unwrap();
    let picture = schedule.mermaid("Update");
    let lines: Vec<&str> = picture.lines().skip(1).map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "s0[\"spawn\"]",
            "s1[\"count\"]",
            "s2{{\"ApplyQueued\"}}",
            "s3[\"count_again\"]",
            "s0 -- applied --> s2",
            "s1 -.-> s2",
            "s2 -.-> s3",
        ]
    );
    let dot = schedule.dot("Update");
    assert!(dot.contains("s2 [label=\"ApplyQueued\", shape=hexagon];"), "{dot}");
    assert!(dot.contains("s0 -> s2 [label=\"applied\"];") && dot.contains("s2 -> s3 [style=dotted];"), "{dot}");
    schedule.run(&mut world).unwrap();
    let path: Vec<_> = schedule.critical_path("Update").into_iter().map(|(id, _)| id).collect();
    assert_eq!(path[1..], [schedule.find(ApplyQueued).unwrap(), schedule.find(count_again).unwrap()]);
}
