use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared, storage = "sparse")]
struct Team(u8);

fn main() {}
