use phalanx_ecs::prelude::*;

struct Forgotten;

fn main() {
    World::new().query::<&mut Forgotten>();
}
