use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(depends_on(Body = Body, Weight))]
struct Falling;

#[derive(Component)]
struct Body;

struct Weight;

fn main() {}
