use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut plan = world.plan("twice");
    let mut ticket = plan.query::<&mut A>().unwrap();
    let plan = plan.build();
    let claim = plan.claim_exclusive(&mut world).unwrap();
    let mut first = claim.query(&mut ticket).unwrap();
    let mut second = claim.query(&mut ticket).unwrap();
    first.for_each(|a| a.0 += 1);
    second.for_each(|a| a.0 += 1);
}
