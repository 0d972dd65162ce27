use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

fn main() {
    let _ = World::new().query::<AnyOf<(&mut Team,)>>().count();
}
