//! Components and queries known at run time only.

use crate::hostile::{Held, Ledger, assert_well, for_both_storages, held, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, ComponentLayout, DynError, DynQuery, DynValue, Storage};

#[derive(Component, Clone, Debug, PartialEq)]
struct X(u32);

fn layout(sparse: bool, name: &str, size: usize, align: usize) -> ComponentLayout {
    let storage = if sparse { Storage::Sparse } else { Storage::Table };
    ComponentLayout::new(name).size(size).align(align).storage(storage)
}

fn values_of_run_time_types_are_kept<const SPARSE: bool>() {
    let mut world = World::new();
    for (size, align) in [(0, 1), (0, 64), (1, 1), (3, 1), (12, 4), (24, 8), (256, 256), (4096, 16)] {
        let id = world.register_dyn(layout(SPARSE, &format!("{size} at {align}"), size, align)).expect("possible");
        let all: Vec<Entity> = (0..10u8)
            .map(|n| {
                let entity = world.spawn(X(n.into()));
                world.insert_dyn(entity, id, DynValue::bytes(&vec![n; size])).expect("fits");
                entity
            })
            .collect();
        world.insert_dyn(all[0], id, DynValue::bytes(&vec![77; size])).expect("fits");
        world.despawn(all[3]).expect("alive");
        assert_eq!(world.remove_dyn(all[4], id), Ok(true));
        assert_eq!(world.remove_dyn(all[4], id), Ok(false));
        for (n, entity) in (0u8..).zip(&all) {
            let expected = match n {
                0 => Some(vec![77; size]),
                3 | 4 => None,
                n => Some(vec![n; size]),
            };
            let found = world.get_dyn(*entity, id);
            assert_eq!(found.and_then(|value| value.bytes().map(<[u8]>::to_vec)), expected);
            assert_eq!(world.has_dyn(*entity, id), expected.is_some());
            if let Some(bytes) = found.and_then(|value| value.bytes()) {
                assert_eq!(bytes.as_ptr().addr() % align, 0);
            }
        }
        if size > 0 {
            world.get_dyn_mut(all[5], id).expect("has it").bytes().expect("bytes")[size - 1] = 200;
            assert_eq!(world.get_dyn(all[5], id).expect("has it").bytes().expect("bytes")[size - 1], 200);
        }
        world.validate().expect("consistent");
    }
}

fn compiled_types_can_be_used_by_id<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let id = world.register::<Held<SPARSE, 0>>();
    let entity = world.spawn(X(1));
    world.insert_dyn(entity, id, DynValue::new(held::<SPARSE, 0>())).expect("fits");
    world.insert_dyn(entity, id, DynValue::new(held::<SPARSE, 0>())).expect("fits");
    let seen = world.get_dyn(entity, id).expect("has it");
    assert_eq!(seen.downcast::<Held<SPARSE, 0>>().map(|held| held.0.id), Some(1));
    assert_eq!((seen.downcast::<X>(), seen.bytes()), (None, None));
    assert!(world.get_dyn_mut(entity, id).expect("has it").downcast::<Held<SPARSE, 0>>().is_some());
    assert_well(&world, ledger, 1);
    assert_eq!(world.remove_dyn(entity, id), Ok(true));
    assert_well(&world, ledger, 0);
}

fn bundles_of_run_time_choice_are_inserted_in_one_move<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let mana = world.register_dyn(layout(SPARSE, "Mana", 2, 2)).expect("possible");
    let mut bundle = BundleBuilder::new();
    bundle.add(held::<SPARSE, 0>()).add(X(7)).add_dyn(mana, DynValue::bytes(&[1, 2]));
    assert_eq!((bundle.len(), bundle.is_empty()), (3, false));
    let entity = world.spawn_dyn(bundle).expect("room");
    assert_eq!(world.get::<X>(entity), Some(&X(7)));
    assert_eq!(world.get::<Held<SPARSE, 0>>(entity).map(|held| held.0.id), Some(0));
    assert_eq!(world.get_dyn(entity, mana).expect("has it").bytes(), Some(&[1, 2][..]));
    assert_well(&world, ledger, 1);
    let mut bundle = BundleBuilder::new();
    bundle.add(held::<SPARSE, 0>()).add(held::<SPARSE, 1>());
    world.insert_bundle_dyn(entity, bundle).expect("alive");
    assert_well(&world, ledger, 2);
    BundleBuilder::new().add(held::<SPARSE, 2>());
    assert_well(&world, ledger, 2);
}

