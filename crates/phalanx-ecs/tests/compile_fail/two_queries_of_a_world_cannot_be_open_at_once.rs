use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut first = world.query::<&mut A>();
    let second = world.query::<&A>();
    first.for_each(|a| a.0 += 1);
    second.count();
}
