use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let (mut reading, mut writing) = (Prepared::<&A>::new(), Prepared::<&mut A>::new());
    let shared = reading.on_shared(&world);
    writing.on(&mut world).for_each(|a| a.0 += 1);
    shared.count();
}
