//! A described type is part of a component, which owns its data.

use phalanx_ecs::Described;

#[derive(Described)]
struct Name<'a>(&'a str);

#[derive(Described)]
union Bits {
    a: u32,
    b: f32,
}

fn main() {}
