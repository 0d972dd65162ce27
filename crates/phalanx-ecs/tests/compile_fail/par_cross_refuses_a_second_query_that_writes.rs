use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let (mut first, mut second) = (Prepared::<Entity>::new(), Prepared::<&mut A>::new());
    let _ = first.par_cross(&mut second, &mut world, |_, a| a.0 += 1);
}
