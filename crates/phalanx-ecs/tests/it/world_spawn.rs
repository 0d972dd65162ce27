//! New entities: one, batches, columns.

use crate::hostile::{
    Aligned, Held, Ledger, MEGA, Mega, Packed, Tag, assert_well, for_both_storages, held, on_a_large_stack, tags_alive,
};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, SpawnError};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct X(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Y(u64);

#[test]
fn spawned_entities_have_exactly_the_bundles_components() {
    let mut world = World::new();
    let empty = world.spawn(());
    let nested = world.spawn((X(1), (Y(2), (Tag::<false>::new(),))));
    assert_eq!(world.signature(empty).expect("alive").len(), 0);
    assert_eq!(world.signature(nested).expect("alive").len(), 3);
    assert_eq!((world.get::<X>(nested), world.get::<Y>(nested)), (Some(&X(1)), Some(&Y(2))));
    world.validate().expect("consistent");
}

fn a_batch_holds_its_values_in_order<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let batch = world.spawn_batch((0..50).map(|n| (X(n), held::<SPARSE, 0>(), Tag::<SPARSE>::new())));
    for (at, entity) in batch.iter().enumerate() {
        assert_eq!(world.get::<X>(entity).expect("has it").0 as usize, at);
        assert_eq!(world.get::<Held<SPARSE, 0>>(entity).expect("has it").0.id as usize, at);
        assert!(world.has::<Tag<SPARSE>>(entity));
    }
    assert_well(&world, ledger, 50);
    assert_eq!(tags_alive(), 50);
    world.despawn_batch(&batch).expect("alive");
    assert_well(&world, ledger, 0);
    assert_eq!(tags_alive(), 0);
}

fn batches_grow_without_a_size_hint<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn(held::<SPARSE, 0>());
    let batch = world.spawn_batch((0..500).filter(|n| n % 2 == 0).map(|_| held::<SPARSE, 0>()));
    assert_eq!(batch.len(), 250);
    assert_well(&world, ledger, 251);
    let ids: Vec<u32> = batch.iter().map(|e| world.get::<Held<SPARSE, 0>>(e).expect("has it").0.id).collect();
    assert!(ids.iter().copied().eq(1..251));
}

fn columns_become_rows<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let numbers = [X(7), X(8), X(9)];
    let spawned = world
        .spawn_columns((vec![held::<SPARSE, 0>(), held(), held()], &numbers[..], [Y(1), Y(2), Y(3)]))
        .expect("one length");
    for (at, entity) in spawned.iter().enumerate() {
        assert_eq!(world.get::<X>(entity), Some(&numbers[at]));
        assert_eq!(world.get::<Y>(entity).expect("has it").0, at as u64 + 1);
        assert_eq!(world.get::<Held<SPARSE, 0>>(entity).expect("has it").0.id as usize, at);
    }
    assert_well(&world, ledger, 3);
    drop(world);
    assert_eq!(ledger.alive(), 0);
}

fn columns_of_different_lengths_are_refused_and_dropped<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let error = world.spawn_columns((vec![X(1), X(2)], vec![held::<SPARSE, 0>()])).expect_err("uneven");
    assert!(matches!(error, SpawnError::Uneven { first: 2, position: 1, length: 1, .. }), "{error}");
    assert_eq!(world.alive(), 0);
    assert_well(&world, ledger, 0);
}

fn columns_of_tags_are_kept<const SPARSE: bool>() {
    Ledger::new();
    let mut world = World::new();
    let spawned = world.spawn_columns((vec![Tag::<SPARSE>::new(), Tag::new()], [X(1), X(2)])).expect("one length");
    assert_eq!((tags_alive(), world.query_filtered::<&X, With<Tag<SPARSE>>>().count()), (2, 2));
    world.despawn(spawned.get(0).expect("two")).expect("alive");
    assert_eq!(tags_alive(), 1);
    drop(world);
    assert_eq!(tags_alive(), 0);
}

