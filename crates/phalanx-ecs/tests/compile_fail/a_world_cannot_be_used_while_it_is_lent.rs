use phalanx_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let plan = world.plan("nothing").build();
    let lend = world.lend();
    world.spawn(());
    println!("{}", lend.claim(&plan).unwrap().name());
}
