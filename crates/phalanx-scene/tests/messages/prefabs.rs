//! Prefabs.

use crate::says;
use crate::warnings::warnings_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Check, ComponentLayout, Wish};
use phalanx_scene::{CommandPrefabs, Kinship, Prefab, PrefabId, PrefabWorld};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone)]
struct Mesh;
#[derive(Component, Clone)]
struct Health(u32);
#[derive(Component, Clone, Copy)]
struct Target(Entity);
#[derive(Component, Clone, Copy)]
#[component(check)]
struct Even(u32);

impl Check for Even {
    fn check(_: &World, wishes: &[Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if wishes.iter().all(|wish| wish.value.0 % 2 == 0) { Ok(()) } else { Err("it is odd".into()) }
    }
}

fn cart(world: &mut World) -> PrefabId {
    let wheel = Prefab::new().with(Mesh).part("hub", Prefab::new());
    let cart = Prefab::new().part("left", wheel.clone()).part("right", wheel);
    world.add_prefab("cart", cart).unwrap()
}

#[test]
fn p001_prefabs_that_are_not_there() {
    let (mut world, mut other) = (World::new(), World::new());
    let old = world.add_prefab("old", Prefab::new()).unwrap();
    old.delete(&mut world).unwrap();
    says("p001_none", old.instantiate(&mut world, 1).unwrap_err());
    cart(&mut world);
    says("p001_others", old.set(&mut world, Prefab::new()).unwrap_err());
    let foreign = cart(&mut other);
    says("p001_foreign", world.add_prefab("new", Prefab::from(foreign)).unwrap_err());
    let mut commands = world.commands();
    commands.instantiate(foreign);
    says("p001_queued", world.apply(&mut commands).unwrap_err());
}

#[test]
fn p002_names_that_are_taken() {
    let mut world = World::new();
    cart(&mut world);
    says("p002", world.add_prefab("cart", Prefab::new()).unwrap_err());
}

#[test]
fn p003_paths_to_nowhere() {
    let mut world = World::new();
    let cart = cart(&mut world);
    says("p003_edit", cart.insert(&mut world, "left/axle", Mesh).unwrap_err());
    let changes = Prefab::new().within("left", Prefab::new().within("hub", Prefab::new().within("nut", Prefab::new())));
    says("p003_changed", cart.copies(1).changed(changes).make(&mut world).unwrap_err());
    let bound = Prefab::new().part("cart", Prefab::from(cart).bind(|parts| Target(parts["middle"])));
    let bound = world.add_prefab("bound", bound).unwrap();
    says("p003_bound", bound.instantiate(&mut world, 1).unwrap_err());
}

#[test]
fn p004_parts_that_are_there_already() {
    let mut world = World::new();
    let cart = cart(&mut world);
    let twice = Prefab::from(cart).within("left", Prefab::new().part("hub", Prefab::new()));
    says("p004", world.add_prefab("twice", twice).unwrap_err());
}

#[test]
fn p005_names_that_are_none() {
    let mut world = World::new();
    says("p005_divided", world.add_prefab("cart", Prefab::new().part("a/b", Prefab::new())).unwrap_err());
    says("p005_empty", world.add_prefab("cart", Prefab::new().part("", Prefab::new())).unwrap_err());
}

#[test]
fn p006_circles() {
    let mut world = World::new();
    let ids: Vec<PrefabId> = (0..20).map(|i| world.add_prefab(&format!("p{i}"), Prefab::new()).unwrap()).collect();
    says("p006_itself", ids[0].set(&mut world, Prefab::from(ids[0])).unwrap_err());
    for pair in ids.windows(2) {
        pair[1].set(&mut world, Prefab::new().part("in", Prefab::from(pair[0]))).unwrap();
    }
    says("p006_two", ids[0].set(&mut world, Prefab::new().part("in", Prefab::from(ids[1]))).unwrap_err());
    says("p006_twenty", ids[0].set(&mut world, Prefab::from(ids[19])).unwrap_err());
}

#[test]
fn p007_changes_with_a_base() {
    let mut world = World::new();
    let cart = cart(&mut world);
    says("p007_part", world.add_prefab("x", Prefab::from(cart).within("left", Prefab::from(cart))).unwrap_err());
    says("p007_top", cart.copies(1).changed(Prefab::from(cart)).make(&mut world).unwrap_err());
}

#[test]
fn p008_too_many_parts() {
    let mut world = World::new();
    let mut many = world.add_prefab("0", Prefab::new()).unwrap();
    let error = (1..64).find_map(|depth| {
        let all = (0..16).fold(Prefab::new(), |all, i| all.part(format!("{i}"), Prefab::from(many)));
        world.add_prefab(&depth.to_string(), all).map(|added| many = added).err()
    });
    says("p008", error.unwrap());
}

#[test]
fn p009_prefabs_in_use() {
    let mut world = World::new();
    let cart = cart(&mut world);
    world.add_prefab("heavy cart", Prefab::from(cart)).unwrap();
    world.add_prefab("train", Prefab::new().part("first", Prefab::from(cart))).unwrap();
    says("p009", cart.delete(&mut world).unwrap_err());
}

#[test]
fn p010_what_refuses_to_come() {
    let mut world = World::builder().limit(10).build();
    let odd = Prefab::new().with(Even(2)).part("left", Prefab::new().with(Even(3)));
    let odd = world.add_prefab("odd", odd).unwrap();
    says("p010_refused", odd.instantiate(&mut world, 2).unwrap_err());
    let cart = cart(&mut world);
    says("p010_full", cart.instantiate(&mut world, 3).unwrap_err());
    cart.instantiate(&mut world, 2).unwrap();
    says("p010_followed", cart.insert(&mut world, "right", Even(1)).unwrap_err());
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(2)).unwrap();
    let elf = world.add_prefab("elf", Prefab::new().with_dyn(mana, &[1])).unwrap();
    world.clear();
    says("p010_bytes", elf.instantiate(&mut world, 1).unwrap_err());
}

