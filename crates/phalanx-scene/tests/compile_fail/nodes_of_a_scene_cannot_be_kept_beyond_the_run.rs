//! What a system is given is lent to it.

use phalanx_ecs::prelude::*;
use phalanx_scene::{Node, Nodes};

#[derive(Component)]
struct Mesh(u32);

#[derive(Node)]
struct Drawn<'w> {
    mesh: &'w Mesh,
}

fn keep<'a>(mut nodes: Nodes<'a, Drawn>) -> Option<&'a Mesh> {
    let mut kept = None;
    nodes.for_each(|node| kept = Some(node.mesh));
    kept
}

fn main() {}
