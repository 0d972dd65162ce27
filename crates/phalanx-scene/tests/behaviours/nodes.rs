//! Nodes and scenes.

use phalanx_ecs::prelude::*;
use phalanx_scene::{ChildOf, Node, NodeError, NodeLeft, Nodes, SceneId, SceneWorld};
use phalanx_schedule::Engine;

#[derive(Component)]
struct Mesh(u32);

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Transform(f32);

#[derive(Component)]
struct Velocity(f32);

#[derive(Component)]
struct Hidden;

#[derive(Node)]
struct RenderNode<'w> {
    mesh: &'w Mesh,
    transform: &'w mut Transform,
}

#[derive(Node)]
#[node(without(Hidden))]
struct PhysicsNode<'w> {
    transform: &'w mut Transform,
    velocity: &'w Velocity,
}

#[derive(Resource, Default)]
struct Log(Vec<(SceneId, &'static str)>);

fn render(scene: SceneId, nodes: Nodes<RenderNode>, mut log: ResMut<Log>) {
    log.0.push((scene, "render"));
    for node in nodes {
        assert!(node.mesh.0 > 0 && node.transform.0.is_finite());
    }
}

fn physics(scene: SceneId, mut nodes: Nodes<PhysicsNode>, mut log: ResMut<Log>) {
    log.0.push((scene, "physics"));
    nodes.for_each(|node| node.transform.0 += node.velocity.0);
}

fn engine_with<const SCENES: usize>(names: [&str; SCENES]) -> (Engine, [SceneId; SCENES]) {
    let mut engine = Engine::new();
    engine.world_mut().insert_resource(Log::default());
    let scenes = names.map(|name| engine.world_mut().create_scene(name).unwrap());
    for scene in scenes {
        scene.add(&mut engine, render).unwrap();
        scene.add(&mut engine, physics).unwrap();
        scene.order(&mut engine, physics, render).unwrap();
    }
    (engine, scenes)
}

/// What ran in the next frame, in order.
fn ran(engine: &mut Engine) -> Vec<(SceneId, &'static str)> {
    engine.run_frames(1).unwrap();
    std::mem::take(&mut engine.world_mut().resource_mut::<Log>().unwrap().0)
}

/// A node is a named set of required components, declared as a struct of references. Making an entity a node checks the requirement; a failure names what is
/// missing, creates nothing, and can be retried after the component is added.
#[test]
fn n1_requirements() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let house = world.spawn((Name::new("House"), Mesh(1)));
    let before = world.checksum();
    let error = level.add_node::<RenderNode>(&mut world, house).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("error[N001]: entity 0v0 \"House\" cannot become node `RenderNode`\n  missing: Transform\n  present: Name, Mesh\n  asked by: "), "{text}");
    assert!(matches!(error, NodeError::Missing { missing, .. } if missing == ["Transform"]));
    assert_eq!((world.checksum(), level.has_node::<RenderNode>(&world, house)), (before, false));
    assert!(level.add_nodes::<RenderNode>(&mut world, [house]).is_err());
    world.insert(house, Transform(0.0)).unwrap();
    assert!(level.add_node::<RenderNode>(&mut world, house).unwrap());
    assert_eq!(level.nodes::<RenderNode>(&world), [house]);
}

/// A node's id is its entity's id; one node of a type per entity and scene; registering twice is harmless.
#[test]
fn n2_one_node_per_entity_and_scene() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let house = world.spawn((Mesh(1), Transform(0.0)));
    assert!(level.add_node::<RenderNode>(&mut world, house).unwrap());
    assert!(!level.add_node::<RenderNode>(&mut world, house).unwrap());
    assert_eq!(level.add_nodes::<RenderNode>(&mut world, [house, house]).unwrap(), 0);
    assert_eq!(level.add_matching::<RenderNode>(&mut world).unwrap(), 0);
    assert_eq!(level.nodes::<RenderNode>(&world), [house]);
    assert_eq!((level.members(&world), world.roles_of(house)), (vec![house], vec![(level, "RenderNode")]));
}

/// Two nodes of one entity see the same component.
#[test]
fn n3_nodes_share_components() {
    let (mut engine, [level]) = engine_with(["level"]);
    let ball = engine.world_mut().spawn((Mesh(1), Transform(1.0), Velocity(2.0)));
    level.add_node::<RenderNode>(engine.world_mut(), ball).unwrap();
    level.add_node::<PhysicsNode>(engine.world_mut(), ball).unwrap();
    engine.run_frames(3).unwrap();
    let seen = level.run_once(engine.world_mut(), |nodes: Nodes<RenderNode>| {
        nodes.into_iter().map(|node| *node.transform).collect::<Vec<_>>()
    });
    assert_eq!(seen.unwrap().unwrap(), [Transform(7.0)]);
}

