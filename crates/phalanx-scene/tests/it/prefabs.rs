//! Prefabs: described once, copied, changed, and followed.

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
        let both = Prefab::new().part("a", Prefab::from(last)).part("b", Prefab::from(last));
        match world.add_prefab(&depth.to_string(), both) {
            Ok(prefab) => {
                last = prefab;
                None
            }
            Err(error) => Some((depth, error)),
        }
    });
    assert!(matches!(refused, Some((20, PrefabError::TooMany { .. }))), "{refused:?}");
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

// ----------------------------------------------------------------------------------------------------------- following

#[test]
fn instances_follow_their_prefab_and_keep_what_is_their_own() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let heavy = world.add_prefab("heavy", Prefab::from(cart).within("left", Prefab::new().with(Health(9)))).unwrap();
    let [a, b, hurt] = cart.instantiate(&mut world, 3).unwrap()[..] else { unreachable!() };
    let heavy = one(&mut world, heavy);
    let single = one(&mut world, wheel);
    let hurt_wheel = part(&world, hurt, "left");
    world.get_mut::<Health>(hurt_wheel).unwrap().0 = 1;
    let without = part(&world, b, "right");
    world.remove::<Health>(without).unwrap();

    wheel.edit::<Health>(&mut world, "", |health| health.0 = 6).unwrap();
    let of = |top: Entity, path: &str| health(&world, part(&world, top, path));
    assert_eq!([of(a, "left"), of(a, "right"), of(b, "left"), of(hurt, "left"), of(hurt, "right")], [6, 6, 6, 1, 6]);
    assert_eq!([of(heavy, "left"), of(heavy, "right"), health(&world, single)], [9, 6, 6]);
    assert!(!world.has::<Health>(without), "what was removed stays away");
    valid(&world);
}

#[test]
fn components_that_come_to_a_prefab_come_to_instances_that_have_none() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let [a, b] = cart.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
    let burning = part(&world, b, "left");
    world.insert(burning, Burning(99)).unwrap();
    wheel.insert(&mut world, "", (Burning(1), Player)).unwrap();
    assert_eq!(world.get::<Burning>(part(&world, a, "left")), Some(&Burning(1)));
    assert_eq!(world.get::<Burning>(burning), Some(&Burning(99)));
    assert!(world.has::<Player>(burning));
    wheel.remove::<Burning>(&mut world, "").unwrap();
    assert_eq!(world.get::<Burning>(part(&world, a, "left")), None);
    assert_eq!(world.get::<Burning>(burning), Some(&Burning(99)), "its own");
    valid(&world);
}

#[test]
fn parts_come_and_go_with_the_prefab() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let [a, b, c] = cart.instantiate(&mut world, 3).unwrap()[..] else { unreachable!() };
    let lost = part(&world, b, "left");
    world.despawn(lost).unwrap();
    let (moved, mine) = (part(&world, c, "right"), world.spawn(ChildOf(c)));
    world.detach(moved).unwrap();

    let new = Prefab::new().with((Mesh("wheel"), Health(5))).part("tyre", Prefab::new().part("valve", Prefab::new()));
    wheel.set(&mut world, new).unwrap();
    let paths = |top: Entity| {
        let below = world.descendants(top).filter_map(|entity| world.path_of(entity));
        below.collect::<Vec<String>>().join(" ")
    };
    assert_eq!(paths(a), "left left/tyre left/tyre/valve right right/tyre right/tyre/valve");
    assert_eq!(paths(b), "right right/tyre right/tyre/valve", "who lost a part does not get it back");
    assert_eq!(paths(c), "left left/tyre left/tyre/valve");
    assert_eq!(world.descendants(moved).count(), 1, "who left is left alone");
    assert!(world.is_alive(mine));
    valid(&world);
}

#[test]
fn a_part_that_goes_takes_along_what_is_below_it() {
    let mut world = World::new();
    let (wheel, _) = cart(&mut world);
    let top = one(&mut world, wheel);
    let hub = part(&world, top, "hub");
    let mud = world.spawn(ChildOf(hub));
    wheel.set(&mut world, Prefab::new()).unwrap();
    assert!(!world.is_alive(hub) && !world.is_alive(mud));
    assert_eq!((world.has::<Parent>(top), world.has::<Mesh>(top)), (false, false));
    valid(&world);
}

