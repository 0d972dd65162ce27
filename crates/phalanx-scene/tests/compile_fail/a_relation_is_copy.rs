//! Relations are copied wherever they are looked at.

use phalanx_ecs::prelude::*;
use phalanx_scene::Relation;

#[derive(Relation)]
struct Docked(Entity);

#[derive(Relation)]
#[relation(many)]
struct Likes;

fn main() {}
