//! hecs, which has no hierarchy: rows in the order of the levels, each with the row of the one above it.

use hecs::World;

use super::shapes::ten_by_ten;
use crate::components::{Local, Placed};
use crate::harness::{Cases, Digest};
use crate::workloads;

/// The row of the node above.
struct Above(u32);

fn build() -> World {
    let mut world = World::new();
    let nodes = ten_by_ten().into_iter().enumerate();
    world.spawn_batch(nodes.map(|(node, above)| (Above(above), Local::of(node), Placed::default())));
    world
}

fn shift(world: &mut World) {
    world.query_mut::<&mut Local>().into_iter().for_each(Local::shift);
}

/// By the columns of the archetype: a view takes longer.
fn place(world: &mut World) {
    let nodes = world.archetypes().find(|archetype| archetype.has::<Above>()).expect("just one");
    let (above, locals) = (nodes.get::<&Above>().expect("has it"), nodes.get::<&Local>().expect("has it"));
    let mut placed = nodes.get::<&mut Placed>().expect("has it");
    let count = placed.len();
    let (above, locals, placed) = (&above[..count], &locals[..count], &mut placed[..]);
    placed[0] = Placed::alone(&locals[0]);
    for node in 1..count {
        placed[node] = Placed::under(&placed[above[node].0 as usize], &locals[node]);
    }
}

pub fn register(cases: &mut Cases) {
    let digest = |world: &mut World| Digest::of(world.query_mut::<&Placed>());
    cases.readied(&workloads::HIERARCHY, "", build, shift, place, digest);
    let both = |world: &mut World| {
        shift(world);
        place(world);
    };
    cases.lasting(&workloads::HIERARCHY, "written", build, both, digest);
}
