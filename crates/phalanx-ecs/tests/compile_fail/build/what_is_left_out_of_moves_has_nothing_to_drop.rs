use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(left_out_of(moves))]
struct Diary(String);

fn main() {
    World::new().spawn(Diary(String::new()));
}
