//! Messages that do not keep the promises of an error: to name who asked, and what it was about.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentLayout, DynQuery, DynValue};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Component)]
struct Position;

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component, Clone)]
struct Slot<T>(T);

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a reference sign at every call says nothing")]
fn names_this_file(message: impl ToString) {
    let message = message.to_string();
    assert!(message.contains(&format!("asked by: {}", file!())), "{message}");
}

#[test]
fn a_refused_run_time_type_names_who_asked() {
    let mut world = World::new();
    names_this_file(world.register_dyn(ComponentLayout::new("Mana").size(6).align(4)).unwrap_err());
}

#[test]
fn a_refused_traveller_names_who_asked() {
    let (mut here, mut there) = (World::new(), World::new());
    let mana = here.register_dyn(ComponentLayout::new("Mana").size(1)).unwrap();
    there.register_dyn(ComponentLayout::new("Mana").size(2)).unwrap();
    let elf = here.spawn(());
    here.insert_dyn(elf, mana, DynValue::bytes(&[1])).unwrap();
    names_this_file(here.move_entity(elf, &mut there).unwrap_err());
}

#[test]
fn removing_a_component_twice_from_many_names_who_asked() {
    let mut world = World::new();
    let entities = world.spawn_batch([Position, Position]).to_vec();
    names_this_file(world.remove_batch::<(Slot<u8>, Slot<u8>)>(&entities[..1]).unwrap_err());
}

#[test]
fn inserting_a_component_twice_into_all_names_who_asked() {
    let mut world = World::new();
    world.spawn(Position);
    let insert = || world.insert_where::<With<Position>, _>((Slot(1_u8), Slot(2_u8)));
    let panic = catch_unwind(AssertUnwindSafe(insert)).unwrap_err();
    names_this_file(panic.downcast_ref::<String>().unwrap());
}

#[test]
fn a_conflict_between_terms_chosen_at_run_time_names_the_component() {
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(4)).unwrap();
    let conflict = DynQuery::builder().read(mana).write(mana).build().unwrap_err();
    assert!(!conflict.to_string().contains('?'), "{conflict}");
}