fn a_component_that_is_there_twice_is_refused_and_every_value_dropped_once<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let (mana, id) =
        (world.register_dyn(layout(SPARSE, "Mana", 1, 1)).expect("possible"), world.register::<Held<SPARSE, 0>>());
    let entity = world.spawn((X(1), held::<SPARSE, 0>()));
    let before = world.signature(entity).expect("alive");
    let bundle = || {
        let mut bundle = BundleBuilder::new();
        bundle.add(held::<SPARSE, 0>()).add(held::<SPARSE, 1>()).add_dyn(id, DynValue::new(held::<SPARSE, 0>()));
        // Not looked at any more.
        bundle.add(held::<SPARSE, 2>()).add_dyn(mana, DynValue::bytes(&[1, 2, 3]));
        bundle
    };
    let error = world.insert_bundle_dyn(entity, bundle()).expect_err("twice");
    assert!(matches!(&error, DynError::Duplicate { component, .. } if component.starts_with("Held<")), "{error}");
    assert!(matches!(world.spawn_dyn(bundle()), Err(DynError::Duplicate { .. })));
    assert_well(&world, ledger, 1);
    for n in 1..=4 {
        for all in [false, true] {
            let spawn = n % 2 == 0;
            let bundle = bundle();
            if all {
                ledger.all_drops_panic(true);
            } else {
                ledger.drop_panics_at(n);
            }
            let message = panic_of(|| {
                if spawn { drop(world.spawn_dyn(bundle)) } else { drop(world.insert_bundle_dyn(entity, bundle)) }
            });
            ledger.all_drops_panic(false);
            assert_eq!(message, "this drop panics");
            assert_eq!((world.alive(), world.signature(entity).expect("alive")), (1, before.clone()));
            assert_eq!(world.get::<Held<SPARSE, 0>>(entity).map(|held| held.0.id), Some(0), "the old value");
            assert_well(&world, ledger, 1);
        }
    }
}

#[test]
fn a_run_time_type_with_the_name_of_a_compiled_one_is_refused_or_told_apart() {
    #[derive(Component)]
    struct Mana(u8);

    let mut world = World::new();
    world.register::<Mana>();
    let error = world.register_dyn(ComponentLayout::new("Mana").size(1)).expect_err("taken").to_string();
    assert!(
        error.contains(
            "component type `Mana` cannot be registered\n  found: the name is taken by the compiled type `it::dynamic::"
        ),
        "{error}"
    );
    assert_eq!(world.components().len(), 1);

    // A compiled type comes with its name and cannot be refused.
    let mut world = World::new();
    let made = world.register_dyn(ComponentLayout::new("Mana").size(1)).expect("possible");
    let compiled = world.register::<Mana>();
    let name = |world: &World, id| world.components().info(id).expect("known").name().to_string();
    assert_eq!((name(&world, made), name(&world, compiled)), ("Mana (made at run time)".into(), "Mana".into()));
    assert_eq!(world.register_dyn(ComponentLayout::new("Mana").size(1)), Ok(made), "known by its name as before");
    assert_eq!(world.components().id_by_name("Mana"), Some(made));
    let entity = world.spawn(Mana(1));
    world.insert_dyn(entity, made, DynValue::bytes(&[2])).expect("fits");
    let error = world.insert_dyn(entity, made, DynValue::new(Mana(1))).expect_err("another type").to_string();
    assert!(
        error.contains("component `Mana (made at run time)`\n  expected: 1 byte\n  found: a value of type `Mana`"),
        "{error}"
    );
    // It travels by the name it was registered by.
    let mut there = World::new();
    there.register::<Mana>();
    world.move_entity(entity, &mut there).expect_err("the name is taken there");
    there = World::new();
    let arrived = world.move_entity(entity, &mut there).expect("room");
    let theirs = there.components().id_by_name("Mana").expect("adopted");
    assert_eq!(there.get_dyn(arrived, theirs).expect("has it").bytes(), Some(&[2][..]));
    assert!(there.has::<Mana>(arrived));
}

