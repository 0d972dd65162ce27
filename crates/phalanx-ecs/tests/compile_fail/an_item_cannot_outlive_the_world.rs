use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn first() -> &'static mut A {
    let mut world = World::new();
    world.query::<&'static mut A>().into_iter().next().unwrap()
}

fn main() {
    first();
}
