use phalanx_ecs::prelude::*;

#[derive(Resource, Event)]
union Either {
    whole: u32,
    half: u16,
}

fn main() {}
