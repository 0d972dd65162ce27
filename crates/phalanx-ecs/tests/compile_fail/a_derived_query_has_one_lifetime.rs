use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Pair<'a, 'b> {
    first: &'a A,
    second: &'b A,
}

fn main() {}
