//! Two scenes with a pace of their own. In the harbour ships sail thirty times a second, masts and flags with them; in the sky gulls fly in every other frame,
//! as long as there are any: they come after a second, and are gone after three.
//!
//! `cargo run -p phalanx --features scene --example harbour`

#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::needless_pass_by_value,
    reason = "an example, not a library"
)]

use phalanx::glam::Vec3;
use phalanx::prelude::*;
use phalanx::{
    ChildOf, CommandNodes, Node, Nodes, SceneTime, SceneWorld, Scenes, SystemSlept, SystemWoke, Transform,
    WorldTransform, every_nth, fixed, propagate,
};

/// How fast a ship sails, in units a second.
#[derive(Component)]
pub struct Sail(pub f32);

/// How high a gull flies.
#[derive(Component)]
pub struct Wings(pub f32);

#[derive(Node)]
pub struct Ship<'w> {
    pub transform: &'w mut Transform,
    pub sail: &'w Sail,
}

#[derive(Node)]
pub struct Gull<'w> {
    pub entity: Entity,
    pub wings: &'w mut Wings,
}

/// What woke and what fell asleep, and when.
#[derive(Resource, Default)]
pub struct Log(pub Vec<String>);

pub const SHIPS: u16 = 3;
pub const GULLS: u16 = 5;

pub fn harbour(engine: &mut Engine) -> phalanx::Result {
    let world = engine.world_mut();
    world.insert_resource(Log::default());
    let (harbour, sky) = (world.create_scene("harbour")?, world.create_scene("sky")?);
    harbour.set_pace(world, fixed(30.0))??;
    sky.set_pace(world, every_nth(2))??;
    for number in 0..SHIPS {
        let hull = world.spawn((Transform::default(), Sail(1.0 + f32::from(number))));
        let mast = world.spawn((Transform::at(Vec3::Y * 5.0), ChildOf(hull)));
        world.spawn((Name::new(format!("flag {number}")), Transform::at(Vec3::Y * 2.0), ChildOf(mast)));
        harbour.add_node::<Ship>(world, hull)?;
    }
    harbour.add(engine, sail)?;
    sky.add(engine, fly)?;
    engine.add(come_and_go)?;
    engine.add(note)?.after(come_and_go)?;
    engine.group("Late").after("Scenes")?;
    engine.add(place_all)?.to("Late");
    Ok(())
}

/// Ships sail, thirty times a second.
pub fn sail(time: SceneTime, mut ships: Nodes<Ship>) {
    ships.for_each(|ship| ship.transform.translation.x += ship.sail.0 * time.step());
}

/// Gulls fly higher and higher, in every other frame.
pub fn fly(mut gulls: Nodes<Gull>) {
    gulls.for_each(|gull| gull.wings.0 += 0.5);
}

/// Gulls come after a second, and are gone after three.
pub fn come_and_go(time: Time, scenes: Res<Scenes>, gulls: Query<Entity, With<Wings>>, commands: &mut Commands) {
    let Some(sky) = scenes.find("sky") else { return };
    if time.count() == 60 {
        for _ in 0..GULLS {
            let gull = commands.spawn(Wings(0.0));
            commands.add_node::<Gull>(sky, gull);
        }
    }
    if time.count() == 180 {
        commands.despawn_batch(gulls.iter());
    }
}

/// Writes down who woke and who fell asleep.
pub fn note(time: Time, mut woke: Reader<SystemWoke>, mut slept: Reader<SystemSlept>, mut log: ResMut<Log>) {
    let mut line = |name: &str, what: &str| {
        log.0.push(format!("{name} {what} at {:.1} s", time.elapsed().as_secs_f64()));
    };
    slept.read().for_each(|it| line(&it.name, "slept"));
    woke.read().for_each(|it| line(&it.name, "woke"));
}

/// Where everything is in the world follows from where it is on its ship.
pub fn place_all(world: &mut World) {
    propagate(world);
}

/// How far the flag of the fastest ship is.
pub fn farthest(world: &World) -> f32 {
    let flag = world.named(&format!("flag {}", SHIPS - 1));
    flag.and_then(|flag| world.get::<WorldTransform>(flag)).map_or(0.0, |place| place.translation().x)
}

/// The harbour in one line.
pub fn show(world: &World) -> String {
    let log = world.get_resource::<Log>().map_or_else(String::new, |log| log.0.join(", "));
    format!("a flag at {:.1}; {log}", farthest(world))
}

fn main() -> phalanx::Result {
    let mut engine = Engine::new();
    engine.add_plugin(harbour)?;
    for second in 0..=4 {
        println!("after {second} s: {}", show(engine.world()));
        engine.run_frames(60)?;
    }
    Ok(())
}
