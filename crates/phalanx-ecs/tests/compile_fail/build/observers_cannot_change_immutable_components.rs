use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

fn main() {
    let mut world = World::new();
    world.observe::<Team>(phalanx_ecs::Act::Insert, |trigger| trigger.get_mut::<Team>().unwrap().0 = 2);
}
