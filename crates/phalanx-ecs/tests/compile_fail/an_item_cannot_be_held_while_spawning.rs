use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    world.spawn(A(1));
    let a = world.query::<&mut A>().into_iter().next().unwrap();
    world.spawn(A(2));
    a.0 += 1;
}
