//! A tree and a rock share a growth component: each grows by its rate, up to its maximum, on top of the scale it started with. A plain
//! stone has no growth component, and stays as it is. Things grow eight times a second, however many frames there are.
//!
//! `cargo run -p phalanx --example growth`

#![allow(missing_docs, clippy::missing_errors_doc, reason = "an example, not a library")]

use phalanx::fixed;
use phalanx::prelude::*;

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
}

fn scale(base: f32) -> Scale {
    Scale { base, now: base }
}

/// A tree that grows, a rock that grows, and a stone that does not; and the system that lets them grow, in a group with a pace of its own.
pub fn garden(engine: &mut Engine) -> phalanx::Result {
    let world = engine.world_mut();
    world.spawn((Name::new("tree"), scale(1.0), Growth { rate: 0.5, max: 5.0 }));
    world.spawn((Name::new("rock"), scale(2.0), Growth { rate: 0.125, max: 0.75 }));
    world.spawn((Name::new("stone"), scale(3.0)));
    engine.group("Life").pace(fixed(8.0))?;
    engine.add(grow)?.to("Life");
    Ok(())
}

/// What has a scale and grows is found; the stone is not.
pub fn grow(time: Time, mut growing: Query<(&mut Scale, &Growth)>) {
    for (scale, growth) in &mut growing {
        scale.now = (scale.now + growth.rate * time.step()).min(scale.base + growth.max);
    }
}

/// How large the thing of a name is, if there is one.
pub fn scale_of(world: &World, name: &str) -> Option<f32> {
    let scale = world.get::<Scale>(world.named(name)?)?;
    Some(scale.now)
}

/// The garden in one line.
pub fn show(world: &World) -> String {
    let one = |name| format!("{name} {:.3}", scale_of(world, name).unwrap_or(0.0));
    ["tree", "rock", "stone"].map(one).join(", ")
}

fn main() -> phalanx::Result {
    let mut engine = Engine::new();
    engine.add_plugin(garden)?;
    for second in 0..=12 {
        println!("after {second:>2} s: {}", show(engine.world()));
        engine.run_frames(60)?;
    }
    Ok(())
}
