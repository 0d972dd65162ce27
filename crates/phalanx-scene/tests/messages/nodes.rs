//! Nodes and scenes.

use crate::says;
use phalanx_ecs::prelude::*;
use phalanx_scene::{Node, Nodes, SceneTime, SceneWorld};
use phalanx_schedule::Engine;

#[derive(Component)]
struct Mesh;
#[derive(Component)]
struct Place;
#[derive(Component)]
struct Hidden;

#[derive(Node)]
#[node(without(Hidden))]
struct Drawn<'w> {
    _mesh: &'w Mesh,
    _place: &'w Place,
}

#[test]
fn n001_what_a_node_lacks() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let house = world.spawn((Name::new("House"), Mesh));
    says("n001_one", level.add_node::<Drawn>(&mut world, house).unwrap_err());
    let nothing = world.spawn(());
    says("n001_all", level.add_node::<Drawn>(&mut world, nothing).unwrap_err());
    let ghost = world.spawn((Mesh, Hidden));
    says("n001_and_without", level.add_node::<Drawn>(&mut world, ghost).unwrap_err());
}

#[test]
fn n002_what_a_node_must_be_without() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let ghost = world.spawn((Mesh, Place, Hidden));
    says("n002", level.add_node::<Drawn>(&mut world, ghost).unwrap_err());
}

#[test]
fn n003_scenes_that_are_not_there() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    level.delete(&mut world).unwrap();
    says("n003_none", level.name(&world).unwrap_err());
    world.create_scene("menu").unwrap();
    world.create_scene("map").unwrap();
    says("n003_others", level.delete(&mut world).unwrap_err());
    let mut other = World::new();
    other.create_scene("far away").unwrap();
    let foreign = (0..3).map(|at| world.create_scene(&format!("{at}")).unwrap()).last().unwrap();
    says("n003_foreign", foreign.name(&other).unwrap_err());
    for at in 3..100 {
        world.create_scene(&format!("{at}")).unwrap().delete(&mut world).unwrap();
    }
    for at in 0..3 {
        world.find_scene(&format!("{at}")).unwrap().delete(&mut world).unwrap();
    }
    says("n003_long_ago", level.name(&world).unwrap_err());
}

#[test]
fn n003_a_scene_that_is_being_deleted() {
    for others in [false, true] {
        let mut world = World::new();
        let level = world.create_scene("level").unwrap();
        if others {
            world.create_scene("menu").unwrap();
        }
        let [house, stone] = [(); 2].map(|()| world.spawn((Mesh, Place)));
        level.add_node::<Drawn>(&mut world, house).unwrap();
        world.observe::<Mesh>(Act::Remove, move |trigger| {
            trigger.defer(move |world| {
                let name = if others { "n003_ending" } else { "n003_ending_alone" };
                says(name, level.add_node::<Drawn>(world, stone).unwrap_err());
            });
        });
        level.delete(&mut world).unwrap();
    }
}

#[test]
fn n004_names_that_are_taken() {
    let mut world = World::new();
    world.create_scene("level").unwrap();
    says("n004", world.create_scene("level").unwrap_err());
}

#[test]
fn n005_arguments_of_systems_of_scenes_elsewhere() {
    fn draw(_: Nodes<Drawn>) {}
    fn age(_: SceneTime) {}
    let mut engine = Engine::new();
    says("n005_nodes", engine.add(draw).map(drop).unwrap_err());
    says("n005_time", engine.add(age).map(drop).unwrap_err());
}

#[test]
fn n006_roles_that_nobody_can_have() {
    type Net = Mesh;
    #[derive(Node)]
    #[node(without(Net))]
    struct Contrary<'w> {
        _mesh: &'w Mesh,
    }
    fn draw(_: Nodes<Contrary>) {}
    let mut engine = Engine::new();
    let level = engine.world_mut().create_scene("level").unwrap();
    let house = engine.world_mut().spawn(Mesh);
    says("n006_node", level.add_node::<Contrary>(engine.world_mut(), house).unwrap_err());
    says("n006_system", level.add(&mut engine, draw).unwrap_err());
}

#[test]
fn s003_a_function_that_serves_several_scenes() {
    fn draw(_: Nodes<Drawn>) {}
    fn after() {}
    let mut engine = Engine::new();
    for name in ["x", "y"] {
        let scene = engine.world_mut().create_scene(name).unwrap();
        scene.add(&mut engine, draw).unwrap();
    }
    says("s003_scenes", engine.add(after).unwrap().after(draw).map(drop).unwrap_err());
}

#[test]
fn s003_a_system_that_another_scene_has() {
    fn walk() {}
    fn draw() {}
    let mut engine = Engine::new();
    let [level, menu] = ["level", "menu"].map(|name| engine.world_mut().create_scene(name).unwrap());
    let here = level.add(&mut engine, walk).unwrap().id();
    menu.add(&mut engine, draw).unwrap();
    assert_eq!(["walk", "level/walk"].map(|name| level.find(&engine, name).unwrap()), [here; 2]);
    says("s003_elsewhere", level.find(&engine, draw).unwrap_err());
    says("s003_elsewhere_by_name", level.find(&engine, "menu/draw").unwrap_err());
    says("s003_nowhere", level.find(&engine, "wlak").unwrap_err());
}
