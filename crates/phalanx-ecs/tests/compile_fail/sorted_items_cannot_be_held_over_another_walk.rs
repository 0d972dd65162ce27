use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&mut A>();
    let sorted = query.sorted_by_key(|a| a.0);
    query.for_each(|a| a.0 += 1);
    drop(sorted);
}
