use phalanx_ecs::prelude::*;
use std::sync::MutexGuard;

#[derive(Component)]
struct Held(MutexGuard<'static, u32>);

fn main() {}
