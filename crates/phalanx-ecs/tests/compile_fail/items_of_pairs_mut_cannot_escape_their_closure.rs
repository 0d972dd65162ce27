use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut kept: Vec<&mut A> = Vec::new();
    world.query::<&mut A>().pairs_mut(|a, _| kept.push(a));
}
