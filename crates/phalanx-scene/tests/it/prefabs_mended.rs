//! Faults of prefabs that were found and mended.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{Check, Checksum, Wish};
use phalanx_scene::{InstanceOf, Kinship, Node, Prefab, PrefabError, PrefabId, PrefabWorld, SceneWorld};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Target(Entity);

fn valid(world: &World) {
    world.validate().unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn what_is_added_to_an_edited_prefab_wins_over_the_edits() {
    let mut world = World::new();
    let orc = world.add_prefab("orc", Prefab::new().with(Health(10)).part("hand", Prefab::new())).unwrap();
    let top = orc.instantiate(&mut world, 1).unwrap()[0];
    let health = |world: &World| (orc.get::<Health>(world, "").copied(), world.get::<Health>(top).copied());
    orc.insert(&mut world, "", Health(12)).unwrap();
    let more = orc.prefab(&world).unwrap().clone().with(Health(99));
    orc.set(&mut world, more).unwrap();
    assert_eq!(health(&world), (Some(Health(99)), Some(Health(99))));
    let without = orc.prefab(&world).unwrap().clone().without::<Health>();
    orc.set(&mut world, without).unwrap();
    assert_eq!(health(&world), (None, None));
    orc.insert(&mut world, "", Health(13)).unwrap();
    assert_eq!(health(&world), (Some(Health(13)), Some(Health(13))), "an edit wins over what was there");
    let other = world.spawn(());
    orc.insert(&mut world, "hand", Target(other)).unwrap();
    let bound = orc.prefab(&world).unwrap().clone().bind_in("hand", |parts| Target(parts.top()));
    orc.set(&mut world, bound).unwrap();
    let hand = world.part_of(top, "hand").unwrap();
    assert_eq!(world.get(hand), Some(&Target(top)));
    orc.insert(&mut world, "hand", Target(other)).unwrap();
    assert_eq!(world.get(hand), Some(&Target(other)), "and over what was bound");
    let within = orc.prefab(&world).unwrap().clone().within("hand", Prefab::new().with(Target(hand)));
    orc.set(&mut world, within).unwrap();
    assert_eq!(world.get(hand), Some(&Target(hand)));
    valid(&world);
}

#[test]
fn changes_of_a_copy_win_over_edits_among_them() {
    let mut world = World::new();
    let boss = world.add_prefab("boss", Prefab::new().with(Health(10))).unwrap();
    boss.insert(&mut world, "", Health(12)).unwrap();
    let orc = world.add_prefab("orc", Prefab::new().with(Health(1))).unwrap();
    let changes = boss.prefab(&world).unwrap().clone().with(Health(99));
    let top = orc.copies(1).changed(changes).make(&mut world).unwrap()[0];
    assert_eq!(world.get(top), Some(&Health(99)));
    let changes = boss.prefab(&world).unwrap().clone().without::<Health>();
    let top = orc.copies(1).changed(changes).make(&mut world).unwrap()[0];
    assert_eq!(world.get::<Health>(top), None);
}

#[test]
fn edits_of_what_was_nested_and_of_the_whole_do_not_meet() {
    let mut world = World::new();
    let cart = world.add_prefab("cart", Prefab::new().part("left", Prefab::new())).unwrap();
    cart.insert(&mut world, "left", Health(1)).unwrap();
    let nested = cart.prefab(&world).unwrap().clone();
    let pair = Prefab::new()
        .part("left", Prefab::new())
        .part("cart", nested)
        .within("cart/left", Prefab::new().with(Health(3)));
    let pair = world.add_prefab("pair", pair).unwrap();
    pair.insert(&mut world, "left", Health(2)).unwrap();
    let health = |path: &str| pair.get::<Health>(&world, path).copied();
    assert_eq!((health("left"), health("cart/left")), (Some(Health(2)), Some(Health(3))));
}

// ------------------------------------------------------------------------------------------------- what is taken back

#[derive(Component, Clone, Copy)]
#[component(check)]
struct Even(u32);

impl Check for Even {
    fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if wishes.iter().all(|wish| wish.value.0 % 2 == 0) { Ok(()) } else { Err("it is odd".into()) }
    }
}

