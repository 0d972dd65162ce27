use phalanx_ecs::prelude::*;

#[derive(Plain, Clone, Copy)]
struct Mixed {
    x: f32,
    count: u32,
}

fn main() {}
