//! Prefabs: described once, copied, changed, and followed.

mod following;
mod refused;

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Check, ComponentLayout, DynValue, Wish};
use phalanx_scene::{
    ChildOf, CommandPrefabs, Hierarchy, InstanceOf, Kinship, Parent, Prefab, PrefabError, PrefabId, PrefabWorld,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[derive(Component, Clone, PartialEq, Debug)]
struct Mesh(&'static str);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Place(f32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Target(Entity);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Burning(u32);
#[derive(Component, Clone, Copy)]
struct Player;

/// Nobody can compare these.
#[derive(Component, Clone)]
struct Opaque(Arc<dyn Fn() + Send + Sync>, u32);

fn opaque(number: u32) -> Opaque {
    Opaque(Arc::new(|| ()), number)
}

fn valid(world: &World) {
    world.validate().unwrap_or_else(|broken| panic!("{broken}"));
}

fn health(world: &World, entity: Entity) -> u32 {
    world.get::<Health>(entity).expect("it has health").0
}

fn mesh(world: &World, entity: Entity) -> &'static str {
    world.get::<Mesh>(entity).expect("it has a mesh").0
}

fn one(world: &mut World, prefab: PrefabId) -> Entity {
    prefab.instantiate(world, 1).expect("there is room")[0]
}

fn part(world: &World, top: Entity, path: &str) -> Entity {
    world.part_of(top, path).unwrap_or_else(|| panic!("no part {path}"))
}

/// A cart with two wheels, each with a hub.
fn cart(world: &mut World) -> (PrefabId, PrefabId) {
    let wheel = Prefab::new().with((Mesh("wheel"), Health(5))).part("hub", Prefab::new().with(Mesh("hub")));
    let wheel = world.add_prefab("wheel", wheel).unwrap();
    let cart = Prefab::new()
        .with((Mesh("cart"), Health(50)))
        .part("left", Prefab::from(wheel).with(Place(-1.0)))
        .part("right", Prefab::from(wheel).with(Place(1.0)));
    (wheel, world.add_prefab("cart", cart).unwrap())
}

// ------------------------------------------------------------------------------------------------------------ copies

#[test]
fn a_prefab_is_no_entity_and_no_query_sees_it() {
    let mut world = World::new();
    cart(&mut world);
    assert_eq!((world.alive(), world.query::<&Mesh>().count()), (0, 0));
}

#[test]
fn copies_have_the_parts_in_order_and_their_components() {
    let mut world = World::new();
    let (_, cart) = cart(&mut world);
    let carts = cart.instantiate(&mut world, 3).unwrap();
    assert_eq!((carts.len(), world.alive()), (3, 15));
    for top in carts {
        let below: Vec<_> = world.descendants(top).map(|entity| mesh(&world, entity)).collect();
        assert_eq!(below, ["wheel", "hub", "wheel", "hub"]);
        assert_eq!((health(&world, top), health(&world, part(&world, top, "left"))), (50, 5));
        assert_eq!(world.get::<Place>(part(&world, top, "right")), Some(&Place(1.0)));
        assert_eq!(world.path_of(part(&world, top, "right/hub")).as_deref(), Some("right/hub"));
        assert_eq!(world.prefab_of(part(&world, top, "right/hub")), Some(cart));
    }
    valid(&world);
}

#[test]
fn copies_are_those_that_batches_by_hand_would_make() {
    let mut world = World::new();
    let prefab = Prefab::new().with((Mesh("a"), Health(1))).part("b", Prefab::new().with(Mesh("b")));
    let tops = world.add_prefab("ab", prefab).unwrap().instantiate(&mut world, 100).unwrap();
    let mut other = World::new();
    let by_hand = other.spawn_batch((0..100).map(|_| (Mesh("a"), Health(1), Parent))).to_vec();
    other.spawn_batch(by_hand.iter().map(|top| (Mesh("b"), ChildOf(*top))));
    assert_eq!(tops, by_hand);
    world.query_filtered::<Entity, With<InstanceOf>>().count();
    let released: Vec<Entity> = world.entities().collect();
    world.remove_batch::<InstanceOf>(released).unwrap();
    assert_eq!(world.content_checksum(), other.content_checksum());
}

#[test]
fn no_copies_are_no_entities_but_the_prefab_must_be_there() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    assert_eq!(cart.instantiate(&mut world, 0).unwrap(), []);
    assert_eq!(world.alive(), 0);
    cart.delete(&mut world).unwrap();
    assert!(matches!(cart.instantiate(&mut world, 0), Err(PrefabError::Unknown { is_of_here: true, .. })));
    assert_eq!(wheel.instantiate(&mut world, 0).unwrap(), []);
}

