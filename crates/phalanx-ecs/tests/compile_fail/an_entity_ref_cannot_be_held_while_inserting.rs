use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let shared = world.entity(entity).unwrap();
    world.insert(entity, A(2)).unwrap();
    shared.get::<A>();
}