#[test]
fn a_part_that_a_copy_was_given_is_its_own() {
    let mut world = World::new();
    let (wheel, _) = cart(&mut world);
    let flag = Prefab::new().part("flag", Prefab::new().with(Mesh("own flag")));
    let top = wheel.copies(1).changed(flag).make(&mut world).unwrap()[0];
    let own = part(&world, top, "flag");
    wheel.edit::<Health>(&mut world, "", |health| health.0 += 1).unwrap();
    assert_eq!((mesh(&world, own), health(&world, top)), ("own flag", 6));
    let with_flag = wheel.prefab(&world).unwrap().clone().part("flag", Prefab::new().with((Mesh("flag"), Player)));
    wheel.set(&mut world, with_flag).unwrap();
    assert_eq!((part(&world, top, "flag"), mesh(&world, own), world.has::<Player>(own)), (own, "own flag", false));
    assert_eq!(world.children(top).len(), 2);
}

#[test]
fn what_is_given_to_copies_or_declared_stays_theirs() {
    let mut world = World::new();
    let orc = world.add_prefab("orc", Prefab::new().with((Health(10), Mesh("orc")))).unwrap();
    let given = orc.copies(1).changed(Prefab::new().with(Health(10))).make(&mut world).unwrap()[0];
    let [declared, plain] = orc.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
    world.keep_own::<Health>(declared).unwrap();
    orc.insert(&mut world, "", (Health(12), Mesh("ork"))).unwrap();
    assert_eq!([given, declared, plain].map(|orc| health(&world, orc)), [10, 10, 12]);
    assert_eq!([given, declared, plain].map(|orc| mesh(&world, orc)), ["ork"; 3]);
    assert!(world.is_own::<Health>(given).unwrap() && !world.is_own::<Mesh>(given).unwrap());
    world.revert::<Health>(given).unwrap();
    assert!(!world.is_own::<Health>(given).unwrap());
    orc.insert(&mut world, "", Health(13)).unwrap();
    assert_eq!([given, declared, plain].map(|orc| health(&world, orc)), [13, 10, 13]);
}

#[test]
fn values_that_cannot_be_compared_follow_unless_declared() {
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new().with(opaque(1))).unwrap();
    let [a, b] = prefab.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
    world.get_mut::<Opaque>(a).unwrap().1 = 7;
    world.get_mut::<Opaque>(b).unwrap().1 = 7;
    world.keep_own::<Opaque>(b).unwrap();
    prefab.insert(&mut world, "", opaque(2)).unwrap();
    assert_eq!([a, b].map(|entity| world.get::<Opaque>(entity).unwrap().1), [2, 7]);
}

#[test]
fn reverting_gives_back_what_the_prefab_says() {
    let mut world = World::new();
    let tank = Prefab::new().part("gun", Prefab::new().with(Health(4))).bind_in("gun", |parts| Target(parts.top()));
    let tank = world.add_prefab("tank", tank).unwrap();
    let top = one(&mut world, tank);
    let gun = part(&world, top, "gun");
    world.insert(gun, (Target(gun), Player)).unwrap();
    world.remove::<Health>(gun).unwrap();
    assert!(world.is_own::<Target>(gun).unwrap() && world.is_own::<Player>(gun).unwrap());
    assert!(world.is_own::<Health>(gun).unwrap() && !world.is_own::<Burning>(gun).unwrap());
    world.revert::<Target>(gun).unwrap();
    world.revert::<Player>(gun).unwrap();
    world.revert::<Health>(gun).unwrap();
    assert_eq!((world.get(gun), health(&world, gun), world.has::<Player>(gun)), (Some(&Target(top)), 4, false));
    assert!(!world.is_own::<Target>(gun).unwrap() && !world.is_own::<Health>(gun).unwrap());
    let stone = world.spawn(());
    assert!(matches!(world.revert::<Health>(stone), Err(PrefabError::NoInstance { .. })));
    world.despawn(stone).unwrap();
    assert!(matches!(world.keep_own::<Health>(stone), Err(PrefabError::Dead(_))));
}

