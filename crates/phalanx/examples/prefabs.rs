//! A tank is described once, and made as often as one likes: its references point inside each copy, kinds of tanks differ in what they say, and all follow when the description changes.
//!
//! `cargo run -p phalanx --features scene --example prefabs`

#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::needless_pass_by_value,
    reason = "an example, not a library"
)]

use phalanx::prelude::*;
use phalanx::{Kinship, Prefab, PrefabId, PrefabWorld};

#[derive(Component, Clone)]
pub struct Mesh(pub &'static str);

#[derive(Component, Clone)]
pub struct Armour(pub u32);

/// Who sits in the turret aims with the barrel of the same tank.
#[derive(Component, Clone)]
pub struct Aims {
    pub with: Entity,
}

/// A light tank, and a heavy one that is made of it.
pub fn tanks(world: &mut World) -> phalanx::Result<(PrefabId, PrefabId)> {
    let turret = Prefab::new()
        .with((Mesh("turret"), Armour(30)))
        .part("barrel", Prefab::new().with(Mesh("barrel")))
        .bind(|parts| Aims { with: parts["barrel"] });
    let turret = world.add_prefab("turret", turret)?;
    let light = Prefab::new().with((Mesh("tank"), Armour(50))).part("turret", Prefab::from(turret));
    let light = world.add_prefab("light tank", light)?;
    let long_barrel = Prefab::new().with(Mesh("long barrel"));
    let heavy = Prefab::from(light).with(Armour(200)).within("turret/barrel", long_barrel);
    let heavy = world.add_prefab("heavy tank", heavy)?;
    Ok((light, heavy))
}

/// What a tank is made of, with its armour.
pub fn show(world: &World, tank: Entity) -> String {
    let parts = std::iter::once(tank).chain(world.descendants(tank)).map(|part| {
        let mesh = world.get::<Mesh>(part).map_or("nothing", |mesh| mesh.0);
        world.get::<Armour>(part).map_or_else(|| mesh.to_owned(), |armour| format!("{mesh} {}", armour.0))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// What the turret of a tank aims with.
pub fn aims_with(world: &World, tank: Entity) -> Option<Entity> {
    Some(world.get::<Aims>(world.part_of(tank, "turret")?)?.with)
}

fn main() -> phalanx::Result {
    let mut world = World::new();
    let (light, heavy) = tanks(&mut world)?;
    println!("prefabs are no entities: {} prefabs, {} entities", world.prefabs().len(), world.alive());

    let army = light.instantiate(&mut world, 1000)?;
    let last = heavy.instantiate(&mut world, 1)?[0];
    println!("1000 light tanks and a heavy one: {} entities", world.alive());
    println!("  light: {}\n  heavy: {}", show(&world, army[0]), show(&world, last));
    let own = army.iter().all(|tank| aims_with(&world, *tank) == world.part_of(*tank, "turret/barrel"));
    println!("each aims with its own barrel: {own}");

    if let Some(armour) = world.get_mut::<Armour>(army[0]) {
        armour.0 = 7;
    }
    light.insert(&mut world, "", (Mesh("new tank"), Armour(60)))?;
    light.insert(&mut world, "turret", Armour(40))?;
    println!("\nthe light tank changes; what is a tank's own stays");
    println!("  hit:   {}\n  whole: {}\n  heavy: {}", show(&world, army[0]), show(&world, army[1]), show(&world, last));

    let turret = Prefab::new().part("tank on top", Prefab::from(heavy));
    if let Some(turrets) = world.find_prefab("turret")
        && let Err(refused) = turrets.set(&mut world, turret)
    {
        println!("\na turret with a tank on top:\n{refused}");
    }
    Ok(())
}
