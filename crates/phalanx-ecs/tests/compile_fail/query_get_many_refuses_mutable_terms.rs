use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let query = world.query::<&mut A>();
    let _ = query.get_many([entity, entity]);
}
