use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&mut A>();
    for a in &mut query {
        for b in &mut query {
            a.0 += b.0;
        }
    }
}
