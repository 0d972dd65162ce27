use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Team(u8);

#[derive(Component, PartialEq, Eq, Hash)]
struct Name(u8);

impl phalanx_ecs::Shared for Name {}

fn main() {
    let mut world = World::new();
    let orc = world.spawn((Team(1), Name(1)));
    let _ = world.edit_shared::<Name>(orc, |name| name.0 = 2);
}
