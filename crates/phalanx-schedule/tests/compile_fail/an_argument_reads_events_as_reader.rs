use phalanx_ecs::prelude::*;
use phalanx_schedule::Engine;

#[derive(Event)]
struct Hit(u32);

fn count(_: EventReader<Hit>) {}

fn main() {
    let _ = Engine::new().add(count);
}
