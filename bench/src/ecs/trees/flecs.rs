//! flecs: its pair `ChildOf`, and a query that goes down the levels (`cascade`).

use flecs_ecs::prelude::*;

use super::shapes::{NOBODY, Shape, ten_by_ten};
use crate::components::{Local, Placed};
use crate::harness::{Cases, Digest};
use crate::workloads;

/// Queries before their world, for that is the order in which they must be dropped.
struct Nodes {
    shift: Query<&'static mut Local>,
    place: Query<(&'static Local, Option<&'static Placed>, &'static mut Placed)>,
    world: World,
}

pub fn spawn(shape: &Shape) -> (World, Vec<Entity>) {
    let (world, mut entities) = (World::new(), Vec::<Entity>::with_capacity(shape.len()));
    for (node, &above) in shape.iter().enumerate() {
        let entity = world.entity().set(Local::of(node)).set(Placed::default());
        if above != NOBODY {
            entity.child_of(entities[above as usize]);
        }
        entities.push(entity.id());
    }
    (world, entities)
}

fn build() -> Nodes {
    let world = spawn(&ten_by_ten()).0;
    let mut place = world.query::<(&Local, Option<&Placed>, &mut Placed)>();
    let place = place.term_at(1).parent().cascade().set_cached().build();
    Nodes { shift: world.query::<&mut Local>().set_cached().build(), place, world }
}

fn shift(nodes: &mut Nodes) {
    nodes.shift.each(Local::shift);
}

/// A table at a time: all its entities are below the same one.
fn place(nodes: &mut Nodes) {
    nodes.place.run(|mut it| {
        while it.next() {
            let (locals, mut placed) = (it.field::<Local>(0), it.field_mut::<Placed>(2));
            let pairs = placed.as_mut_slice().iter_mut().zip(locals.as_slice());
            if it.is_set(1) {
                let above = it.field::<Placed>(1);
                let above = &above.as_slice()[0];
                pairs.for_each(|(placed, local)| *placed = Placed::under(above, local));
            } else {
                pairs.for_each(|(placed, local)| *placed = Placed::alone(local));
            }
        }
    });
}

pub fn register(cases: &mut Cases) {
    super::reparent::flecs::register(cases);
    let digest = |nodes: &mut Nodes| {
        let mut digest = Digest::default();
        nodes.world.each::<&Placed>(|placed| digest.add(placed));
        digest
    };
    cases.readied(&workloads::HIERARCHY, "", build, shift, place, digest);
    let both = |nodes: &mut Nodes| {
        shift(nodes);
        place(nodes);
    };
    cases.lasting(&workloads::HIERARCHY, "written", build, both, digest);
}
