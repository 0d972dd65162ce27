//! Two references to one component, one of which writes.

use phalanx_ecs::prelude::*;
use phalanx_scene::Node;

#[derive(Component)]
struct Place(f32);

#[derive(Node)]
struct Moving<'w> {
    from: &'w Place,
    to: &'w mut Place,
}

fn main() {}
