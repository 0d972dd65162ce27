use phalanx_ecs::prelude::*;
use std::rc::Rc;

#[derive(Component)]
struct Mesh(Rc<Vec<f32>>);

fn main() {}
