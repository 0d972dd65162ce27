use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable, storage = "sparse")]
struct Team(u8);

fn main() {
    let mut world = World::new();
    let orc = world.spawn(Team(1));
    let mut teams = world.sparse_mut::<Team>();
    teams.get_mut(orc);
}