#[test]
fn p011_values_that_are_not_there() {
    let mut world = World::new();
    let cart = cart(&mut world);
    says("p011_some", cart.edit::<Health>(&mut world, "left", |_| ()).unwrap_err());
    says("p011_none", cart.edit::<Health>(&mut world, "", |_| ()).unwrap_err());
}

#[test]
fn p012_who_is_no_instance() {
    let mut world = World::new();
    let stone = world.spawn(Name::new("Stone"));
    says("p012", world.revert::<Mesh>(stone).unwrap_err());
}

#[test]
fn p013_parts_that_an_instance_has_not() {
    let mut world = World::new();
    let cart = cart(&mut world);
    let instance = cart.copies(1).changed(Prefab::new().with(Name::new("Chariot"))).make(&mut world).unwrap()[0];
    let [left, right] = ["left", "right"].map(|path| world.lookup_part(instance, path).unwrap());
    says("p013_never", world.lookup_part(left, "axle").unwrap_err());
    world.despawn(right).unwrap();
    says("p013_lost", world.lookup_part(instance, "right/hub").unwrap_err());
}

#[test]
fn p014_worlds_that_are_exchanged() {
    let (mut world, other) = (World::new(), Arc::new(Mutex::new(World::new())));
    let cart = cart(&mut world);
    let away = Arc::clone(&other);
    world.observe::<Mesh>(Act::Insert, move |trigger| {
        let away = Arc::clone(&away);
        trigger.defer(move |world| std::mem::swap(world, &mut away.lock().unwrap()));
    });
    says("p014", cart.instantiate(&mut world, 1).unwrap_err());
}

#[test]
fn p015_prefabs_with_which_something_is_done() {
    let mut world = World::new();
    let cart = cart(&mut world);
    let told = Arc::new(Mutex::new(None));
    let tell = Arc::clone(&told);
    world.observe::<Mesh>(Act::Insert, move |trigger| {
        let tell = Arc::clone(&tell);
        trigger.defer(move |world| *tell.lock().unwrap() = Some(cart.delete(world).unwrap_err()));
    });
    cart.instantiate(&mut world, 1).unwrap();
    says("p015", told.lock().unwrap().take().unwrap());
}

#[test]
fn p016_parts_that_are_none_any_more() {
    let mut world = World::new();
    let cart = cart(&mut world);
    let flag = Prefab::new().part("flag", Prefab::new());
    let instance = cart.copies(1).changed(flag).make(&mut world).unwrap()[0];
    let [left, flag] = ["left", "flag"].map(|path| world.lookup_part(instance, path).unwrap());
    world.detach(left).unwrap();
    says("p016_detached", world.revert::<Health>(left).unwrap_err());
    says("p016_own", world.revert::<Health>(flag).unwrap_err());
}

#[test]
fn p017_tags_without_what_they_depend_on() {
    #[derive(Component, Clone)]
    #[component(depends_on(Health), name = "Alive")]
    struct Alive;
    let mut world = World::new();
    let cart = cart(&mut world);
    cart.instantiate(&mut world, 1).unwrap();
    says("p017", cart.insert(&mut world, "left", Alive).unwrap_err());
}

#[test]
fn every_refusal_is_logged_too() {
    let mut world = World::new();
    let cart = cart(&mut world);
    let mut errors = Vec::new();
    let logged = warnings_of(|| {
        errors.push(world.add_prefab("cart", Prefab::new()).unwrap_err());
        errors.push(cart.insert(&mut world, "axle", Mesh).unwrap_err());
        errors.push(cart.set(&mut world, Prefab::from(cart)).unwrap_err());
        errors.push(cart.edit::<Health>(&mut world, "", |_| ()).unwrap_err());
        let odd = world.add_prefab("odd", Prefab::new().with(Even(3))).unwrap();
        errors.push(odd.instantiate(&mut world, 1).unwrap_err());
        let gone = world.spawn(());
        errors.push(world.keep_own::<Mesh>(gone).unwrap_err());
        world.despawn(gone).unwrap();
        errors.push(odd.copies(1).below(gone).make(&mut world).unwrap_err());
        odd.delete(&mut world).unwrap();
        errors.push(odd.delete(&mut world).unwrap_err());
    });
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(logged, errors);
}
