//! Scenes and roles where somebody interferes: observers, panics, other groups, very many of them.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, ComponentInfo, Trigger};
use phalanx_scene::{
    ChildOf, CommandNodes, Doing, Kinship, Leaving, MaybeNodes, Node, NodeLeft, Nodes, SceneId, SceneWorld, Scenes,
};
use phalanx_schedule::{Engine, fixed, manual};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone)]
struct Mesh(u32);
#[derive(Component, Clone)]
struct Mass;
#[derive(Component)]
#[component(toggle)]
struct Awake;

#[derive(Node)]
struct Drawn<'w> {
    _mesh: &'w Mesh,
}
#[derive(Node)]
struct Body<'w> {
    _mass: &'w Mass,
}
#[derive(Node)]
struct Watching<'w> {
    _awake: &'w Awake,
}

fn scenes<const N: usize>(world: &mut World) -> [SceneId; N] {
    std::array::from_fn(|at| world.create_scene(&format!("scene {at}")).unwrap())
}

/// The tags of the roles that an entity has.
fn tags(world: &World, entity: Entity) -> Vec<ComponentId> {
    let all = world.entity(entity).unwrap().components().filter(|info| info.name().contains('@'));
    all.map(ComponentInfo::id).collect()
}

fn draw(_: Nodes<Drawn>) {}

fn runs(engine: &Engine, system: phalanx_schedule::SystemId) -> u64 {
    engine.schedule().info(system).unwrap().runs
}

#[test]
fn a_scene_that_is_being_deleted_takes_no_nodes() {
    let mut world = World::new();
    let [level] = scenes(&mut world);
    let (house, stone) = (world.spawn(Mesh(1)), world.spawn(Mass));
    level.add_node::<Drawn>(&mut world, house).unwrap();
    world.observe::<Mesh>(Act::Remove, move |trigger| {
        trigger.defer(move |world| {
            assert!(level.add_node::<Body>(world, stone).unwrap_err().to_string().starts_with("error[N003]"));
            assert!(level.add_matching::<Body>(world).is_err());
        });
    });
    level.delete(&mut world).unwrap();
    let next = world.create_scene("next").unwrap();
    assert!(next.members(&world).is_empty() && world.is_alive(stone));
}

#[test]
fn copies_that_observers_make_of_nodes_of_a_scene_that_ends_are_none() {
    let mut world = World::new();
    let [level] = scenes(&mut world);
    let house = world.spawn(Mesh(1));
    level.add_node::<Drawn>(&mut world, house).unwrap();
    let mut first = true;
    world.observe::<Mesh>(Act::Remove, move |trigger| {
        let (entity, again) = (trigger.entity(), !std::mem::replace(&mut first, false));
        if !again {
            // Before it goes.
            trigger.commands().spawn(Mesh(2));
            let _ = entity;
        }
    });
    world.observe::<Mesh>(Act::Insert, move |trigger| {
        let entity = trigger.entity();
        trigger.defer(move |world| _ = level.add_node::<Drawn>(world, entity));
    });
    level.delete(&mut world).unwrap();
    let next = world.create_scene("next").unwrap();
    assert!(next.nodes::<Drawn>(&world).is_empty());
    assert_eq!(world.query::<&Mesh>().count(), 1);
}

#[test]
fn who_lives_in_another_scene_does_not_end_with_a_parent() {
    let mut world = World::new();
    let [here, there] = scenes(&mut world);
    let top = world.spawn(Mesh(0));
    let part = world.spawn(ChildOf(top));
    let guest = world.spawn((Mesh(1), ChildOf(part)));
    let below = world.spawn(ChildOf(guest));
    let inner = world.spawn((Mesh(2), ChildOf(below)));
    here.add_nodes::<Drawn>(&mut world, [top, inner]).unwrap();
    there.add_node::<Drawn>(&mut world, guest).unwrap();
    here.delete(&mut world).unwrap();
    assert!([top, part, inner].iter().all(|gone| !world.is_alive(*gone)));
    assert!(world.is_alive(below) && world.parent(guest).is_none());
    assert_eq!(there.nodes::<Drawn>(&world), [guest]);
    world.validate().unwrap();
}

