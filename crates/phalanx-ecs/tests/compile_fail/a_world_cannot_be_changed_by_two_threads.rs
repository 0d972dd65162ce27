use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn on_two_threads(_: impl FnOnce() + Send, _: impl FnOnce() + Send) {}

fn main() {
    let mut world = World::new();
    on_two_threads(|| _ = world.spawn(A(1)), || _ = world.spawn(A(2)));
}