fn over_aligned_values_lie_aligned<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    for _ in 0..20 {
        world.spawn((Aligned::<SPARSE>(ledger.token()), X(1)));
    }
    world.spawn_batch((0..20).map(|_| Aligned::<SPARSE>(ledger.token())));
    let mut ids = Vec::new();
    for (entity, value) in world.query::<(Entity, &Aligned<SPARSE>)>() {
        assert_eq!(std::ptr::from_ref(value).addr() % 256, 0);
        ids.push((value.0.id, entity));
    }
    assert_eq!(ids.len(), 40);
    // Moving between tables and holes keeps them so.
    for (id, entity) in ids.iter().take(10) {
        world.insert(*entity, Y(0)).expect("alive");
        let value = world.get::<Aligned<SPARSE>>(*entity).expect("has it");
        assert_eq!((value.0.id, std::ptr::from_ref(value).addr() % 256), (*id, 0));
    }
    assert_well(&world, ledger, 40);
}

fn large_values_are_kept_whole<const SPARSE: bool>() {
    on_a_large_stack(|| {
        let ledger = Ledger::new();
        let mut world = World::new();
        #[expect(clippy::large_stack_arrays, reason = "there is stack enough")]
        let mega = |fill: u8| Mega::<SPARSE> { token: ledger.token(), bytes: [fill; MEGA] };
        let one = world.spawn(mega(1));
        let batch = world.spawn_batch((2..5).map(mega)).to_vec();
        world.insert(one, X(1)).expect("alive");
        world.insert_batch(&batch, (0..3).map(X)).expect("alive");
        world.despawn(batch[0]).expect("alive");
        let copy = world.clone_entity(batch[1]).expect("cloneable");
        for (entity, fill) in [(one, 1), (batch[1], 3), (batch[2], 4), (copy, 3)] {
            let bytes = &world.get::<Mega<SPARSE>>(entity).expect("has it").bytes;
            assert!(bytes.iter().all(|byte| *byte == fill));
        }
        assert_well(&world, ledger, 4);
        drop(world);
        assert_eq!(ledger.alive(), 0);
    });
}

fn pointers_in_packed_values_survive_moves<const SPARSE: bool>() {
    assert_eq!(size_of::<Packed<false>>(), 12);
    let mut world = World::new();
    let all: Vec<Entity> =
        (0..20).map(|n| world.spawn(Packed::<SPARSE> { boxed: Box::new(u64::from(n)), number: n })).collect();
    for entity in all.iter().step_by(3) {
        world.insert(*entity, X(0)).expect("alive");
    }
    for entity in all.iter().step_by(4) {
        world.despawn(*entity).expect("alive");
    }
    assert_eq!(world.query::<&Packed<SPARSE>>().count(), 15);
    for (at, entity) in all.iter().enumerate().filter(|(at, _)| at % 4 != 0) {
        let Packed { boxed, number } = world.take::<Packed<SPARSE>>(*entity).expect("has it");
        assert_eq!((*boxed, number as usize), (at as u64, at));
    }
}

fn a_component_named_twice_is_refused_and_dropped<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let twice = || (held::<SPARSE, 0>(), X(1), held::<SPARSE, 0>());
    let error = world.try_spawn(twice()).expect_err("twice");
    assert!(matches!(error, SpawnError::Duplicate { .. }));
    assert!(error.to_string().contains("error[C002]: the bundle contains component `Held<"), "{error}");
    world.try_spawn_batch((0..3).map(|_| twice())).expect_err("twice");
    world.spawn_columns((vec![held::<SPARSE, 0>()], vec![held::<SPARSE, 0>()])).expect_err("twice");
    let entity = world.spawn(X(1));
    world.insert(entity, twice()).expect_err("twice");
    world.insert_batch([entity], [twice()]).expect_err("twice");
    world.take::<(Held<SPARSE, 0>, Held<SPARSE, 0>)>(entity).expect_err("twice");
    world.remove::<(Held<SPARSE, 0>, Held<SPARSE, 0>)>(entity).expect_err("twice");
    let message = crate::hostile::panic_of(|| world.insert_where_with::<With<X>, _>(|_| twice()));
    assert!(message.contains("error[C002]"), "{message}");
    assert_eq!((world.alive(), world.signature(entity).expect("alive").len()), (1, 1));
    assert_well(&world, ledger, 0);
}

