use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Component, Bundle)]
struct Both {
    a: A,
}

fn main() {}
