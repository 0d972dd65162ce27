use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

#[derive(Query)]
struct Painted<'w> {
    team: &'w mut Team,
}

fn main() {}
