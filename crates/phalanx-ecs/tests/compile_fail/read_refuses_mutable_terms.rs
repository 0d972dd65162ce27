use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let world = World::new();
    world.read::<(Entity, &mut A)>();
}