#[derive(Component, Clone, Copy, PartialEq, Debug, Default)]
struct Armor(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(requires(Armor))]
struct Knight(u32);
#[derive(Component, Clone, Copy)]
#[component(depends_on(Health))]
struct Alive;
#[derive(Component, Clone, Copy)]
#[component(depends_on(Alive))]
struct VeryAlive;
#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(toggle)]
struct Lamp(u32);
#[derive(Node)]
struct Living<'w> {
    _health: &'w Health,
}

/// A change that is refused by the last thing that comes.
fn tries(world: &mut World, prefab: PrefabId, new: &Prefab) {
    let before = world.content_checksum();
    let odd = new.clone().part("odd", Prefab::new().with(Even(3)));
    assert!(matches!(prefab.set(world, odd), Err(PrefabError::Refused { .. })));
    assert_eq!(world.content_checksum(), before, "refused");
    valid(world);
}

#[test]
fn what_depends_on_a_component_stays_where_a_change_is_refused() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let prefab = world.add_prefab("p", Prefab::new().with((Health(1), Lamp(1))).part("a", Prefab::new())).unwrap();
    let top = prefab.instantiate(&mut world, 1).unwrap()[0];
    world.insert(top, Alive).unwrap();
    world.insert(top, VeryAlive).unwrap();
    world.switch_off::<Lamp>(top).unwrap();
    level.add_node::<Living>(&mut world, top).unwrap();
    for new in [
        Prefab::new().part("a", Prefab::new()),
        Prefab::new().with((Health(2), Lamp(2))).part("a", Prefab::new()),
        Prefab::new().with((Health(2), Knight(2))).part("a", Prefab::new()),
    ] {
        tries(&mut world, prefab, &new);
        assert!(world.has::<VeryAlive>(top) && level.has_node::<Living>(&world, top) && !world.is_on::<Lamp>(top));
    }
}

#[test]
fn observers_that_panic_when_something_goes_undo_that() {
    let mut world = World::new();
    let level = world.create_scene("level").unwrap();
    let prefab = world.add_prefab("p", Prefab::new().with((Health(1), Lamp(1)))).unwrap();
    let tops = prefab.instantiate(&mut world, 3).unwrap();
    for top in &tops {
        world.switch_off::<Lamp>(*top).unwrap();
        level.add_node::<Living>(&mut world, *top).unwrap();
    }
    let before = world.content_checksum();
    let observers = [
        world.observe::<Health>(Act::Remove, |_| panic!("I saw it")),
        world.observe::<Lamp>(Act::Remove, |_| panic!("I saw it")),
    ];
    for observer in observers {
        assert!(catch_unwind(AssertUnwindSafe(|| prefab.set(&mut world, Prefab::new()))).is_err());
        assert_eq!(world.content_checksum(), before);
        assert!(tops.iter().all(|top| level.has_node::<Living>(&world, *top) && !world.is_on::<Lamp>(*top)));
        valid(&world);
        world.remove_observer(observer);
    }
    prefab.set(&mut world, Prefab::new()).unwrap();
    assert!(!tops.iter().any(|top| world.has::<Lamp>(*top) || level.has_node::<Living>(&world, *top)));
}

#[test]
fn what_a_component_brings_along_goes_where_a_change_is_refused() {
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new().part("a", Prefab::new())).unwrap();
    let tops = prefab.instantiate(&mut world, 2).unwrap();
    world.insert(tops[1], Armor(7)).unwrap();
    tries(&mut world, prefab, &Prefab::new().with(Knight(1)).part("a", Prefab::new().with(Knight(2))));
    assert_eq!(tops.iter().map(|top| world.get(*top).copied()).collect::<Vec<_>>(), [None, Some(Armor(7))]);
}

#[test]
fn what_goes_comes_back_as_another_component_brings_it() {
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new().with(Armor(5))).unwrap();
    let top = prefab.instantiate(&mut world, 1).unwrap()[0];
    tries(&mut world, prefab, &Prefab::new().with(Knight(1)));
    assert_eq!(world.get(top), Some(&Armor(5)));
    prefab.set(&mut world, Prefab::new().with(Knight(1))).unwrap();
    assert_eq!((world.get(top), world.get(top)), (Some(&Knight(1)), Some(&Armor(0))));
}

