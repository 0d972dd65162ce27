use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(shiny)]
struct Car;

fn main() {}
