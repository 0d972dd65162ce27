//! Whole tables, queries and slices at once.

use crate::hostile::{Held, Ledger, Tag, assert_well, for_both_storages, held, tags_alive};
use phalanx_ecs::Component;
use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct X(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Y(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Z;

fn filled(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..count).map(X)).to_vec();
    (world, all)
}

#[test]
fn inserting_into_all_rows_of_a_table_with_an_empty_target_moves_no_value() {
    let (mut world, all) = filled(100);
    let addresses =
        |world: &mut World| world.query::<&X>().iter().map(|x| std::ptr::from_ref(x).addr()).collect::<Vec<_>>();
    let before = addresses(&mut world);
    assert_eq!(world.insert_where_with::<With<X>, _>(|entity| Y(entity.index() * 2)), 100);
    assert_eq!(addresses(&mut world), before);
    assert_eq!(world.remove_where::<With<Y>, Y>(), 100);
    assert_eq!(addresses(&mut world), before);
    for (at, entity) in all.iter().enumerate() {
        assert_eq!((world.get::<X>(*entity).expect("has it").0 as usize, world.has::<Y>(*entity)), (at, false));
    }
    world.validate().expect("consistent");
}

fn takeover_with_values_that_must_be_dropped<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut world, all) = filled(50);
    world.insert_where_with::<With<X>, _>(|_| (held::<SPARSE, 0>(), Tag::<SPARSE>::new(), Y(1)));
    assert_well(&world, ledger, 50);
    assert_eq!(tags_alive(), 50);
    for (at, entity) in (0..).zip(&all) {
        assert_eq!(world.get::<Held<SPARSE, 0>>(*entity).map(|held| held.0.id), Some(at));
        assert_eq!((world.get::<X>(*entity), world.get::<Y>(*entity)), (Some(&X(at)), Some(&Y(1))));
    }
    assert_eq!(world.remove_where::<With<Y>, (Held<SPARSE, 0>, Tag<SPARSE>)>(), 100);
    assert_well(&world, ledger, 0);
    assert_eq!(tags_alive(), 0);
    assert_eq!(world.query::<(&X, &Y)>().count(), 50);
    world.spawn((X(1), Y(1)));
    world.spawn(X(2));
    world.validate().expect("consistent");
}

fn append_to_a_table_that_has_rows<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut world, all) = filled(20);
    let early = world.spawn((X(100), held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
    assert_eq!(
        world.insert_where_with::<Without<Y>, _>(|_| (held::<SPARSE, 0>(), Tag::<SPARSE>::new())),
        21,
        "the one that has it gets a new one"
    );
    assert_well(&world, ledger, 21);
    assert_eq!(tags_alive(), 21);
    assert_eq!(world.get::<X>(early), Some(&X(100)));
    for (at, entity) in (0..).zip(&all) {
        assert_eq!(world.get::<X>(*entity), Some(&X(at)));
        assert!(world.has::<Held<SPARSE, 0>>(*entity) && world.has::<Tag<SPARSE>>(*entity));
    }
    // And back into a table that has a row: all leave but none of the rest is lost.
    let bare = world.spawn(X(200));
    assert_eq!(world.remove_where::<(), (Held<SPARSE, 0>, Tag<SPARSE>)>(), 42);
    assert_well(&world, ledger, 0);
    assert_eq!((tags_alive(), world.get::<X>(bare)), (0, Some(&X(200))));
    let mut values: Vec<u32> = world.query::<&X>().iter().map(|x| x.0).collect();
    values.sort_unstable();
    assert!(values.into_iter().eq((0..20).chain([100, 200])));
}

fn inserting_where_it_is_replaces_every_value<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn_batch((0..10).map(|n| (X(n), held::<SPARSE, 0>())));
    world.spawn_batch((0..10).map(|n| (X(n), held::<SPARSE, 0>(), Z)));
    world.insert_where_with::<With<Held<SPARSE, 0>>, _>(|_| held::<SPARSE, 0>());
    assert_well(&world, ledger, 20);
    assert!(world.query::<&Held<SPARSE, 0>>().iter().all(|held| held.0.id >= 20));
    // A bundle of which a part is there.
    world.insert_where_with::<With<Z>, _>(|_| (held::<SPARSE, 0>(), held::<SPARSE, 1>()));
    assert_well(&world, ledger, 30);
    assert_eq!(world.query_filtered::<&Held<SPARSE, 1>, With<Z>>().count(), 10);
}

fn a_bulk_insert_asks_for_each_entity_exactly_once<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    world.spawn_batch((0..5).map(X));
    world.spawn_batch((0..5).map(|n| (X(n), held::<SPARSE, 0>())));
    world.spawn_batch((0..5).map(|n| (X(n), Y(n))));
    world.spawn_batch((0..5).map(|n| (X(n), Y(n), held::<SPARSE, 0>())));
    let mut asked = Vec::new();
    let count = world.insert_where_with::<With<X>, _>(|entity| {
        asked.push(entity);
        (held::<SPARSE, 0>(), Y(entity.index()))
    });
    asked.sort();
    assert_eq!((count, asked), (20, world.entities().collect::<Vec<_>>()));
    for (entity, y) in world.query_filtered::<(Entity, &Y), With<Held<SPARSE, 0>>>() {
        assert_eq!(y.0, entity.index());
    }
    assert_well(&world, ledger, 20);
}

