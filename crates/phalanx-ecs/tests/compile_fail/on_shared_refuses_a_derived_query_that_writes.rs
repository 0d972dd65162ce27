use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Writer<'w> {
    a: &'w mut A,
}

fn main() {
    let mut world = World::new();
    let mut prepared = Prepared::<Writer>::new();
    prepared.on_shared(&world).count();
}
