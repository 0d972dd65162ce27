use phalanx_ecs::prelude::*;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    let mut editor = world.entity_mut(entity).unwrap();
    let a = editor.get_mut::<A>().unwrap();
    editor.remove::<A>().apply();
    a.0 += 1;
}
