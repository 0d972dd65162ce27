use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

fn main() {
    let mut world = World::new();
    let mut plan = world.plan("paint");
    let _ = plan.query::<&mut Team>();
}
