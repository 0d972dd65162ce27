use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(storage = sparse)]
struct Car;

fn main() {}
