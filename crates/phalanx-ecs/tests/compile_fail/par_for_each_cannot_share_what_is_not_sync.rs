use phalanx_ecs::prelude::*;
use std::cell::Cell;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let sum = Cell::new(0);
    world.query::<&A>().par_for_each(|a| sum.set(sum.get() + a.0));
}
