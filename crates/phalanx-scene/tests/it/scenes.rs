//! Scenes: their systems, their time, and how they end.

use phalanx_ecs::prelude::*;
use phalanx_scene::{
    CommandNodes, Doing, MaybeNodes, Node, NodeError, Nodes, SceneId, SceneTime, SceneWorld, SystemSlept, SystemWoke,
};
use phalanx_schedule::{Engine, Local, Reader, SystemId, every_nth, fixed, manual};
use std::time::Duration;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Place(f32);

#[derive(Component)]
struct Speed(f32);

#[derive(Component)]
struct Heat(f32);

#[derive(Node)]
struct Moving<'w> {
    place: &'w mut Place,
    speed: &'w Speed,
}

#[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "who reads it works on threads"))]
#[derive(Node)]
struct Warm<'w> {
    heat: &'w mut Heat,
    place: Option<&'w Place>,
}

fn engine_with<const N: usize>(names: [&str; N]) -> (Engine, [SceneId; N]) {
    let mut engine = Engine::new();
    let scenes = names.map(|name| engine.world_mut().create_scene(name).expect("a new name"));
    (engine, scenes)
}

fn runs(engine: &Engine, system: SystemId) -> u64 {
    engine.schedule().info(system).expect("there").runs
}

#[test]
fn each_scene_has_its_own_pace_scale_and_pause() {
    fn tick() {}
    let (mut engine, [level, map, save, slow]) = engine_with(["level", "map", "save", "slow"]);
    let world = engine.world_mut();
    level.set_pace(world, fixed(120.0)).expect("there").expect("a pace");
    map.set_pace(world, every_nth(3)).expect("there").expect("a pace");
    save.set_pace(world, manual()).expect("there").expect("a pace");
    slow.set_time_scale(world, 0.5).expect("there");
    slow.set_pace(world, fixed(60.0)).expect("there").expect("a pace");
    assert!(slow.set_pace(engine.world_mut(), fixed(0.0)).expect("there").is_err());
    let ticks = [level, map, save, slow].map(|scene| scene.add(&mut engine, tick).expect("no conflict").id());
    engine.run_frames(60).expect("no fault");
    assert_eq!(ticks.map(|tick| runs(&engine, tick)), [120, 20, 0, 30]);
    level.pause(engine.world_mut()).expect("there");
    map.deactivate(engine.world_mut()).expect("there");
    save.step(engine.world_mut(), 2).expect("there");
    engine.run_frames(60).expect("no fault");
    assert_eq!(ticks.map(|tick| runs(&engine, tick)), [120, 20, 2, 60]);
    assert_eq!(level.explain(&mut engine, tick).expect("there"), Doing::Paused { scene: "level".into() });
    assert_eq!(map.explain(&mut engine, tick).expect("there"), Doing::Inactive { scene: "map".into() });
    level.play(engine.world_mut()).expect("there");
    map.activate(engine.world_mut()).expect("there");
    engine.run_frames(60).expect("no fault");
    assert_eq!(ticks.map(|tick| runs(&engine, tick)), [240, 40, 2, 90]);
    assert_eq!(level.elapsed(engine.world()).expect("there"), Duration::from_secs(2));
    level.update(&mut engine).expect("there").expect("no fault");
    assert_eq!(ticks.map(|tick| runs(&engine, tick)), [241, 40, 2, 90], "one scene and no other");
}

#[test]
fn a_system_has_a_state_of_its_own_in_each_scene() {
    fn count(scene: SceneId, time: SceneTime, mut runs: Local<'_, u64>, mut log: ResMut<'_, Log>) {
        assert_eq!(time.count(), *runs);
        *runs += 1;
        log.0.push((scene, *runs));
    }
    #[derive(Resource, Default)]
    struct Log(Vec<(SceneId, u64)>);
    let (mut engine, [level, map]) = engine_with(["level", "map"]);
    engine.world_mut().insert_resource(Log::default());
    for scene in [level, map] {
        scene.add(&mut engine, count).expect("no conflict");
    }
    map.set_pace(engine.world_mut(), every_nth(2)).expect("there").expect("a pace");
    engine.run_frames(3).expect("no fault");
    let log = &engine.world().resource::<Log>().expect("there").0;
    assert_eq!(*log, [(level, 1), (map, 1), (level, 2), (level, 3), (map, 2)]);
}

#[derive(Event)]
struct Hit;

#[test]
fn events_wait_for_scenes_that_are_slower_than_frames() {
    fn hear(mut hits: Reader<'_, Hit>, mut heard: Local<'_, usize>) {
        assert_eq!(hits.missed(), 0);
        *heard += hits.read().count();
        assert_eq!(*heard % 6, 0, "six frames go by between two steps");
    }
    fn tick() {}
    let (mut engine, [slow, fast]) = engine_with(["slow", "fast"]);
    slow.set_pace(engine.world_mut(), fixed(10.0)).expect("there").expect("a pace");
    let hear = slow.add(&mut engine, hear).expect("no conflict").id();
    fast.add(&mut engine, tick).expect("no conflict");
    for _ in 0..60 {
        engine.world_mut().send(Hit);
        engine.run_frames(1).expect("no fault");
    }
    assert_eq!(runs(&engine, hear), 10);
    slow.pause(engine.world_mut()).expect("there");
    for _ in 0..60 {
        engine.world_mut().send(Hit);
        engine.run_frames(1).expect("no fault");
    }
    assert!(engine.world().events::<Hit>().len() < 10, "not for those whose time stands still");
}

