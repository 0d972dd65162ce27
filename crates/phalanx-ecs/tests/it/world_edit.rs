//! Insert, remove, take, chains of edits, and what comes along.

use crate::hostile::{Held, Ledger, Tag, assert_well, for_both_storages, held, tags_alive};
use phalanx_ecs::Component;
use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
struct X(u32);
#[derive(Component, Clone, Debug, PartialEq)]
struct Text(String);

fn insert_remove_and_take_account_for_every_value<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((X(1), held::<SPARSE, 0>()));
    world.insert(entity, (held::<SPARSE, 0>(), held::<SPARSE, 1>(), Tag::<SPARSE>::new())).expect("alive");
    assert_well(&world, ledger, 2);
    let (one, zero) = world.take::<(Held<SPARSE, 1>, Held<SPARSE, 0>)>(entity).expect("has both");
    assert_eq!((one.0.id, zero.0.id), (2, 1));
    assert_well(&world, ledger, 2);
    world.insert(entity, (zero, one)).expect("alive");
    assert_eq!(world.remove::<(Held<SPARSE, 0>, Held<SPARSE, 9>, Tag<SPARSE>)>(entity), Ok(2));
    assert_well(&world, ledger, 1);
    assert_eq!(tags_alive(), 0);
    assert_eq!(world.retain::<X>(entity), Ok(1));
    assert_well(&world, ledger, 0);
    assert_eq!(world.get::<X>(entity), Some(&X(1)));
}

fn taking_what_is_partly_absent_changes_nothing<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
    world.take::<(Held<SPARSE, 0>, Held<SPARSE, 1>)>(entity).expect_err("one is absent");
    assert!(world.has::<Held<SPARSE, 0>>(entity));
    assert_well(&world, ledger, 1);
    let tag = world.take::<Tag<SPARSE>>(entity).expect("has it");
    assert_eq!((tags_alive(), world.has::<Tag<SPARSE>>(entity)), (1, false));
    drop(tag);
    assert_eq!(tags_alive(), 0);
}

fn removal_fills_the_hole_with_the_right_values<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..30).map(|n| (X(n), held::<SPARSE, 0>()))).to_vec();
    for at in [0, 29, 15, 1, 28] {
        world.remove::<Held<SPARSE, 0>>(all[at]).expect("alive");
    }
    for at in [3, 27] {
        world.despawn(all[at]).expect("alive");
    }
    for (at, entity) in all.iter().enumerate() {
        let token = world.get::<Held<SPARSE, 0>>(*entity).map(|held| held.0.id as usize);
        let gone = [0, 29, 15, 1, 28, 3, 27].contains(&at);
        assert_eq!(token, (!gone).then_some(at));
    }
    assert_well(&world, ledger, 23);
}

fn a_chain_of_edits_gives_what_the_last_word_on_each_component_says<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((X(0), held::<SPARSE, 0>()));
    let mut edit = world.entity_mut(entity).expect("alive");
    // Inserted, removed and inserted again; what lies between is dropped.
    edit.insert(held::<SPARSE, 1>()).remove::<Held<SPARSE, 1>>().insert(held::<SPARSE, 1>());
    // Removed, inserted, removed again.
    edit.remove::<Held<SPARSE, 0>>().insert(held::<SPARSE, 0>()).remove::<Held<SPARSE, 0>>();
    // Inserted twice.
    edit.insert((held::<SPARSE, 2>(), X(1))).insert((held::<SPARSE, 2>(), X(2)));
    edit.insert(Tag::<SPARSE>::new()).insert(Tag::<SPARSE>::new());
    edit.apply();
    assert_eq!(edit.get::<Held<SPARSE, 1>>().map(|held| held.0.id), Some(2));
    assert_eq!(edit.get::<Held<SPARSE, 2>>().map(|held| held.0.id), Some(5));
    assert!(!edit.has::<Held<SPARSE, 0>>());
    drop(edit);
    assert_eq!(world.get::<X>(entity), Some(&X(2)));
    assert_well(&world, ledger, 2);
    assert_eq!(tags_alive(), 1);
}

