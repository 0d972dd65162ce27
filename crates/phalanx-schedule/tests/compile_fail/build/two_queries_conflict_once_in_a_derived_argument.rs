use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, Param};

#[derive(Component)]
struct Health(u32);

#[derive(Param)]
struct Wounded<'w> {
    all: Query<'w, &'static mut Health>,
}

fn heal(_: Wounded, _: Query<&Health>) {}

fn main() {
    let _ = Engine::new().add(heal);
}
