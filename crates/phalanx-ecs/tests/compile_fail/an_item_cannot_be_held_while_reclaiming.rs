use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    world.spawn(A(1));
    let a = world.query::<&mut A>().into_iter().next().unwrap();
    world.reclaim();
    a.0 += 1;
}
