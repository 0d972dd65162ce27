use phalanx_ecs::prelude::*;
use phalanx_schedule::Engine;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Player;

fn is_alive(mut players: Query<&mut Health, With<Player>>) -> bool {
    players.for_each(|health| health.0 -= 1);
    true
}

fn main() {
    let mut engine = Engine::new();
    let _ = engine.add_all((|| (), || ())).unwrap().run_if(is_alive);
}
