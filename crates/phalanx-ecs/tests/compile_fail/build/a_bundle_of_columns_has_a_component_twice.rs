use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let _ = World::new().spawn_columns((vec![A(1)], vec![A(2)]));
}
