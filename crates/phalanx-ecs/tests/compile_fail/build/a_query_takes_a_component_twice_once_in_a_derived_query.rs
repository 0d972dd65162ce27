use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Reader<'w> {
    a: &'w A,
}

fn main() {
    World::new().query::<(Reader, &mut A)>();
}
