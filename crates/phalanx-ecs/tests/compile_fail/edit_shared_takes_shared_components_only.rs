use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let orc = world.spawn(Health(1));
    let _ = world.edit_shared::<Health>(orc, |health| health.0 = 2);
}
