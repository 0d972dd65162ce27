use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&mut A>();
    let first = query.chunks().next().unwrap();
    let second = query.chunks().next().unwrap();
    first[0].0 = second[0].0;
}