// ------------------------------------------------------------------------------------------------ a world that is exchanged

/// A world whose observers of a component put this other world in its place, once.
fn exchanging<T: Component>(act: Act) -> (World, Arc<Mutex<World>>) {
    let mut world = World::new();
    let mut other = World::new();
    for number in 0..3 {
        other.spawn(Health(number));
    }
    other.add_prefab("other", Prefab::new()).unwrap();
    let other = Arc::new(Mutex::new(other));
    let (away, done) = (Arc::clone(&other), AtomicUsize::new(0));
    world.observe::<T>(act, move |trigger| {
        if done.fetch_add(1, Relaxed) == 0 {
            let away = Arc::clone(&away);
            trigger.defer(move |world| std::mem::swap(world, &mut away.lock().unwrap()));
        }
    });
    (world, other)
}

/// That a world is as it was before it took the place of another, and that one is of use again.
fn is_untouched(here: &mut World, away: &Mutex<World>, before: &Checksum, prefab: PrefabId) {
    assert_eq!(here.content_checksum(), *before);
    valid(here);
    std::mem::swap(here, &mut away.lock().unwrap());
    valid(here);
    let count = prefab.instances(here).len();
    prefab.set(here, Prefab::new().part("b", Prefab::new())).unwrap();
    prefab.instantiate(here, 2).unwrap();
    assert_eq!(prefab.instances(here).len(), count + 2);
    valid(here);
    // Nothing is noted any more: what a failure takes along is what itself made.
    let odd = here.add_prefab("odd", Prefab::new().with(Health(1)).part("odd", Prefab::new().with(Even(3)))).unwrap();
    let alive = here.alive();
    assert!(odd.instantiate(here, 1).is_err());
    assert_eq!(here.alive(), alive);
    prefab.delete(here).unwrap();
}

#[test]
fn a_world_that_is_exchanged_while_copies_are_made_is_noticed() {
    let (mut world, away) = exchanging::<Lamp>(Act::Insert);
    let before = away.lock().unwrap().content_checksum();
    for prefab in [
        Prefab::new().with(Lamp(1)).part("a", Prefab::new().with(Health(1))),
        Prefab::new().with(Health(1)).with(Lamp(1)).with(Armor(1)),
        Prefab::new().part("a", Prefab::new()).bind(|_| Lamp(1)).bind_in("a", |parts| Target(parts.top())),
        Prefab::new().with(Health(1)).with((Alive, Lamp(1))).part("a", Prefab::new()),
        Prefab::new().with(Lamp(1)).part("a", Prefab::new().bind(|_| -> Target { panic!("never") })),
    ] {
        let (mut world, away) = exchanging::<Lamp>(Act::Insert);
        let prefab = world.add_prefab("p", prefab).unwrap();
        let error = prefab.instantiate(&mut world, 3).unwrap_err();
        assert!(matches!(&error, PrefabError::Exchanged { prefab, .. } if prefab == "p"), "{error}");
        is_untouched(&mut world, &away, &before, prefab);
    }
    let prefab = world.add_prefab("p", Prefab::new()).unwrap();
    let error = prefab.copies(2).changed(Prefab::new().with(Lamp(1))).make(&mut world).unwrap_err();
    assert!(matches!(error, PrefabError::Exchanged { .. }), "{error}");
    is_untouched(&mut world, &away, &before, prefab);
}

#[test]
fn a_world_that_is_exchanged_while_instances_follow_is_noticed() {
    let now = |part: Prefab| Prefab::new().part("a", part);
    let cases = [
        (Act::Insert, now(Prefab::new()), now(Prefab::new().with((Lamp(1), Health(1))))),
        (Act::Insert, now(Prefab::new()), now(Prefab::new().part("c", Prefab::new().with(Lamp(1))).with(Health(2)))),
        (Act::Remove, now(Prefab::new().with((Lamp(1), Health(1)))), now(Prefab::new())),
    ];
    for (act, first, then) in cases {
        let (mut world, away) = exchanging::<Lamp>(act);
        let before = away.lock().unwrap().content_checksum();
        let prefab = world.add_prefab("p", first).unwrap();
        prefab.instantiate(&mut world, 3).unwrap();
        let error = prefab.set(&mut world, then).unwrap_err();
        assert!(matches!(error, PrefabError::Exchanged { .. }), "{error}");
        is_untouched(&mut world, &away, &before, prefab);
    }
}

