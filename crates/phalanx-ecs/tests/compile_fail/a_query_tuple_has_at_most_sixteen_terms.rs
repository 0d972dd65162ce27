use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A;

fn main() {
    World::new().query::<(&A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A)>();
}
