use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    world.query::<Common<Health>>();
}
