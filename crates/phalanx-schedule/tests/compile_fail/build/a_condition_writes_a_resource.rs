use phalanx_ecs::prelude::*;
use phalanx_schedule::{Engine, IntoCondition};

#[derive(Resource)]
struct Asked(u32);

fn is_open() -> bool {
    true
}

fn is_first(mut asked: ResMut<Asked>) -> bool {
    asked.0 += 1;
    asked.0 == 1
}

fn main() {
    let mut engine = Engine::new();
    let _ = engine.group("Menu").only_if(is_open.and(is_first.negated()));
}
