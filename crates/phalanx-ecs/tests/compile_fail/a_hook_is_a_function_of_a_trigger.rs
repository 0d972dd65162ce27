use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(on_insert = greet)]
struct Guest;

fn greet(_: Entity) {}

#[derive(Component)]
#[component(on_remove)]
struct Stranger;

fn main() {}
