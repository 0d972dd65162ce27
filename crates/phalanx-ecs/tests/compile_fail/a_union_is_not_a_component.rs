use phalanx_ecs::prelude::*;

#[derive(Component)]
union Bits {
    int: u32,
    float: f32,
}

fn main() {}
