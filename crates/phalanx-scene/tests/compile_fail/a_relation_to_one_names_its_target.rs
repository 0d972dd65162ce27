//! Whom does it fear?

use phalanx_scene::Relation;

#[derive(Relation)]
struct Fears {
    distance: f32,
}

fn main() {}
