use phalanx_ecs::prelude::*;

#[derive(Event)]
struct Hit(u32);

fn main() {
    let mut world = World::new();
    let mut reader = EventReader::<Hit>::new();
    for hit in reader.read(&world) {
        world.send(Hit(hit.0 + 1));
    }
}
