//! What cannot be, and what panics: nothing is half done.

use super::*;

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
    assert!(error.to_string().contains("because: it is odd") && error.to_string().contains("refused.rs"), "{error}");
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
fn copies_that_others_made_meanwhile_are_none_of_its_business() {
    let mut world = World::new();
    let smoke = world.add_prefab("smoke", Prefab::new().with(Mesh("smoke")).part("glow", Prefab::new())).unwrap();
    let camp = Prefab::new().with(Burning(1)).part("tent", Prefab::new()).part("odd", Prefab::new().with(Even(3)));
    let camp = world.add_prefab("camp", camp).unwrap();
    world.observe::<Burning>(Act::Insert, move |trigger| {
        trigger.defer(move |world| _ = smoke.instantiate(world, 2).expect("there is room"));
    });
    assert!(matches!(camp.instantiate(&mut world, 1), Err(PrefabError::Refused { .. })));
    assert_eq!((smoke.instances(&world).len(), camp.instances(&world).len(), world.alive()), (2, 0, 4));
    let other = Prefab::new().with((Burning(2), Mesh("camp"))).part("tent", Prefab::new());
    camp.set(&mut world, other.clone()).unwrap();
    let top = one(&mut world, camp);
    let before = world.content_checksum();
    assert_eq!(smoke.instances(&world).len(), 4);
    let panics = other.clone().part("flag", Prefab::new()).bind_in("tent", |_| -> Target { panic!("never") });
    assert!(catch_unwind(AssertUnwindSafe(|| camp.set(&mut world, panics))).is_err());
    assert_eq!((world.content_checksum(), world.descendants(top).count()), (before, 1));
    valid(&world);
}

#[test]
fn observers_that_panic_undo_a_change() {
    let mut world = World::new();
    let (wheel, cart) = cart(&mut world);
    let top = one(&mut world, cart);
    let before = world.content_checksum();
    let observer = world.observe::<Player>(Act::Insert, |_| panic!("I saw it"));
    let new = Prefab::new().with((Mesh("new"), Health(1))).part("flag", Prefab::new().with(Player));
    assert!(catch_unwind(AssertUnwindSafe(|| wheel.set(&mut world, new.clone()))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| wheel.insert(&mut world, "", Player))).is_err());
    assert_eq!((world.content_checksum(), wheel.paths(&world).unwrap()), (before, vec!["hub".to_owned()]));
    valid(&world);
    world.remove_observer(observer);
    wheel.set(&mut world, new).unwrap();
    assert!(world.has::<Player>(part(&world, top, "left/flag")));
    valid(&world);
}

#[test]
fn drops_that_panic_leave_a_world_in_order() {
    #[derive(Component, Clone)]
    struct Bomb(Arc<AtomicUsize>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            let left = self.0.load(Relaxed);
            self.0.store(left.saturating_sub(1), Relaxed);
            assert!(left != 1, "boom");
        }
    }
    let fuse = Arc::new(AtomicUsize::new(0));
    let mut world = World::new();
    let bomb = Prefab::new().with(Health(1)).part("bomb", Prefab::new().with(Bomb(Arc::clone(&fuse))));
    let prefab = world.add_prefab("p", bomb).unwrap();
    let tops = prefab.instantiate(&mut world, 4).unwrap();
    for left in 1..8 {
        fuse.store(left, Relaxed);
        let _ = catch_unwind(AssertUnwindSafe(|| prefab.insert(&mut world, "bomb", Bomb(Arc::clone(&fuse)))));
        fuse.store(left, Relaxed);
        let _ = catch_unwind(AssertUnwindSafe(|| prefab.remove::<Bomb>(&mut world, "bomb")));
        fuse.store(0, Relaxed);
        prefab.insert(&mut world, "bomb", Bomb(Arc::clone(&fuse))).unwrap();
        valid(&world);
        assert!(tops.iter().all(|top| world.part_of(*top, "bomb").is_some()));
        assert_eq!(world.alive(), 8);
    }
    fuse.store(2, Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| prefab.set(&mut world, Prefab::new().with(Health(2))))).is_err());
    fuse.store(0, Relaxed);
    valid(&world);
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
