use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Name<'a>(&'a str);

fn main() {}
