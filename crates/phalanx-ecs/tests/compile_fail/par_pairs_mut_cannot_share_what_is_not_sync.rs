use phalanx_ecs::prelude::*;
use std::cell::Cell;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let count = Cell::new(0);
    world.query::<&mut A>().par_pairs_mut(|_, _| count.set(count.get() + 1));
}
