use phalanx_ecs::prelude::*;

#[derive(Resource)]
struct Borrowed<'a>(&'a str);

fn main() {}
