//! `error[C…]`: bundles, registration, lookups, values chosen at run time.

use crate::snapshot::{panic_of, says};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, ComponentLayout, Dependencies, DynValue, Kind, Storage, WithDyn};

#[derive(Component, Clone, Default)]
struct Position;

#[derive(Component, Clone)]
struct Velocity(f32);

#[derive(Component)]
struct Locked;

#[derive(Component, Clone)]
#[component(no_clone)]
struct Unique;

#[derive(Component)]
#[component(name = "the key")]
struct Key;

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component, Clone)]
struct Slot<T>(T);

fn world_and_entity() -> (World, Entity) {
    let mut world = World::builder().remember_deaths(4).build();
    let entity = world.spawn((Position, Velocity(1.0)));
    (world, entity)
}

fn world_and_dead() -> (World, Entity) {
    let (mut world, entity) = world_and_entity();
    world.despawn(entity).unwrap();
    (world, entity)
}

fn twice() -> (Slot<u8>, Slot<u8>) {
    (Slot(1), Slot(2))
}

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Crew(u8);

#[test]
fn c001_a_layout_that_cannot_be() {
    let mut world = World::new();
    let mut refused = |layout| world.register_dyn(layout).unwrap_err();
    says("c001_alignment", refused(ComponentLayout::new("Mana").size(6).align(3)));
    says("c001_size", refused(ComponentLayout::new("Mana").size(6).align(4)));
    says("c001_size_beside_fields", refused(ComponentLayout::new("Mana").size(4).field("value", Kind::F32)));
    let text = ComponentLayout::new("Mana").field("value", Kind::F32).field("name", Kind::Text);
    says("c001_field_of_a_kind", refused(text));
    let twice = ComponentLayout::new("Mana").field("value", Kind::F32).field("value", Kind::U8);
    says("c001_field_twice", refused(twice));
}

#[test]
fn c001_a_name_that_is_taken() {
    let mut world = World::new();
    world.register_dyn(ComponentLayout::new("Mana").size(4).align(4)).unwrap();
    let other = ComponentLayout::new("Mana").size(8).align(8).storage(Storage::Sparse);
    says("c001_name", world.register_dyn(other).unwrap_err());
    let fields = ComponentLayout::new("Mana").field("value", Kind::F32);
    says("c001_name_with_other_fields", world.register_dyn(fields).unwrap_err());
    world.register::<Velocity>();
    says("c001_name_of_a_compiled_type", world.register_dyn(ComponentLayout::new("Velocity").size(4)).unwrap_err());
}

#[test]
fn c002_a_bundle_with_a_component_twice() {
    let (mut world, entity) = world_and_entity();
    says("c002_twice", world.try_spawn(twice()).unwrap_err());
    says("c002_twice", world.try_spawn_batch([twice()]).unwrap_err());
    says("c002_twice", world.spawn_columns((vec![Slot(1_u8)], vec![Slot(2_u8)])).unwrap_err());
    says("c002_twice", world.insert(entity, twice()).unwrap_err());
    says("c002_twice", world.remove::<(Slot<u8>, Slot<u8>)>(entity).unwrap_err());
    says("c002_twice", world.take::<(Slot<u8>, Slot<u8>)>(entity).err().unwrap());
    says("c002_twice", world.insert_batch([entity], [twice()]).unwrap_err());
    let mut bundle = BundleBuilder::new();
    bundle.add(Slot(1_u8)).add(Slot(2_u8));
    says("c002_twice", world.spawn_dyn(bundle).unwrap_err());
}

#[test]
fn c002_a_bundle_with_a_component_twice_removed_from_many() {
    let (mut world, entity) = world_and_entity();
    says("c002_remove_batch_of_a_whole_table", world.remove_batch::<(Slot<u8>, Slot<u8>)>(&[entity]).unwrap_err());
    world.spawn((Position, Velocity(1.0)));
    says("c002_remove_batch", world.remove_batch::<(Slot<u8>, Slot<u8>)>(&[entity]).unwrap_err());
}

