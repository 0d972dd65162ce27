use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Marked<'w> {
    a: &'w A,
    marked: Has<A>,
}

fn main() {}
