//! `error[E…]`: handles and room for entities.

use crate::snapshot::{panic_of, says};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{CompactEntity, HandleLayout, Name, Uuid};

#[derive(Component)]
struct Tag;

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning;

fn entity(text: &str) -> Entity {
    text.parse().unwrap()
}

#[test]
fn e001_an_entity_of_an_empty_world() {
    says("e001_never_issued_in_an_empty_world", World::new().despawn(entity("7v0")).unwrap_err());
}

#[test]
fn e001_an_index_that_was_never_issued() {
    let mut world = World::new();
    world.spawn_batch([(), (), ()]);
    says("e001_never_issued", world.despawn(entity("7v0")).unwrap_err());
}

#[test]
fn e001_a_generation_that_is_still_to_come() {
    let mut world = World::new();
    world.spawn(());
    says("e001_ahead", world.despawn(entity("0v9")).unwrap_err());
}

#[test]
fn e001_an_entity_whose_index_is_free() {
    let mut world = World::builder().remember_deaths(4).build();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    says("e001_despawned", world.despawn(gone).unwrap_err());
}

#[test]
fn e001_an_entity_whose_death_nobody_remembers() {
    let mut world = World::builder().remember_deaths(0).build();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    says("e001_despawned_and_forgotten", world.despawn(gone).unwrap_err());
}

#[test]
fn e001_an_entity_that_a_command_despawned() {
    let mut world = World::new();
    let gone = world.spawn(Tag);
    let [mut commands] = world.commands_for(["ai"]);
    commands.despawn(gone);
    world.apply(&mut commands).unwrap();
    let name = "e001_despawned_by_a_command";
    says(name, world.despawn(gone).unwrap_err());
    says(name, world.insert(gone, Tag).unwrap_err());
    says(name, world.entity(gone).err().unwrap());
    says(name, world.entity_mut(gone).err().unwrap());
    says(name, world.lookup_mut::<Burning>(gone).err().unwrap());
    says(name, world.take::<Tag>(gone).err().unwrap());
    says(name, world.clone_entity(gone).unwrap_err());
    says(name, world.move_entity(gone, &mut World::new()).unwrap_err());
    says(name, world.sparse_mut::<Burning>().insert(gone, Burning).unwrap_err());
}

#[test]
fn e001_an_entity_whose_row_waits_to_be_collected() {
    let mut world = World::builder().remember_deaths(4).build();
    let [gone, _] = [world.spawn(Tag), world.spawn(Tag)];
    world.despawn_lazy(gone).unwrap();
    says("e001_uncollected", world.despawn(gone).unwrap_err());
    says("e001_uncollected", world.insert(gone, Tag).unwrap_err());
    world.collect(Exact);
    says("e001_despawned", world.despawn(gone).unwrap_err());
}

#[test]
fn e001_an_entity_whose_index_is_in_use_again() {
    let mut world = World::builder().min_free(0).remember_deaths(4).build();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    world.spawn(());
    says("e001_despawned_and_reused", world.despawn(gone).unwrap_err());
}

#[test]
fn e001_an_entity_whose_index_is_retired() {
    let mut world = World::builder().remember_deaths(4).build();
    world.spawn(());
    world.simulate_generation(0, Entity::MAX_GENERATION);
    let last = world.entities().next().unwrap();
    world.despawn(last).unwrap();
    says("e001_retired", world.despawn(last).unwrap_err());
}

/// Release builds do not know: there the handle is believed.
#[cfg(debug_assertions)]
#[test]
fn e001_an_entity_of_another_world() {
    let (mut here, mut there) = (World::new(), World::new());
    let mine = here.spawn(());
    there.spawn(());
    says("e001_foreign", there.despawn(mine).unwrap_err());
}

#[test]
fn e001_in_a_sparse_set() {
    let mut world = World::builder().remember_deaths(4).build();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    says("e001_in_a_sparse_set", world.sparse_mut::<Burning>().insert(gone, Burning).unwrap_err());
}

#[test]
fn e001_says_the_same_whoever_is_asked() {
    let mut world = World::builder().remember_deaths(4).build();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    let name = "e001_despawned";
    says(name, world.entity(gone).unwrap_err());
    says(name, world.entity_mut(gone).err().unwrap());
    says(name, world.signature(gone).unwrap_err());
    says(name, world.retain::<Tag>(gone).unwrap_err());
}

#[test]
fn e002_the_limit_is_reached() {
    let mut world = World::builder().limit(1).build();
    world.spawn(());
    says("e002_limit", world.try_spawn(()).unwrap_err());
    says("e002_limit_many", world.try_spawn_batch([(), ()]).unwrap_err());
}