fn what_does_not_fit_is_refused_and_dropped<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let mana = world.register_dyn(layout(SPARSE, "Mana", 2, 1)).expect("possible");
    let held_id = world.register::<Held<SPARSE, 0>>();
    let entity = world.spawn(X(1));
    let error = world.insert_dyn(entity, mana, DynValue::bytes(&[1])).expect_err("too short").to_string();
    assert!(
        error.contains("error[C005]") && error.contains("`Mana`\n  expected: 2 bytes\n  found: 1 byte\n"),
        "{error}"
    );
    world.insert_dyn(entity, mana, DynValue::new(held::<SPARSE, 0>())).expect_err("another type");
    world.insert_dyn(entity, held_id, DynValue::bytes(&[0; 8])).expect_err("bytes for a compiled type");
    world.insert_dyn(entity, held_id, DynValue::new(held::<SPARSE, 1>())).expect_err("another type");
    let mut bundle = BundleBuilder::new();
    bundle.add(held::<SPARSE, 0>()).add_dyn(mana, DynValue::bytes(&[]));
    world.insert_bundle_dyn(entity, bundle).expect_err("all or nothing");
    let mut bundle = BundleBuilder::new();
    bundle.add(held::<SPARSE, 0>()).add_dyn(mana, DynValue::bytes(&[]));
    world.spawn_dyn(bundle).expect_err("all or nothing");
    assert_eq!((world.alive(), world.signature(entity).expect("alive").len()), (1, 1));

    let unknown = {
        let mut other = World::new();
        (0..50).map(|n| other.register_dyn(layout(SPARSE, &n.to_string(), 1, 1)).expect("possible")).last()
    };
    let unknown = unknown.expect("fifty");
    let error = world.insert_dyn(entity, unknown, DynValue::bytes(&[1])).expect_err("unknown");
    assert!(matches!(error, DynError::Unknown { .. }) && error.to_string().contains("error[C006]"), "{error}");
    assert!(world.remove_dyn(entity, unknown).is_err());
    assert!(world.get_dyn(entity, unknown).is_none() && !world.has_dyn(entity, unknown));
    assert_eq!(world.entities_with(unknown), []);
    world.despawn(entity).expect("alive");
    world.insert_dyn(entity, held_id, DynValue::new(held::<SPARSE, 0>())).expect_err("dead");
    assert!(world.remove_dyn(entity, held_id).is_err() && world.get_dyn(entity, held_id).is_none());
    let mut full = World::builder().limit(0).build();
    let mut bundle = BundleBuilder::new();
    bundle.add(held::<SPARSE, 0>());
    full.spawn_dyn(bundle).expect_err("full");
    assert_well(&world, ledger, 0);
}

#[test]
fn impossible_layouts_and_taken_names_are_refused() {
    let mut world = World::new();
    for (size, align) in [(1, 0), (3, 3), (5, 4), (usize::MAX, 1)] {
        let error = world.register_dyn(ComponentLayout::new("Odd").size(size).align(align)).expect_err("impossible");
        assert!(error.to_string().contains("error[C001]: component type `Odd` cannot be registered"), "{error}");
    }
    assert_eq!(world.components().len(), 0);
    let id = world.register_dyn(ComponentLayout::new("Mana").size(4)).expect("possible");
    assert_eq!(world.register_dyn(ComponentLayout::new("Mana").size(4)), Ok(id));
    world.register_dyn(ComponentLayout::new("Mana").size(8)).expect_err("taken");
    world.register_dyn(ComponentLayout::new("Mana").size(4).storage(Storage::Sparse)).expect_err("taken");
    assert_eq!((world.components().id_by_name("Mana"), world.components().id_by_name("None")), (Some(id), None));
}

