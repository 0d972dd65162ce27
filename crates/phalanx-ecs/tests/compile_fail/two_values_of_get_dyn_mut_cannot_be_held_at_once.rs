use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let id = world.register::<A>();
    let first = world.get_dyn_mut(entity, id).unwrap();
    let second = world.get_dyn_mut(entity, id).unwrap();
    drop((first, second));
}
