use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning(u32);

fn main() {
    World::new().query::<&Burning>().par_chunks(8, |_| ());
}
