use phalanx_ecs::prelude::*;
use phalanx_schedule::Engine;

#[derive(Component)]
struct Health(u32);

fn heal(_: &World, _: Query<&mut Health>) {}

fn main() {
    let _ = Engine::new().add_start(heal);
}
