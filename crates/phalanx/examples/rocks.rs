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
use std::time::Duration;

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

/// With fewer rocks than this, sharing them between threads takes longer than moving them.
pub const ENOUGH_TO_SHARE: u32 = 20_000;

/// Rocks that float, all of them on the ground at first.
pub fn field(rocks: u32) -> impl FnOnce(&mut Engine) -> phalanx::Result {
    move |engine| {
        place(engine.world_mut(), rocks);
        if rocks < ENOUGH_TO_SHARE {
            engine.add(float)?;
        } else {
            engine.add(float_on_many_threads)?;
        }
        Ok(())
    }
}

/// Places rocks on the ground.
pub fn place(world: &mut World, rocks: u32) {
    world.spawn_batch((0..rocks).map(|i| {
        let position = Position { x: (i % 100) as f32, y: (i % 7) as f32, z: (i / 100) as f32 };
        (position, Floating { start: position.y, seconds: 0.0 })
    }));
}

/// What happens to one rock while time passes.
pub fn float_one(position: &mut Position, floating: &mut Floating, seconds: f32) {
    floating.seconds += seconds;
    if floating.seconds >= PERIOD {
        floating.seconds %= PERIOD;
    }
    position.y = floating.start + HEIGHT * curve(floating.seconds);
}

/// Lets all rocks float.
pub fn float(time: Time, mut rocks: Query<(&mut Position, &mut Floating)>) {
    for (position, floating) in &mut rocks {
        float_one(position, floating, time.step());
    }
}

/// The same on many threads, to the last bit.
pub fn float_on_many_threads(time: Time, mut rocks: Query<(&mut Position, &mut Floating)>) {
    rocks.par_for_each(|(position, floating)| float_one(position, floating, time.step()));
}

/// How far above its start the first rock is.
pub fn height(world: &World) -> f32 {
    world.read::<(&Position, &Floating)>().first().map_or(0.0, |(position, floating)| position.y - floating.start)
}

/// A frame of 1/64 s, which `f32` adds up exactly.
pub const FRAME: Duration = Duration::from_micros(1_000_000 / 64);

fn main() -> phalanx::Result {
    let mut engine = Engine::new();
    engine.add_plugin(field(1000))?;
    for quarter in 0..=16 {
        let height = height(engine.world());
        let bar = "#".repeat((height / 10.0) as usize);
        println!("{:>5.2} s {height:>6.1} {bar}", quarter as f32 / 4.0);
        for _frame in 0..16 {
            engine.run_frame(FRAME)?;
        }
    }
    println!("{} rocks, each of them back on the ground", engine.world().alive());
    Ok(())
}