/// A scene holds nodes and systems. Scene ids are never reused. A node can be in several scenes; a system can serve several scenes and is told which one it
/// runs for.
#[test]
fn n4_scenes() {
    let (mut engine, [level, map]) = engine_with(["level", "map"]);
    let [ball, stone] = [(); 2].map(|()| engine.world_mut().spawn((Mesh(1), Transform(0.0), Velocity(1.0))));
    level.add_nodes::<PhysicsNode>(engine.world_mut(), [ball, stone]).unwrap();
    map.add_node::<PhysicsNode>(engine.world_mut(), ball).unwrap();
    map.add_node::<RenderNode>(engine.world_mut(), ball).unwrap();
    assert_eq!(ran(&mut engine), [(level, "physics"), (map, "physics"), (map, "render")]);
    let at = |engine: &Engine, entity| engine.world().get::<Transform>(entity).unwrap().0;
    assert_eq!((at(&engine, ball), at(&engine, stone)), (2.0, 1.0), "the ball was moved in both");
    map.delete_from(&mut engine).unwrap();
    assert!(engine.world().is_alive(ball), "it is also in the level");
    assert_eq!(ran(&mut engine), [(level, "physics")]);
    let map_again = engine.world_mut().create_scene("map").unwrap();
    assert!(map_again != map && map_again.members(engine.world()).is_empty());
    assert!(map.add_node::<RenderNode>(engine.world_mut(), ball).is_err());
    level.delete_from(&mut engine).unwrap();
    assert!(!engine.world().is_alive(ball) && !engine.world().is_alive(stone));
}

/// Updating a scene runs, in dependency order, exactly the systems whose node type has members in that scene; the others wait and join when a node arrives;
/// when the last node leaves they sleep again without error.
#[test]
fn n5_waiting_systems() {
    let (mut engine, [level]) = engine_with(["level"]);
    assert_eq!(ran(&mut engine), []);
    let why = level.explain(&mut engine, physics).unwrap().to_string();
    assert_eq!(why, "it waits for a node `PhysicsNode` in scene `level`");
    let ball = engine.world_mut().spawn((Mesh(1), Transform(0.0), Velocity(1.0)));
    level.add_node::<RenderNode>(engine.world_mut(), ball).unwrap();
    assert_eq!(ran(&mut engine), [(level, "render")]);
    level.add_node::<PhysicsNode>(engine.world_mut(), ball).unwrap();
    assert_eq!(ran(&mut engine), [(level, "physics"), (level, "render")]);
    assert_eq!(level.explain(&mut engine, physics).unwrap().to_string(), "it runs");
    level.remove_node::<RenderNode>(engine.world_mut(), ball).unwrap();
    assert_eq!(ran(&mut engine), [(level, "physics")]);
    level.remove_node::<PhysicsNode>(engine.world_mut(), ball).unwrap();
    assert_eq!(ran(&mut engine), []);
    // An order that is asked for later holds from then on.
    let (render, physics) = (level.find(&engine, render).unwrap(), level.find(&engine, physics).unwrap());
    engine.schedule_mut().unorder(physics, render).unwrap();
    level.order(&mut engine, render, physics).unwrap();
    level.add_matching::<RenderNode>(engine.world_mut()).unwrap();
    level.add_matching::<PhysicsNode>(engine.world_mut()).unwrap();
    assert_eq!(ran(&mut engine), [(level, "render"), (level, "physics")]);
}

