//! `relate` is for relations to many.

use phalanx_ecs::prelude::*;
use phalanx_scene::{Relation, Relations};

#[derive(Relation, Clone, Copy)]
struct Docked(Entity);

fn main() {
    let mut world = World::new();
    let [ship, harbour] = [(); 2].map(|()| world.spawn(()));
    let _ = world.relate::<Docked>(ship, harbour);
}
