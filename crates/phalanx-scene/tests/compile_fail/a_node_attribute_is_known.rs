//! `without`, with an e too few.

use phalanx_ecs::prelude::*;
use phalanx_scene::Node;

#[derive(Component)]
struct Mesh(u32);
#[derive(Component)]
struct Hidden;

#[derive(Node)]
#[node(withot(Hidden))]
struct Drawn<'w> {
    mesh: &'w Mesh,
}

fn main() {}
