//! A tree and a rock share a growth component: each grows by its rate, up to its maximum, on top of the scale it started with. A plain
//! stone has no growth component, and stays as it is.
//!
//! `cargo run -p phalanx --example growth`

#![allow(missing_docs, reason = "an example, not a library")]

use phalanx::prelude::*;

#[derive(Component)]
pub struct Name(pub &'static str);

/// How large a thing is now, and how large it was made.
#[derive(Component)]
pub struct Scale {
    pub base: f32,
    pub now: f32,
}

/// Growing things grow by `rate` a second until they have grown by `max`.
#[derive(Component)]
pub struct Growth {
    pub rate: f32,
    pub max: f32,
    pub grown: f32,
}

fn scale(base: f32) -> Scale {
    Scale { base, now: base }
}

fn growth(rate: f32, max: f32) -> Growth {
    Growth { rate, max, grown: 0.0 }
}

/// A tree that grows, a rock that grows, and a stone that does not.
pub fn garden() -> World {
    let mut world = World::new();
    world.spawn((Name("tree"), scale(1.0), growth(0.5, 5.0)));
    world.spawn((Name("rock"), scale(2.0), growth(0.125, 0.75)));
    world.spawn((Name("stone"), scale(3.0)));
    world
}

/// Lets time pass.
pub fn grow(world: &mut World, seconds: f32) {
    // One component is enough to know how much a thing has grown …
    for growth in world.query::<&mut Growth>() {
        growth.grown = (growth.grown + growth.rate * seconds).min(growth.max);
    }
    // … and two of the same entity to show it.
    for (growth, scale) in world.query::<(&Growth, &mut Scale)>() {
        scale.now = scale.base + growth.grown;
    }
}

/// The name and the scale of everything in the garden, in the order of planting.
pub fn scales(world: &mut World) -> Vec<(&'static str, f32)> {
    let mut things: Vec<_> = world.query::<(Entity, &Name, &Scale)>().iter().collect();
    things.sort_by_key(|(entity, ..)| *entity);
    things.into_iter().map(|(_, name, scale)| (name.0, scale.now)).collect()
}

fn main() {
    let mut world = garden();
    for second in 0..=12 {
        let line: Vec<String> = scales(&mut world).iter().map(|(name, scale)| format!("{name} {scale:.3}")).collect();
        println!("after {second:>2} s: {}", line.join("   "));
        grow(&mut world, 1.0);
    }
}
