use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy)]
#[component(check)]
struct Silent;

#[derive(Component)]
#[component(left_out_of(saves))]
struct Elsewhere;

fn main() {}
