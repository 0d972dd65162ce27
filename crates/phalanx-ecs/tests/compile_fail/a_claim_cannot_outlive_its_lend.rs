use phalanx_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let plan = world.plan("nothing").build();
    let claim = {
        let lend = world.lend();
        lend.claim(&plan).unwrap()
    };
    println!("{}", claim.name());
}
