use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut kept: Vec<&mut A> = Vec::new();
    world.cross::<&mut A, Entity>(|a, _| kept.push(a));
}
