use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut kept: Vec<&mut A> = Vec::new();
    world.query::<&mut A>().for_each(|a| kept.push(a));
}
