//! Scenes and roles where somebody interferes with what is being done: takes scenes away, ends nodes or scenes, panics.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, Trigger};
use phalanx_scene::{ChildOf, Kinship, Leaving, Node, NodeError, Nodes, SceneId, SceneWorld, Scenes};
use phalanx_schedule::Engine;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

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

/// The tag of a role of an entity, by its name.
fn tag(world: &World, entity: Entity, name: &str) -> ComponentId {
    world.entity(entity).unwrap().components().find(|info| info.name() == name).unwrap().id()
}

/// Lets something be done once, when a tag comes or goes.
fn once(world: &mut World, tag: ComponentId, act: Act, then: impl Fn(&mut World) + Clone + Send + Sync + 'static) {
    let done = AtomicBool::new(false);
    let tell = move |trigger: &mut Trigger<'_>| {
        if !done.swap(true, Relaxed) {
            let then = then.clone();
            trigger.defer(move |world| then(world));
        }
    };
    world.observe_dyn(tag, act, tell).unwrap();
}

/// Whether something panics.
fn panics<R>(act: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(act)).is_err()
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

// ------------------------------------------------------------------------------------------------------- scenes that end

#[test]
fn an_observer_that_panics_does_not_keep_a_scene_from_being_deleted() {
    for most in [0, 256] {
        let mut world = World::new();
        let [level, map] = scenes(&mut world);
        world.resource_mut::<Scenes>().unwrap().set_most_role_sets(most);
        let top = world.spawn(Health(1));
        let guest = world.spawn((Health(2), ChildOf(top)));
        let both = [(); 3].map(|()| world.spawn(Health(3)));
        level.add_nodes::<Living>(&mut world, [top].iter().chain(&both)).unwrap();
        map.add_nodes::<Living>(&mut world, [guest].iter().chain(&both)).unwrap();
        let role = tag(&world, top, "Living@0");
        let observers = [
            world.observe::<ChildOf>(Act::Remove, |_| panic!("a child left")),
            world.observe::<Health>(Act::Remove, |_| panic!("health left")),
            world.observe_dyn(role, Act::Remove, |_| panic!("a role left")).unwrap(),
            world.observe_dyn(role, Act::SwitchOff, |_| panic!("a role went off")).unwrap(),
        ];
        assert!(panics(|| level.delete(&mut world)));
        for observer in observers {
            world.remove_observer(observer);
        }
        assert!(!level.is_there(&world) && world.find_scene("scene 0").is_none());
        assert!(!world.is_alive(top) && world.parent(guest).is_none());
        let again = world.create_scene("scene 0").unwrap();
        assert!(again.members(&world).is_empty(), "{most}: the tags are free");
        assert_eq!(map.members(&world).len(), 4);
        assert!(again.add_node::<Living>(&mut world, guest).unwrap());
        world.validate().unwrap();
    }
}

#[test]
fn an_observer_that_panics_does_not_keep_a_scene_from_being_cleared() {
    let mut world = World::new();
    let [level, map] = scenes(&mut world);
    let top = world.spawn(Health(1));
    let guest = world.spawn((Health(2), ChildOf(top)));
    level.add_node::<Living>(&mut world, top).unwrap();
    map.add_node::<Living>(&mut world, guest).unwrap();
    world.observe::<ChildOf>(Act::Remove, |_| panic!("a child left"));
    assert!(panics(|| level.clear(&mut world, Leaving::Despawn)));
    assert!(!world.is_alive(top) && level.is_there(&world) && map.has_node::<Living>(&world, guest));
    assert!(level.add_node::<Living>(&mut world, guest).unwrap());
}

#[test]
fn a_scene_that_is_being_deleted_says_so() {
    let mut world = World::new();
    let [level, _] = scenes(&mut world);
    let [node, other] = [(); 2].map(|()| world.spawn(Health(1)));
    level.add_node::<Living>(&mut world, node).unwrap();
    let said = Arc::new(Mutex::new(None));
    let told = Arc::clone(&said);
    world.observe::<Health>(Act::Remove, move |trigger| {
        let told = Arc::clone(&told);
        trigger.defer(move |world| *told.lock().unwrap() = level.add_node::<Living>(world, other).err());
    });
    level.delete(&mut world).unwrap();
    let Some(NodeError::Scene(error)) = said.lock().unwrap().take() else { panic!("it is refused") };
    assert!(error.is_ending && !error.was_deleted, "{error}");
    assert_eq!((error.name.as_deref(), &error.present[..]), (Some("scene 0"), &["scene 1".to_owned()][..]));
}