#[test]
fn copies_below_a_parent_are_its_last_children() {
    let mut world = World::new();
    let (wheel, _) = cart(&mut world);
    let yard = world.spawn(());
    let first = world.spawn(ChildOf(yard));
    let wheels = wheel.copies(2).below(yard).make(&mut world).unwrap();
    assert!(world.children(yard).eq([first, wheels[0], wheels[1]]));
    world.despawn(yard).unwrap();
    assert!(matches!(wheel.copies(2).below(yard).make(&mut world), Err(PrefabError::Dead(_))));
    assert_eq!(world.alive(), 0);
    valid(&world);
}

#[test]
fn changes_are_for_those_copies_alone() {
    let mut world = World::new();
    let (_, cart) = cart(&mut world);
    let changes = Prefab::new()
        .with((Health(70), Player))
        .within("left", Prefab::new().with(Mesh("iron wheel")).without::<Place>())
        .part("flag", Prefab::new().with(Mesh("flag")));
    let heavy = cart.copies(1).changed(changes).make(&mut world).unwrap()[0];
    let plain = one(&mut world, cart);
    assert_eq!((health(&world, heavy), health(&world, plain)), (70, 50));
    assert_eq!(mesh(&world, part(&world, heavy, "left")), "iron wheel");
    assert_eq!(mesh(&world, part(&world, heavy, "right")), "wheel");
    assert!(!world.has::<Place>(part(&world, heavy, "left")));
    assert_eq!(mesh(&world, part(&world, heavy, "flag")), "flag");
    assert_eq!((world.part_of(plain, "flag"), world.has::<Player>(plain)), (None, false));
    assert_eq!(cart.paths(&world).unwrap(), ["left", "left/hub", "right", "right/hub"]);
    valid(&world);
}

#[test]
fn changes_of_copies_are_checked_first() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let make = |world: &mut World, changes: Prefab| cart.copies(2).changed(changes).make(world).unwrap_err();
    let iron = || Prefab::new().with(Mesh("iron"));
    assert!(matches!(make(&mut world, Prefab::new().within("middle", iron())), PrefabError::NoPart { present, .. }
        if present == ["left", "left/hub", "right", "right/hub"]));
    assert!(matches!(make(&mut world, Prefab::new().part("left", iron())), PrefabError::PartTaken { .. }));
    assert!(matches!(make(&mut world, Prefab::new().part("a/b", iron())), PrefabError::BadName { .. }));
    assert!(matches!(make(&mut world, Prefab::from(wheel)), PrefabError::Based { .. }));
    assert!(matches!(make(&mut world, Prefab::new().within("left", Prefab::from(wheel))), PrefabError::Based { .. }));
    assert_eq!(world.alive(), 0);
}

#[test]
fn commands_make_copies_and_say_why_not() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let mut commands = world.commands();
    let yard = commands.spawn(());
    commands.instantiate(cart);
    commands.instantiate(wheel.copies(2).below(yard));
    world.apply(&mut commands).unwrap();
    assert_eq!((cart.instances(&world).len(), world.children(yard).len()), (1, 2));
    cart.delete(&mut world).unwrap();
    commands.instantiate(cart);
    let error = world.apply(&mut commands).unwrap_err().to_string();
    assert!(error.contains("error[P001]: there is no prefab 1") && error.contains("prefabs.rs"), "{error}");
    valid(&world);
}

