//! Who despawned whom, by every way an entity can go.

use phalanx_ecs::prelude::*;

#[derive(Component, Clone)]
struct Body(u32);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Mark;

fn world() -> World {
    World::builder().remember_deaths(64).build()
}

/// Where an entity was despawned.
#[track_caller]
fn line_of(world: &World, entity: Entity) -> u32 {
    assert!(!world.is_alive(entity));
    let death = world.death_of(entity).expect("remembered");
    assert_eq!((death.entity, death.caller.file()), (entity, file!()));
    death.caller.line()
}

#[test]
fn every_way_to_go_is_remembered() {
    let mut world = world();
    let mut other = World::new();
    let all = world.spawn_batch((0..20).map(Body)).to_vec();
    world.insert(all[8], Mark).unwrap();
    world.despawn(all[0]).unwrap();
    assert_eq!(line_of(&world, all[0]), line!() - 1);
    world.despawn_batch(&all[1..4]).unwrap();
    assert!(all[1..4].iter().all(|entity| line_of(&world, *entity) == line!() - 1));
    assert!(world.despawn_batch([all[3], all[4]]).is_err());
    assert_eq!((line_of(&world, all[3]), line_of(&world, all[4])), (line!() - 3, line!() - 1));
    world.despawn_lazy(all[5]).unwrap();
    assert_eq!(line_of(&world, all[5]), line!() - 1);
    world.entity_mut(all[6]).unwrap().despawn();
    assert_eq!(line_of(&world, all[6]), line!() - 1);
    world.move_entity(all[7], &mut other).unwrap();
    assert_eq!(line_of(&world, all[7]), line!() - 1);
    world.despawn_where::<With<Mark>>();
    assert_eq!(line_of(&world, all[8]), line!() - 1);
    let [mut commands] = world.commands_for(["ai"]);
    commands.despawn(all[9]);
    commands.despawn_batch([all[10], all[11]]);
    commands.despawn_lazy(all[12]);
    let ghost = commands.spawn(Body(1));
    commands.run(move |world: &mut World| world.despawn(ghost));
    world.apply(&mut commands).unwrap();
    for (at, line) in [(9, 6), (10, 5), (11, 5), (12, 4)] {
        assert_eq!(line_of(&world, all[at]), line!() - 1 - line, "{at}");
        assert_eq!(world.death_of(all[at]).unwrap().queue.as_deref(), Some("ai"));
    }
    assert_eq!(world.death_of(ghost).unwrap().queue.as_deref(), Some("ai"));
    let bare = world.spawn_batch([(), ()]).to_vec();
    assert_eq!(world.despawn_where::<With<Body>>(), 7);
    assert!(all[13..].iter().all(|entity| line_of(&world, *entity) == line!() - 1));
    world.clear();
    assert!(bare.iter().all(|entity| line_of(&world, *entity) == line!() - 1));
    world.validate().unwrap();
}

#[test]
fn of_many_at_once_the_last_are_remembered_and_none_where_nobody_asked() {
    let mut world = world();
    let all = world.spawn_batch((0..1000).map(Body)).to_vec();
    world.despawn_where::<With<Body>>();
    assert_eq!(all.iter().filter(|entity| world.death_of(**entity).is_some()).count(), 64);
    assert!(world.death_of(all[999]).is_some());
    let mut forgetful = World::builder().remember_deaths(0).build();
    let all = forgetful.spawn_batch((0..10).map(Body)).to_vec();
    forgetful.despawn_batch(&all[..5]).unwrap();
    forgetful.clear();
    assert!(all.iter().all(|entity| forgetful.death_of(*entity).is_none()));
}

#[test]
fn an_error_says_who_ended_the_batch() {
    let mut world = world();
    let all = world.spawn_batch((0..3).map(Body)).to_vec();
    world.clear();
    let mut commands = world.commands();
    commands.insert(all[1], Mark);
    let error = world.apply(&mut commands).unwrap_err().to_string();
    assert!(error.contains(&format!("despawned by: {}:{}", file!(), line!() - 4)), "{error}");
}