/// So many are refused before the first is asked for.
#[cfg(target_pointer_width = "64")]
#[test]
fn e002_the_indices_have_run_out() {
    let mut compact = World::builder().layout(HandleLayout::Compact).build();
    compact.spawn(());
    let nothing = |count: u64| (0..count).map(|_| ());
    says("e002_compact_indices", compact.try_spawn_batch(nothing(1 << 22)).unwrap_err());
    says("e002_wide_indices", World::new().try_spawn_batch(nothing((1 << 32) + 1)).unwrap_err());
}

#[test]
fn e003_a_text_that_is_no_entity() {
    says("e003_form", "5|3".parse::<Entity>().unwrap_err());
    says("e003_compact_form", "5v3".parse::<CompactEntity>().unwrap_err());
    says("e003_index", "4294967296v0".parse::<Entity>().unwrap_err());
    says("e003_generation", "0|1024".parse::<CompactEntity>().unwrap_err());
    says("e003_text_with_a_line_break", "5\nv3".parse::<Entity>().unwrap_err());
}

#[test]
fn e004_an_entity_that_does_not_fit() {
    says("e004_index", CompactEntity::try_from(entity("4194304v0")).unwrap_err());
    says("e004_generation", CompactEntity::try_from(entity("0v1024")).unwrap_err());
    says("e004_both", CompactEntity::try_from(entity("4194304v1024")).unwrap_err());
}

#[test]
fn e005_some_of_many_are_not_alive() {
    let mut world = World::new();
    let alive = world.spawn(());
    says("e005_one", world.despawn_batch([alive, alive]).unwrap_err());
    let [a, b] = [world.spawn(()), world.spawn(())];
    says("e005_two_of_four", world.despawn_batch([a, alive, b, a]).unwrap_err());
    let others = ["5v0", "6v0", "7v0", "8v0", "9v0"].map(entity);
    says("e005_more_than_three", world.despawn_batch(others).unwrap_err());
}

#[test]
fn e006_a_uuid_that_another_entity_has() {
    let mut world = World::new();
    let (hero, other) = (world.spawn(Uuid::from_u128(1)), world.spawn(()));
    says("e006_new_entity", world.try_spawn(Uuid::from_u128(1)).unwrap_err());
    world.insert(hero, Name::new("Ariadne")).unwrap();
    says("e006_insert", world.insert(other, Uuid::from_u128(1)).unwrap_err());
    says("e006_batch", world.try_spawn_batch([Uuid::from_u128(2); 2]).unwrap_err());
    let mut there = World::new();
    let traveller = there.spawn(Uuid::from_u128(1));
    says("e006_other_world", there.move_entity(traveller, &mut world).unwrap_err());
    says("e006_panic", panic_of(|| world.spawn(Uuid::from_u128(1))));
    says("c008_uuid", world.clone_entity(hero).unwrap_err());
    world.remove::<Uuid>(hero).unwrap();
    says("c003_of_an_entity_with_a_name", world.lookup::<Uuid>(hero).map(|_| ()).unwrap_err());
}

/// Bears a name and all it takes to be refused in many ways.
#[derive(Component)]
#[component(toggle)]
struct Shield(u32);

#[derive(Component)]
#[component(depends_on(Shield))]
struct Guarded;

#[test]
fn whoever_is_alive_and_has_a_name_is_called_by_it() {
    let mut world = World::new();
    let id = Uuid::from_u128(1);
    world.spawn((Name::new("Minos"), id));
    let hero = world.spawn((Name::new("Ariadne"), Uuid::from_u128(2)));
    says("named_e006", world.insert(hero, id).unwrap_err());
    says("named_c003", world.switch_off::<Shield>(hero).unwrap_err());
    says("named_c008", world.clone_entity(hero).unwrap_err());
    says("named_c015", world.insert(hero, Guarded).unwrap_err());
    let name = world.components().iter().find(|info| info.name() == "Name").unwrap().id();
    says("named_c010", world.lookup_dyn_mut(hero, name).err().unwrap());
    let shields = world.query::<&Shield>();
    says("named_explain", shields.explain(hero));
    says("named_q002", shields.lookup(hero).err().unwrap());
    says("named_q003", world.query::<&Name>().get_many_mut([hero, hero]).err().unwrap());
    let mut commands = world.commands();
    commands.insert(hero, Guarded);
    says("named_k010", world.apply(&mut commands).unwrap_err());
}

#[test]
fn e007_a_text_that_is_no_uuid() {
    says("e007_form", "67e55044".parse::<Uuid>().unwrap_err());
}