fn a_batch_over_a_whole_table_equals_one_over_its_parts<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut whole, mut parts) = (filled(30), filled(30));
    whole.0.insert_batch(&whole.1, (0..30).map(|n| (Y(n), held::<SPARSE, 0>()))).expect("alive");
    for at in [0..7, 20..30, 7..20] {
        let entities: Vec<Entity> = parts.1[at.start as usize..at.end as usize].to_vec();
        let bundles = at.map(|n| (Y(n), held::<SPARSE, 0>()));
        parts.0.insert_batch(&entities, bundles).expect("alive");
    }
    let content = |world: &mut World| {
        let mut query = world.query::<(Entity, &X, &Y, Has<Held<SPARSE, 0>>)>();
        query.sorted_by_key(|item| item.0).map(|(e, x, y, h)| (e.to_bits(), x.0, y.0, h)).collect::<Vec<_>>()
    };
    assert_eq!(content(&mut whole.0), content(&mut parts.0));
    assert_eq!(content(&mut whole.0).len(), 30);
    assert_well(&whole.0, ledger, 60);
    assert_eq!(whole.0.remove_batch::<(Y, Held<SPARSE, 0>)>(&whole.1), Ok(60));
    assert_eq!(parts.0.remove_batch::<(Y, Held<SPARSE, 0>)>(&parts.1[..10]), Ok(20));
    assert_well(&parts.0, ledger, 20);
    whole.0.validate().expect("consistent");
    assert_eq!((whole.0.query::<&Y>().count(), parts.0.query::<&Y>().count()), (0, 20));
}

fn a_batch_with_too_few_or_too_many_bundles_serves_those_it_can<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut world, all) = filled(10);
    world.insert_batch(&all, (0..4).map(|_| held::<SPARSE, 0>())).expect("alive");
    assert_eq!(world.get_many::<Held<SPARSE, 0>>(&all).iter().flatten().count(), 4);
    assert!(world.has::<Held<SPARSE, 0>>(all[3]) && !world.has::<Held<SPARSE, 0>>(all[4]));
    world.insert_batch(&all[..2], std::iter::repeat_with(held::<SPARSE, 1>)).expect("alive");
    assert_well(&world, ledger, 6);
}

fn a_batch_with_a_dead_entity_changes_nothing<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut world, all) = filled(5);
    world.despawn(all[4]).expect("alive");
    let error = world.insert_batch(&all, (0..5).map(|_| held::<SPARSE, 0>())).expect_err("one is dead");
    assert!(error.to_string().contains("entity 4v0 is not alive"), "{error}");
    world.insert_batch(&all[..4], (0..4).map(|_| held::<SPARSE, 0>())).expect("alive");
    assert!(world.remove_batch::<Held<SPARSE, 0>>(&all).is_err());
    assert_well(&world, ledger, 4);
}

fn entities_named_twice_in_a_batch_keep_the_last_value<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut world, all) = filled(2);
    world.insert_batch([all[0], all[1], all[0]], (0..3).map(|_| held::<SPARSE, 0>())).expect("alive");
    assert_eq!(world.get::<Held<SPARSE, 0>>(all[0]).map(|held| held.0.id), Some(2));
    assert_eq!(world.remove_batch::<Held<SPARSE, 0>>(&[all[1], all[1]]), Ok(1));
    assert_well(&world, ledger, 1);
}

fn despawning_where_takes_all_that_match_and_no_other<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let kept = world.spawn_batch((0..5).map(|_| held::<SPARSE, 0>())).to_vec();
    world.spawn_batch((0..5).map(|n| (X(n), held::<SPARSE, 0>(), Tag::<SPARSE>::new())));
    world.spawn_batch((0..5).map(|n| (X(n), held::<SPARSE, 0>(), held::<true, 7>())));
    assert_eq!(world.despawn_where::<(With<Held<SPARSE, 0>>, With<X>)>(), 10);
    assert_eq!(world.entities().collect::<Vec<_>>(), kept);
    assert_well(&world, ledger, 5);
    assert_eq!(tags_alive(), 0);
    assert_eq!(world.despawn_where::<()>(), 5);
    assert_well(&world, ledger, 0);
}

fn clones_go_into_every_entity<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut world, _) = filled(10);
    assert_eq!(world.insert_where::<With<X>, _>(held::<SPARSE, 0>()), 10);
    assert_well(&world, ledger, 10);
    let mut ids: Vec<u32> = world.query::<&Held<SPARSE, 0>>().iter().map(|held| held.0.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 10, "each has a value of its own");
}

