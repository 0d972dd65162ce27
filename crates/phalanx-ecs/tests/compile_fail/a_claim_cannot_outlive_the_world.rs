use phalanx_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let plan = world.plan("nothing").build();
    let claim = plan.claim_exclusive(&mut world).unwrap();
    drop(world);
    println!("{}", claim.name());
}