fn dynamic_queries_find_what_compiled_ones_find<const SPARSE: bool>() {
    Ledger::new();
    let mut world = World::new();
    let (x, h, k) = (world.register::<X>(), world.register::<Held<SPARSE, 0>>(), world.register::<Held<true, 1>>());
    for n in 0..40 {
        let entity = world.spawn(());
        if n % 2 == 0 {
            world.insert(entity, X(n)).expect("alive");
        }
        if n % 3 == 0 {
            world.insert(entity, held::<SPARSE, 0>()).expect("alive");
        }
        if n % 5 == 0 {
            world.insert(entity, held::<true, 1>()).expect("alive");
        }
    }
    type H<const S: bool> = Held<S, 0>;
    type K = Held<true, 1>;
    let compiled = [
        world.query::<(Entity, &X, &H<SPARSE>)>().iter().map(|i| i.0).collect::<Vec<_>>(),
        world.query_filtered::<Entity, (With<K>, Without<X>)>().iter().collect(),
        world.query::<(Entity, Option<&X>)>().iter().map(|i| i.0).collect(),
        world.query_filtered::<(Entity, &X, Option<&K>), Exact>().iter().map(|i| i.0).collect(),
        world.query_filtered::<(Entity, &H<SPARSE>), Exact>().iter().map(|i| i.0).collect(),
    ];
    let builders = [
        DynQuery::builder().write(x).read(h),
        DynQuery::builder().with(k).without(x),
        DynQuery::builder().maybe_read(x),
        DynQuery::builder().read(x).maybe_write(k).exact(),
        DynQuery::builder().write(h).exact(),
    ];
    for (expected, builder) in compiled.into_iter().zip(builders) {
        let mut query = builder.build().expect("no conflict");
        assert_eq!(query.entities(&world), expected);
        assert_eq!(query.count(&world), expected.len());
        let mut walked = Vec::new();
        query.for_each(&mut world, |item| walked.push(item.entity()));
        assert_eq!(walked, expected);
        let all: Vec<Entity> = world.entities().collect();
        assert!(all.iter().all(|e| query.explain(&world, *e).matches == expected.contains(e)));
    }
}

#[test]
fn a_dynamic_item_hands_out_what_the_query_names_and_nothing_else() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let (x, h, k) = (world.register::<X>(), world.register::<Held<true, 0>>(), world.register::<Held<false, 1>>());
    world.spawn((X(1), held::<true, 0>(), held::<false, 1>()));
    let mut query = DynQuery::builder().write(x).maybe_read(h).with(k).build().expect("no conflict");
    let mut seen = 0;
    query.for_each(&mut world, |mut item| {
        item.get_mut(x).expect("written").downcast::<X>().expect("an X").0 += 1;
        assert_eq!(item.get(x).expect("read").downcast::<X>(), Some(&X(2)));
        assert!(item.get(h).is_some() && item.get_mut(h).is_none(), "only read");
        assert!(item.get(k).is_none() && item.get_mut(k).is_none(), "only asked whether it is there");
        seen += 1;
    });
    assert_eq!(seen, 1);
    let error = DynQuery::builder().read(x).maybe_write(x).build().map(|_| ()).expect_err("conflict");
    assert!(error.to_string().contains("error[Q001]"), "{error}");
    assert!(DynQuery::builder().write(x).with(x).without(h).build().is_ok());
    assert_well(&world, ledger, 2);
}

struct Sparse;
impl Component for Sparse {
    const STORAGE: Storage = Storage::Sparse;
}

#[test]
fn a_dynamic_query_learns_of_a_type_registered_after_its_first_use() {
    let id = World::new().register::<Sparse>();
    let mut world = World::new();
    let mut query = DynQuery::builder().read(id).build().expect("one term");
    assert_eq!(query.count(&world), 0, "this world does not know the id yet");
    assert_eq!(world.register::<Sparse>(), id);
    world.spawn(Sparse);
    assert_eq!(query.count(&world), 1);
}

#[test]
fn a_dynamic_query_follows_new_tables_takeover_and_reclaim() {
    let mut world = World::new();
    let (x, h) = (world.register::<X>(), world.register::<Held<false, 0>>());
    let mut query = DynQuery::builder().read(x).without(h).build().expect("no conflict");
    Ledger::new();
    world.spawn_batch((0..5).map(X));
    assert_eq!(query.count(&world), 5);
    world.insert_where_with::<With<X>, _>(|_| held::<false, 0>());
    assert_eq!(query.count(&world), 0);
    assert!(world.reclaim() > 0);
    world.remove_where::<(), Held<false, 0>>();
    assert_eq!(query.count(&world), 5);
}

for_both_storages!(
    values_of_run_time_types_are_kept,
    compiled_types_can_be_used_by_id,
    bundles_of_run_time_choice_are_inserted_in_one_move,
    a_component_that_is_there_twice_is_refused_and_every_value_dropped_once,
    what_does_not_fit_is_refused_and_dropped,
    dynamic_queries_find_what_compiled_ones_find,
);
