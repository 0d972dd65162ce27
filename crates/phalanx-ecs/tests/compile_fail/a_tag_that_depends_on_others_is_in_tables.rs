use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(depends_on(Body), storage = "sparse")]
struct Falling;

#[derive(Component)]
struct Body;

fn main() {}
