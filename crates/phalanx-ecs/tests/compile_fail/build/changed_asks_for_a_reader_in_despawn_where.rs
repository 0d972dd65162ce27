use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(track)]
struct Health;

fn main() {
    World::new().despawn_where::<Changed<Health>>();
}
