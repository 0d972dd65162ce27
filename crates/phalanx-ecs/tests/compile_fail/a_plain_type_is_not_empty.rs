use phalanx_ecs::prelude::*;

#[derive(Plain, Clone, Copy)]
struct Nothing;

fn main() {}
