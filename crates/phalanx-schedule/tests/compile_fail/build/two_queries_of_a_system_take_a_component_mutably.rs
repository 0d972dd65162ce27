use phalanx_ecs::prelude::*;
use phalanx_schedule::Schedule;

#[derive(Component)]
struct Health(u32);

fn heal(_: Query<&mut Health>, _: Query<(Entity, Option<&Health>)>) {}

fn main() {
    let _ = Schedule::new().add(&mut World::new(), heal);
}