#[test]
fn arguments_of_scenes_are_refused_where_there_is_none() {
    fn fall(_: Nodes<'_, Moving<'_>>) {}
    fn which(_: SceneId) {}
    fn when(_: SceneTime) {}
    let (mut engine, [level]) = engine_with(["level"]);
    let refused = [
        engine.add(fall).map(|_| ()).expect_err("no scene"),
        engine.add(which).map(|_| ()).expect_err("no scene"),
        engine.add(when).map(|_| ()).expect_err("no scene"),
    ];
    for (error, argument) in refused.iter().zip(["Nodes<Moving>", "SceneId", "SceneTime"]) {
        let text = error.to_string();
        assert!(
            text.contains(&format!("error[N005]: `{argument}` is an argument of systems that serve a scene")),
            "{text}"
        );
    }
    assert!(engine.schedule().is_empty());
    level.add(&mut engine, fall).expect("a scene");
    // What was planned for is forgotten.
    assert!(engine.add(fall).is_err());
}

#[test]
fn a_system_can_delete_the_scene_it_runs_for() {
    fn end(scene: SceneId, nodes: Nodes<'_, Moving<'_>>, commands: &mut Commands) {
        assert_eq!(nodes.count(), 1);
        commands.run(move |world| scene.delete(world));
    }
    fn end_at_once(world: &mut World) {
        let level = world.find_scene("other").expect("it runs for it");
        level.delete(world).expect("there");
    }
    let (mut engine, [level, other]) = engine_with(["level", "other"]);
    let rock = engine.world_mut().spawn((Place(0.0), Speed(1.0)));
    level.add_node::<Moving>(engine.world_mut(), rock).expect("it can");
    let end = level.add(&mut engine, end).expect("no conflict").id();
    let at_once = other.add(&mut engine, end_at_once).expect("no conflict").id();
    engine.run_frames(3).expect("no fault");
    assert_eq!((runs(&engine, end), runs(&engine, at_once)), (1, 1));
    assert!(engine.world().scenes().is_empty() && !engine.world().is_alive(rock));
    let next = engine.world_mut().create_scene("next").expect("a new name");
    next.add(&mut engine, || ()).expect("no conflict");
    assert_eq!(engine.schedule().len(), 1, "those of the deleted ones are gone");
    assert!(matches!(level.add_node::<Moving>(engine.world_mut(), rock), Err(NodeError::Scene(_))));
}

#[test]
fn nodes_of_the_dead_and_of_others_are_refused() {
    let (mut engine, [level]) = engine_with(["level"]);
    let world = engine.world_mut();
    let rock = world.spawn((Place(0.0), Speed(1.0)));
    world.despawn(rock).expect("alive");
    assert!(matches!(level.add_node::<Moving>(world, rock), Err(NodeError::Dead(_))));
    assert!(matches!(level.remove_node::<Moving>(world, rock), Err(NodeError::Dead(_))));
    let stone = world.spawn((Place(0.0), Speed(1.0)));
    assert!(level.add_nodes::<Moving>(world, [stone, rock]).is_err());
    assert!(level.members(world).is_empty(), "all or nothing");
    let mut commands = world.commands();
    commands.add_node::<Moving>(level, rock);
    assert!(world.apply(&mut commands).is_err());
}

#[test]
fn who_woke_and_who_slept_is_told() {
    fn fall(_: Nodes<'_, Moving<'_>>) {}
    fn glow(_: MaybeNodes<'_, Warm<'_>>) {}
    let (mut engine, [level]) = engine_with(["level"]);
    level.add(&mut engine, fall).expect("no conflict");
    level.add(&mut engine, glow).expect("no conflict");
    let (mut woke, mut slept) = (EventReader::<SystemWoke>::new(), EventReader::<SystemSlept>::new());
    let mut told = |engine: &mut Engine| {
        engine.run_frames(1).expect("no fault");
        let woke: Vec<String> = woke.read(engine.world()).map(|it| it.name.clone()).collect();
        let slept: Vec<String> = slept.read(engine.world()).map(|it| it.name.clone()).collect();
        (woke.concat(), slept.concat())
    };
    assert_eq!(told(&mut engine), (String::new(), "fall".into()));
    assert_eq!(told(&mut engine), (String::new(), String::new()));
    let rock = engine.world_mut().spawn((Place(0.0), Speed(1.0)));
    level.add_node::<Moving>(engine.world_mut(), rock).expect("it can");
    assert_eq!(told(&mut engine), ("fall".into(), String::new()));
    engine.world_mut().despawn(rock).expect("alive");
    assert_eq!(told(&mut engine), (String::new(), "fall".into()));
}