#[test]
fn c003_a_component_that_is_not_there() {
    let (mut world, entity) = world_and_entity();
    let bare = world.spawn(());
    says("c003_absent", world.lookup::<Locked>(entity).err().unwrap());
    says("c003_absent_to_change", world.lookup_mut::<Locked>(entity).err().unwrap());
    says("c003_absent_from_a_bare_entity", world.lookup::<Key>(bare).err().unwrap());
}

#[test]
fn c003_a_component_of_a_dead_entity() {
    let (mut world, dead) = world_and_dead();
    says("c003_dead", world.lookup::<Velocity>(dead).err().unwrap());
    says("c003_dead", world.lookup_mut::<Velocity>(dead).err().unwrap());
}

#[test]
fn c004_taking_what_is_not_there() {
    let (mut world, entity) = world_and_entity();
    let bare = world.spawn(());
    says("c004_absent", world.take::<(Position, Locked, Burning)>(entity).err().unwrap());
    says("c004_absent_from_a_bare_entity", world.take::<Key>(bare).err().unwrap());
}

#[test]
fn editing_a_dead_entity() {
    let (mut world, dead) = world_and_dead();
    let name = "edit_of_a_dead_entity";
    says(name, world.insert(dead, Position).unwrap_err());
    says(name, world.insert_if_new(dead, Position).unwrap_err());
    says(name, world.replace(dead, Position).err().unwrap());
    says(name, world.remove::<Position>(dead).unwrap_err());
    says(name, world.take::<Position>(dead).err().unwrap());
    says(name, world.insert_batch([dead], [Position]).unwrap_err());
    says(name, world.remove_batch::<Position>(&[dead]).unwrap_err());
    says(name, world.clone_entity(dead).unwrap_err());
    says(name, world.move_entity(dead, &mut World::new()).unwrap_err());
    let velocity = world.register::<Velocity>();
    says(name, world.insert_dyn(dead, velocity, DynValue::new(Velocity(1.0))).unwrap_err());
    says(name, world.insert_bundle_dyn(dead, BundleBuilder::new()).unwrap_err());
    says(name, world.remove_dyn(dead, velocity).unwrap_err());
}

#[test]
fn c005_a_value_of_another_component() {
    let (mut world, entity) = world_and_entity();
    let velocity = world.register::<Velocity>();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(4).align(4)).unwrap();
    says("c005_type", world.insert_dyn(entity, velocity, DynValue::new(Position)).unwrap_err());
    says("c005_bytes_for_a_type", world.insert_dyn(entity, velocity, DynValue::bytes(&[1, 2])).unwrap_err());
    says("c005_type_for_bytes", world.insert_dyn(entity, mana, DynValue::new(Position)).unwrap_err());
    says("c005_length", world.insert_dyn(entity, mana, DynValue::bytes(&[1])).unwrap_err());
    let mut bundle = BundleBuilder::new();
    bundle.add(Position).add_dyn(mana, DynValue::bytes(&[1]));
    says("c005_length", world.spawn_dyn(bundle).unwrap_err());
}

#[test]
fn c006_an_id_of_another_world() {
    let (mut world, entity) = world_and_entity();
    let mut other = World::new();
    other.register::<Position>();
    other.register::<Velocity>();
    let foreign = other.register::<Locked>();
    says("c006_unknown", world.insert_dyn(entity, foreign, DynValue::bytes(&[])).unwrap_err());
    says("c006_unknown", world.remove_dyn(entity, foreign).unwrap_err());
    let mut empty = World::new();
    let bare = empty.spawn(());
    says("c006_unknown_in_an_empty_world", empty.remove_dyn(bare, foreign).unwrap_err());
}

#[test]
fn c007_columns_of_different_lengths() {
    let mut world = World::new();
    let columns = (vec![Position, Position], vec![Velocity(1.0), Velocity(2.0)], vec![Locked]);
    says("c007_lengths", world.spawn_columns(columns).unwrap_err());
}

