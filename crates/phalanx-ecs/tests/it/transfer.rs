//! Copies of entities, and entities that move to another world.

use crate::hostile::{Aligned, Held, Ledger, Packed, Tag, assert_well, for_both_storages, held, panic_of, tags_alive};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CloneError, Component, ComponentLayout, DynValue, Storage, TransferError};

#[derive(Component, Clone, Debug, PartialEq)]
struct X(u32);

fn a_copy_has_clones_of_everything<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(1).storage(Storage::Sparse)).expect("possible");
    let original = world.spawn((X(1), held::<SPARSE, 0>(), Tag::<SPARSE>::new(), Aligned::<SPARSE>(ledger.token())));
    world.insert_dyn(original, mana, DynValue::bytes(&[9])).expect("fits");
    let copies: Vec<Entity> = (0..10).map(|_| world.clone_entity(original).expect("cloneable")).collect();
    for copy in copies {
        assert_eq!(world.signature(copy), world.signature(original));
        assert_eq!(world.get::<X>(copy), Some(&X(1)));
        assert_ne!(world.get::<Held<SPARSE, 0>>(copy), world.get::<Held<SPARSE, 0>>(original), "a value of its own");
        assert_eq!(world.get_dyn(copy, mana).expect("has it").bytes(), Some(&[9][..]));
    }
    assert_well(&world, ledger, 22);
    assert_eq!(tags_alive(), 11);
    drop(world);
    assert_eq!((ledger.alive(), tags_alive()), (0, 0));
}

fn what_cannot_be_cloned_is_refused_by_name_or_left_out<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let original = world.spawn((held::<SPARSE, 0>(), Packed::<SPARSE> { boxed: Box::new(1), number: 1 }));
    let error = world.clone_entity(original).expect_err("not cloneable").to_string();
    assert!(error.contains("error[C008]: entity 0v0 cannot be cloned\n  found: `Packed<"), "{error}");
    assert_well(&world, ledger, 1);
    let copy = world.clone_entity_partly(original).expect("partly");
    assert!(world.has::<Held<SPARSE, 0>>(copy) && !world.has::<Packed<SPARSE>>(copy));
    assert_well(&world, ledger, 2);
    world.despawn(original).expect("alive");
    assert!(matches!(world.clone_entity(original), Err(CloneError::Dead { .. })));
    let mut full = World::builder().limit(1).build();
    let only = full.spawn(held::<SPARSE, 0>());
    assert!(matches!(full.clone_entity(only), Err(CloneError::Full { .. })));
    assert_well(&full, ledger, 2);
}

fn a_panic_while_cloning_leaves_no_copy<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let original = world.spawn((held::<SPARSE, 0>(), Tag::<SPARSE>::new(), held::<SPARSE, 1>(), held::<true, 2>()));
    for n in 1..=3 {
        ledger.clone_panics_at(n);
        assert_eq!(panic_of(|| world.clone_entity(original)), "this clone panics");
        assert_well(&world, ledger, 3);
        assert_eq!((world.alive(), tags_alive()), (1, 1));
    }
    world.clone_entity(original).expect("cloneable");
    assert_well(&world, ledger, 6);
}

fn an_entity_moves_with_all_it_has<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut here, mut there) = (World::new(), World::new());
    // Other ids on the other side.
    there.register::<Tag<SPARSE>>();
    there.register::<X>();
    let mana = here.register_dyn(ComponentLayout::new("Mana").size(2)).expect("possible");
    let stays = here.spawn((X(0), held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
    let goes = here.spawn((X(1), held::<SPARSE, 0>(), Tag::<SPARSE>::new(), held::<true, 1>()));
    let last = here.spawn((X(2), held::<SPARSE, 0>(), Tag::<SPARSE>::new()));
    here.insert_dyn(goes, mana, DynValue::bytes(&[3, 4])).expect("fits");
    let arrived = here.move_entity(goes, &mut there).expect("room");
    assert_eq!((here.alive(), here.is_alive(goes), there.alive()), (2, false, 1));
    assert_eq!(there.get::<X>(arrived), Some(&X(1)));
    assert_eq!(there.get::<Held<SPARSE, 0>>(arrived).map(|held| held.0.id), Some(1), "the very same value");
    assert_eq!(there.get::<Held<true, 1>>(arrived).map(|held| held.0.id), Some(2));
    assert!(there.has::<Tag<SPARSE>>(arrived));
    let theirs = there.components().id_by_name("Mana").expect("adopted");
    assert_eq!(there.get_dyn(arrived, theirs).expect("has it").bytes(), Some(&[3, 4][..]));
    assert_eq!((here.get::<X>(stays), here.get::<X>(last)), (Some(&X(0)), Some(&X(2))));
    assert_well(&here, ledger, 4);
    assert_well(&there, ledger, 4);
    assert_eq!(tags_alive(), 3);
    drop(here);
    assert_well(&there, ledger, 2);
    drop(there);
    assert_eq!((ledger.alive(), tags_alive()), (0, 0));
}

fn a_refused_move_leaves_the_entity_where_it_is<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut here = World::new();
    let mut there = World::builder().limit(0).build();
    let mana = here.register_dyn(ComponentLayout::new("Mana").size(2)).expect("possible");
    let entity = here.spawn(held::<SPARSE, 0>());
    here.insert_dyn(entity, mana, DynValue::bytes(&[3, 4])).expect("fits");
    assert!(matches!(here.move_entity(entity, &mut there), Err(TransferError::Full { .. })));
    let mut other = World::new();
    other.register_dyn(ComponentLayout::new("Mana").size(4)).expect("possible");
    assert!(matches!(here.move_entity(entity, &mut other), Err(TransferError::Type { .. })));
    for world in [&here, &there, &other] {
        assert_well(world, ledger, 1);
    }
    assert_eq!((there.alive(), other.alive()), (0, 0));
    assert!(here.has::<Held<SPARSE, 0>>(entity));
    here.despawn(entity).expect("alive");
    assert!(matches!(here.move_entity(entity, &mut other), Err(TransferError::Dead { .. })));
    assert_well(&here, ledger, 0);
}

