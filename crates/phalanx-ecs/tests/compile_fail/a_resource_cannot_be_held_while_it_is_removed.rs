use phalanx_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let score = world.resource::<Score>().unwrap();
    world.remove_resource::<Score>();
    println!("{}", score.0);
}
