use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut sum = 0;
    world.query::<&A>().par_for_each(|a| sum += a.0);
    println!("{sum}");
}
