//! Shared components: Phalanx against itself, with the same entities where nothing is shared.

use phalanx_ecs::{Bitwise, Component, Entity, World};

use crate::harness::{Cases, Digest};
use crate::workloads;

/// So many values, each of so many entities.
const VALUES: u32 = 1_000;
const ENTITIES: u32 = 100;

/// What is counted up.
#[derive(Clone, Copy)]
struct Total(f32);
impl Component for Total {
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}

/// By how much, in a table.
#[derive(Clone, Copy)]
struct Gain(u32);
impl Component for Gain {
    const COPY: Option<Bitwise<Self>> = Some(Bitwise::PROOF);
}

/// Tells tables apart.
struct Bit<const N: u32>;
impl<const N: u32> Component for Bit<N> {}

/// The same as `Gain`, shared.
#[derive(phalanx_ecs::Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct SharedGain(u32);

pub fn register(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        let values = (0..VALUES).flat_map(|value| (0..ENTITIES).map(move |_| value));
        world.spawn_batch(values.map(|value| (Total(0.0), SharedGain(value))));
        world
    };
    let run = |world: &mut World| {
        world.query::<(&mut Total, &SharedGain)>().for_each(|(total, gain)| total.0 += gain.0 as f32);
    };
    cases.lasting(&workloads::SHARED_ITER, "", build, run, digest);
    edit(cases, 100_000);
}

/// The other side of the rows.
pub fn references(cases: &mut Cases) {
    let build = || {
        let mut world = World::new();
        for value in 0..VALUES {
            let group = world.spawn_batch((0..ENTITIES).map(|_| (Total(0.0), Gain(value)))).to_vec();
            mark(&mut world, &group, value);
        }
        world
    };
    let run = |world: &mut World| {
        world.query::<(&mut Total, &Gain)>().for_each(|(total, gain)| total.0 += gain.0 as f32);
    };
    cases.lasting(&workloads::SHARED_ITER, "", build, run, digest);
    edit(cases, 1);
}

fn digest(world: &mut World) -> Digest {
    Digest::of(world.query::<&Total>().iter().map(|total| total.0).collect::<Vec<_>>())
}

/// Gives entities the tags of the set bits of a number, so that each number below 1,024 has a table of its own.
fn mark(world: &mut World, entities: &[Entity], number: u32) {
    macro_rules! bits {
        ($($bit:literal)+) => {$(
            if (number >> $bit) & 1 == 1 {
                let tags = entities.iter().map(|_| Bit::<$bit>);
                world.insert_batch(entities, tags).expect("alive");
            }
        )+};
    }
    bits!(0 1 2 3 4 5 6 7 8 9);
}

/// Edits a value that so many entities have.
fn edit(cases: &mut Cases, entities: u32) {
    let build = move || {
        let mut world = World::new();
        let first = world.spawn_batch((0..entities).map(|_| SharedGain(0)))[0];
        (world, first)
    };
    let run = |(world, entity): &mut (World, Entity)| {
        world.edit_shared::<SharedGain>(*entity, |gain| gain.0 += 1).expect("has it");
    };
    cases.lasting(&workloads::SHARED_EDIT, "", build, run, |(world, entity)| {
        Digest::of([world.get::<SharedGain>(*entity).expect("has it").0 as f32])
    });
}
