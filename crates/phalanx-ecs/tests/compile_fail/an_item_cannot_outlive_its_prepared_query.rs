use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let items: Vec<&mut A> = {
        let mut prepared = Prepared::<&mut A>::new();
        prepared.on(&mut world).into_iter().collect()
    };
    drop(items);
}
