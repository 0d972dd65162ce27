//! A component is no role.

use phalanx_ecs::prelude::*;
use phalanx_scene::{Nodes, SceneWorld};
use phalanx_schedule::Engine;

#[derive(Component)]
struct Mesh(u32);

fn draw(_: Nodes<Mesh>) {}

fn main() {
    let mut engine = Engine::new();
    let level = engine.world_mut().create_scene("level").unwrap();
    level.add(&mut engine, draw).unwrap();
}
