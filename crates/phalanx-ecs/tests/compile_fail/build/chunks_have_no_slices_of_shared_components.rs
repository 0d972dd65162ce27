use phalanx_ecs::prelude::*;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Team(u8);

fn main() {
    let mut world = World::new();
    world.spawn(Team(1));
    for teams in world.query::<&Team>().chunks() {
        println!("{}", teams.len());
    }
}