#[test]
fn a_panic_while_a_system_is_planned_or_run_leaves_no_scene_behind() {
    fn which(_: SceneId) {}
    let mut engine = Engine::new();
    let [level] = scenes(engine.world_mut());
    let run = || level.run_once(engine.world_mut(), || panic!("on purpose"));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(engine.add(which).is_err(), "it serves no scene");
    assert!(level.add(&mut engine, which).is_ok());
}

#[test]
fn explanations_tell_of_conditions_paces_and_groups() {
    fn never() -> bool {
        false
    }
    let mut engine = Engine::new();
    let [held, asked, still, moved] = scenes(engine.world_mut());
    let house = engine.world_mut().spawn(Mesh(0));
    for scene in [held, asked, still, moved] {
        scene.add_node::<Drawn>(engine.world_mut(), house).unwrap();
    }
    held.add(&mut engine, draw).unwrap().run_if(never).unwrap();
    asked.set_pace(engine.world_mut(), manual()).unwrap().unwrap();
    asked.add(&mut engine, draw).unwrap();
    still.set_pace(engine.world_mut(), fixed(60.0)).unwrap().unwrap();
    still.set_time_scale(engine.world_mut(), 0.0).unwrap();
    still.add(&mut engine, draw).unwrap();
    let elsewhere = moved.add(&mut engine, draw).unwrap().to("Render").id();
    engine.run_frames(3).unwrap();
    let mut says = |scene: SceneId| scene.explain(&mut engine, draw).unwrap().to_string();
    assert_eq!(says(held), "its condition `never` did not hold");
    assert_eq!(says(asked), "its scene `scene 1` runs only when asked: `scene.update(&mut engine)`");
    assert_eq!(says(still), "time stands still in its scene `scene 2`; `set_time_scale` with more than 0 lets it pass");
    assert_eq!(
        says(moved),
        "it is in group `Render`, and systems of scenes run in group `Scenes`; leave out `.to(\"Render\")`"
    );
    assert_eq!(runs(&engine, elsewhere), 0);
}

#[test]
fn a_scene_that_waits_to_be_asked_says_so_however_fast_its_time_passes() {
    let mut engine = Engine::new();
    let level = engine.world_mut().create_scene("level").unwrap();
    level.add(&mut engine, || ()).unwrap().named("tick");
    let tick = level.systems(engine.world()).unwrap()[0];
    level.set_time_scale(engine.world_mut(), 0.0).unwrap();
    let mut doing = |pace| {
        level.set_pace(engine.world_mut(), pace).unwrap().unwrap();
        level.explain(&mut engine, tick).unwrap()
    };
    // More time would not let it run; with this one it would.
    assert!(matches!(doing(manual()), Doing::Manual { .. }));
    assert!(matches!(doing(fixed(60.0)), Doing::Still { .. }));
}

#[test]
fn who_is_held_back_by_the_pass_of_another_scene_runs() {
    let mut engine = Engine::new();
    let [slow, fast] = scenes(engine.world_mut());
    slow.set_pace(engine.world_mut(), fixed(1.0)).unwrap().unwrap();
    for scene in [slow, fast] {
        scene.add(&mut engine, || ()).unwrap().named("tick");
    }
    engine.run_frames(90).unwrap();
    assert_eq!(slow.explain(&mut engine, "tick").map_err(|error| error.to_string()), Ok(Doing::Runs));
}

#[test]
fn the_group_of_scenes_run_by_hand_runs_nobody() {
    let mut engine = Engine::new();
    let [level] = scenes(engine.world_mut());
    let tick = level.add(&mut engine, || ()).unwrap().id();
    engine.run_frames(2).unwrap();
    level.pause(engine.world_mut()).unwrap();
    engine.run_group("Scenes").unwrap();
    assert_eq!(runs(&engine, tick), 2);
    level.update(&mut engine).unwrap().unwrap();
    engine.run_group("Scenes").unwrap();
    assert_eq!(runs(&engine, tick), 3);
}

