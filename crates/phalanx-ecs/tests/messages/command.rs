//! `error[K…]`: commands that could not be done.

use crate::snapshot::says;
use phalanx_ecs::HandleLayout;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Policy, Uuid};

#[derive(Component)]
struct Name(&'static str);
#[derive(Component)]
struct Twice<T: Send + Sync + 'static>(T);

#[test]
fn an_entity_that_is_not_alive() {
    let mut world = World::builder().remember_deaths(4).build();
    let [orc, elf, ent] = [0, 1, 2].map(|_| world.spawn(()));
    let mut queues = world.commands_for(["ai", "physics"]);
    queues[0].despawn(orc);
    queues[1].insert(orc, Name("Grub"));
    says("k001_despawned_by_a_command", world.apply_all(&mut queues).unwrap_err());
    world.despawn(elf).unwrap();
    let mut commands = world.commands();
    commands.remove::<Name>(elf);
    says("k001_despawned_directly", world.apply(&mut commands).unwrap_err());
    commands.retain::<Name>(queues[0].spawn(()));
    says("k001_reserved", world.apply(&mut commands).unwrap_err());
    commands.despawn("77v0".parse().unwrap());
    says("k001_never_issued", world.apply(&mut commands).unwrap_err());

    let mut forgetful = World::builder().remember_deaths(0).build();
    forgetful.spawn_batch([(), (), ()]);
    let mut commands = forgetful.commands();
    let again: Entity = ent.to_string().parse().unwrap();
    commands.despawn(again);
    commands.despawn(again);
    says("k001_nobody_remembers", forgetful.apply(&mut commands).unwrap_err());
}

#[test]
fn a_world_without_room() {
    let mut world = World::builder().limit(1).build();
    let mut commands = world.commands();
    commands.spawn(Name("Castor"));
    commands.spawn(Name("Pollux"));
    says("k002_one", world.apply(&mut commands).unwrap_err());
    commands.spawn_batch(["A", "B"].map(Name));
    says("k002_batch", world.apply(&mut commands).unwrap_err());
}

#[test]
fn a_bundle_with_a_component_twice() {
    let mut world = World::new();
    let mut commands = world.commands();
    commands.spawn((Twice(1u8), Twice(2u8)));
    says("k003_twice", world.apply(&mut commands).unwrap_err());
}

#[test]
fn a_function_that_fails() {
    let mut world = World::new();
    let [mut commands] = world.commands_for(["loader"]);
    commands.run(|world: &mut World| world.spawn_columns((vec![Name("A")], Vec::<Twice<u8>>::new())));
    says("k004_failed", world.apply(&mut commands).unwrap_err());
}

#[derive(Component)]
#[component(toggle)]
struct Shield;

#[derive(Component, PartialEq, Eq, Hash)]
#[component(shared)]
struct Team;

#[test]
fn a_queued_switch_or_edit_of_what_is_not_there_names_the_line_that_queued_it() {
    let mut world = World::new();
    let orc = world.spawn(());
    let mut commands = world.commands();
    commands.switch_off::<Shield>(orc);
    says("k004_switch", world.apply(&mut commands).unwrap_err());
    commands.switch_on::<Shield>(orc);
    assert!(!world.apply(&mut commands).unwrap_err().to_string().contains("src/"));
    commands.edit_shared::<Team>(orc, |_| ());
    says("k004_edit_shared", world.apply(&mut commands).unwrap_err());
}

#[test]
fn a_queue_without_ids() {
    let mut world = World::builder().layout(HandleLayout::Compact).build();
    let _out: Vec<_> = (0..1000).map(|_| world.commands()).collect();
    let mut commands = world.commands();
    commands.spawn_batch((0..1025).map(|_| Name("A")));
    says("k005_no_ids", world.apply(&mut commands).unwrap_err());
}

#[test]
fn an_iterator_that_ends_early() {
    struct Liar;
    impl Iterator for Liar {
        type Item = Name;
        fn next(&mut self) -> Option<Name> {
            None
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (2, Some(2))
        }
    }
    impl ExactSizeIterator for Liar {}
    let mut world = World::new();
    let mut commands = world.commands();
    commands.spawn_batch(Liar);
    says("k006_short", world.apply(&mut commands).unwrap_err());
}

#[test]
fn an_iterator_that_has_more_than_it_said() {
    struct Liar;
    impl Iterator for Liar {
        type Item = Name;
        fn next(&mut self) -> Option<Name> {
            Some(Name("A"))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (2, Some(2))
        }
    }
    impl ExactSizeIterator for Liar {}
    let mut world = World::new();
    let mut commands = world.commands();
    commands.spawn_batch(Liar);
    says("k011_long", world.apply(&mut commands).unwrap_err());
}

#[test]
fn a_queue_of_another_world() {
    let (mut one, mut two) = (World::new(), World::new());
    let mut commands = one.commands_for(["ai"]);
    says("k007_other_world", two.apply_all(&mut commands).unwrap_err());
}

#[test]
fn several_errors_and_commands_that_were_not_reached() {
    let mut world = World::new();
    let orc = world.spawn(Name("Grub"));
    let mut commands = world.commands();
    for _ in 0..6 {
        commands.despawn(orc);
    }
    let errors = world.apply(&mut commands).unwrap_err();
    assert_eq!(format!("{errors:?}"), errors.to_string(), "`unwrap` says the same");
    says("k008_several", errors);
    commands.set_policy(Policy::Stop);
    commands.despawn(orc);
    commands.spawn(Name("A"));
    commands.spawn(Name("B"));
    says("k001_and_the_rest", world.apply(&mut commands).unwrap_err());
}

#[test]
fn k009_a_uuid_that_another_entity_has() {
    let mut world = World::new();
    world.spawn((Uuid::from_u128(1), phalanx_ecs::Name::new("Ariadne")));
    let mut commands = world.commands();
    commands.spawn(Uuid::from_u128(1));
    says("k009_uuid", world.apply(&mut commands).unwrap_err());
}

#[derive(Component)]
#[component(depends_on(Name))]
struct Famous;

#[test]
fn a_tag_without_what_it_depends_on() {
    let mut world = World::new();
    let orc = world.spawn(());
    let mut commands = world.commands();
    commands.insert(orc, Famous);
    says("k010_insert", world.apply(&mut commands).unwrap_err());
    commands.spawn(Famous);
    says("k010_spawn", world.apply(&mut commands).unwrap_err());
    commands.spawn_batch([Famous, Famous]);
    says("k010_batch", world.apply(&mut commands).unwrap_err());
    assert_eq!(world.alive(), 1);
}
