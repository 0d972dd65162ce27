use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(hidden, hidden)]
struct Car;

fn main() {}
