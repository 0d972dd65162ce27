use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let (mut a, mut b) = (Prepared::<&mut A>::new(), Prepared::<&A>::new());
    let mut first = a.on(&mut world);
    let second = b.on(&mut world);
    first.for_each(|a| a.0 += 1);
    second.count();
}
