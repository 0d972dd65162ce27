use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    world.query::<&mut A>().pairs(|a, b| a.0 += b.0);
}
