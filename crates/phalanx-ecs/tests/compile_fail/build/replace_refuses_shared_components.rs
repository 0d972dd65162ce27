use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Team(u8);

fn main() {
    let mut world = World::new();
    let orc = world.spawn(Team(1));
    let _ = world.replace(orc, Team(2));
}
