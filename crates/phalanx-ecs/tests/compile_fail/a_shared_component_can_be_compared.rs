use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(shared)]
struct Weight(f32);

fn main() {}
