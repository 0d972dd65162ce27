use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Bundle)]
struct Knight {
    a: A,
    name: String,
}

fn main() {}
