use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "heap")]
struct Car;

fn main() {}
