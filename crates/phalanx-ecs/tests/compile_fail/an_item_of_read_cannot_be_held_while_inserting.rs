use phalanx_ecs::prelude::*;

#[derive(Component, Debug)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let item = world.read::<&A>().single().unwrap();
    world.insert(entity, A(2)).unwrap();
    println!("{item:?}");
}
