use phalanx_ecs::prelude::*;

#[derive(Bundle)]
struct Named<'a> {
    name: &'a str,
}

fn main() {}
