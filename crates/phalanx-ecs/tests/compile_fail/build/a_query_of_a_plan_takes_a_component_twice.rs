use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let _ = world.plan("twice").query::<(&mut A, &A)>();
}
