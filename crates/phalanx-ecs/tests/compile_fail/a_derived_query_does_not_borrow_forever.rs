use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Forever {
    a: &'static A,
}

fn main() {}
