//! One entity changes its race and its profession while the program runs: a human knight becomes an orc knight, then an orc shaman, and at
//! last a human again. No class had to foresee it: race and profession are components that come and go.
//!
//! `cargo run -p phalanx --example orc_and_knight`

#![allow(missing_docs, clippy::missing_errors_doc, reason = "an example, not a library")]

use phalanx::Name;
use phalanx::prelude::*;

#[derive(Component)]
pub struct Health(pub u32);

// Races.
#[derive(Component)]
pub struct Human;

#[derive(Component)]
pub struct Orc {
    pub rage: u32,
}

// Professions: a knight is a bundle of what knights carry.
#[derive(Component)]
pub struct Sword {
    pub sharpness: u32,
}

#[derive(Component)]
pub struct Shield;

#[derive(Bundle)]
pub struct Knight {
    pub sword: Sword,
    pub shield: Shield,
}

#[derive(Component)]
pub struct Shaman {
    pub mana: u32,
}

/// A human knight.
pub fn knight(world: &mut World) -> Entity {
    world.spawn((Name::new("Gawain"), Health(20), Human, Knight { sword: Sword { sharpness: 7 }, shield: Shield }))
}

/// Changes the race; several edits of one entity become one move.
pub fn become_orc(world: &mut World, entity: Entity) -> phalanx::Result {
    world.entity_mut(entity)?.remove::<Human>().insert(Orc { rage: 3 });
    Ok(())
}

/// Changes the race back.
pub fn become_human(world: &mut World, entity: Entity) -> phalanx::Result {
    world.entity_mut(entity)?.remove::<Orc>().insert(Human);
    Ok(())
}

/// Changes the profession, and hands back what the knight carried. Fails, and changes nothing, for somebody who is no knight.
pub fn become_shaman(world: &mut World, entity: Entity) -> phalanx::Result<Knight> {
    let carried = world.take::<Knight>(entity)?;
    world.insert(entity, Shaman { mana: 10 })?;
    Ok(carried)
}

/// The names of what an entity has, in alphabetical order.
pub fn parts(world: &World, entity: Entity) -> phalanx::Result<Vec<String>> {
    let mut names: Vec<String> = world.entity(entity)?.components().map(|info| info.name().to_owned()).collect();
    names.sort();
    Ok(names)
}

fn main() -> phalanx::Result {
    let mut world = World::new();
    let hero = knight(&mut world);
    println!("at first:       {}", parts(&world, hero)?.join(", "));

    become_orc(&mut world, hero)?;
    println!("the curse:      {}", parts(&world, hero)?.join(", "));
    let fighting_orcs = world.query_filtered::<&Sword, With<Orc>>().count();
    println!("                orcs with a sword: {fighting_orcs}");

    let carried = become_shaman(&mut world, hero)?;
    println!("the calling:    {}", parts(&world, hero)?.join(", "));
    println!("                left behind: a sword of sharpness {}, a shield", carried.sword.sharpness);

    if let Err(error) = become_shaman(&mut world, hero) {
        println!("once more, and it is refused:\n{error}");
    }

    become_human(&mut world, hero)?;
    println!("the curse ends: {}", parts(&world, hero)?.join(", "));
    Ok(())
}
