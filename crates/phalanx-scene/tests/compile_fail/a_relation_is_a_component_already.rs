//! The derive of a relation makes it a component.

use phalanx_ecs::prelude::*;
use phalanx_scene::Relation;

#[derive(Component, Relation, Clone, Copy)]
struct Docked(Entity);

fn main() {}
