use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

struct Forgotten;

fn main() {
    let mut world = World::new();
    world.query_filtered::<&A, With<Forgotten>>();
}