#[test]
fn all_kinds_of_components_are_copied() {
    #[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
    #[component(shared)]
    struct Paint(&'static str);
    #[derive(Component, Clone, Default)]
    struct Mass(u32);
    #[derive(Component, Clone)]
    #[component(requires(Mass))]
    struct Solid;
    #[derive(Component, Clone)]
    #[component(toggle)]
    struct Lit(u32);
    #[derive(Component, Clone)]
    #[component(track)]
    struct Score(u32);
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(2)).unwrap();
    let all = Prefab::new()
        .with((Paint("red"), Solid, Lit(3), Score(4), Burning(5), Player))
        .with_dyn(mana, &[7, 8])
        .part("below", Prefab::new().with((Paint("red"), Burning(6))).with_dyn(mana, &[9, 9]));
    let all = world.add_prefab("all", all).unwrap();
    for top in all.instantiate(&mut world, 10).unwrap() {
        let below = part(&world, top, "below");
        assert_eq!((world.get::<Paint>(top), world.get::<Paint>(below)), (Some(&Paint("red")), Some(&Paint("red"))));
        assert!(world.has::<Mass>(top) && world.has::<Player>(top) && world.is_on::<Lit>(top));
        assert_eq!((world.get::<Score>(top).unwrap().0, world.get::<Lit>(top).unwrap().0), (4, 3));
        assert_eq!((world.get::<Burning>(top), world.get::<Burning>(below)), (Some(&Burning(5)), Some(&Burning(6))));
        assert_eq!(world.get_dyn(top, mana).unwrap().bytes(), Some(&[7, 8][..]));
        assert_eq!(world.get_dyn(below, mana).unwrap().bytes(), Some(&[9, 9][..]));
        assert_eq!(world.get::<Mass>(top).unwrap().0, 0);
    }
    assert_eq!(world.shared_values::<Paint>().map(|(_, count)| count).collect::<Vec<_>>(), [20]);
    assert_eq!(Prepared::<Entity, Added<Score>>::new().on(&mut world).count(), 10);
    valid(&world);
}

#[test]
fn what_depends_on_a_component_of_another_layer_comes_with_it() {
    #[derive(Component, Clone)]
    #[component(depends_on(Health))]
    struct Mortal;
    let mut world = World::new();
    let soul = world.add_prefab("soul", Prefab::new().with(Mortal).part("self", Prefab::new())).unwrap();
    assert!(matches!(soul.instantiate(&mut world, 2), Err(PrefabError::Refused { path, .. }) if path.is_empty()));
    assert_eq!(world.alive(), 0);
    let orc = world.add_prefab("orc", Prefab::from(soul).with(Health(3))).unwrap();
    for orc in orc.instantiate(&mut world, 2).unwrap() {
        assert!(world.has::<Mortal>(orc) && world.has::<Health>(orc) && world.part_of(orc, "self").is_some());
    }
    assert_eq!(world.alive(), 4);
    valid(&world);
}

// ---------------------------------------------------------------------------------------------- nesting and deriving

#[test]
fn a_derived_prefab_has_what_its_base_has_and_wins() {
    let mut world = World::new();
    let (_, cart) = cart(&mut world);
    let heavy = Prefab::from(cart)
        .with(Health(90))
        .without::<Mesh>()
        .within("left/hub", Prefab::new().with(Mesh("iron hub")))
        .part("flag", Prefab::new());
    let heavy = world.add_prefab("heavy cart", heavy).unwrap();
    let top = one(&mut world, heavy);
    assert_eq!((health(&world, top), world.get::<Mesh>(top)), (90, None));
    assert_eq!(mesh(&world, part(&world, top, "left/hub")), "iron hub");
    assert_eq!(mesh(&world, part(&world, top, "right/hub")), "hub");
    assert!(world.part_of(top, "flag").is_some());
    assert_eq!(heavy.users(&world), []);
    assert_eq!(cart.users(&world), [heavy]);
}

#[test]
fn prefabs_nest_as_deep_as_one_likes() {
    let mut world = World::new();
    let mut last = world.add_prefab("0", Prefab::new().with(Health(0))).unwrap();
    for depth in 1..300_u32 {
        let next = Prefab::new().with(Health(depth)).part("in", Prefab::from(last));
        last = world.add_prefab(&depth.to_string(), next).unwrap();
    }
    let top = one(&mut world, last);
    let inner: Vec<u32> = world.descendants(top).map(|entity| health(&world, entity)).collect();
    assert!(inner.into_iter().eq((0..299).rev()));
    valid(&world);
}

#[test]
fn more_parts_than_anybody_can_want_are_refused() {
    let mut world = World::new();
    let mut last = world.add_prefab("0", Prefab::new()).unwrap();
    let refused = (1..64).find_map(|depth| {
        let all = (0..16).fold(Prefab::new(), |all, part| all.part(format!("{part}"), Prefab::from(last)));
        let added = world.add_prefab(&depth.to_string(), all);
        added.map(|prefab| last = prefab).err().map(|error| (depth, error))
    });
    assert!(matches!(refused, Some((5, PrefabError::TooMany { parts: 1_118_481, .. }))), "{refused:?}");
    assert_eq!(world.prefabs().len(), 5);
}

