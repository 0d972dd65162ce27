use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

fn main() -> Result<(), phalanx_ecs::LookupError> {
    let mut world = World::new();
    let orc = world.spawn(Team(1));
    world.lookup_mut::<Team>(orc)?.0 = 2;
    Ok(())
}
