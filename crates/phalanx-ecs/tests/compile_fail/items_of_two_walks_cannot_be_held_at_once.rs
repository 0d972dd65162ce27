use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&mut A>();
    let first: Vec<&mut A> = query.iter_mut().collect();
    let second: Vec<&mut A> = query.iter_mut().collect();
    first[0].0 = second[0].0;
}
