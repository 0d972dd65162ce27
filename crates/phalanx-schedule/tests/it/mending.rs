//! From the message alone one can mend a mistake: what its help says to type is typed here, and works.

#![expect(clippy::needless_pass_by_value, reason = "systems take their arguments so")]

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Main, MainMut, Reader, Res, Schedule, Writer};

// Not derived, for then most of these mistakes would not even build.
struct Health;
impl Component for Health {}
#[derive(Component)]
struct Player;
struct Gravity(f32);
impl Resource for Gravity {}
struct Hit;
impl Event for Hit {}

/// The line of a message that says what to do.
#[track_caller]
fn help(message: impl ToString) -> String {
    let message = message.to_string();
    let (_, help) = message.split_once("help: ").unwrap_or_else(|| panic!("no help in\n{message}"));
    help.lines().next().unwrap_or_default().to_owned()
}

#[track_caller]
fn says(message: impl ToString, code: &str) {
    let help = help(message);
    assert!(help.contains(&format!("`{code}`")), "`{code}` is not in: {help}");
}

#[test]
fn a_cycle_is_mended_by_what_its_message_says() {
    fn physics() {}
    fn collision() {}
    fn render() {}
    let (mut schedule, mut world) = (Schedule::new(), World::new());
    schedule.add(&mut world, physics).unwrap();
    schedule.add(&mut world, collision).unwrap().after(physics).unwrap();
    schedule.add(&mut world, render).unwrap().after(collision).unwrap();
    let line = line!() + 1;
    let error = schedule.order(render, physics).unwrap_err();
    let refused = format!("render → physics       refused, asked at {}:{line}", file!());
    assert!(error.to_string().contains(&refused), "{error}");

    says(error, r#"schedule.unorder("physics", "collision")?"#);
    schedule.unorder("physics", "collision").unwrap();
    schedule.order(render, physics).unwrap();
}

#[test]
fn a_cycle_of_groups_is_mended_by_what_its_message_says() {
    let mut schedule = Schedule::new();
    schedule.order_groups("Input", "Physics").unwrap();
    let error = schedule.order_groups("Physics", "Input").unwrap_err();
    says(error, r#"schedule.unorder_groups("Input", "Physics")"#);
    assert!(schedule.unorder_groups("Input", "Physics"));
    schedule.order_groups("Physics", "Input").unwrap();
}

#[test]
fn a_missing_resource_is_mended_by_what_its_message_says() {
    fn fall(gravity: Res<Gravity>) {
        assert!(gravity.0 > 0.0);
    }
    fn maybe_fall(gravity: Option<Res<Gravity>>) {
        assert!(gravity.is_none());
    }
    let mut engine = Engine::new();
    engine.add(fall).unwrap();
    let fault = engine.run_frames(1).unwrap_err().to_string();

    says(&fault, "Option<Res<Gravity>>");
    engine.schedule_mut().disable(fall).unwrap();
    engine.add(maybe_fall).unwrap();
    engine.run_frames(1).unwrap();

    says(&fault, "engine.world_mut().insert_resource::<Gravity>(…)");
    engine.world_mut().insert_resource::<Gravity>(Gravity(9.81));
    engine.schedule_mut().disable(maybe_fall).unwrap();
    engine.schedule_mut().enable(fall).unwrap();
    engine.run_frames(1).unwrap();
}

#[test]
fn two_queries_in_each_others_way_are_mended_by_what_the_message_says() {
    fn heal(_: Query<&mut Health>, _: Query<(Entity, &Health)>) {}
    fn mended(_: Query<&mut Health, With<Player>>, _: Query<(Entity, &Health), Without<Player>>) {}
    let mut engine = Engine::new();
    let error = engine.add(heal).unwrap_err();
    says(&error, "Query<&mut Health, With<Player>>");
    says(&error, "Query<(Entity, &Health), Without<Player>>");
    engine.add(mended).unwrap();
}

#[test]
fn two_queries_for_one_component_are_mended_by_the_one_that_writes() {
    fn heal(_: Query<&mut Health>, _: Query<&Health>) {}
    fn mended(_: Query<&mut Health>) {}
    fn count(_: Query<&mut Health>, _: Query<(Entity, &Health)>) {}
    fn mended_count(_: Query<(&mut Health, Entity)>) {}
    let mut engine = Engine::new();
    says(engine.add(heal).unwrap_err(), "Query<&mut Health>");
    engine.add(mended).unwrap();
    says(engine.add(count).unwrap_err(), "Query<(&mut Health, Entity)>");
    engine.add(mended_count).unwrap();
}

#[test]
fn a_cycle_of_systems_of_one_name_is_mended_by_what_its_message_says() {
    mod left {
        pub(super) fn run() {}
    }
    mod right {
        pub(super) fn run() {}
    }
    let mut engine = Engine::new();
    engine.add(left::run).unwrap();
    engine.add(right::run).unwrap().after(left::run).unwrap();
    let error = engine.schedule_mut().order(right::run, left::run).unwrap_err();
    says(error, "engine.schedule_mut().unorder(left::run, right::run)?");
    engine.schedule_mut().unorder(left::run, right::run).unwrap();
    engine.schedule_mut().order(right::run, left::run).unwrap();
}

#[test]
fn queries_with_filters_are_mended_by_what_the_message_says() {
    fn heal(_: Query<&mut Health, Without<Name>>, _: Query<&Health, (With<Uuid>, Without<Name>)>) {}
    fn mended(_: Query<&mut Health, (Without<Name>, Without<Uuid>)>, _: Query<&Health, (With<Uuid>, Without<Name>)>) {}
    let mut engine = Engine::new();
    let error = engine.add(heal).unwrap_err();
    says(&error, "Query<&mut Health, (Without<Name>, Without<Uuid>)>");
    says(&error, "Query<&Health, (With<Uuid>, Without<Name>)>");
    engine.add(mended).unwrap();
}

#[test]
fn a_resource_taken_twice_is_mended_by_what_the_message_says() {
    fn fall(_: Res<Gravity>, _: ResMut<Gravity>) {}
    fn mended(_: ResMut<Gravity>) {}
    let mut engine = Engine::new();
    says(engine.add(fall).unwrap_err(), "ResMut<Gravity>");
    engine.add(mended).unwrap();
}

#[test]
fn the_world_beside_a_query_is_mended_by_what_the_message_says() {
    fn load(_: &mut World, _: Query<Entity>) {}
    fn mended(world: &mut World) {
        assert_eq!(world.query::<&Health>().count(), 0);
    }
    let mut engine = Engine::new();
    says(engine.add(load).unwrap_err(), "world: &mut World");
    engine.add(mended).unwrap();
    engine.run_frames(1).unwrap();
}

#[test]
fn events_that_one_system_reads_and_sends_are_mended_by_what_the_message_says() {
    fn answer(_: Reader<Hit>, _: Writer<Hit>) {}
    fn reads(_: Reader<Hit>) {}
    fn sends(_: Writer<Hit>) {}
    let mut engine = Engine::new();
    assert!(help(engine.add(answer).unwrap_err()).contains("two systems"));
    engine.add(reads).unwrap();
    engine.add(sends).unwrap();
}

#[test]
fn a_value_of_the_main_thread_taken_twice_is_mended_by_what_the_message_says() {
    struct Window;
    fn draw(_: Main<Window>, _: MainMut<Window>) {}
    fn mended(_: MainMut<Window>) {}
    let mut engine = Engine::new();
    says(engine.add(draw).unwrap_err(), "MainMut<Window>");
    engine.add(mended).unwrap();

    let fault = engine.run_frames(1).unwrap_err();
    says(fault, "engine.insert_main(…)");
    engine.insert_main(Window);
    engine.run_frames(1).unwrap();
}
