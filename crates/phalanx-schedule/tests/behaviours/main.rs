//! One test per row of the list of behaviours that is about systems, named after its id.

mod warnings;

use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, OrderError, Schedule, Time, every_nth, fixed, manual};
use std::time::Duration;

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

#[derive(Component)]
struct Position(f32);
#[cfg(feature = "parallel")]
#[derive(Component)]
struct Velocity(f32);

fn physics(mut log: ResMut<Log>) {
    log.0.push("physics");
}
fn collision(mut log: ResMut<Log>) {
    log.0.push("collision");
}
fn move_bodies(mut log: ResMut<Log>) {
    log.0.push("move");
}
fn camera(mut log: ResMut<Log>) {
    log.0.push("camera");
}
fn render(mut log: ResMut<Log>) {
    log.0.push("render");
}

fn logged() -> (Schedule, World) {
    let mut world = World::new();
    world.insert_resource(Log::default());
    (Schedule::new(), world)
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<&'static str> {
    schedule.run(world).expect("nothing fails");
    std::mem::take(&mut world.resource_mut::<Log>().expect("inserted").0)
}

#[test]
fn s1_a_system_is_a_function_that_can_be_added_found_switched_and_removed() {
    let (mut schedule, mut world) = logged();
    let id = schedule.add(&mut world, physics).unwrap().id();
    schedule.add(&mut world, render).unwrap().after(physics).unwrap();
    assert_eq!((schedule.find(physics).unwrap(), schedule.find("physics").unwrap()), (id, id));
    assert_eq!(run(&mut schedule, &mut world), ["physics", "render"]);
    schedule.disable(id).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["render"]);
    schedule.enable(physics).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["physics", "render"]);
    schedule.remove(physics).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["render"]);
    assert!(schedule.find(id).is_err() && schedule.remove(id).is_err());
    // Its edges went with it: the contrary may be asked for now.
    schedule.add(&mut world, physics).unwrap();
    schedule.order(render, physics).unwrap();
}

#[test]
fn s2_who_is_depended_on_runs_first_unknown_systems_are_errors_and_absent_edges_answer_false() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, render).unwrap();
    schedule.add(&mut world, physics).unwrap();
    schedule.order(physics, render).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["physics", "render"]);
    assert!(matches!(schedule.order(camera, render), Err(OrderError::Unknown(_))));
    assert!(!schedule.unorder(render, physics).unwrap());
    assert!(schedule.unorder(physics, render).unwrap());
}

#[test]
fn s3_an_edge_that_closes_a_cycle_is_refused_with_its_path_and_changes_nothing() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, physics).unwrap();
    schedule.add(&mut world, collision).unwrap().after(physics).unwrap();
    schedule.add(&mut world, render).unwrap().after(collision).unwrap();
    let before = schedule.in_order("Update");
    let message = schedule.order(render, physics).unwrap_err().to_string();
    let line = |at: usize| message.lines().nth(at).unwrap_or("").to_owned();
    assert_eq!(line(0), "error[S002]: this order would close a cycle of 3 systems in group `Update`");
    assert!(line(1).starts_with("  physics → collision") && line(1).contains("asked at "), "{message}");
    assert!(line(2).starts_with("  collision → render"), "{message}");
    assert!(line(3).starts_with("  render → physics") && line(3).contains("refused, asked at "), "{message}");
    assert_eq!(schedule.in_order("Update"), before);
    assert_eq!(run(&mut schedule, &mut world), ["physics", "collision", "render"]);
    // It is logged as well, for those who drop the error.
    let mut again = String::new();
    let logged = warnings::warnings_of(|| {
        again = schedule.order(render, physics).unwrap_err().to_string();
        schedule.order(physics, render).expect("closes no cycle");
    });
    assert_eq!(logged, [again]);
}

#[test]
fn s4_the_order_is_that_of_the_edges_and_else_that_of_adding() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, render).unwrap();
    schedule.add(&mut world, camera).unwrap();
    schedule.add(&mut world, physics).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["render", "camera", "physics"]);
    schedule.order(physics, render).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["camera", "physics", "render"], "a later edge sorts anew");
    schedule.order(physics, camera).unwrap();
    assert_eq!(run(&mut schedule, &mut world), ["physics", "render", "camera"]);
}