#[test]
fn who_removes_the_mark_keeps_the_instance_from_following() {
    let mut world = World::new();
    let (wheel, _) = cart(&mut world);
    let [a, b] = wheel.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
    world.remove::<InstanceOf>(a).unwrap();
    wheel.insert(&mut world, "", Health(6)).unwrap();
    assert_eq!((health(&world, a), health(&world, b)), (5, 6));
    assert_eq!(wheel.instances(&world), [b]);
}

#[test]
fn a_change_that_cannot_be_changes_nothing() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let heavy = Prefab::from(cart).within("left/hub", Prefab::new().with(Player));
    world.add_prefab("heavy", heavy).unwrap();
    let top = one(&mut world, cart);
    let before = world.checksum();
    // The hub of a wheel is changed by a prefab that is made of one that nests it.
    let error = wheel.set(&mut world, Prefab::new().with(Mesh("disc"))).unwrap_err();
    assert!(
        matches!(&error, PrefabError::NoPart { prefab, path, .. } if prefab == "heavy" && path == "left/hub"),
        "{error}"
    );
    let unknown = {
        let other = world.add_prefab("other", Prefab::new()).unwrap();
        other.delete(&mut world).unwrap();
        other
    };
    assert!(matches!(cart.set(&mut world, Prefab::from(unknown)), Err(PrefabError::Unknown { .. })));
    assert!(matches!(cart.insert(&mut world, "middle", Player), Err(PrefabError::NoPart { .. })));
    assert!(matches!(cart.edit::<Burning>(&mut world, "left", |_| ()), Err(PrefabError::NoValue { .. })));
    assert!(matches!(cart.edit::<Burning>(&mut world, "middle", |_| ()), Err(PrefabError::NoPart { .. })));
    assert_eq!(world.checksum(), before);
    assert_eq!(wheel.get::<Mesh>(&world, "").unwrap().0, "wheel");
    assert_eq!(mesh(&world, part(&world, top, "left/hub")), "hub");
    valid(&world);
}

#[test]
fn edits_are_kept_when_the_base_changes_and_by_whoever_is_based_on_them() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    cart.insert(&mut world, "left", Health(8)).unwrap();
    cart.insert(&mut world, "left", Health(7)).unwrap();
    let heavy = world.add_prefab("heavy", Prefab::new().part("cart", cart.prefab(&world).unwrap().clone())).unwrap();
    wheel.insert(&mut world, "", Health(6)).unwrap();
    let (top, other) = (one(&mut world, cart), one(&mut world, heavy));
    assert_eq!((health(&world, part(&world, top, "left")), health(&world, part(&world, top, "right"))), (7, 6));
    assert_eq!(health(&world, part(&world, other, "cart/left")), 7);
    cart.remove::<Health>(&mut world, "left").unwrap();
    assert!(!world.has::<Health>(part(&world, top, "left")));
}

// ---------------------------------------------------------------------------------------------------------- bad input

#[derive(Component, Clone, Copy)]
#[component(check)]
struct Even(u32);

impl Check for Even {
    fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if wishes.iter().all(|wish| wish.value.0 % 2 == 0) { Ok(()) } else { Err("it is odd".into()) }
    }
}

#[test]
fn a_component_that_refuses_to_come_leaves_nothing_behind() {
    let mut world = World::new();
    let prefab = Prefab::new().part("a", Prefab::new().with(Mesh("a"))).part("b", Prefab::new().with(Even(3)));
    let prefab = world.add_prefab("p", prefab).unwrap();
    let error = prefab.instantiate(&mut world, 4).unwrap_err();
    assert!(matches!(&error, PrefabError::Refused { path, .. } if path == "b"), "{error}");
    assert!(error.to_string().contains("because: it is odd") && error.to_string().contains("prefabs.rs"), "{error}");
    assert_eq!(world.alive(), 0);
    valid(&world);
}

