use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Twice<'w> {
    reads: &'w A,
    writes: &'w mut A,
}

fn main() {}
