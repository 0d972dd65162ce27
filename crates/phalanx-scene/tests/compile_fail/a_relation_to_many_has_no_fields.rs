//! The world keeps who is related to whom.

use phalanx_ecs::prelude::*;
use phalanx_scene::Relation;

#[derive(Relation)]
#[relation(many, target_ends = "forget")]
struct Likes(Entity);

fn main() {}
