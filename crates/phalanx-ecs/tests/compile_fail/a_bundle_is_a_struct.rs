use phalanx_ecs::prelude::*;

#[derive(Bundle)]
enum Race {
    Orc,
    Knight,
}

fn main() {}
