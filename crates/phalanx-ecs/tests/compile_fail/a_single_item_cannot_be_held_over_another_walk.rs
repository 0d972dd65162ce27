use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&mut A>();
    let single = query.single_mut().unwrap();
    query.for_each(|a| a.0 += 1);
    single.0 = 0;
}
