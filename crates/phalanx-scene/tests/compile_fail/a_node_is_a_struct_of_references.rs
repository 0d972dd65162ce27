//! A component itself is no reference to one.

use phalanx_ecs::prelude::*;
use phalanx_scene::Node;

#[derive(Component)]
struct Mesh(u32);

#[derive(Node)]
struct Drawn {
    mesh: Mesh,
}

fn main() {}
