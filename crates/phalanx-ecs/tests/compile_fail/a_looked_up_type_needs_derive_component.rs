use phalanx_ecs::prelude::*;

struct Forgotten;

fn main() {
    let mut world = World::new();
    let entity = world.spawn(());
    world.get::<Forgotten>(entity);
}
