use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared, track)]
struct Team(u8);

fn main() {}
