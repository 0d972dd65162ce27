use phalanx_ecs::prelude::*;

#[derive(Plain, Clone, Copy)]
struct Switch {
    on: bool,
}

fn main() {}
