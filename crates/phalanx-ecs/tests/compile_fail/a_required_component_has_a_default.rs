use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(requires(Wheels))]
struct Car;

#[derive(Component)]
struct Wheels(u32);

fn main() {}
