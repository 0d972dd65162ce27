use phalanx_ecs::prelude::*;
use phalanx_schedule::Engine;

#[derive(Resource)]
struct Score(u32);

fn count(_: ResMut<Score>, _: ResMut<Score>) {}

fn main() {
    let _ = Engine::new().add(count);
}