/// Removing a component that a node needs, or the entity, removes the node from every scene; a waiting system can be removed.
#[test]
fn n6_nodes_end_with_what_they_need() {
    type Route = fn(&mut World, Entity);
    let routes: [(&str, Route); 10] = [
        ("remove", |world, ball| _ = world.remove::<Transform>(ball).unwrap()),
        ("take", |world, ball| _ = world.take::<Transform>(ball).unwrap()),
        ("retain", |world, ball| _ = world.retain::<Mesh>(ball).unwrap()),
        ("remove_where", |world, _| _ = world.remove_where::<With<Mesh>, Transform>()),
        ("remove_batch", |world, ball| _ = world.remove_batch::<Transform>([ball]).unwrap()),
        ("entity_mut", |world, ball| {
            let mut entity = world.entity_mut(ball).unwrap();
            entity.remove::<Transform>();
        }),
        ("despawn", |world, ball| world.despawn(ball).unwrap()),
        ("commands", |world, ball| {
            let mut commands = world.commands();
            commands.remove::<Transform>(ball);
            world.apply(&mut commands).unwrap();
        }),
        ("move_entity", |world, ball| {
            let mut other = World::new();
            let moved = world.move_entity(ball, &mut other).unwrap();
            assert!(other.roles_of(moved).is_empty() && other.has::<Transform>(moved));
        }),
        ("observer", |world, ball| {
            world.observe::<Hidden>(Act::Insert, |trigger| {
                let entity = trigger.entity();
                trigger.defer(move |world| _ = world.remove::<Transform>(entity));
            });
            world.insert(ball, Hidden).unwrap();
        }),
    ];
    for (route, act) in routes {
        let mut world = World::new();
        let scenes = ["level", "map"].map(|name| world.create_scene(name).unwrap());
        let ball = world.spawn((Mesh(1), Transform(0.0), Velocity(1.0)));
        for scene in scenes {
            scene.add_node::<RenderNode>(&mut world, ball).unwrap();
        }
        scenes[0].add_node::<PhysicsNode>(&mut world, ball).unwrap();
        act(&mut world, ball);
        assert!(scenes.iter().all(|scene| scene.members(&world).is_empty()), "{route}");
        let mut left: Vec<_> =
            EventReader::<NodeLeft>::new().read(&world).map(|left| (left.scene, left.node)).collect();
        left.sort();
        let [level, map] = scenes;
        assert_eq!(left, [(level, "PhysicsNode"), (level, "RenderNode"), (map, "RenderNode")], "{route}");
        world.validate().unwrap();
    }

    let (mut engine, [level]) = engine_with(["level"]);
    engine.run_frames(1).unwrap();
    level.remove(&mut engine, physics).unwrap();
    let ball = engine.world_mut().spawn((Mesh(1), Transform(0.0), Velocity(1.0)));
    level.add_node::<PhysicsNode>(engine.world_mut(), ball).unwrap();
    assert_eq!(ran(&mut engine), []);
}

/// A scene knows its deepest hierarchy level.
#[test]
fn n7_deepest_level() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    assert_eq!(level.deepest_level(&world), None);
    let mut last = world.spawn((Mesh(1), Transform(0.0)));
    level.add_node::<RenderNode>(&mut world, last).unwrap();
    assert_eq!(level.deepest_level(&world), Some(0));
    for depth in 1..=5 {
        last = world.spawn((Mesh(1), Transform(0.0), ChildOf(last)));
        level.add_node::<RenderNode>(&mut world, last).unwrap();
        assert_eq!(level.deepest_level(&world), Some(depth));
    }
    level.remove_node::<RenderNode>(&mut world, last).unwrap();
    assert_eq!(level.deepest_level(&world), Some(4));
}

/// A render node for an entity that has only a mesh is refused; after the transform is added it works.
#[test]
fn x4_a_node_is_refused_and_then_works() {
    let (mut engine, [level]) = engine_with(["level"]);
    let house = engine.world_mut().spawn(Mesh(1));
    let refused = level.add_node::<RenderNode>(engine.world_mut(), house);
    assert!(matches!(refused, Err(NodeError::Missing { .. })));
    assert_eq!(ran(&mut engine), []);
    engine.world_mut().insert(house, Transform(0.0)).unwrap();
    level.add_node::<RenderNode>(engine.world_mut(), house).unwrap();
    assert_eq!(ran(&mut engine), [(level, "render")]);
}

/// Render and Physics registered, only a render node present: first only Render runs; after a physics node arrives, Physics then Render.
#[test]
fn x5_systems_join() {
    let (mut engine, [level]) = engine_with(["level"]);
    let world = engine.world_mut();
    let house = world.spawn((Mesh(1), Transform(0.0)));
    level.add_node::<RenderNode>(world, house).unwrap();
    assert_eq!(ran(&mut engine), [(level, "render")]);
    let world = engine.world_mut();
    let ball = world.spawn((Transform(0.0), Velocity(1.0)));
    level.add_node::<PhysicsNode>(world, ball).unwrap();
    assert_eq!(ran(&mut engine), [(level, "physics"), (level, "render")]);
}
