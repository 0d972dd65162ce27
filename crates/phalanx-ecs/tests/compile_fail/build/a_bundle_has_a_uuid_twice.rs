use phalanx_ecs::Uuid;
use phalanx_ecs::prelude::*;

fn main() {
    World::new().spawn((Uuid::from_u128(1), Uuid::from_u128(2)));
}