#[test]
fn a_world_that_is_exchanged_while_a_change_is_taken_back_is_noticed() {
    let (mut world, away) = exchanging::<Lamp>(Act::Remove);
    let before = away.lock().unwrap().content_checksum();
    let prefab = world.add_prefab("p", Prefab::new().with(Health(1)).part("a", Prefab::new())).unwrap();
    prefab.instantiate(&mut world, 3).unwrap();
    let new = Prefab::new().with((Health(2), Lamp(1))).part("a", Prefab::new().with(Even(3)));
    let error = prefab.set(&mut world, new).unwrap_err();
    assert!(matches!(error, PrefabError::Exchanged { .. }), "{error}");
    is_untouched(&mut world, &away, &before, prefab);
}

#[test]
fn a_world_that_is_exchanged_while_an_instance_is_reverted_is_noticed() {
    let (mut world, away) = exchanging::<Lamp>(Act::Remove);
    let before = away.lock().unwrap().content_checksum();
    let prefab = world.add_prefab("p", Prefab::new()).unwrap();
    let top = prefab.instantiate(&mut world, 1).unwrap()[0];
    world.insert(top, Lamp(1)).unwrap();
    assert!(matches!(world.revert::<Lamp>(top), Err(PrefabError::Exchanged { .. })));
    is_untouched(&mut world, &away, &before, prefab);
}

// --------------------------------------------------------------------------------------------- one thing after the other

#[test]
fn a_prefab_does_not_change_or_go_while_something_is_done_with_it() {
    type Try = fn(&mut World, PrefabId) -> Result<(), PrefabError>;
    let tries: [Try; 4] = [
        |world, prefab| prefab.set(world, Prefab::new().with(Health(7))),
        |world, prefab| prefab.insert(world, "", Health(7)),
        |world, prefab| prefab.remove::<Health>(world, ""),
        |world, prefab| prefab.delete(world),
    ];
    for inner in tries {
        let mut world = World::new();
        let base = world.add_prefab("base", Prefab::new().with(Health(1))).unwrap();
        let prefab = world.add_prefab("p", Prefab::from(base).part("a", Prefab::new())).unwrap();
        let other = world.add_prefab("other", Prefab::new().with(Health(1))).unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&seen);
        world.observe::<Lamp>(Act::Insert, move |trigger| {
            let told = Arc::clone(&told);
            trigger.defer(move |world| {
                told.lock().unwrap().push(inner(world, prefab));
                other.insert(world, "", Health(8)).unwrap();
            });
        });
        let [first, second] = prefab.instantiate(&mut world, 2).unwrap()[..] else { unreachable!() };
        prefab.insert(&mut world, "", (Lamp(1), Health(2))).unwrap();
        assert_eq!([first, second].map(|top| world.get::<Health>(top).unwrap().0), [2, 2]);
        let third = prefab.instantiate(&mut world, 1).unwrap()[0];
        assert_eq!(prefab.get::<Health>(&world, ""), Some(&Health(2)));
        let all = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(all.len(), 3, "two followed, and one was made");
        for tried in all {
            assert!(matches!(&tried, Err(PrefabError::Busy { prefab, .. }) if prefab == "p"), "{tried:?}");
        }
        prefab.edit::<Health>(&mut world, "", |health| health.0 = 3).unwrap();
        assert_eq!([first, second, third].map(|top| world.get::<Health>(top).unwrap().0), [3; 3]);
        inner(&mut world, prefab).unwrap();
        valid(&world);
    }
}

#[test]
fn a_base_does_not_change_while_copies_are_made_of_what_is_made_of_it() {
    let mut world = World::new();
    let base = world.add_prefab("base", Prefab::new()).unwrap();
    let prefab = world.add_prefab("p", Prefab::new().with(Lamp(1)).part("a", Prefab::from(base))).unwrap();
    let seen = Arc::new(Mutex::new(None));
    let told = Arc::clone(&seen);
    world.observe::<Lamp>(Act::Insert, move |trigger| {
        let told = Arc::clone(&told);
        trigger.defer(move |world| *told.lock().unwrap() = Some(base.insert(world, "", Health(1))));
    });
    prefab.instantiate(&mut world, 1).unwrap();
    let tried = seen.lock().unwrap().take().unwrap();
    assert!(matches!(&tried, Err(PrefabError::Busy { prefab, .. }) if prefab == "p"), "{tried:?}");
    base.insert(&mut world, "", Health(1)).unwrap();
}

