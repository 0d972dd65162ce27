use phalanx_ecs::prelude::*;

#[derive(Event)]
#[event(keep_last = 3, keep_forever)]
struct Hit;

fn main() {}
