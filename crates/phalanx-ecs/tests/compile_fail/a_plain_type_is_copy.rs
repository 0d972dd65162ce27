use phalanx_ecs::prelude::*;

#[derive(Plain)]
struct Moved {
    x: f32,
}

fn main() {}