#[test]
fn c008_a_component_that_cannot_be_cloned() {
    let mut world = World::new();
    let one = world.spawn((Position, Locked));
    let two = world.spawn((Locked, Key));
    says("c008_one", world.clone_entity(one).unwrap_err());
    says("c008_two", world.clone_entity(two).unwrap_err());
    let unique = world.spawn((Position, Unique));
    let mixed = world.spawn((Locked, Unique));
    says("c008_no_clone", world.clone_entity(unique).unwrap_err());
    says("c008_mixed", world.clone_entity(mixed).unwrap_err());
}

#[test]
fn c011_a_shared_value_that_others_have_and_that_cannot_be_cloned() {
    let (mut world, mut other) = (World::new(), World::new());
    let both = world.spawn_batch([Crew(1), Crew(1)]);
    says("c011_shared", world.move_entity(both[1], &mut other).unwrap_err());
}

#[test]
fn a_full_world_takes_no_clone_and_no_traveller() {
    let mut world = World::builder().limit(1).build();
    let entity = world.spawn(Position);
    says("full_for_one_more", world.clone_entity(entity).unwrap_err());
    says("full_for_one_more", world.clone_entity_partly(entity).unwrap_err());
    says("full_for_one_more", world.spawn_dyn(BundleBuilder::new()).unwrap_err());
    let mut other = World::new();
    let traveller = other.spawn(Position);
    says("full_for_one_more", other.move_entity(traveller, &mut world).unwrap_err());
}

#[test]
fn a_traveller_whose_type_has_another_layout_there() {
    let (mut here, mut there) = (World::new(), World::new());
    let mana = here.register_dyn(ComponentLayout::new("Mana").size(1)).unwrap();
    there.register_dyn(ComponentLayout::new("Mana").size(2)).unwrap();
    let elf = here.spawn(());
    here.insert_dyn(elf, mana, DynValue::bytes(&[1])).unwrap();
    says("c001_in_another_world", here.move_entity(elf, &mut there).unwrap_err());
}

#[derive(Component, Clone)]
#[component(depends_on(Velocity, Burning))]
struct Flying;

#[test]
fn c015_a_tag_without_what_it_depends_on() {
    let (mut world, entity) = world_and_entity();
    says("c015_insert", world.insert(entity, Flying).unwrap_err());
    says("c015_spawn", world.try_spawn((Flying, Position)).unwrap_err());
    let id = world.register::<Flying>();
    says("c015_dyn", world.insert_dyn(entity, id, DynValue::new(Flying)).unwrap_err());
    says("c015_batch", world.insert_batch([entity], [Flying]).unwrap_err());
    says("c015_panic", panic_of(|| world.insert_where::<With<Position>, _>(Flying)));
    says("c015_chain", panic_of(|| world.entity_mut(entity).unwrap().remove::<Velocity>().insert(Flying).id()));
}

#[test]
fn c016_a_sparse_component_that_tags_depend_on() {
    let (mut world, _) = world_and_entity();
    world.register::<Flying>();
    says("c016_sparse_mut", panic_of(|| world.sparse_mut::<Burning>().len()));
}

