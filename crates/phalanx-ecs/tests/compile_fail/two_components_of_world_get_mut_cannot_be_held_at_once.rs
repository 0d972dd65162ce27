use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let first = world.get_mut::<A>(entity).unwrap();
    let second = world.get_mut::<A>(entity).unwrap();
    first.0 = second.0;
}
