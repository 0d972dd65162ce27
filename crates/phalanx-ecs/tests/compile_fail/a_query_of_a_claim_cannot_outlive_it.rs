use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut plan = world.plan("late");
    let mut ticket = plan.query::<&mut A>().unwrap();
    let plan = plan.build();
    let lend = world.lend();
    let claim = lend.claim(&plan).unwrap();
    let mut query = claim.query(&mut ticket).unwrap();
    drop(claim);
    query.for_each(|a| a.0 += 1);
}
