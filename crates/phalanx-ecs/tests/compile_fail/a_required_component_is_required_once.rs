use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(requires(Wheels, Wheels = Wheels(4)))]
struct Car;

#[derive(Component, Default)]
struct Wheels(u32);

fn main() {}
