use phalanx_ecs::prelude::*;

struct Forgotten;

struct System {
    reader: EventReader<Forgotten>,
}

fn main() {}