#[test]
fn room_can_be_made_beforehand() {
    let mut world = World::new();
    world.reserve::<(X, Held<true, 0>)>(1000);
    assert_eq!(world.alive(), 0);
    let reserved = |world: &World, at: usize| world.memory().components[at].reserved;
    let before = (reserved(&world, 0), reserved(&world, 1));
    assert!(before.0 >= 4000 && before.1 >= 8000, "{before:?}");
    let ledger = Ledger::new();
    world.spawn_batch((0..1000).map(|n| (X(n), held::<true, 0>())));
    assert_eq!(reserved(&world, 0), before.0, "no table grew");
    assert_well(&world, ledger, 1000);
}

#[test]
fn entities_far_apart_are_found() {
    let many = if cfg!(miri) { 1100 } else { 5000 };
    let mut world = World::new();
    let all = world.spawn_batch((0..many).map(X)).to_vec();
    // Every other one moves, so that no run of locations stays whole.
    for entity in all.iter().step_by(2) {
        world.insert(*entity, Y(0)).expect("alive");
    }
    world.despawn_batch(all.iter().copied().step_by(3)).expect("alive");
    for (at, entity) in all.iter().enumerate() {
        let expected = (at % 3 != 0).then(|| X(u32::try_from(at).expect("few")));
        assert_eq!(world.get::<X>(*entity).copied(), expected);
        assert_eq!(world.has::<Y>(*entity), at % 3 != 0 && at % 2 == 0);
    }
    world.shrink();
    world.validate().expect("consistent");
    assert_eq!(world.get::<X>(all[1]), Some(&X(1)));
}

#[test]
fn a_limit_stops_an_endless_batch_of_sparse_components_too() {
    #[derive(Component)]
    struct InTable(u8);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct InSet(u8);

    // Stands for an endless iterator.
    const MANY: usize = 100_000;
    let mut asked = 0;
    let mut world = World::builder().limit(10).build();
    world.try_spawn_batch((0..MANY).filter(|_| true).map(|_| InTable(0)).inspect(|_| asked += 1)).expect_err("full");
    assert!(asked < 1000, "{asked} asked for");
    asked = 0;
    world.try_spawn_batch((0..MANY).filter(|_| true).map(|_| InSet(0)).inspect(|_| asked += 1)).expect_err("full");
    assert!(asked < 1000, "{asked} asked for");
}

#[test]
fn a_batch_that_promises_more_than_memory_holds_takes_what_it_gives() {
    /// Says that there are three billion.
    struct Boast<I>(I);
    impl<I: Iterator> Iterator for Boast<I> {
        type Item = I::Item;
        fn next(&mut self) -> Option<I::Item> {
            self.0.next()
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (3_000_000_000, None)
        }
    }
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct InSet([u64; 8]);

    let mut world = World::new();
    let batch = world.spawn_batch(Boast((0..3).map(|n| InSet([n; 8]))));
    assert_eq!(world.get::<InSet>(batch[2]).expect("has it").0[7], 2);
    let batch = world.spawn_batch(Boast((0..3).map(|n| (Uuid::from_u128(n), InSet([7; 8])))));
    assert_eq!(world.by_uuid(&Uuid::from_u128(2)), Some(batch[2]));
    let uuids = Boast((10..13).map(Uuid::from_u128));
    world.insert_batch(&batch, uuids).expect("all alive");
    assert_eq!(world.by_uuid(&Uuid::from_u128(12)), Some(batch[2]));
    assert_eq!(world.alive(), 6);
}

for_both_storages!(
    a_batch_holds_its_values_in_order,
    batches_grow_without_a_size_hint,
    columns_become_rows,
    columns_of_different_lengths_are_refused_and_dropped,
    columns_of_tags_are_kept,
    over_aligned_values_lie_aligned,
    large_values_are_kept_whole,
    pointers_in_packed_values_survive_moves,
    a_component_named_twice_is_refused_and_dropped,
);
