use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Bundle)]
struct Twice {
    first: A,
    second: A,
}

fn main() {}
