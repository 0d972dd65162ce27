//! A thousand rocks float between where they started and 500 units above it, on a curve that goes from 0 to 1 and back.
//!
//! `cargo run --release -p phalanx --example rocks`

#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "an example, not a library"
)]

use phalanx::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Position {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

/// Floats up from where it started and back, again and again; `seconds` says how long it has been on its way.
#[derive(Component)]
pub struct Floating {
    pub start: f32,
    pub seconds: f32,
}

/// How far up the rocks float.
pub const HEIGHT: f32 = 500.0;
/// How many seconds up and back take.
pub const PERIOD: f32 = 4.0;

/// From 0 to 1 and back in `PERIOD` seconds.
fn curve(seconds: f32) -> f32 {
    let t = seconds / PERIOD;
    4.0 * t * (1.0 - t)
}

/// A field of rocks, all of them on the ground.
pub fn field(rocks: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..rocks).map(|i| {
        let position = Position { x: (i % 100) as f32, y: (i % 7) as f32, z: (i / 100) as f32 };
        (position, Floating { start: position.y, seconds: 0.0 })
    }));
    world
}

/// What happens to one rock while time passes.
pub fn float_one(position: &mut Position, floating: &mut Floating, seconds: f32) {
    floating.seconds += seconds;
    if floating.seconds >= PERIOD {
        floating.seconds %= PERIOD;
    }
    position.y = floating.start + HEIGHT * curve(floating.seconds);
}

/// Lets time pass.
pub fn float(world: &mut World, seconds: f32) {
    for (position, floating) in world.query::<(&mut Position, &mut Floating)>() {
        float_one(position, floating, seconds);
    }
}

/// The same on many threads, to the last bit.
pub fn float_on_many_threads(world: &mut World, seconds: f32) {
    let mut rocks = world.query::<(&mut Position, &mut Floating)>();
    rocks.par_for_each(|(position, floating)| float_one(position, floating, seconds));
}

/// How far above its start the first rock is.
pub fn height(world: &World) -> f32 {
    world.read::<(&Position, &Floating)>().first().map_or(0.0, |(position, floating)| position.y - floating.start)
}

fn main() {
    let mut world = field(1000);
    for quarter in 0..=16 {
        let height = height(&world);
        let bar = "#".repeat((height / 10.0) as usize);
        println!("{:>5.2} s {height:>6.1} {bar}", quarter as f32 / 4.0);
        for _frame in 0..16 {
            float(&mut world, 1.0 / 64.0);
        }
    }
    println!("{} rocks, each of them back on the ground", world.alive());
}
