use phalanx_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let orc = world.spawn(Health(1));
    let mut kept = Vec::new();
    world.query::<&mut Health>().for_each_of(&[orc, orc], |health| kept.push(health));
}