#[test]
fn a_component_that_refuses_to_come_into_an_instance_undoes_the_change() {
    let mut world = World::new();
    let p = Prefab::new().with((Health(1), Mesh("p"), opaque(1))).part("old", Prefab::new().with(Even(2)));
    let p = world.add_prefab("p", p).unwrap();
    let tops = p.instantiate(&mut world, 3).unwrap();
    world.get_mut::<Opaque>(tops[1]).unwrap().1 = 9;
    let before = world.content_checksum();
    let new = Prefab::new()
        .with((Health(2), opaque(2), Burning(1)))
        .part("old", Prefab::new().with(Even(3)))
        .part("new", Prefab::new().with(Mesh("new")));
    let error = p.set(&mut world, new).unwrap_err();
    assert!(matches!(&error, PrefabError::Refused { path, .. } if path == "old"), "{error}");
    assert_eq!(world.content_checksum(), before);
    assert_eq!(tops.iter().map(|top| world.get::<Opaque>(*top).unwrap().1).collect::<Vec<_>>(), [1, 9, 1]);
    assert_eq!(p.paths(&world).unwrap(), ["old"]);
    valid(&world);
    p.insert(&mut world, "old", Even(4)).unwrap();
    assert_eq!(world.get::<Even>(part(&world, tops[0], "old")).unwrap().0, 4);
}

#[test]
fn where_there_is_no_room_for_all_none_is_made() {
    let mut world = World::builder().limit(100).build();
    let (_, cart) = cart(&mut world);
    for count in [21, 50, 101, usize::MAX] {
        let error = cart.instantiate(&mut world, count).unwrap_err();
        assert!(error.to_string().contains("error[E002]"), "{error}");
        assert_eq!(world.alive(), 0, "{count}");
        let yard = world.spawn(());
        assert!(cart.copies(count).below(yard).make(&mut world).is_err());
        assert_eq!(world.alive(), 1, "{count}");
        world.despawn(yard).unwrap();
    }
    assert_eq!(cart.instantiate(&mut world, 20).unwrap().len(), 20);
    let with_flag = cart.prefab(&world).unwrap().clone().part("flag", Prefab::new());
    let error = cart.set(&mut world, with_flag).unwrap_err();
    assert!(matches!(&error, PrefabError::Refused { path, .. } if path == "flag"), "{error}");
    assert_eq!(world.alive(), 100);
    valid(&world);
}

#[test]
fn ids_of_another_world_are_known_for_what_they_are() {
    let (mut world, mut other) = (World::new(), World::new());
    let (wheel, foreign) = (cart(&mut world).0, cart(&mut other).0);
    assert_ne!(wheel, foreign);
    let error = foreign.instantiate(&mut world, 1).unwrap_err();
    assert!(matches!(error, PrefabError::Unknown { is_of_here: false, .. }), "{error}");
    assert!(!foreign.is_there(&world) && foreign.instances(&world).is_empty());
    assert!(world.add_prefab("x", Prefab::from(foreign)).is_err());
    assert!(wheel.set(&mut world, Prefab::from(foreign)).is_err());
    assert!(foreign.name(&world).is_err() && foreign.delete(&mut world).is_err());
    assert!(foreign.rename(&mut world, "y").is_err() && foreign.get::<Mesh>(&world, "").is_none());
    let mut third = World::new();
    assert!(foreign.instantiate(&mut third, 1).is_err(), "a world without any prefab");
}

#[test]
fn names_are_each_prefabs_own() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    assert!(
        matches!(world.add_prefab("cart", Prefab::new()), Err(PrefabError::NameTaken { prefab, .. }) if prefab == cart)
    );
    assert!(matches!(wheel.rename(&mut world, "cart"), Err(PrefabError::NameTaken { .. })));
    wheel.rename(&mut world, "wheel").unwrap();
    wheel.rename(&mut world, "disc").unwrap();
    assert_eq!((world.find_prefab("wheel"), world.find_prefab("disc")), (None, Some(wheel)));
    assert_eq!((wheel.name(&world).unwrap(), world.prefabs()), ("disc", vec![wheel, cart]));
    for bad in ["", "a/b", "/"] {
        let bad = Prefab::new().part(bad, Prefab::new());
        assert!(matches!(world.add_prefab("x", bad), Err(PrefabError::BadName { .. })));
    }
    assert_eq!(world.prefabs().len(), 2);
    let stone = world.spawn(());
    assert_eq!((world.part_of(stone, "x"), world.path_of(stone)), (None, None));
}

