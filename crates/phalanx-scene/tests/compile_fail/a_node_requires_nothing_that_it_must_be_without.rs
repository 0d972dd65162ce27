//! Nobody could ever be one.

use phalanx_ecs::prelude::*;
use phalanx_scene::Node;

#[derive(Component)]
struct Mesh(u32);
#[derive(Component)]
struct Hidden;

#[derive(Node)]
#[node(without(Hidden, Mesh))]
struct Drawn<'w> {
    mesh: &'w Mesh,
}

fn main() {}
