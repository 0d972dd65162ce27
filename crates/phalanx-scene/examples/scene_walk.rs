//! What a scene costs the systems that serve it: frames in which one system walks over 10,000 entities, plainly or as the nodes of a scene. `ci/instructions` counts what the processor does in it.
//!
//! ```text
//! cargo run --release -p phalanx-scene --example scene_walk -- plain 1000
//! cargo run --release -p phalanx-scene --example scene_walk -- nodes 1000
//! ```

use phalanx_ecs::prelude::*;
use phalanx_scene::{Node, Nodes, SceneWorld as _};
use phalanx_schedule::Engine;

#[derive(Component)]
struct Position([f32; 3]);

#[derive(Component)]
struct Velocity([f32; 3]);

#[derive(Node)]
struct Mover<'w> {
    position: &'w mut Position,
    velocity: &'w Velocity,
}

#[inline(always)]
fn step(position: &mut Position, velocity: &Velocity) {
    position.0.iter_mut().zip(velocity.0).for_each(|(position, velocity)| *position += velocity);
}

fn step_all(mut movers: Query<(&mut Position, &Velocity)>) {
    movers.for_each(|(position, velocity)| step(position, velocity));
}

fn step_nodes(mut movers: Nodes<Mover>) {
    movers.for_each(|Mover { position, velocity }| step(position, velocity));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (as_nodes, frames) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["plain", frames] => (false, frames.parse()?),
        ["nodes", frames] => (true, frames.parse()?),
        _ => return Err("usage: scene_walk plain|nodes FRAMES".into()),
    };
    let mut engine = Engine::new();
    let movers = (0_u16..10_000).map(|i| (Position([f32::from(i), 0.0, 1.0]), Velocity([1.0, 2.0, 0.0])));
    engine.world_mut().spawn_batch(movers);
    if as_nodes {
        let level = engine.world_mut().create_scene("level")?;
        level.add_matching::<Mover>(engine.world_mut())?;
        level.add(&mut engine, step_nodes)?;
    } else {
        engine.add(step_all)?;
    }
    engine.run_frames(frames)?;
    let last = engine.world_mut().query::<&Position>().iter().last().map(|position| position.0);
    println!("{frames} frames, the last is at {:?}", last.expect("ten thousand"));
    Ok(())
}
