//! Nodes, scenes and prefabs: Phalanx against itself, with plain queries where nothing is a node.
//!
//! | file | idea |
//! |---|---|
//! | `walk` | the row `scene_walk`: all entities are nodes of one scene |
//! | `roles` | the row `roles_400`: entities have roles of 400 kinds, in random combinations |
//! | `matching` | the row `add_matching`: entities become nodes |
//! | `prefab` | the row `prefab`: copies of a tree |

mod matching;
mod prefab;
mod roles;
mod walk;

pub use roles::by_hand;

use crate::harness::Cases;

pub fn register(cases: &mut Cases) {
    walk::nodes(cases);
    roles::nodes(cases);
    matching::nodes(cases);
    prefab::instances(cases);
}

/// The other side of the rows.
pub fn references(cases: &mut Cases) {
    walk::queries(cases);
    roles::queries(cases);
    matching::by_hand(cases);
    prefab::batches(cases);
}
