use phalanx_ecs::prelude::*;
use std::cell::Cell;

#[derive(Component)]
struct Count(Cell<u32>);

fn main() {}
