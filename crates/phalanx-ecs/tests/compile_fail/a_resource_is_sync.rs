use phalanx_ecs::prelude::*;
use std::cell::Cell;

#[derive(Resource)]
struct Counter(Cell<u32>);

fn main() {}
