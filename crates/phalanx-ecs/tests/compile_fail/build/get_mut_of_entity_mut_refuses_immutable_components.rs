use phalanx_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

fn main() -> Result<(), phalanx_ecs::NoSuchEntity> {
    let mut world = World::new();
    let orc = world.spawn(Team(1));
    world.entity_mut(orc)?.get_mut::<Team>();
    Ok(())
}
