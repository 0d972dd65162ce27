//! Several systems at once.

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, FaultPolicy, OrderError, Schedule, SystemId};

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);
#[derive(Component)]
struct Health;

fn a(mut log: ResMut<Log>) {
    log.0.push("a");
}
fn b(mut log: ResMut<Log>) {
    log.0.push("b");
}
fn c(mut log: ResMut<Log>) {
    log.0.push("c");
}
fn never() -> bool {
    false
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
fn a_chain_is_a_row_whatever_its_systems_are_named_by() {
    let (mut schedule, mut world) = logged();
    let ids = schedule.add_all(&mut world, (a, b, c)).unwrap().ids();
    assert_eq!(run(&mut schedule, &mut world), ["a", "b", "c"]);
    schedule.chain((c, "b", ids[0])).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["c", "b", "a"]);
    schedule.unorder(c, b).unwrap();
    schedule.unorder(b, a).unwrap();
    schedule.chain([ids[1], ids[2], ids[0]]).unwrap();
    schedule.chain(&ids[1..]).unwrap();
    schedule.chain(&[] as &[SystemId]).unwrap();
    schedule.chain((a,)).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["b", "c", "a"]);
}

#[test]
fn a_chain_that_cannot_be_leaves_no_edge_behind_and_takes_none_that_was_there() {
    let (mut schedule, mut world) = logged();
    schedule.add_all(&mut world, (a, b, c)).unwrap();
    schedule.order(b, a).unwrap();
    // The edge from c to b would be new, that from b to a is there, that from a to c closes a cycle.
    let error = schedule.chain((c, b, a, c)).unwrap_err();
    assert!(matches!(&error, OrderError::Cycle(cycle) if cycle.cycle.len() == 3), "{error}");
    assert!(!schedule.unorder(c, b).unwrap(), "it was taken back");
    assert!(schedule.unorder(b, a).unwrap(), "it was left");
    assert!(matches!(schedule.chain((a, b, "paint")), Err(OrderError::Unknown(_))));
    assert!(!schedule.unorder(a, b).unwrap(), "all are looked up before");
    schedule.add(&mut world, || ()).unwrap().named("late").to("Late");
    assert!(matches!(schedule.chain((a, b, "late")), Err(OrderError::OtherGroup { .. })));
    assert!(!schedule.unorder(a, b).unwrap());
    assert!(schedule.chain((a, a)).unwrap_err().to_string().contains("cannot come before itself"));
}

#[test]
fn if_one_of_several_cannot_be_added_none_is() {
    let (mut schedule, mut world) = logged();
    let error = schedule
        .add_all(&mut world, (a, |_: Query<&mut Health, With<Health>>, _: Query<&Health>| (), b))
        .err()
        .unwrap();
    assert!(error.to_string().starts_with("error[S001]"), "{error}");
    assert!(schedule.is_empty() && schedule.in_order("Update").is_empty());
    assert_eq!(run(&mut schedule, &mut world), [""; 0]);
}

#[test]
fn a_row_that_is_put_into_a_group_stays_a_row() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.add(a).unwrap();
    let ids = engine.add_all((c, b)).unwrap().chain().unwrap().to("Late").ids();
    engine.add_all((|| (), || ())).unwrap().to("Late").before(c).unwrap();
    let order = engine.schedule().in_order("Late");
    assert_eq!((order.len(), &order[2..]), (4, &ids[..]));
    assert!(matches!(engine.schedule_mut().chain((b, c)), Err(OrderError::Cycle(_))), "the row is there");
    engine.run_frames(1).unwrap();
    assert_eq!(engine.world().resource::<Log>().unwrap().0, ["a", "c", "b"]);
}

#[test]
fn conditions_and_policies_can_be_set_for_several() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.add_all((a, b)).unwrap().run_if(never).unwrap();
    let fails = || Err::<(), _>("no");
    engine.add_all((fails, fails)).unwrap().on_fault(FaultPolicy::Skip);
    engine.run_frames(1).unwrap();
    assert_eq!(engine.world().resource::<Log>().unwrap().0.len(), 0);
    assert_eq!(engine.faults().len(), 2);
}

#[test]
fn edges_for_several_are_made_for_all_or_for_none() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, a).unwrap();
    let added = schedule.add_all(&mut world, (b, c)).unwrap().before(a).unwrap();
    assert!(matches!(added.after(b), Err(OrderError::Cycle(_))));
    assert_eq!(run(&mut schedule, &mut world), ["b", "c", "a"]);
    assert!(!schedule.unorder(b, c).unwrap());
}

#[test]
fn sixteen_systems_go_into_one_row() {
    let (mut schedule, mut world) = logged();
    let s = || ();
    let added = schedule.add_all(&mut world, (s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s)).unwrap();
    let ids = added.chain().unwrap().ids();
    assert_eq!(ids.len(), 16, "all");
    assert!(matches!(schedule.order(ids[15], ids[0]), Err(OrderError::Cycle(cycle)) if cycle.cycle.len() == 16));
}

#[test]
fn several_can_wait_for_what_another_queued_all_or_none() {
    fn spawn(commands: &mut Commands) {
        commands.spawn(Health);
    }
    fn spawn_more(commands: &mut Commands) {
        commands.spawn(Health);
    }
    #[expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]
    fn count(all: Query<&Health>, mut log: ResMut<Log>) {
        log.0.push(if all.count() > 0 { "seen" } else { "not seen" });
    }
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, spawn).unwrap();
    schedule.add_all(&mut world, (count, count)).unwrap().after_applied(spawn).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["seen", "seen"]);

    // The first could wait for the second, which cannot wait for itself.
    let (mut schedule, mut world) = logged();
    let added = schedule.add_all(&mut world, (count, spawn_more)).unwrap();
    assert!(matches!(added.after_applied(spawn_more), Err(OrderError::Cycle(_))));
    assert!(!schedule.unorder(spawn_more, count).unwrap(), "it was taken back");
    assert_eq!(schedule.stages("Update").len(), 1);
}

#[test]
fn one_handler_is_asked_for_all_of_several() {
    let mut engine = Engine::new();
    let fails = || Err::<(), _>("no");
    let mut asked = 0;
    engine.add_all((fails, fails)).unwrap().handle_faults(move |_| {
        asked += 1;
        if asked == 2 { FaultPolicy::Disable } else { FaultPolicy::Skip }
    });
    engine.run_frames(3).unwrap();
    assert_eq!(engine.faults().len(), 4, "the second is disabled in the first frame");
}
