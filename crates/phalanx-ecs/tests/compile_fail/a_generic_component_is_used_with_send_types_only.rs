use phalanx_ecs::prelude::*;
use std::rc::Rc;

#[derive(Component)]
struct Holder<T>(T);

fn main() {
    World::new().spawn(Holder(Rc::new(1)));
}