#[test]
fn nodes_are_a_query_in_all_else() {
    let mut world = World::new();
    let level = world.create_scene("level").expect("a new name");
    let rocks = world.spawn_batch((0..10_u8).map(|n| (Place(f32::from(n)), Speed(1.0)))).to_vec();
    level.add_nodes::<Moving>(&mut world, &rocks[..5]).expect("they can");
    let seen = level.run_once(&mut world, move |mut nodes: Nodes<'_, Moving<'_>>| {
        let mut sum = 0.0;
        nodes.for_each(|node| sum += node.place.0 + node.speed.0);
        #[cfg(feature = "parallel")]
        nodes.par_for_each(|node| node.place.0 += 100.0);
        let mut pairs = 0;
        nodes.pairs_mut(|_, _| pairs += 1);
        let chunks = nodes.chunks().map(|(places, _)| places.len()).sum::<usize>();
        (sum, pairs, chunks, nodes.get_mut(rocks[0]).is_some(), nodes.get_mut(rocks[7]).is_some())
    });
    assert_eq!(seen.expect("there").expect("no refusal"), (15.0, 10, 5, true, false));
}

/// Two scenes of different pace with systems that get in each other's way and some that do not; nodes come and go by commands.
#[cfg(feature = "parallel")]
fn checksum_with(threads: usize) -> phalanx_ecs::Checksum {
    use phalanx_schedule::Threads;
    fn fall(mut nodes: Nodes<'_, Moving<'_>>, time: SceneTime) {
        nodes.par_for_each(|node| node.place.0 += node.speed.0 * time.step());
    }
    fn warm(scene: SceneId, mut nodes: Nodes<'_, Warm<'_>>) {
        let more = if scene.to_string().ends_with('0') { 1.0 } else { 0.1 };
        nodes.for_each(|node| node.heat.0 += more + node.place.map_or(0.0, |place| place.0));
    }
    fn come_and_go(scene: SceneId, nodes: MaybeNodes<'_, Warm<'_>>, time: SceneTime, commands: &mut Commands) {
        for n in 0..3_u8 {
            let new = commands.spawn((Place(f32::from(n)), Speed(time.step()), Heat(0.0)));
            commands.add_node::<Moving>(scene, new);
            if n == 1 {
                commands.add_node::<Warm>(scene, new);
            }
        }
        if time.count().is_multiple_of(5) && nodes.count() > 0 {
            commands.run(move |world| {
                let first = scene.nodes::<Warm>(world)[0];
                world.despawn(first)
            });
        }
    }
    let (mut engine, scenes) = engine_with(["level", "map"]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    engine.schedule_mut().set_threads(if threads == 1 { Threads::Never } else { Threads::Always });
    engine.schedule_mut().set_pool(std::sync::Arc::new(pool));
    scenes[1].set_pace(engine.world_mut(), fixed(45.0)).expect("there").expect("a pace");
    for scene in scenes {
        scene.add(&mut engine, fall).expect("no conflict");
        scene.add(&mut engine, warm).expect("no conflict");
        scene.add(&mut engine, come_and_go).expect("no conflict");
    }
    engine.run_frames(120).expect("no fault");
    assert_eq!(engine.world().read::<&Place>().count(), engine.world().alive());
    engine.world().checksum()
}

#[cfg(feature = "parallel")]
#[test]
fn the_result_does_not_depend_on_threads() {
    let one = checksum_with(1);
    assert_eq!([checksum_with(2), checksum_with(8)], [one.clone(), one]);
}

/// Systems of a scene that is deleted are gone: they do not fall asleep.
#[test]
fn systems_of_a_scene_that_is_deleted_do_not_fall_asleep() {
    fn run(_nodes: Nodes<'_, Moving<'_>>) {}
    let mut engine = Engine::new();
    let [gone, kept] = ["gone", "kept"].map(|name| engine.world_mut().create_scene(name).unwrap());
    for scene in [gone, kept] {
        scene.add(&mut engine, run).unwrap();
        let stone = engine.world_mut().spawn((Place(0.0), Speed(1.0)));
        scene.add_node::<Moving<'_>>(engine.world_mut(), stone).unwrap();
    }
    engine.world_mut().keep_events::<SystemSlept>(phalanx_ecs::Retention::Forever);
    engine.run_frames(1).unwrap();
    gone.delete(engine.world_mut()).unwrap();
    let nodes: Vec<Entity> = engine.world_mut().query_filtered::<Entity, With<Place>>().iter().collect();
    engine.world_mut().despawn_batch(nodes).unwrap();
    engine.run_frames(2).unwrap();
    let asleep: Vec<SceneId> = engine.world().events::<SystemSlept>().iter().map(|slept| slept.scene).collect();
    assert_eq!(asleep, [kept]);
}