#[test]
fn a_prefab_that_would_contain_itself_is_refused() {
    let mut world = World::new();
    let ids: Vec<PrefabId> = (0..300)
        .map(|number| world.add_prefab(&format!("p{number}"), Prefab::new().with(Health(1))).unwrap())
        .collect();
    for pair in ids.windows(2) {
        pair[1].set(&mut world, Prefab::new().part("in", Prefab::from(pair[0]))).unwrap();
    }
    let before = one(&mut world, ids[1]);
    for length in [1, 2, 3, 300] {
        for circle in [Prefab::from(ids[length - 1]), Prefab::new().part("x", Prefab::from(ids[length - 1]))] {
            let error = ids[0].set(&mut world, circle).unwrap_err();
            let PrefabError::Circle { path, .. } = &error else { panic!("{error}") };
            assert_eq!(path.len(), length + 1, "{error}");
            assert_eq!((&*path[0], &*path[length]), ("p0", "p0"));
            assert!(length < 2 || path[1] == format!("p{}", length - 1));
        }
    }
    assert_eq!(ids[0].paths(&world).unwrap(), [""; 0]);
    assert_eq!(world.children(before).len(), 1);
}

// ----------------------------------------------------------------------------------------------- what refers to parts

#[test]
fn what_is_bound_points_inside_its_own_copy() {
    let mut world = World::new();
    let gun = Prefab::new().part("sight", Prefab::new()).bind(|parts| Target(parts["sight"]));
    let gun = world.add_prefab("gun", gun).unwrap();
    let tank = Prefab::new()
        .part("front", Prefab::from(gun))
        .part("back", Prefab::from(gun))
        .bind(|parts| Target(parts["back/sight"]))
        .bind_in("front/sight", |parts| Target(parts.top()));
    let tank = world.add_prefab("tank", tank).unwrap();
    let heavy = world.add_prefab("heavy", Prefab::from(tank).bind_in("back", |parts| Target(parts["front"]))).unwrap();
    let target = |world: &World, entity: Entity| world.get::<Target>(entity).unwrap().0;
    for top in tank.instantiate(&mut world, 5).unwrap() {
        assert_eq!(target(&world, top), part(&world, top, "back/sight"));
        assert_eq!(target(&world, part(&world, top, "front")), part(&world, top, "front/sight"));
        assert_eq!(target(&world, part(&world, top, "back")), part(&world, top, "back/sight"));
        assert_eq!(target(&world, part(&world, top, "front/sight")), top);
    }
    let top = one(&mut world, heavy);
    assert_eq!(target(&world, part(&world, top, "back")), part(&world, top, "front"));
    assert_eq!(target(&world, top), part(&world, top, "back/sight"));
}

#[test]
fn a_path_to_nowhere_in_what_is_bound_is_an_error_with_those_that_lead_somewhere() {
    let mut world = World::new();
    let (wheel, _) = cart(&mut world);
    let odd = Prefab::new().part("left", Prefab::from(wheel).bind(|parts| Target(parts["axle"])));
    let odd = world.add_prefab("odd", odd).unwrap();
    let error = odd.instantiate(&mut world, 3).unwrap_err();
    assert!(
        matches!(&error, PrefabError::NoPart { path, from, present, .. } if path == "axle" && from == "left" && *present == ["hub"]),
        "{error}"
    );
    assert_eq!(world.alive(), 0);
    valid(&world);
}

#[test]
fn references_follow_the_parts_that_a_change_makes() {
    let mut world = World::new();
    let body = || Prefab::new().bind(|parts| Target(parts.get("new").or(parts.get("old")).unwrap_or(parts.top())));
    let prefab = world.add_prefab("p", body().part("old", Prefab::new())).unwrap();
    let outer = world.add_prefab("outer", Prefab::new().part("in", Prefab::from(prefab))).unwrap();
    let (top, holder) = (one(&mut world, prefab), one(&mut world, outer));
    prefab.set(&mut world, body().part("new", Prefab::new())).unwrap();
    for top in [top, part(&world, holder, "in")] {
        assert_eq!(world.get::<Target>(top).unwrap().0, part(&world, top, "new"));
        assert_eq!(world.children(top).len(), 1);
    }
    prefab.set(&mut world, body()).unwrap();
    assert_eq!(world.get::<Target>(top).unwrap().0, top);
    valid(&world);
}

