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

/// The two ends of a rock's way.
#[derive(Component)]
pub struct Way {
    pub start: Position,
    pub end: Position,
}

/// A value that goes from 0 to 1 and back in `period` seconds, again and again.
#[derive(Component)]
pub struct Curve {
    pub seconds: f32,
    pub period: f32,
}

impl Curve {
    pub fn advance(&mut self, seconds: f32) {
        self.seconds += seconds;
        if self.seconds >= self.period {
            self.seconds %= self.period;
        }
    }

    pub fn value(&self) -> f32 {
        let t = self.seconds / self.period;
        4.0 * t * (1.0 - t)
    }
}

/// How far up the rocks float.
pub const HEIGHT: f32 = 500.0;

/// A field of rocks, all of them on the ground.
pub fn field(rocks: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..rocks).map(|i| {
        let start = Position { x: (i % 100) as f32, y: (i % 7) as f32, z: (i / 100) as f32 };
        let end = Position { y: start.y + HEIGHT, ..start };
        (start, Way { start, end }, Curve { seconds: 0.0, period: 4.0 })
    }));
    world
}

/// What happens to one rock while time passes.
pub fn float_one(position: &mut Position, way: &Way, curve: &mut Curve, seconds: f32) {
    curve.advance(seconds);
    let t = curve.value();
    position.x = way.start.x + (way.end.x - way.start.x) * t;
    position.y = way.start.y + (way.end.y - way.start.y) * t;
    position.z = way.start.z + (way.end.z - way.start.z) * t;
}

/// Lets time pass.
pub fn float(world: &mut World, seconds: f32) {
    for (position, way, curve) in world.query::<(&mut Position, &Way, &mut Curve)>() {
        float_one(position, way, curve, seconds);
    }
}

/// How far above its start the first rock is.
pub fn height(world: &mut World) -> f32 {
    world.query::<(&Position, &Way)>().first().map_or(0.0, |(position, way)| position.y - way.start.y)
}

fn main() {
    let mut world = field(1000);
    for quarter in 0..=16 {
        let height = height(&mut world);
        let bar = "#".repeat((height / 10.0) as usize);
        println!("{:>5.2} s {height:>6.1} {bar}", quarter as f32 / 4.0);
        for _frame in 0..16 {
            float(&mut world, 1.0 / 64.0);
        }
    }
    println!("{} rocks, each of them back on the ground", world.alive());
}