// ----------------------------------------------------------------------------------------------------- parts of instances

#[test]
fn a_part_that_a_copy_was_given_outlives_one_of_that_name() {
    let mut world = World::new();
    let cart = world.add_prefab("cart", Prefab::new()).unwrap();
    let given = Prefab::new().part("flag", Prefab::new().part("tip", Prefab::new()));
    let top = cart.copies(1).changed(given).make(&mut world).unwrap()[0];
    let plain = cart.instantiate(&mut world, 1).unwrap()[0];
    let [flag, tip] = ["flag", "flag/tip"].map(|path| world.part_of(top, path).unwrap());
    let with_flag = Prefab::new().part("flag", Prefab::new().part("tip", Prefab::new()).part("knob", Prefab::new()));
    cart.set(&mut world, with_flag).unwrap();
    assert_eq!((world.part_of(top, "flag"), world.part_of(top, "flag/tip")), (Some(flag), Some(tip)));
    let [knob, other] = [(top, "flag/knob"), (plain, "flag")].map(|(top, path)| world.part_of(top, path).unwrap());
    cart.set(&mut world, Prefab::new()).unwrap();
    assert_eq!([flag, tip, knob, other].map(|part| world.is_alive(part)), [true, true, false, false]);
    valid(&world);
}

#[test]
fn a_mark_that_was_carried_to_another_world_is_nobodys() {
    let (mut world, mut other) = (World::new(), World::new());
    let prefab = Prefab::new().part("a", Prefab::new()).part("b", Prefab::new());
    let prefab = world.add_prefab("p", prefab).unwrap();
    let top = prefab.instantiate(&mut world, 1).unwrap()[0];
    let mark = |path: &str| *world.get::<InstanceOf>(world.part_of(top, path).unwrap()).unwrap();
    let (top_mark, mark) = (mark(""), mark("b"));
    let foreign = other.add_prefab("q", Prefab::new().with(Health(1))).unwrap();
    for carried in [other.spawn(mark), other.spawn(top_mark)] {
        assert_eq!((other.path_of(carried), other.prefab_of(carried), other.part_of(carried, "a")), (None, None, None));
        assert!(matches!(other.lookup_part(carried, "x"), Err(PrefabError::NoInstance { .. })));
        assert!(matches!(other.revert::<Health>(carried), Err(PrefabError::NoInstance { .. })));
        foreign.set(&mut other, Prefab::new().with(Health(2))).unwrap();
        assert!(foreign.instances(&other).is_empty() && !other.has::<Health>(carried));
    }
    valid(&other);
}

#[test]
fn a_part_that_is_apart_from_its_instance_is_not_reverted() {
    let mut world = World::new();
    let prefab = Prefab::new().part("a", Prefab::new().with(Health(1))).bind_in("a", |parts| Target(parts.top()));
    let prefab = world.add_prefab("p", prefab).unwrap();
    let top = prefab.instantiate(&mut world, 1).unwrap()[0];
    let part = world.part_of(top, "a").unwrap();
    let stranger = world.spawn(());
    for apart in [false, true] {
        if apart {
            world.detach(part).map(drop).unwrap();
        } else {
            world.attach(part, stranger).map(drop).unwrap();
        }
        world.insert(part, (Health(3), Target(part))).unwrap();
        world.keep_own::<Health>(part).unwrap();
        let error = world.revert::<Health>(part).unwrap_err();
        assert!(matches!(&error, PrefabError::Apart { path, is_in_prefab: true, .. } if path == "a"), "{error}");
        assert!(matches!(world.revert::<Target>(part), Err(PrefabError::Apart { .. })));
        assert_eq!((world.get(part), world.get(part)), (Some(&Health(3)), Some(&Target(part))));
        assert!(world.is_own::<Health>(part).unwrap() && world.is_own::<Target>(part).unwrap());
    }
    world.attach(part, top).unwrap();
    world.revert::<Target>(part).unwrap();
    assert_eq!(world.get(part), Some(&Target(top)));
}

