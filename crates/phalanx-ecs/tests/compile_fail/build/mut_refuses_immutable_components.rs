use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable, track)]
struct Team(u8);

fn main() {
    let _ = World::new().query::<Mut<Team>>().count();
}
