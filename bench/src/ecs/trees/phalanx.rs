//! Phalanx: `Inherited` and `inherit`.

use phalanx_ecs::{Bitwise, Component, Entity, Tracked, World};
use phalanx_scene::{ChildOf, Inherited, inherit};

use super::shapes::{NOBODY, Shape, ten_by_ten};
use crate::components::{Local, Placed};
use crate::harness::{Cases, Digest};
use crate::workloads;

impl Component for Local {
    const TRACK: bool = true;
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}
impl Tracked for Local {}

impl Component for Placed {
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}

impl Inherited for Placed {
    type Own = Local;

    #[inline]
    fn under(above: Option<&Self>, own: &Local) -> Self {
        above.map_or_else(|| Self::alone(own), |above| Self::under(above, own))
    }
}

/// A world with these nodes, all of them placed; and who they are.
pub fn spawn(shape: &Shape) -> (World, Vec<Entity>) {
    let (mut world, mut entities) = (World::new(), Vec::<Entity>::with_capacity(shape.len()));
    for (node, &above) in shape.iter().enumerate() {
        let row = (Local::of(node), Placed::default());
        entities.push(if above == NOBODY {
            world.spawn(row)
        } else {
            world.spawn((row, ChildOf(entities[above as usize])))
        });
    }
    inherit::<Placed>(&mut world);
    (world, entities)
}

fn build() -> World {
    spawn(&ten_by_ten()).0
}

fn shift(world: &mut World) {
    world.query::<&mut Local>().for_each(Local::shift);
}

fn place(world: &mut World) {
    inherit::<Placed>(world);
}

pub fn register(cases: &mut Cases) {
    super::transforms::phalanx(cases);
    super::one_percent::register(cases);
    super::reparent::phalanx::register(cases);
    let digest = |world: &mut World| Digest::of(world.query::<&Placed>());
    cases.readied(&workloads::HIERARCHY, "", build, shift, place, digest);
    let both = |world: &mut World| {
        shift(world);
        place(world);
    };
    cases.lasting(&workloads::HIERARCHY, "written", build, both, digest);
}
