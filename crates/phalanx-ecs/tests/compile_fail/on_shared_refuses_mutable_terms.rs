use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut prepared = Prepared::<&mut A>::new();
    prepared.on_shared(&world).count();
}
