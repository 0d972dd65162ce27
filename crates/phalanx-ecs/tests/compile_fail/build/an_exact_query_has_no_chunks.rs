use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    World::new().query_filtered::<&A, Exact>().chunks();
}
