use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Team(u8);

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let orc = world.spawn((Health(1), Team(1)));
    let _ = world.take::<(Health, Team)>(orc);
}
