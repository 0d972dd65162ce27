use phalanx_ecs::prelude::*;
use phalanx_schedule::Engine;

fn is_due(commands: &mut Commands) -> bool {
    commands.spawn(());
    true
}

fn main() {
    let mut engine = Engine::new();
    let _ = engine.add(|| ()).unwrap().run_if(is_due);
}
