use phalanx_ecs::prelude::*;

#[derive(Plain, Clone, Copy)]
struct Reordered {
    first: u8,
    rest: [u8; 4],
}

fn main() {}
