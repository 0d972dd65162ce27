use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let a = world.query::<&mut A>().into_iter().next().unwrap();
    world.despawn(entity).unwrap();
    a.0 += 1;
}
