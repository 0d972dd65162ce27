use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(requires(Wheels = 4))]
struct Car;

#[derive(Component)]
struct Wheels(u32);

fn main() {}
