use phalanx_ecs::prelude::*;
use std::sync::Mutex;

#[derive(Component)]
struct A(u32);

fn main() {
    let mut world = World::new();
    let kept: Mutex<Vec<&mut A>> = Mutex::new(Vec::new());
    world.query::<&mut A>().par_for_each(|a| kept.lock().unwrap().push(a));
}
