use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let a = world.query::<&mut A>().into_iter().next().unwrap();
    world.insert(entity, A(2)).unwrap();
    a.0 += 1;
}
