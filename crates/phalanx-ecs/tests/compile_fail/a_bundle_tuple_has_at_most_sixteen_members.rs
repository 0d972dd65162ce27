use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A;

fn main() {
    World::new().spawn((A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A));
}
