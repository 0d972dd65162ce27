//! Components that are never changed in their place.

use crate::hostile::panic_of;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Act, DynError, DynQuery, DynValue};
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Debug, PartialEq)]
#[component(immutable, track)]
struct Team(u8);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(immutable, storage = "sparse")]
struct Rank(u8);

#[test]
fn another_value_takes_the_place_of_an_immutable_one() {
    let mut world = World::new();
    let orc = world.spawn((Team(1), Rank(1)));
    world.insert(orc, (Team(2), Rank(2))).unwrap();
    assert_eq!(world.replace(orc, Team(3)).unwrap(), Some(Team(2)));
    assert_eq!(world.replace(orc, Rank(3)).unwrap(), Some(Rank(2)));
    world.insert_where::<With<Team>, _>(Team(4));
    world.entity_mut(orc).unwrap().insert(Rank(4));
    assert_eq!(world.query::<(&Team, &Rank)>().single().unwrap(), (&Team(4), &Rank(4)));
    world.validate().unwrap();
}

#[test]
fn whoever_observes_an_immutable_component_has_seen_every_value() {
    let mut world = World::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = seen.clone();
    world.observe::<Team>(Act::Insert, move |trigger| {
        list.lock().unwrap().push(trigger.get::<Team>().unwrap().0);
    });
    let orc = world.spawn(Team(1));
    world.insert(orc, Team(2)).unwrap();
    world.replace(orc, Team(3)).unwrap();
    let team = world.register::<Team>();
    world.insert_dyn(orc, team, DynValue::new(Team(4))).unwrap();
    let mut commands = world.commands();
    commands.insert(orc, Team(5));
    world.apply(&mut commands).unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 4, 5]);
}

#[test]
fn putting_another_immutable_value_counts_as_a_change() {
    let mut world = World::new();
    let orc = world.spawn(Team(1));
    let mut changed = Prepared::<&Team, Changed<Team>>::new();
    assert_eq!(changed.on(&mut world).count(), 1);
    assert_eq!(changed.on(&mut world).count(), 0);
    world.replace(orc, Team(2)).unwrap();
    assert_eq!(changed.on(&mut world).count(), 1);
    world.insert(orc, Team(3)).unwrap();
    assert_eq!(changed.on(&mut world).count(), 1);
}

#[test]
fn an_immutable_component_is_not_changed_by_its_id() {
    let mut world = World::new();
    let orc = world.spawn((Team(1), Rank(1)));
    for id in [world.register::<Team>(), world.register::<Rank>()] {
        assert!(world.get_dyn(orc, id).is_some());
        assert!(world.get_dyn_mut(orc, id).is_none());
        assert!(matches!(world.lookup_dyn_mut(orc, id), Err(DynError::Immutable { entity, .. }) if entity == orc));
        for query in [DynQuery::builder().write(id), DynQuery::builder().maybe_write(id)] {
            let mut query = query.build().unwrap();
            assert_eq!(query.count(&world), 1, "counting changes nothing");
            let said = panic_of(|| query.for_each(&mut world, |_| unreachable!("refused before")));
            assert!(said.contains("error[Q007]"), "{said}");
        }
    }
    world.validate().unwrap();
}

#[test]
fn what_is_not_there_is_told_from_what_is_immutable() {
    let mut world = World::new();
    let (orc, team) = (world.spawn(()), world.register::<Team>());
    assert!(matches!(world.lookup_dyn_mut(orc, team), Err(DynError::Absent { .. })));
    world.despawn(orc).unwrap();
    assert!(matches!(world.lookup_dyn_mut(orc, team), Err(DynError::Dead(_))));
    let mut other = World::new();
    let stranger = other.spawn(());
    assert!(matches!(other.lookup_dyn_mut(stranger, team), Err(DynError::Unknown { .. })));
}
