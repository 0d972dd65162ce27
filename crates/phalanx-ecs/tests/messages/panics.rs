//! Where there is no `Result`: what is said, and where the finger points.

use crate::snapshot::{panic_of, says};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{flat, flat_mut};

#[derive(Component)]
struct Position;

#[derive(Component)]
#[component(storage = "sparse", requires(Position = Position))]
struct Burning;

#[derive(Component)]
#[component(storage = "sparse")]
struct Rare;

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component, Clone)]
struct Slot<T>(T);

fn twice() -> (Slot<u8>, Slot<u8>) {
    (Slot(1), Slot(2))
}

#[test]
fn spawning_into_a_full_world() {
    let mut world = World::builder().limit(1).build();
    world.spawn(());
    says("panic_spawn_full", panic_of(|| world.spawn(())));
    says("panic_spawn_batch_full", panic_of(|| world.spawn_batch([(), ()])));
}

#[test]
fn spawning_a_bundle_with_a_component_twice() {
    let mut world = World::new();
    says("panic_spawn_twice", panic_of(|| world.spawn(twice())));
    says("panic_spawn_twice", panic_of(|| world.spawn_batch([twice()])));
    says("panic_reserve_twice", panic_of(|| world.reserve::<(Slot<u8>, Slot<u8>)>(1)));
    let entity = world.spawn(());
    let insert = |world: &mut World| _ = world.entity_mut(entity).unwrap().insert(twice());
    says("panic_entity_mut_twice", panic_of(|| insert(&mut world)));
}

#[test]
fn changing_all_entities_of_a_filter_with_a_component_twice() {
    let mut world = World::new();
    world.spawn((Position, Rare));
    says("panic_insert_where_twice", panic_of(|| world.insert_where::<With<Position>, _>(twice())));
    says("panic_remove_where_twice", panic_of(|| world.remove_where::<With<Position>, (Slot<u8>, Slot<u8>)>()));
    says("panic_insert_where_twice", panic_of(|| world.insert_where_with::<With<Position>, _>(|_| twice())));
    says("panic_insert_where_sparse_twice", panic_of(|| world.insert_where::<With<Rare>, _>(twice())));
    says("panic_remove_where_sparse_twice", panic_of(|| world.remove_where::<With<Rare>, (Slot<u8>, Slot<u8>)>()));
}

#[test]
#[expect(clippy::redundant_closure, reason = "a function that is passed on does not know who calls it")]
fn a_query_that_takes_a_component_twice() {
    let mut world = World::new();
    says("panic_query_twice", panic_of(|| world.query::<(&mut Slot<u8>, &Slot<u8>)>().count()));
    says("panic_query_twice", panic_of(|| world.query_filtered::<(&mut Slot<u8>, &Slot<u8>), ()>().count()));
    says("panic_query_twice", panic_of(|| world.cross::<&Position, (&mut Slot<u8>, &Slot<u8>)>(|_, _| {})));
    says("panic_prepared_twice", panic_of(|| Prepared::<(&mut Slot<u8>, &mut Slot<u8>)>::new()));
    says("panic_prepared_twice", panic_of(|| Prepared::<(&mut Slot<u8>, &mut Slot<u8>)>::default()));
}

#[test]
fn q006_chunks_without_rows() {
    says("panic_empty_chunks", panic_of(|| World::new().query::<&Position>().par_chunks(0, |_| ())));
}

#[test]
fn c009_a_sparse_component_that_requires_another() {
    says("panic_c009", panic_of(|| World::new().sparse_mut::<Burning>().len()));
}

#[derive(Clone, Copy)]
struct Liar(f32, f32);

impl Plain for Liar {
    type Scalar = f32;
    fn visit_scalars(&self, visit: &mut impl FnMut(&f32)) {
        visit(&self.1);
        visit(&self.0);
    }
    fn visit_scalars_mut(&mut self, visit: &mut impl FnMut(&mut f32)) {
        visit(&mut self.1);
        visit(&mut self.0);
    }
}

#[test]
fn a_plain_type_that_is_not_flat() {
    let mut values = [Liar(1.0, 2.0)];
    says("panic_flat", panic_of(|| flat(&values).len()));
    says("panic_flat", panic_of(|| flat_mut(&mut values).len()));
}
