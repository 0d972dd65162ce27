use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable, toggle)]
struct Team(u8);

fn main() {
    let _ = World::new().query::<EvenOff<&mut Team>>().count();
}