#[test]
fn c017_what_depends_is_a_tag() {
    struct Heavy(#[expect(dead_code, reason = "has a size")] u32);
    impl Component for Heavy {
        fn depend(dependencies: &mut Dependencies<'_>) {
            dependencies.add::<Position>();
        }
    }
    says("c017_a_value", panic_of(|| World::new().register::<Heavy>()));
}

#[test]
fn c001_a_tag_that_depends_on_something_else_or_on_nothing_known() {
    let mut world = World::new();
    let position = world.register::<Position>();
    let mut refused = |layout| world.register_dyn(layout).map(drop);
    refused(ComponentLayout::new("Node").depends_on([position])).unwrap();
    says("c001_other_dependencies", refused(ComponentLayout::new("Node")).unwrap_err());
    says("c001_a_value_depends", refused(ComponentLayout::new("Mana").size(4).depends_on([position])).unwrap_err());
    let mut other = World::new();
    other.register_dyn(ComponentLayout::new("Mana").size(4)).unwrap();
    let strange = ComponentLayout::new("Near").depends_on([other.register::<Velocity>(), other.register::<Key>()]);
    says("c001_depends_on_the_unknown", world.register_dyn(strange).unwrap_err());
}

#[test]
fn c010_an_immutable_component_changed_in_its_place() {
    let mut world = World::new();
    let (entity, team) = (world.spawn(Team(1)), world.register::<Team>());
    says("c010_immutable", world.lookup_dyn_mut(entity, team).err().unwrap());
}

#[test]
fn c018_a_component_edited_for_all_that_is_not_shared() {
    let mut world = World::new();
    let (entity, velocity) = (world.spawn(Velocity(1.0)), world.register::<Velocity>());
    says("c018_not_shared", world.edit_shared_dyn(entity, velocity, |_| ()).unwrap_err());
    // Inserting it would not help.
    let (other, immutable) = (world.spawn(()), world.register::<Team>());
    says("c018_not_shared_nor_there", world.edit_shared_dyn(other, velocity, |_| ()).unwrap_err());
    world.insert(entity, Team(1)).unwrap();
    says("c018_not_shared_and_immutable", world.edit_shared_dyn(entity, immutable, |_| ()).unwrap_err());
}

#[test]
fn c003_a_component_chosen_at_run_time_that_is_not_there() {
    let mut world = World::new();
    let (entity, position) = (world.spawn(Team(1)), world.register::<Position>());
    says("c003_lookup_dyn_mut", world.lookup_dyn_mut(entity, position).err().unwrap());
    let crew = world.register::<Crew>();
    says("c003_edit_shared_dyn", world.edit_shared_dyn(entity, crew, |_| ()).unwrap_err());
}

/// Refuses to be even.
#[derive(Component, Clone, Copy)]
#[component(check)]
struct Odd(u32);

impl phalanx_ecs::Check for Odd {
    fn check(_: &World, wishes: &[phalanx_ecs::Wish<Self>]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match wishes.iter().find(|wish| wish.value.0 % 2 == 0) {
            Some(wish) => Err(format!("{} is even", wish.value.0).into()),
            None => Ok(()),
        }
    }
}

#[test]
fn c019_a_component_that_refuses_to_come() {
    let mut world = World::new();
    let entity = world.spawn(Name::new("Ariadne"));
    says("c019_insert", world.insert(entity, Odd(2)).unwrap_err());
    says("c019_spawn", world.try_spawn(Odd(2)).unwrap_err());
    says("c019_batch", world.try_spawn_batch([1, 2, 3].map(Odd)).unwrap_err());
}

#[test]
fn k012_a_component_that_refuses_to_come_later() {
    let mut world = World::new();
    let entity = world.spawn(());
    let mut commands = world.commands();
    commands.insert(entity, Odd(2));
    says("k012_insert", world.apply(&mut commands).unwrap_err());
    commands.spawn(Odd(2));
    says("k012_spawn", world.apply(&mut commands).unwrap_err());
    commands.spawn_batch([1, 2, 3].map(Odd));
    says("k012_batch", world.apply(&mut commands).unwrap_err());
}

#[test]
fn c020_a_sparse_component_cannot_be_chosen() {
    let mut world = World::new();
    let burning = world.register::<Burning>();
    says("c020_sparse", Prepared::<&Position, WithDyn>::with_dyn(&world, burning).unwrap_err());
}

#[test]
fn c021_what_is_no_toggle_cannot_be_switched() {
    let (mut world, entity) = world_and_entity();
    let velocity = world.register::<Velocity>();
    says("c021_no_toggle", world.switch_dyn(entity, velocity, false).unwrap_err());
}
