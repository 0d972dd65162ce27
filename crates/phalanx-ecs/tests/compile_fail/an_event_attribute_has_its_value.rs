use phalanx_ecs::prelude::*;

#[derive(Event)]
#[event(keep_last)]
struct Hit;

#[derive(Event)]
#[event(keep_updates = "three")]
struct Miss;

#[derive(Event)]
#[event(keep = 3)]
struct Luck;

fn main() {}