#[test]
fn gates_of_systems_that_are_gone_serve_others() {
    let mut engine = Engine::new();
    for round in 0..50 {
        let scene = engine.world_mut().create_scene("passing").unwrap();
        let [kept, removed] = [(); 2].map(|()| scene.add(&mut engine, || ()).unwrap().id());
        scene.remove(&mut engine, removed).unwrap();
        let again = scene.add(&mut engine, || ()).unwrap().id();
        engine.run_frames(2).unwrap();
        assert_eq!((runs(&engine, kept), runs(&engine, again)), (2, 2), "{round}");
        scene.delete(engine.world_mut()).unwrap();
        // The systems of the scene are still there, and do not run.
        engine.run_frames(1).unwrap();
        assert_eq!(runs(&engine, kept), 2);
    }
}

#[test]
fn what_is_switched_off_is_had_all_the_same() {
    let mut world = World::new();
    let [level] = scenes(&mut world);
    let owls = [(); 2].map(|()| world.spawn(Awake));
    for owl in owls {
        world.switch_off::<Awake>(owl).unwrap();
    }
    assert!(level.add_node::<Watching>(&mut world, owls[0]).unwrap());
    assert_eq!(level.add_matching::<Watching>(&mut world).unwrap(), 1);
    assert_eq!(level.nodes::<Watching>(&world), owls);
    let seen = |world: &mut World| level.run_once(world, |nodes: MaybeNodes<Watching>| nodes.count()).unwrap().unwrap();
    assert_eq!(seen(&mut world), 0);
    world.switch_on::<Awake>(owls[1]).unwrap();
    assert_eq!(seen(&mut world), 1);
}

#[test]
fn tables_stay_few_whatever_way_roles_come() {
    let mut world = World::new();
    let all: [SceneId; 100] = scenes(&mut world);
    for scene in all {
        world.spawn(Mesh(0));
        scene.add_matching::<Drawn>(&mut world).unwrap();
    }
    assert!(world.stats().tables < 300, "{}", world.stats());
    let houses: Vec<Entity> = world.query::<Entity>().iter().collect();
    for (at, house) in houses.iter().enumerate() {
        for scene in all.iter().skip(at % 7).step_by(at % 5 + 1) {
            scene.remove_node::<Drawn>(&mut world, *house).unwrap();
        }
    }
    assert!(world.stats().tables < 1000, "{}", world.stats());
    world.validate().unwrap();
}

#[test]
fn the_crowd_begins_when_there_are_too_many_sets_and_nobody_loses_a_role() {
    for most in [0, 1, 3] {
        let mut world = World::new();
        let all: [SceneId; 6] = scenes(&mut world);
        world.resource_mut::<Scenes>().unwrap().set_most_role_sets(most);
        let houses = world.spawn_batch((0..64).map(Mesh)).to_vec();
        let has = |house: usize, scene: usize| house >> scene & 1 == 1;
        for (at, house) in houses.iter().enumerate() {
            for (number, scene) in all.iter().enumerate().filter(|(number, _)| has(at, *number)) {
                assert!(scene.add_node::<Drawn>(&mut world, *house).unwrap(), "{number}");
            }
        }
        let mut left = EventReader::<NodeLeft>::new();
        left.read(&world).count();
        for (at, house) in houses.iter().enumerate() {
            for (number, scene) in all.iter().enumerate() {
                assert_eq!(scene.has_node::<Drawn>(&world, *house), has(at, number));
            }
            assert_eq!(world.roles_of(*house).len(), at.count_ones() as usize);
        }
        assert_eq!(all[2].remove_nodes::<Drawn>(&mut world, &houses).unwrap(), 32);
        assert_eq!(left.read(&world).count(), 32);
        world.remove::<Mesh>(houses[63]).unwrap();
        assert_eq!(left.read(&world).count(), 5, "all but the one that it had lost");
        world.insert(houses[63], Mesh(1)).unwrap();
        assert!(all[2].add_node::<Drawn>(&mut world, houses[63]).unwrap());
        assert_eq!(world.roles_of(houses[63]), [(all[2], "Drawn")]);
        world.validate().unwrap();
    }
}

