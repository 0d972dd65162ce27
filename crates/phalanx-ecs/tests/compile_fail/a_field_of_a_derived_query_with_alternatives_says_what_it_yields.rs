use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Component)]
struct B(u32);

#[derive(Query)]
struct Either<'w> {
    either: phalanx_ecs::AnyOf<(&'w A, &'w B)>,
}

fn main() {}
