use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let mut query = world.query::<(Entity, &A)>();
    let (entities, _) = query.chunks().next().unwrap();
    world.despawn(entity).unwrap();
    entities.get(0);
}
