use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(depends_on(Body))]
struct Speed(f32);

#[derive(Component)]
struct Body;

fn main() {}
