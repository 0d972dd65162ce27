use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let mut query = world.query::<&mut A>();
    let first = query.get_mut(entity).unwrap();
    let second = query.get_mut(entity).unwrap();
    first.0 = second.0;
}