#[test]
fn bulk_changes_can_go_back_and_forth() {
    let ledger = Ledger::new();
    let (mut world, all) = filled(10);
    for round in 0..6 {
        world.insert_where_with::<With<X>, _>(|_| (held::<false, 0>(), Y(round)));
        if round % 2 == 0 {
            let extra = world.spawn((X(0), held::<false, 0>(), Y(0)));
            world.despawn(extra).expect("alive");
        }
        world.insert_where::<With<Y>, _>(Z);
        assert_eq!(world.remove_where::<With<X>, (Held<false, 0>, Z)>(), 20);
        assert_eq!(world.remove_where::<With<X>, (Y, Z)>(), 10);
        assert_well(&world, ledger, 0);
        if round == 3 {
            assert!(world.reclaim() > 0);
        }
    }
    assert!((0..).zip(&all).all(|(at, entity)| world.get::<X>(*entity) == Some(&X(at))));
}

for_both_storages!(
    takeover_with_values_that_must_be_dropped,
    append_to_a_table_that_has_rows,
    inserting_where_it_is_replaces_every_value,
    a_bulk_insert_asks_for_each_entity_exactly_once,
    a_batch_over_a_whole_table_equals_one_over_its_parts,
    a_batch_with_too_few_or_too_many_bundles_serves_those_it_can,
    a_batch_with_a_dead_entity_changes_nothing,
    entities_named_twice_in_a_batch_keep_the_last_value,
    despawning_where_takes_all_that_match_and_no_other,
    clones_go_into_every_entity,
);

/// Sizes that divide a block of copies, that do not, and one that is larger than any.
#[test]
fn a_copied_bundle_reaches_every_row_whatever_its_size() {
    #[derive(Component, Clone, Copy, Debug, PartialEq)]
    struct Wide<const N: usize>([u8; N]);

    fn check<const N: usize>(rows: u32) {
        let (mut world, _) = filled(rows);
        let mut value = Wide([0x5a; N]);
        (value.0[N - 1], value.0[N / 2]) = (7, 9);
        assert_eq!(world.insert_where::<With<X>, _>((value, Z, Y(rows))), rows as usize);
        let all = world.query::<(&Wide<N>, &Z, &Y)>();
        assert_eq!(all.count(), rows as usize);
        assert!(all.iter().all(|(wide, _, y)| *wide == value && *y == Y(rows)), "{N} bytes, {rows} rows");
        world.validate().expect("consistent");
    }
    for rows in [1, 2, 3, 400, 5000] {
        check::<1>(rows);
        check::<12>(rows);
        check::<64>(rows);
        check::<5000>(rows.min(400));
    }
}

/// What is not `Copy` is cloned for each, even if it has nothing to drop.
#[test]
fn a_clone_that_counts_is_asked_for_each_row() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(1);
    #[derive(Component, Debug, PartialEq)]
    struct Ticket(u32);
    impl Clone for Ticket {
        fn clone(&self) -> Self {
            Self(NEXT.fetch_add(1, Ordering::Relaxed))
        }
    }
    let (mut world, _) = filled(50);
    world.insert_where::<With<X>, _>(Ticket(0));
    let tickets: Vec<u32> = world.query::<&Ticket>().iter().map(|ticket| ticket.0).collect();
    assert_eq!(tickets, (1..=50).collect::<Vec<_>>());
}

thread_local! {
    static CLONES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// All that it is made of is `Copy`; it is not.
#[derive(Bundle)]
struct Copied {
    y: Y,
    z: Z,
}

impl Clone for Copied {
    fn clone(&self) -> Self {
        CLONES.set(CLONES.get() + 1);
        Self { y: self.y, z: self.z }
    }
}

/// One part of it is not `Copy`.
#[derive(Bundle)]
struct Cloned {
    y: Y,
    name: Named,
}

#[derive(Component, Clone, Debug, PartialEq)]
struct Named(String);

impl Clone for Cloned {
    fn clone(&self) -> Self {
        CLONES.set(CLONES.get() + 1);
        Self { y: self.y, name: self.name.clone() }
    }
}

#[test]
fn how_often_a_bundle_is_cloned_depends_on_its_components_alone() {
    for observed in [false, true] {
        // Into rows without the components, and into rows that have them or some of them.
        for round in 0..2 {
            let (mut world, all) = filled(10);
            if round == 1 {
                world.insert_batch(&all[..5], (0..5).map(Y)).expect("alive");
            }
            if observed {
                world.observe::<Y>(Act::Insert, |_| {});
            }
            CLONES.set(0);
            assert_eq!(world.insert_where::<With<X>, _>(Copied { y: Y(3), z: Z }), 10);
            assert_eq!(CLONES.get(), 0, "observed: {observed}");
            assert_eq!(world.query::<(&Y, &Z)>().iter().filter(|(y, _)| y.0 == 3).count(), 10);
            let name = Named("orc".to_owned());
            assert_eq!(world.insert_where::<With<X>, _>(Cloned { y: Y(4), name }), 10);
            assert_eq!(CLONES.get(), 10, "observed: {observed}");
            assert_eq!(world.query::<(&Y, &Named)>().iter().filter(|(y, n)| y.0 == 4 && n.0 == "orc").count(), 10);
            world.validate().expect("consistent");
        }
    }
}
