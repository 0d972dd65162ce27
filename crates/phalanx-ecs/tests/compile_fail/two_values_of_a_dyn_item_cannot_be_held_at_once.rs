use phalanx_ecs::DynQuery;
use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let id = world.register::<A>();
    let mut query = DynQuery::builder().write(id).build().unwrap();
    query.for_each(&mut world, |mut item| {
        let first = item.get_mut(id).unwrap();
        let second = item.get_mut(id).unwrap();
        drop((first, second));
    });
}
