use phalanx_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn main() {
    let mut world = World::new();
    let mut plan = world.plan("twice");
    let mut ticket = plan.resource_mut::<Score>().unwrap();
    let plan = plan.build();
    let claim = plan.claim_exclusive(&mut world).unwrap();
    let mut first = claim.resource_mut(&mut ticket).unwrap();
    let mut second = claim.resource_mut(&mut ticket).unwrap();
    first.0 += 1;
    second.0 += 1;
}
