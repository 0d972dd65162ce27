use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(tracked)]
struct Car;

fn main() {}
