use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component = "sparse"]
struct Car;

fn main() {}
