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
    let first = burning.get_mut(entity).unwrap();
    let second = burning.get_mut(entity).unwrap();
    first.0 = second.0;
}