#[test]
#[cfg(feature = "parallel")]
fn s5_systems_side_by_side_leave_the_same_world_as_in_a_row() {
    use phalanx_schedule::Threads;
    use std::sync::Arc;
    fn outcome(threads: Threads) -> String {
        let (mut schedule, mut world) = (Schedule::new(), World::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
        schedule.set_pool(Arc::new(pool));
        schedule.set_threads(threads);
        world.spawn_batch((0..5000_u16).map(|i| (Position(f32::from(i)), Velocity(1.5))));
        schedule.add(&mut world, |mut all: Query<&mut Velocity>| all.for_each(|v| v.0 *= 1.01)).unwrap();
        schedule
            .add(&mut world, |mut all: Query<(&mut Position, &Velocity)>| all.par_for_each(|(p, v)| p.0 += v.0))
            .unwrap();
        for _ in 0..8 {
            let added = schedule.add(&mut world, |commands: &mut Commands| {
                commands.spawn(Position(3.0));
            });
            added.unwrap();
            let added = schedule.add(&mut world, |all: Query<(Entity, &Velocity)>, commands: &mut Commands| {
                commands.despawn(all.first().expect("some are left").0);
            });
            added.unwrap();
        }
        for _ in 0..5 {
            // Several systems despawn the same entity: the second is told so.
            let _ = schedule.run(&mut world);
        }
        format!("{:?}", world.checksum())
    }
    assert_eq!(outcome(Threads::Always), outcome(Threads::Never));
}

#[test]
fn s6_each_group_has_its_own_pace() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.group("Physics").pace(fixed(120.0)).unwrap();
    engine.group("Camera").pace(every_nth(3)).unwrap();
    engine.group("Saving").pace(manual()).unwrap();
    engine.add(physics).unwrap().to("Physics");
    engine.add(camera).unwrap().to("Camera");
    engine.add(collision).unwrap().to("Saving");
    engine.add(render).unwrap();
    engine.run_frames(6).unwrap();
    let count =
        |engine: &Engine, name| engine.world().resource::<Log>().unwrap().0.iter().filter(|x| **x == name).count();
    assert_eq!(["physics", "camera", "collision", "render"].map(|name| count(&engine, name)), [12, 2, 0, 6]);
    engine.run_frame(Duration::ZERO).unwrap();
    assert_eq!(count(&engine, "physics"), 12, "a fixed step may fall into no frame");
    engine.run_group("Saving").unwrap();
    assert_eq!(count(&engine, "collision"), 1);
}

#[test]
fn s7_the_loop_keeps_time_with_steps_bounds_scale_pause_and_statistics() {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    engine.group("Physics").pace(fixed(50.0)).unwrap();
    engine.add(physics).unwrap().to("Physics");
    engine.add(|time: Time| assert!(time.step() >= 0.0)).unwrap();
    engine.set_catch_up(4);
    engine.run_frame(Duration::from_millis(50)).unwrap();
    let count = |engine: &Engine| engine.world().resource::<Log>().unwrap().0.len();
    assert_eq!(count(&engine), 2, "2.5 steps are due, two whole ones run");
    engine.run_frame(Duration::from_millis(10)).unwrap();
    assert_eq!(count(&engine), 3, "the half was kept");
    engine.run_frame(Duration::from_secs(2)).unwrap();
    assert_eq!((count(&engine), engine.given_up()), (7, 96));
    engine.set_time_scale(0.5);
    engine.run_frame(Duration::from_millis(40)).unwrap();
    assert_eq!(count(&engine), 8);
    assert_eq!((engine.frame_count(), engine.elapsed()), (4, Duration::from_millis(2080)));
    engine.run_frames(1200).unwrap();
    assert_eq!((engine.stats().history().len(), engine.stats().frames()), (1000, 1204));
    assert!(engine.stats().fps() > 0.0 && engine.stats().average_fps() > 0.0);
}

#[test]
fn s8_play_and_pause_lose_nothing() {
    let mut engine = Engine::new();
    engine.add(|mut all: Query<&mut Position>| all.for_each(|p| p.0 += 1.0)).unwrap();
    let ball = engine.world_mut().spawn(Position(0.0));
    let height = |engine: &Engine| engine.world().get::<Position>(ball).unwrap().0.to_string();
    engine.run_frames(3).unwrap();
    engine.pause();
    engine.run_frames(100).unwrap();
    assert_eq!(height(&engine), "3");
    engine.step();
    engine.run_frames(5).unwrap();
    assert_eq!(height(&engine), "4", "one frame was asked for");
    engine.play();
    engine.run_frames(2).unwrap();
    assert_eq!(height(&engine), "6");
}

#[test]
fn x3_physics_collision_move_and_camera_come_before_render_and_the_contrary_is_refused() {
    let (mut schedule, mut world) = logged();
    schedule.add(&mut world, render).unwrap();
    schedule.add(&mut world, camera).unwrap().before(render).unwrap();
    schedule.add(&mut world, move_bodies).unwrap().before(render).unwrap();
    schedule.add(&mut world, collision).unwrap().before(move_bodies).unwrap();
    schedule.add(&mut world, physics).unwrap().before(collision).unwrap();
    let order = ["camera", "physics", "collision", "move", "render"];
    assert_eq!(run(&mut schedule, &mut world), order);
    let message = schedule.order(render, physics).unwrap_err().to_string();
    assert!(message.starts_with("error[S002]: this order would close a cycle of 4 systems"), "{message}");
    assert_eq!(run(&mut schedule, &mut world), order);
}
