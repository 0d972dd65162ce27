use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(());
    let mut burning = world.sparse_mut::<Burning>();
    world.despawn(entity).unwrap();
    burning.insert(entity, Burning(1)).unwrap();
}
