use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(storage = "shared")]
struct Team(u8);

fn main() {}