fn a_refusal_for_want_of_room_leaves_no_trace<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let (mut here, mut full) = (World::new(), World::builder().limit(1).build());
    let only = full.spawn((X(1), held::<SPARSE, 0>(), Packed::<SPARSE> { boxed: Box::new(1), number: 1 }));
    let entity = here.spawn((held::<SPARSE, 1>(), Team(1)));
    full.register::<Held<SPARSE, 2>>();
    full.register::<Team>();
    let before = full.checksum();
    let unchanged = |full: &World, what: &str| {
        assert_eq!(full.checksum(), before, "{what}");
        assert_well(full, ledger, 2);
    };
    assert!(full.try_spawn((held::<SPARSE, 2>(), X(2))).is_err());
    unchanged(&full, "one");
    assert!(full.try_spawn((Team(1), X(2))).is_err());
    unchanged(&full, "one with a shared value");
    assert!(full.try_spawn_batch([held::<SPARSE, 2>(), held::<SPARSE, 2>()]).is_err());
    unchanged(&full, "several");
    assert!(full.spawn_columns((vec![held::<SPARSE, 2>(), held::<SPARSE, 2>()],)).is_err());
    unchanged(&full, "columns");
    assert!(full.clone_entity_partly(only).is_err());
    unchanged(&full, "a copy");
    let types = full.components().len();
    assert!(matches!(here.move_entity(entity, &mut full), Err(TransferError::Full { .. })));
    unchanged(&full, "a move");
    assert_eq!(full.components().len(), types, "no type is made known either");
}

#[derive(Component, Debug, PartialEq, Eq, Hash)]
#[component(shared)]
struct Team(u32);

#[test]
fn a_shared_value_that_only_the_dead_have_too_moves() {
    let (mut here, mut there) = (World::new(), World::new());
    let [traveller, dead] = [here.spawn(Team(1)), here.spawn((Team(1), X(1)))];
    here.despawn_lazy(dead).expect("alive");
    let arrived = here.move_entity(traveller, &mut there).expect("nobody else has it");
    assert_eq!(there.get::<Team>(arrived), Some(&Team(1)));
    assert_eq!((here.uncollected(), here.shared_values::<Team>().count()), (0, 0));
    here.validate().expect("whole");
    there.validate().expect("whole");
}

#[test]
fn a_shared_value_that_somebody_alive_has_too_is_refused_and_nothing_is_collected() {
    let (mut here, mut there) = (World::new(), World::new());
    let [traveller, _, dead] = [here.spawn(Team(1)), here.spawn((Team(1), X(1))), here.spawn(Team(1))];
    here.despawn_lazy(dead).expect("alive");
    let before = here.checksum();
    assert!(matches!(here.move_entity(traveller, &mut there), Err(TransferError::Shared { .. })));
    assert_eq!((here.uncollected(), here.checksum()), (1, before));
}

for_both_storages!(
    a_copy_has_clones_of_everything,
    what_cannot_be_cloned_is_refused_by_name_or_left_out,
    a_panic_while_cloning_leaves_no_copy,
    an_entity_moves_with_all_it_has,
    a_refused_move_leaves_the_entity_where_it_is,
    a_refusal_for_want_of_room_leaves_no_trace,
);
