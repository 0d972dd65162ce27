use phalanx_ecs::Uuid;
use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(requires(Uuid = Uuid::from_u128(1)))]
struct Hero;

fn main() {
    World::new().spawn(Hero);
}