// ------------------------------------------------------------------------------------------------ clones, moves, sums

#[test]
fn a_copy_of_an_instance_is_an_instance() {
    let mut world = World::new();
    let (wheel, _) = cart(&mut world);
    let top = one(&mut world, wheel);
    let copy = world.clone_tree(top).unwrap();
    wheel.insert(&mut world, "hub", Health(3)).unwrap();
    assert_eq!(health(&world, part(&world, copy, "hub")), 3);
    // A second hub says that it is the hub; the first is.
    let hub = part(&world, top, "hub");
    let second = world.clone_entity(hub).unwrap();
    wheel.insert(&mut world, "hub", Health(4)).unwrap();
    assert_eq!((health(&world, hub), health(&world, second)), (4, 3));
    assert_eq!(part(&world, top, "hub"), hub);
}

#[test]
fn in_another_world_an_entity_is_nobodys_instance() {
    let (mut world, mut other) = (World::new(), World::new());
    let (wheel, _) = cart(&mut world);
    cart(&mut other);
    let top = wheel.copies(1).changed(Prefab::new().with(Health(8))).make(&mut world).unwrap()[0];
    let moved = world.move_entity(top, &mut other).unwrap();
    assert_eq!((other.prefab_of(moved), health(&other, moved)), (None, 8));
    assert!(wheel.instances(&world).is_empty());
    valid(&world);
    valid(&other);
}

#[test]
fn the_same_story_has_the_same_checksum() {
    let story = || {
        let mut world = World::new();
        let (wheel, cart) = cart(&mut world);
        cart.instantiate(&mut world, 20).unwrap();
        cart.copies(5).changed(Prefab::new().with(Health(1))).make(&mut world).unwrap();
        let new = Prefab::new().with((Mesh("w"), Health(6))).part("a", Prefab::new()).part("b", Prefab::new());
        wheel.set(&mut world, new.bind(|parts| Target(parts["b"]))).unwrap();
        world.checksum()
    };
    let first = story();
    assert!((0..8).all(|_| story() == first));
}

#[test]
fn scenes_and_hierarchies_are_told_as_of_any_batch() {
    let mut world = World::new();
    let (_, cart) = cart(&mut world);
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    world.observe::<ChildOf>(Act::Insert, move |trigger| _ = counted.fetch_add(trigger.entities().len(), Relaxed));
    cart.instantiate(&mut world, 3).unwrap();
    assert_eq!(seen.load(Relaxed), 12);
    assert!(world.get_resource::<Hierarchy>().is_some());
}

#[test]
fn copies_that_come_into_one_table_find_room_for_all_of_them() {
    let mut world = World::new();
    let leaf = |health| Prefab::new().with((Mesh("leaf"), Health(health)));
    let twig = (0..6).fold(Prefab::new().with(Mesh("twig")), |twig, at| twig.part(at.to_string(), leaf(at)));
    let twig = world.add_prefab("twig", twig).unwrap();
    twig.instantiate(&mut world, 1000).unwrap();
    let memory = world.memory();
    let healths = memory.components.iter().find(|component| component.name.ends_with("Health")).unwrap();
    // As a table that grows would have reserved 8,000.
    assert_eq!((healths.live, healths.reserved), (24_000, 24_000));
    valid(&world);
}

#[test]
fn copies_that_there_is_no_room_for_ask_for_no_memory() {
    let mut world = World::builder().limit(1000).build();
    let wheel = || Prefab::new().with(Health(1));
    let cart = world.add_prefab("cart", Prefab::new().part("left", wheel()).part("right", wheel())).unwrap();
    cart.instantiate(&mut world, 334).unwrap_err();
    let before = world.memory().reserved();
    for count in [334, 10_000_000, 1_400_000_000, usize::MAX] {
        let error = cart.instantiate(&mut world, count).unwrap_err().to_string();
        assert!(error.contains("E002"), "{error}");
        assert_eq!((world.memory().reserved(), world.alive()), (before, 0), "{count}");
    }
    cart.instantiate(&mut world, 333).unwrap();
    valid(&world);
}
