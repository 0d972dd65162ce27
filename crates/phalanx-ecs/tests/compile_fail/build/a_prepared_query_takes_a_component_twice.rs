use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    Prepared::<(&A, &mut A)>::new();
}