#[test]
fn who_is_given_another_scene_while_its_own_is_cleared_lives_on() {
    let mut world = World::new();
    let [level, map] = scenes(&mut world);
    let tops = [(); 2].map(|()| world.spawn(Health(1)));
    let guest = world.spawn((Health(2), ChildOf(tops[0])));
    let child = world.spawn((Health(3), ChildOf(tops[0])));
    level.add_nodes::<Living>(&mut world, [tops[0], tops[1], child]).unwrap();
    map.add_node::<Living>(&mut world, guest).unwrap();
    world.observe::<ChildOf>(Act::Remove, move |trigger| {
        trigger.defer(move |world| _ = map.add_nodes::<Living>(world, [tops[1], child]));
    });
    level.delete(&mut world).unwrap();
    assert!(!world.is_alive(tops[0]) && world.parent(child).is_none());
    assert_eq!(map.members(&world), [guest, tops[1], child]);
    world.validate().unwrap();
}

// ----------------------------------------------------------------------------------------------------- roles that come

#[test]
fn how_many_got_a_role_does_not_depend_on_who_ends_meanwhile() {
    for most in [0, 256] {
        let mut world = World::new();
        let [level] = scenes(&mut world);
        world.resource_mut::<Scenes>().unwrap().set_most_role_sets(most);
        let probe = world.spawn(Health(0));
        level.add_node::<Living>(&mut world, probe).unwrap();
        world.spawn_batch((0..5).map(Health));
        let role = tag(&world, probe, "Living@0");
        let act = if most == 0 { Act::SwitchOn } else { Act::Insert };
        let reap = |trigger: &mut Trigger<'_>| {
            let entity = trigger.entity();
            trigger.defer(move |world| {
                let others: Vec<Entity> = world.query::<Entity>().iter().filter(|other| *other != entity).collect();
                if world.is_alive(entity) {
                    let _ = world.despawn_batch(others);
                }
            });
        };
        world.observe_dyn(role, act, reap).unwrap();
        // In the crowd they come one by one, and the first ends the others.
        assert_eq!(level.add_matching::<Living>(&mut world).unwrap(), if most == 0 { 1 } else { 5 });
        assert_eq!(level.members(&world).len(), 1);
        let _ = world.despawn_batch(level.members(&world));
        assert_eq!(level.add_matching::<Living>(&mut world).unwrap(), 0);
        world.validate().unwrap();
    }
}

#[test]
fn in_the_crowd_roles_come_and_go_whatever_observers_end() {
    // Both when the crowd begins, and when others enter it.
    for (begun, act, ends) in [Act::Insert, Act::SwitchOn, Act::SwitchOff]
        .into_iter()
        .flat_map(|act| [(false, act, true), (false, act, false), (true, act, true), (true, act, false)])
    {
        let mut world = World::new();
        let [level, map] = scenes(&mut world);
        let probe = world.spawn(Health(0));
        let nodes = world.spawn_batch((0..5).map(Health)).to_vec();
        let few = |world: &mut World| world.resource_mut::<Scenes>().unwrap().set_most_role_sets(0);
        if begun {
            few(&mut world);
        }
        level.add_node::<Living>(&mut world, probe).unwrap();
        if !begun {
            map.add_nodes::<Living>(&mut world, &nodes).unwrap();
            few(&mut world);
        }
        let role = tag(&world, probe, "Living@0");
        let victim = nodes[4];
        let end =
            move |world: &mut World| if ends { _ = world.despawn(victim) } else { _ = world.remove::<Health>(victim) };
        world.observe_dyn(role, act, move |trigger| trigger.defer(end)).unwrap();
        let added = level.add_nodes::<Living>(&mut world, &nodes).unwrap();
        assert!((4..=5).contains(&added), "{act:?}: {added}");
        assert_eq!(level.add_matching::<Living>(&mut world).unwrap(), 0);
        map.add_matching::<Living>(&mut world).unwrap();
        map.add_matching::<Seen>(&mut world).unwrap();
        level.remove_nodes::<Living>(&mut world, &nodes[..4]).unwrap();
        assert!(!level.has_node::<Living>(&world, victim), "{act:?}");
        assert_eq!(map.nodes::<Seen>(&world).len(), 5);
        world.validate().unwrap();
    }
}

