use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

type Forever = &'static A;

#[derive(Query)]
struct Hidden {
    a: Forever,
}

fn main() {}
