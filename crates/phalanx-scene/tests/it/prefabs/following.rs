//! Prefabs that change, and instances that follow them.

use super::*;

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

#[test]
fn a_tag_comes_to_those_who_have_what_it_depends_on() {
    #[derive(Component, Clone)]
    #[component(depends_on(Health))]
    struct Mortal;
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new()).unwrap();
    let [a, b] = prefab.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
    prefab.set(&mut world, Prefab::new().with((Mortal, Health(1)))).unwrap();
    assert!(world.has::<Mortal>(a) && world.has::<Mortal>(b), "whichever is named first");
    world.remove::<Health>(b).unwrap();
    prefab.remove::<Mortal>(&mut world, "").unwrap();
    prefab.insert(&mut world, "", (Health(2), Mortal)).unwrap();
    assert_eq!((health(&world, a), world.has::<Mortal>(a)), (2, true));
    assert!(!world.has::<Mortal>(b) && !world.has::<Health>(b));
    valid(&world);
}

#[test]
fn whoever_ends_an_instance_when_it_changes_does_not_stop_the_others() {
    let mut world = World::new();
    let prefab = Prefab::new().with(Health(1)).part("gun", Prefab::new()).bind(|parts| Target(parts["gun"]));
    let prefab = world.add_prefab("p", prefab).unwrap();
    let tops = prefab.instantiate(&mut world, 3).unwrap();
    let victim = tops[1];
    world.observe::<Burning>(Act::Insert, move |trigger| trigger.defer(move |world| _ = world.despawn(victim)));
    let new = Prefab::new().with((Burning(1), Health(2))).part("gun", Prefab::new()).bind(|parts| Target(parts.top()));
    prefab.set(&mut world, new).unwrap();
    assert_eq!((prefab.instances(&world).len(), world.is_alive(victim)), (2, false));
    for top in [tops[0], tops[2]] {
        assert_eq!((health(&world, top), world.get(top)), (2, Some(&Target(top))));
    }
    valid(&world);
}