#[test]
fn in_the_crowd_roles_do_not_come_to_a_scene_that_came_meanwhile() {
    let mut world = World::new();
    let [level] = scenes(&mut world);
    world.resource_mut::<Scenes>().unwrap().set_most_role_sets(0);
    let probe = world.spawn(Health(0));
    level.add_node::<Living>(&mut world, probe).unwrap();
    let nodes = world.spawn_batch((0..5).map(Health)).to_vec();
    let role = tag(&world, probe, "Living@0");
    once(&mut world, role, Act::SwitchOn, move |world| {
        level.clear(world, Leaving::Keep).unwrap();
        level.delete(world).unwrap();
        world.create_scene("new").unwrap();
    });
    assert_eq!(level.add_nodes::<Living>(&mut world, &nodes).unwrap(), 1);
    assert!(world.find_scene("new").unwrap().members(&world).is_empty());
}

#[test]
fn in_the_crowd_all_get_a_role_and_lose_it_whoever_panics() {
    let mut world = World::new();
    let [level] = scenes(&mut world);
    world.resource_mut::<Scenes>().unwrap().set_most_role_sets(0);
    let nodes = world.spawn_batch((0..5).map(Health)).to_vec();
    level.add_node::<Living>(&mut world, nodes[0]).unwrap();
    let role = tag(&world, nodes[0], "Living@0");
    world.observe_dyn(role, Act::SwitchOn, |_| panic!("it came")).unwrap();
    world.observe_dyn(role, Act::SwitchOff, |_| panic!("it went")).unwrap();
    assert!(panics(|| level.add_nodes::<Living>(&mut world, &nodes)));
    assert_eq!(level.members(&world).len(), 5);
    assert!(panics(|| level.remove_nodes::<Living>(&mut world, &nodes)));
    assert!(level.members(&world).is_empty());
    world.validate().unwrap();
}

// ------------------------------------------------------------------------------------- roles that are copied and moved

#[test]
fn roles_do_not_leave_a_scene_that_came_while_nodes_were_moved() {
    let mut world = World::new();
    let [level, map] = scenes(&mut world);
    let node = world.spawn(Health(1));
    level.add_node::<Living>(&mut world, node).unwrap();
    level.add_node::<Seen>(&mut world, node).unwrap();
    let first = tag(&world, node, "Living@0");
    once(&mut world, first, Act::Remove, move |world| {
        level.delete(world).unwrap();
        let new = world.create_scene("new").unwrap();
        assert!(new.add_node::<Seen>(world, node).unwrap());
    });
    level.move_nodes(&mut world, [node], map).unwrap();
    assert!(world.find_scene("new").unwrap().has_node::<Seen>(&world, node));
    assert!(map.has_node::<Living>(&world, node) && map.has_node::<Seen>(&world, node));
}

#[test]
fn roles_do_not_come_to_a_scene_that_came_while_nodes_were_copied() {
    for moved in [false, true] {
        let mut world = World::new();
        let [level, map] = scenes(&mut world);
        let nodes = world.spawn_batch((0..5).map(Health)).to_vec();
        level.add_nodes::<Living>(&mut world, &nodes).unwrap();
        level.add_nodes::<Seen>(&mut world, &nodes).unwrap();
        let probe = world.spawn(Health(0));
        map.add_node::<Living>(&mut world, probe).unwrap();
        let first = tag(&world, probe, "Living@1");
        once(&mut world, first, Act::Insert, move |world| {
            map.delete(world).unwrap();
            world.create_scene("new").unwrap();
        });
        let copied = if moved {
            level.move_nodes(&mut world, &nodes, map).unwrap()
        } else {
            level.copy_nodes(&mut world, &nodes, map).unwrap()
        };
        assert_eq!(copied, if moved { 0 } else { 5 });
        assert!(world.find_scene("new").unwrap().members(&world).is_empty());
        assert_eq!(level.nodes::<Living>(&world), nodes);
        assert_eq!(level.nodes::<Seen>(&world), nodes);
    }
}
