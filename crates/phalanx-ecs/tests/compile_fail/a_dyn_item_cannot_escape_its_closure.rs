use phalanx_ecs::DynQuery;
use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let id = world.register::<A>();
    let mut query = DynQuery::builder().write(id).build().unwrap();
    let mut kept = Vec::new();
    query.for_each(&mut world, |item| kept.push(item));
}
