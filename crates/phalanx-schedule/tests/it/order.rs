//! Order, edges and lookups.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{IntoSystem, OrderError, Schedule};

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

fn a(mut log: ResMut<Log>) {
    log.0.push("a");
}
fn b(mut log: ResMut<Log>) {
    log.0.push("b");
}
fn c(mut log: ResMut<Log>) {
    log.0.push("c");
}

fn logged() -> (Schedule, World) {
    let mut world = World::new();
    world.insert_resource(Log::default());
    (Schedule::new(), world)
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<&'static str> {
    schedule.run(world).expect("nothing fails");
    std::mem::take(&mut world.resource_mut::<Log>().expect("there").0)
}

#[test]
fn without_edges_systems_run_as_they_were_added() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, c).unwrap();
    schedule.add(&mut world, a).unwrap();
    schedule.add(&mut world, b).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["c", "a", "b"]);
}

#[test]
fn edges_go_before_the_order_of_adding_and_may_come_and_go_between_runs() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, a).unwrap();
    schedule.add(&mut world, b).unwrap();
    schedule.add(&mut world, c).unwrap();
    schedule.order(c, a).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["b", "c", "a"]);
    assert!(schedule.unorder(c, a).unwrap() && !schedule.unorder(c, a).unwrap());
    assert_eq!(run(&mut schedule, &mut world), ["a", "b", "c"]);
}

#[test]
fn a_cycle_of_a_hundred_is_refused_and_the_order_stays() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    let ids: Vec<_> = (0..100).map(|_| schedule.add(&mut world, || ()).unwrap().id()).collect();
    for pair in ids.windows(2) {
        schedule.order(pair[0], pair[1]).unwrap();
    }
    let before = schedule.in_order("Update");
    let Err(OrderError::Cycle(error)) = schedule.order(ids[99], ids[0]) else { panic!("a cycle") };
    assert_eq!(error.cycle.len(), 100);
    assert!(error.to_string().contains("… 89 more"), "{error}");
    assert_eq!(schedule.in_order("Update"), before);
    let Err(OrderError::Cycle(error)) = schedule.order(ids[5], ids[5]) else { panic!("a cycle") };
    assert!(error.to_string().contains("cannot come before itself"));
}

#[test]
fn systems_of_different_groups_have_no_edges() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, a).unwrap();
    schedule.add(&mut world, b).unwrap().to("Late");
    let error = schedule.order(a, b).unwrap_err();
    assert!(error.to_string().starts_with("error[S004]: `a` and `b` are in different groups"), "{error}");
}

#[test]
fn removing_a_system_removes_its_edges() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, a).unwrap();
    schedule.add(&mut world, b).unwrap().before(a).unwrap();
    schedule.add(&mut world, c).unwrap().before(b).unwrap();
    schedule.remove(b).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["a", "c"]);
    schedule.order(a, c).expect("b no longer stands between them");
}

#[test]
fn one_function_added_twice_must_be_named_by_id() {
    let (mut schedule, mut world) = logged();
    let first = schedule.add(&mut world, a).unwrap().id();
    schedule.add(&mut world, a).unwrap();
    assert!(schedule.find(a).unwrap_err().to_string().starts_with("error[S003]: there are 2 systems `a`"));
    schedule.disable(first).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["a"]);
}

#[test]
fn what_is_queued_is_applied_where_it_is_asked_for_and_at_the_end() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    fn spawn(commands: &mut Commands) {
        commands.spawn(());
    }
    schedule.add(&mut world, spawn).unwrap();
    schedule.add(&mut world, |world: &World| assert_eq!(world.alive(), 0, "not yet")).unwrap().after(spawn).unwrap();
    schedule.add(&mut world, |world: &World| assert_eq!(world.alive(), 1)).unwrap().after_applied(spawn).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(world.alive(), 1);
}

#[test]
fn what_does_not_say_which_system_it_is_names_none() {
    fn left() {}
    fn right() {}
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    let kept = schedule.add(&mut world, right as fn()).unwrap().id();
    assert!(schedule.remove(left as fn()).unwrap_err().by_value);
    assert!(schedule.find(right as fn()).unwrap_err().to_string().contains("`named(…)`"));
    let says = |word: &'static str| move || assert!(!word.is_empty());
    schedule.add(&mut world, says("one")).unwrap().named("one");
    assert!(schedule.remove(says("two")).is_err(), "of one type, and another value");
    schedule.add(&mut world, left.pipe(right as fn())).unwrap();
    assert!(schedule.remove(left.pipe(left as fn())).is_err());
    assert_eq!(schedule.len(), 3);
    schedule.remove(kept).unwrap();
    schedule.remove("one").unwrap();
    schedule.add(&mut world, left).unwrap();
    schedule.remove(left).unwrap();
    assert_eq!(schedule.len(), 1);
}

#[test]
fn a_cycle_of_closures_is_not_mended_by_a_name_that_they_share() {
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    let one = schedule.add(&mut world, || ()).unwrap().id();
    let two = schedule.add(&mut world, || ()).unwrap().id();
    schedule.order(one, two).unwrap();
    let error = schedule.order(two, one).unwrap_err().to_string();
    assert!(error.contains("by the `id()` that `add` answered") && !error.contains("unorder(\"closure"), "{error}");
}
