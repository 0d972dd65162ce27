use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

#[derive(Bundle)]
struct Inner {
    a: A,
}

#[derive(Bundle)]
struct Outer {
    inner: Inner,
    more: (A,),
}

fn main() {}
