use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(requires(Wheels))]
struct Car;

#[derive(Default)]
struct Wheels(u32);

fn main() {}
