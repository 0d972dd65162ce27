use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut prepared = Prepared::<&A>::new();
    let a = prepared.on_shared(&world).iter().next().unwrap();
    world.spawn(A(a.0));
    drop(a);
}
