use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Empty<'w> {
    a: &'w A,
    #[query]
    marked: bool,
}

#[derive(Query)]
struct Twice<'w> {
    a: &'w A,
    #[query(Has<A>)]
    #[query(Has<A>)]
    marked: bool,
}

fn main() {}
