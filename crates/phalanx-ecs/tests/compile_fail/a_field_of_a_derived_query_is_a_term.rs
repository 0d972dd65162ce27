use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Owned {
    a: A,
}

fn main() {}
