use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn duplicate<T: Clone>(_: &T) {}

fn main() {
    let mut world = World::new();
    let ticket = world.plan("twice").query::<&mut A>().unwrap();
    duplicate(&ticket);
}
