use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Res};

#[derive(Resource)]
struct Tide(u32);

fn rise(_: u32, _: Res<Tide>) {}
fn fall() {}

fn main() {
    let _ = Engine::new().add(fall).unwrap().after(rise);
}