#[test]
fn nodes_come_by_commands_one_by_one_in_batches_and_all_that_match() {
    let mut world = World::new();
    let [one, some, all] = scenes(&mut world);
    let mut commands = world.commands();
    let houses: Vec<Entity> = (0..4).map(|at| commands.spawn(Mesh(at))).collect();
    commands.add_node::<Drawn>(one, houses[0]);
    commands.add_nodes::<Drawn>(some, &houses[1..]);
    commands.add_matching::<Drawn>(all);
    commands.remove_node::<Drawn>(some, houses[1]);
    world.apply(&mut commands).unwrap();
    let expected = [(one, houses[0]), (some, houses[2]), (some, houses[3])];
    let expected: Vec<_> = expected.into_iter().chain(houses.iter().map(|house| (all, *house))).collect();
    let mut found = world.nodes_of::<Drawn>();
    found.sort();
    assert_eq!(found, expected);
    let line = line!() + 1;
    commands.add_node::<Body>(one, houses[0]);
    let error = world.apply(&mut commands).unwrap_err().to_string();
    assert_eq!(error.matches(&format!("scenes_mended.rs:{line}")).count(), 2, "{error}");
}

#[test]
fn a_scene_that_is_made_where_another_is_cleared_keeps_its_nodes() {
    let mut world = World::new();
    let old = world.create_scene("old").unwrap();
    let all: Vec<Entity> = (0..3).map(|number| world.spawn((Mass, Mesh(number)))).collect();
    old.add_nodes::<Body>(&mut world, &all).unwrap();
    old.add_nodes::<Drawn>(&mut world, &all).unwrap();
    let made = Arc::new(Mutex::new(None));
    for tag in tags(&world, all[0]) {
        let told = Arc::clone(&made);
        let replace = move |trigger: &mut Trigger<'_>| {
            let told = Arc::clone(&told);
            trigger.defer(move |world| {
                if old.is_there(world) {
                    old.delete(world).unwrap();
                    let new = world.create_scene("new").unwrap();
                    let node = world.spawn((Mass, Mesh(9)));
                    new.add_node::<Drawn>(world, node).unwrap();
                    new.add_node::<Body>(world, node).unwrap();
                    *told.lock().unwrap() = Some((new, node));
                }
            });
        };
        world.observe_dyn(tag, Act::Remove, replace).unwrap();
    }
    old.clear(&mut world, Leaving::Keep).unwrap();
    let (new, node) = made.lock().unwrap().take().unwrap();
    assert!(new.has_node::<Drawn>(&world, node) && new.has_node::<Body>(&world, node));
    world.validate().unwrap();
}

#[test]
fn nodes_that_end_while_they_lose_their_roles_do_not_stop_the_others() {
    let mut world = World::new();
    let [from, to] = ["from", "to"].map(|name| world.create_scene(name).unwrap());
    let all: Vec<Entity> = (0..3).map(|number| world.spawn((Mass, Mesh(number)))).collect();
    from.add_nodes::<Body>(&mut world, &all).unwrap();
    from.add_nodes::<Drawn>(&mut world, &all).unwrap();
    let victim = all[0];
    for tag in tags(&world, victim) {
        let end = move |trigger: &mut Trigger<'_>| trigger.defer(move |world| _ = world.despawn(victim));
        world.observe_dyn(tag, Act::Remove, end).unwrap();
    }
    from.move_nodes(&mut world, &all, to).unwrap();
    assert!(!world.is_alive(victim));
    for entity in &all[1..] {
        assert!(to.has_node::<Body>(&world, *entity) && to.has_node::<Drawn>(&world, *entity));
        assert!(!from.has_node::<Body>(&world, *entity) && !from.has_node::<Drawn>(&world, *entity));
    }
    world.validate().unwrap();
}
