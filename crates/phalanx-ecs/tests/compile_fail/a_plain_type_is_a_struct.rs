use phalanx_ecs::prelude::*;

#[derive(Plain, Clone, Copy)]
enum Axis {
    X,
    Y,
}

fn main() {}
