use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(sparse)]
struct Burning;

fn main() {}
