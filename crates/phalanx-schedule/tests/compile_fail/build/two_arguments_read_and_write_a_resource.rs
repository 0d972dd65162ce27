use phalanx_ecs::prelude::*;
use phalanx_schedule::{Res, run_once};

#[derive(Resource)]
struct Score(u32);

fn count(_: Res<Score>, (): (), _: Option<ResMut<Score>>) {}

fn main() {
    let _ = run_once(&mut World::new(), count);
}
