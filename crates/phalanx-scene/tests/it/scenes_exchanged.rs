//! Scenes where an observer puts another world in the place of the one in which something is being done.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, Trigger};
use phalanx_scene::{ChildOf, Kinship, Leaving, Node, SceneId, SceneWorld, Scenes};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Sign;

#[derive(Node)]
struct Living<'w> {
    _health: &'w Health,
}
#[derive(Node)]
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

/// A world with a scene and two nodes in it, and another one just like it, with which the first is exchanged when a component comes or goes.
fn exchanging<T: Component>(act: Act) -> (World, Arc<Mutex<World>>, [SceneId; 2], [Entity; 2]) {
    let make = || {
        let mut world = World::new();
        let both: [SceneId; 2] = scenes(&mut world);
        let nodes = [(); 2].map(|()| world.spawn(Health(1)));
        both[0].add_nodes::<Living>(&mut world, nodes).unwrap();
        both[0].add_nodes::<Seen>(&mut world, nodes).unwrap();
        (world, both, nodes)
    };
    let ((mut world, scenes, nodes), (other, ..)) = (make(), make());
    let other = Arc::new(Mutex::new(other));
    let (away, done) = (Arc::clone(&other), AtomicBool::new(false));
    world.observe::<T>(act, move |trigger| {
        if !done.swap(true, Relaxed) {
            let away = Arc::clone(&away);
            trigger.defer(move |world| std::mem::swap(world, &mut away.lock().unwrap()));
        }
    });
    (world, other, scenes, nodes)
}

#[test]
fn a_world_that_is_exchanged_while_a_scene_ends_is_left_alone() {
    let (mut world, away, [level, map], nodes) = exchanging::<Health>(Act::Remove);
    level.delete(&mut world).unwrap();
    assert!(level.is_there(&world));
    assert_eq!((level.members(&world), level.nodes::<Seen>(&world)), (nodes.to_vec(), nodes.to_vec()));
    let its_own = world.spawn(Health(1));
    assert_eq!(level.add_node::<Living>(&mut world, its_own), Ok(true), "it is not being deleted");
    std::mem::swap(&mut world, &mut away.lock().unwrap());
    level.delete(&mut world).unwrap();
    assert_eq!(world.scenes(), [map]);
}

#[test]
fn a_world_that_is_exchanged_while_nobody_is_left_in_a_scene_is_left_alone() {
    for leaving in [Leaving::Despawn, Leaving::Keep] {
        let (mut world, away, [level, map], nodes) = exchanging::<ChildOf>(Act::Remove);
        let guest = world.spawn((Health(2), ChildOf(nodes[0])));
        map.add_node::<Living>(&mut world, guest).unwrap();
        let role = tag(&world, nodes[0], "Living@0");
        if leaving == Leaving::Keep {
            once(&mut world, role, Act::Remove, move |world| _ = world.detach(guest));
        }
        level.clear(&mut world, leaving).unwrap();
        assert_eq!((level.nodes::<Living>(&world), level.nodes::<Seen>(&world)), (nodes.to_vec(), nodes.to_vec()));
        std::mem::swap(&mut world, &mut away.lock().unwrap());
        assert_eq!(world.parent(guest), None);
        world.validate().unwrap();
    }
}

#[test]
fn a_world_that_is_exchanged_while_roles_come_or_go_is_left_alone() {
    // In the crowd, where they do so one by one, and elsewhere, where a role does at once.
    for (most, act) in [(0, Act::SwitchOn), (0, Act::SwitchOff), (256, Act::Insert), (256, Act::Remove)] {
        let (mut world, away, [level, map], [first, second]) = exchanging::<Sign>(Act::Insert);
        world.resource_mut::<Scenes>().unwrap().set_most_role_sets(most);
        map.add_node::<Living>(&mut world, first).unwrap();
        map.add_node::<Seen>(&mut world, first).unwrap();
        let name = if matches!(act, Act::SwitchOn | Act::Insert) { "Living@1" } else { "Living@0" };
        let role = tag(&world, first, name);
        let stranger = world.spawn(());
        once(&mut world, role, act, move |world| world.insert(stranger, Sign).unwrap());
        // As if saved: then they look like those of the other world also where handles know theirs.
        let both = [second, first].map(|node| Entity::from_bits(node.to_bits()).unwrap());
        level.move_nodes(&mut world, both, map).unwrap();
        assert_eq!(level.nodes::<Living>(&world).len(), 2, "{act:?}");
        assert_eq!(level.nodes::<Seen>(&world).len(), 2);
        assert!(map.members(&world).is_empty());
        world.validate().unwrap();
        std::mem::swap(&mut world, &mut away.lock().unwrap());
        assert!(level.has_node::<Seen>(&world, second), "it stays where it was");
        world.validate().unwrap();
    }
}
