use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared, immutable)]
struct Team(u8);

fn main() {}
