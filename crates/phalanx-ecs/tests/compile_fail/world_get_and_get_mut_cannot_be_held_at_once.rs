use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let shared = world.get::<A>(entity).unwrap();
    let mutable = world.get_mut::<A>(entity).unwrap();
    mutable.0 = shared.0;
}
