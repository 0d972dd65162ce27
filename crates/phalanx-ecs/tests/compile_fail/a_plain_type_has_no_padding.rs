use phalanx_ecs::prelude::*;

#[derive(Plain, Clone, Copy)]
#[repr(align(16))]
struct Padded {
    x: f32,
    y: f32,
    z: f32,
}

fn main() {}
