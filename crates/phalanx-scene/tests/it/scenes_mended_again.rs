//! Scenes and roles where somebody interferes with what is being done: takes scenes away, ends nodes or scenes, panics, puts another world in place.

use phalanx_ecs::prelude::*;
use phalanx_scene::{Node, Nodes, SceneId, SceneWorld, Scenes};
use phalanx_schedule::Engine;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component)]
struct Hidden;

#[derive(Node)]
struct Living<'w> {
    health: &'w mut Health,
}
#[derive(Node)]
#[node(without(Hidden))]
struct Seen<'w> {
    _health: &'w Health,
}

fn scenes<const N: usize>(world: &mut World) -> [SceneId; N] {
    std::array::from_fn(|at| world.create_scene(&format!("scene {at}")).unwrap())
}

// ---------------------------------------------------------------------------------------------- scenes are taken away

fn grow(nodes: Nodes<Living>) {
    nodes.into_iter().for_each(|node| node.health.0 += 1);
}

fn leap(nodes: Nodes<Living>) {
    nodes.into_iter().for_each(|node| node.health.0 += 100);
}

#[test]
fn systems_of_scenes_that_were_taken_away_never_run_again() {
    for put_others in [false, true] {
        let mut engine = Engine::new();
        let [first] = scenes(engine.world_mut());
        first.add(&mut engine, grow).unwrap();
        let old = engine.world_mut().spawn(Health(0));
        first.add_node::<Living>(engine.world_mut(), old).unwrap();
        engine.run_frames(1).unwrap();
        if put_others {
            engine.world_mut().insert_resource(Scenes::default());
        } else {
            engine.world_mut().remove_resource::<Scenes>();
        }
        engine.run_frames(1).unwrap();
        let [second] = scenes(engine.world_mut());
        engine.run_frames(1).unwrap();
        second.add(&mut engine, leap).unwrap();
        let new = engine.world_mut().spawn(Health(0));
        second.add_node::<Living>(engine.world_mut(), new).unwrap();
        engine.run_frames(3).unwrap();
        let health = |entity| engine.world().get::<Health>(entity).copied();
        assert_eq!((health(old), health(new)), (Some(Health(1)), Some(Health(300))));
        engine.world().validate().unwrap();
    }
}

#[test]
fn systems_that_a_deleted_scene_left_are_removed_when_all_scenes_are_others() {
    let mut engine = Engine::new();
    let [first] = scenes(engine.world_mut());
    first.add(&mut engine, grow).unwrap();
    first.delete(engine.world_mut()).unwrap();
    engine.world_mut().remove_resource::<Scenes>();
    let [second] = scenes(engine.world_mut());
    second.add(&mut engine, leap).unwrap();
    assert_eq!(engine.schedule().len(), 1);
}

#[test]
fn roles_of_scenes_that_were_taken_away_are_not_taken_for_others() {
    let mut world = World::new();
    let [first] = scenes(&mut world);
    let old = world.spawn(Health(0));
    first.add_node::<Seen>(&mut world, old).unwrap();
    world.remove_resource::<Scenes>();
    let [second] = scenes(&mut world);
    world.insert(old, Hidden).unwrap();
    second.add_node::<Living>(&mut world, old).unwrap();
    world.insert(old, Hidden).unwrap();
    assert!(second.has_node::<Living>(&world, old));
    world.validate().unwrap();
}