fn edits_are_made_when_looked_at_or_at_the_latest_when_dropped<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(());
    let mut edit = world.entity_mut(entity).expect("alive");
    assert_eq!(edit.id(), entity);
    edit.insert(held::<SPARSE, 0>());
    assert!(edit.has::<Held<SPARSE, 0>>());
    assert_eq!(edit.get_mut::<Held<SPARSE, 0>>().map(|held| held.0.id), Some(0));
    edit.insert(X(3));
    drop(edit);
    assert_eq!(world.get::<X>(entity), Some(&X(3)));
    world.entity_mut(entity).expect("alive").insert(held::<SPARSE, 1>()).remove::<X>();
    assert!(world.has::<Held<SPARSE, 1>>(entity) && !world.has::<X>(entity));
    let mut edit = world.entity_mut(entity).expect("alive");
    edit.insert(held::<SPARSE, 2>());
    edit.despawn();
    assert!(!world.is_alive(entity));
    assert_well(&world, ledger, 0);
}

fn a_chain_replaces_values_that_are_there<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn((held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
    world.entity_mut(entity).expect("alive").insert((held::<SPARSE, 0>(), Tag::<SPARSE>::new())).apply();
    assert_eq!(world.get::<Held<SPARSE, 0>>(entity).map(|held| held.0.id), Some(1));
    // Removed and inserted again within one chain: the old value goes once.
    let mut edit = world.entity_mut(entity).expect("alive");
    edit.remove::<Held<SPARSE, 0>>().insert(held::<SPARSE, 0>()).apply();
    drop(edit);
    assert_eq!(world.get::<Held<SPARSE, 0>>(entity).map(|held| held.0.id), Some(2));
    assert_well(&world, ledger, 1);
    assert_eq!(tags_alive(), 1);
}

/// Three levels of requirements, with a circle and a self-reference, in both storages.
macro_rules! requirements {
    ($module:ident, $storage:literal) => {
        mod $module {
            use phalanx_ecs::Component;
            use phalanx_ecs::prelude::*;

            #[derive(Component)]
            #[component(requires(Engine = Engine(8), Wheels))]
            struct Car;
            #[derive(Component, Debug, PartialEq, Clone)]
            #[component(storage = $storage, requires(Oil, Wheels = Wheels(99)))]
            struct Engine(u32);
            #[derive(Component, Debug, PartialEq, Clone)]
            #[component(storage = $storage)]
            struct Wheels(u32);
            #[derive(Component, Debug, PartialEq, Default)]
            #[component(storage = $storage, requires(Oil, Engine = Engine(1), Barrel))]
            struct Oil(u32);
            #[derive(Component, Default)]
            #[component(storage = $storage)]
            struct Barrel;

            impl Default for Wheels {
                fn default() -> Self {
                    Self(4)
                }
            }

            fn parts(world: &World, entity: Entity) -> (Option<u32>, Option<u32>, Option<u32>, bool) {
                world.validate().expect("consistent");
                (
                    world.get::<Engine>(entity).map(|engine| engine.0),
                    world.get::<Wheels>(entity).map(|wheels| wheels.0),
                    world.get::<Oil>(entity).map(|oil| oil.0),
                    world.has::<Barrel>(entity),
                )
            }

            #[test]
            fn all_levels_come_along_by_every_route() {
                let mut world = World::new();
                let all = (Some(8), Some(4), Some(0), true);
                let single = world.spawn(Car);
                assert_eq!(parts(&world, single), all, "the nearest mention of wheels and engine wins");
                for entity in &world.spawn_batch((0..3).map(|_| Car)) {
                    assert_eq!(parts(&world, entity), all);
                }
                for entity in &world.spawn_columns((vec![Car, Car],)).expect("room") {
                    assert_eq!(parts(&world, entity), all);
                }
                let mut builder = BundleBuilder::new();
                builder.add(Car);
                let dynamic = world.spawn_dyn(builder).expect("room");
                assert_eq!(parts(&world, dynamic), all);
                let empty = world.spawn_batch([(), (), (), ()]).to_vec();
                world.insert(empty[0], Car).expect("alive");
                world.entity_mut(empty[1]).expect("alive").insert(Car).apply();
                world.insert_batch(&empty[2..3], [Car]).expect("alive");
                world.insert_where_with::<Without<Car>, _>(|_| Car);
                for entity in empty {
                    assert_eq!(parts(&world, entity), all);
                }
            }

            #[test]
            fn a_circle_of_requirements_ends() {
                let mut world = World::new();
                let engine = world.spawn(Engine(2));
                assert_eq!(parts(&world, engine), (Some(2), Some(99), Some(0), true));
                let oil = world.spawn(Oil(3));
                assert_eq!(parts(&world, oil), (Some(1), Some(99), Some(3), true));
            }

            #[test]
            fn what_is_there_or_given_is_not_overwritten() {
                let mut world = World::new();
                let given = world.spawn((Wheels(3), Car, Oil(5)));
                assert_eq!(parts(&world, given), (Some(8), Some(3), Some(5), true));
                let there = world.spawn((Wheels(2), Barrel));
                world.insert(there, Car).expect("alive");
                assert_eq!(parts(&world, there), (Some(8), Some(2), Some(0), true));
                let chained = world.spawn(Wheels(1));
                world.entity_mut(chained).expect("alive").insert((Car, Oil(7))).apply();
                assert_eq!(parts(&world, chained), (Some(8), Some(1), Some(7), true));
                let many = world.spawn_batch((0..3).map(Wheels)).to_vec();
                world.insert_batch(&many, many.iter().map(|_| Car)).expect("alive");
                for (at, entity) in many.into_iter().enumerate() {
                    assert_eq!(parts(&world, entity), (Some(8), u32::try_from(at).ok(), Some(0), true));
                }
            }

            #[test]
            fn what_was_removed_comes_back_with_the_next_insert() {
                let mut world = World::new();
                let car = world.spawn(Car);
                assert_eq!(world.remove::<(Engine, Wheels)>(car), Ok(2));
                assert_eq!(parts(&world, car), (None, None, Some(0), true));
                world.insert(car, Car).expect("alive");
                assert_eq!(parts(&world, car), (Some(8), Some(4), Some(0), true));
                // Removed and required again within one chain: made anew.
                world.get_mut::<Wheels>(car).expect("has it").0 = 77;
                world.entity_mut(car).expect("alive").remove::<Wheels>().insert(Car).apply();
                assert_eq!(parts(&world, car), (Some(8), Some(4), Some(0), true));
            }

            #[test]
            fn the_registry_knows_what_comes_along() {
                let mut world = World::new();
                let car = world.register::<Car>();
                let required: Vec<&str> = world
                    .components()
                    .info(car)
                    .expect("known")
                    .requires()
                    .map(|id| world.components().info(id).expect("known").name())
                    .collect();
                assert_eq!(required, ["Engine", "Wheels"]);
            }
        }
    };
}

requirements!(requirements_in_tables, "table");
requirements!(requirements_in_sets, "sparse");

#[test]
fn one_entity_can_be_looked_at_as_a_whole() {
    let mut world = World::new();
    let entity = world.spawn((X(1), Text("t".into()), Tag::<true>::new()));
    let seen = world.entity(entity).expect("alive");
    assert_eq!((seen.id(), seen.get::<X>(), seen.has::<Text>()), (entity, Some(&X(1)), true));
    assert_eq!(format!("{seen:?}"), "0v0 {X, Text, Tag<true>}");
}

#[test]
fn sparse_components_can_be_edited_at_full_speed() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..10).map(X)).to_vec();
    world.despawn(all[9]).expect("alive");
    let mut sparse = world.sparse_mut::<Held<true, 0>>();
    for entity in &all[..9] {
        sparse.insert(*entity, held()).expect("alive");
        sparse.insert(*entity, held()).expect("alive");
    }
    sparse.insert(all[9], held()).expect_err("dead");
    assert_eq!((sparse.len(), sparse.is_empty(), ledger.alive()), (9, false, 9));
    assert_eq!(sparse.remove(all[0]).map(|held| held.0.id), Some(1));
    assert_eq!(sparse.remove(all[0]), None);
    assert_eq!(sparse.remove(all[9]), None);
    assert_eq!(sparse.get(all[8]).map(|held| held.0.id), Some(17));
    assert_eq!(sparse.get_mut(all[0]), None);
    assert_well(&world, ledger, 8);
}

#[test]
#[should_panic(expected = "error[C009]")]
fn sparse_components_that_require_others_are_not_edited_alone() {
    #[derive(Component)]
    #[component(storage = "sparse", requires(Tag<false> = Tag::new()))]
    struct Needy;
    World::new().sparse_mut::<Needy>();
}

for_both_storages!(
    insert_remove_and_take_account_for_every_value,
    taking_what_is_partly_absent_changes_nothing,
    removal_fills_the_hole_with_the_right_values,
    a_chain_of_edits_gives_what_the_last_word_on_each_component_says,
    edits_are_made_when_looked_at_or_at_the_latest_when_dropped,
    a_chain_replaces_values_that_are_there,
);
