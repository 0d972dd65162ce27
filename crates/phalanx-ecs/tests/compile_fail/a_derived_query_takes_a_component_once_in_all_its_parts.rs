use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Query)]
struct Inner<'w> {
    a: Option<&'w mut A>,
}

#[derive(Query)]
struct Outer<'w> {
    inner: Inner<'w>,
    more: (Entity, &'w A),
}

fn main() {}
