//! A prefab is copied.

use phalanx_ecs::prelude::*;
use phalanx_scene::Prefab;

#[derive(Component)]
struct Mesh(u32);

fn main() {
    Prefab::new().with(Mesh(1));
}