#[test]
fn a_deleted_prefab_leaves_its_instances_alone() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let top = one(&mut world, cart);
    world.keep_own::<Health>(top).unwrap();
    assert!(matches!(wheel.delete(&mut world), Err(PrefabError::Used { users, .. }) if users == ["cart"]));
    cart.delete(&mut world).unwrap();
    assert_eq!(world.query_filtered::<Entity, With<InstanceOf>>().count(), 0);
    assert_eq!(world.descendants(top).count(), 4);
    let again = world.add_prefab("cart", Prefab::new()).unwrap();
    assert_ne!(again, cart);
    wheel.delete(&mut world).unwrap();
    valid(&world);
}

/// Panics when it is cloned for the n-th time.
#[derive(Component)]
struct Fragile(Arc<AtomicUsize>, usize);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(self.0.fetch_add(1, Relaxed) + 1 < self.1, "it broke");
        Self(Arc::clone(&self.0), self.1)
    }
}

#[test]
fn a_clone_that_panics_leaves_no_half_copies() {
    for last in [2, 3, 5, 8] {
        let mut world = World::new();
        let prefab = Prefab::new()
            .with(Mesh("top"))
            .part("a", Prefab::new().with(Mesh("a")))
            .part("b", Prefab::new().with(Fragile(Arc::default(), last + 10)).with(Fragile(Arc::default(), last)));
        let prefab = world.add_prefab("p", prefab).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| prefab.instantiate(&mut world, 10)));
        assert!(panic.is_err());
        assert_eq!(world.alive(), 0);
        valid(&world);
    }
}

#[test]
fn a_bound_function_that_panics_leaves_no_half_copies_and_undoes_a_change() {
    let mut world = World::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let bound = Prefab::new().with(Health(1)).part("a", Prefab::new()).bind_in("a", move |parts| {
        assert!(counted.fetch_add(1, Relaxed) < 3, "no more");
        Target(parts.top())
    });
    let prefab = world.add_prefab("p", bound).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| prefab.instantiate(&mut world, 4))).is_err());
    assert_eq!(world.alive(), 0);
    valid(&world);
    calls.store(0, Relaxed);
    let tops = prefab.instantiate(&mut world, 2).unwrap();
    let before = world.content_checksum();
    let other = Prefab::new().with(Health(2)).part("b", Prefab::new()).bind(|_| -> Target { panic!("never") });
    assert!(catch_unwind(AssertUnwindSafe(|| prefab.set(&mut world, other))).is_err());
    assert_eq!(world.content_checksum(), before);
    assert_eq!((prefab.paths(&world).unwrap(), health(&world, tops[0])), (vec!["a".to_owned()], 1));
    valid(&world);
}

#[test]
fn observers_that_panic_leave_no_half_copies() {
    let mut world = World::new();
    let (_, cart) = cart(&mut world);
    for act in 0..2 {
        let observer = match act {
            0 => world.observe::<Mesh>(Act::Insert, |_| panic!("I saw it")),
            _ => world.observe::<Place>(Act::Insert, |_| panic!("I saw it")),
        };
        assert!(catch_unwind(AssertUnwindSafe(|| cart.instantiate(&mut world, 3))).is_err());
        world.remove_observer(observer);
        assert_eq!(world.alive(), 0, "{act}");
        valid(&world);
    }
}

#[test]
fn wrong_bytes_are_refused() {
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(2)).unwrap();
    let elf = world.add_prefab("elf", Prefab::new().with_dyn(mana, &[1, 2, 3])).unwrap();
    let error = elf.instantiate(&mut world, 1).unwrap_err();
    assert!(error.to_string().contains("error[C005]"), "{error}");
    assert_eq!(world.alive(), 0);
    elf.set(&mut world, Prefab::new().with_dyn(mana, &[1, 2])).unwrap();
    let [a, b] = elf.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
    world.insert_dyn(b, mana, DynValue::bytes(&[9, 9])).unwrap();
    elf.set(&mut world, Prefab::new().with_dyn(mana, &[3, 4])).unwrap();
    let bytes = |entity| world.get_dyn(entity, mana).unwrap().bytes().unwrap().to_vec();
    assert_eq!((bytes(a), bytes(b)), (vec![3, 4], vec![9, 9]));
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