// ------------------------------------------------------------------------------------------------------- what depends on what

#[derive(Component, Clone, Copy)]
#[component(depends_on(Target))]
struct Aiming;
#[derive(Component, Clone, Copy)]
#[component(depends_on(Armor))]
struct Armored;

#[test]
fn tags_on_tags_come_to_instances_and_go() {
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new()).unwrap();
    let old = prefab.instantiate(&mut world, 1).unwrap()[0];
    prefab.insert(&mut world, "", (VeryAlive, Alive, Health(1))).unwrap();
    let new = prefab.instantiate(&mut world, 1).unwrap()[0];
    for top in [old, new] {
        assert!(world.has::<VeryAlive>(top) && world.has::<Alive>(top) && world.has::<Health>(top));
    }
    prefab.set(&mut world, Prefab::new().with(Health(1))).unwrap();
    assert!(!world.has::<VeryAlive>(old) && !world.has::<Alive>(new) && world.has::<Health>(old));
    valid(&world);
}

#[test]
fn tags_come_with_what_is_bound() {
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new().part("a", Prefab::new())).unwrap();
    let old = prefab.instantiate(&mut world, 1).unwrap()[0];
    let aims = Prefab::new().with((Aiming, Health(1))).bind(|parts| Target(parts["a"]));
    prefab.set(&mut world, aims.clone().part("a", Prefab::new()).part("b", aims.part("a", Prefab::new()))).unwrap();
    let new = prefab.instantiate(&mut world, 2).unwrap();
    for top in new.into_iter().chain([old]) {
        let below = world.part_of(top, "b").unwrap();
        for aims in [top, below] {
            assert!(world.has::<Aiming>(aims) && world.has::<Health>(aims));
            assert_eq!(world.get(aims), world.part_of(aims, "a").map(Target).as_ref());
        }
    }
    valid(&world);
}

#[test]
fn a_tag_without_what_it_depends_on_is_refused_where_there_are_instances() {
    let mut world = World::new();
    let prefab = world.add_prefab("p", Prefab::new().with(Armored)).unwrap();
    assert!(prefab.instantiate(&mut world, 1).is_err());
    prefab.insert(&mut world, "", Knight(1)).unwrap();
    let top = prefab.instantiate(&mut world, 1).unwrap()[0];
    assert!(world.has::<Armored>(top), "what is brought along counts");
    let before = world.content_checksum();
    let error = prefab.remove::<Knight>(&mut world, "").unwrap_err();
    assert!(matches!(&error, PrefabError::Lacks { missing, .. } if missing.len() == 1), "{error}");
    assert!(matches!(prefab.insert(&mut world, "", VeryAlive), Err(PrefabError::Lacks { .. })));
    assert_eq!(world.content_checksum(), before);
    prefab.insert(&mut world, "", Armor(2)).unwrap();
    prefab.remove::<Knight>(&mut world, "").unwrap();
    assert!(world.has::<Armored>(top) && !world.has::<Knight>(top));
    valid(&world);
}

#[test]
fn what_prefabs_were_before_does_not_count_in_checksums_of_contents() {
    let story = |detour: bool| {
        let mut world = World::new();
        if detour {
            world.add_prefab("gone", Prefab::new()).unwrap().delete(&mut world).unwrap();
        }
        let prefab = world.add_prefab("p", Prefab::new().with((Health(1), Armor(1)))).unwrap();
        let with_part = prefab.prefab(&world).unwrap().clone().part("x", Prefab::new());
        if detour {
            let other = prefab.prefab(&world).unwrap().clone().part("y", Prefab::new());
            prefab.set(&mut world, other).unwrap();
        }
        prefab.set(&mut world, with_part).unwrap();
        let top = prefab.instantiate(&mut world, 1).unwrap()[0];
        if detour {
            world.keep_own::<Armor>(top).unwrap();
            world.revert::<Armor>(top).unwrap();
        }
        world.keep_own::<Health>(top).unwrap();
        world.content_checksum()
    };
    assert_eq!(story(true), story(false));
}
