//! Components switched off and on.

use phalanx_ecs::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
#[component(toggle)]
struct Shield(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(toggle, storage = "sparse")]
struct Torch(u32);

#[derive(Component, Clone)]
#[component(toggle)]
struct Visible;

#[derive(Component, Clone)]
struct Position(f32);

fn world_of(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = world.spawn_batch((0..count).map(|n| (Shield(n), Torch(n), Visible))).to_vec();
    (world, all)
}

#[test]
fn queries_pass_over_what_is_off_and_lookups_find_it() {
    let (mut world, all) = world_of(200);
    for entity in all.iter().step_by(3) {
        assert!(world.switch_off::<Shield>(*entity).expect("there"));
        assert!(!world.switch_off::<Shield>(*entity).expect("there"), "it is off already");
        world.switch_off::<Torch>(*entity).expect("there");
        world.switch_off::<Visible>(*entity).expect("there");
    }
    let on: Vec<Entity> = all.iter().copied().enumerate().filter(|(at, _)| at % 3 != 0).map(|(_, e)| e).collect();
    assert_eq!(world.query::<(Entity, &Shield)>().iter().map(|(e, _)| e).collect::<Vec<_>>(), on);
    assert_eq!(world.query::<(Entity, &Torch)>().iter().map(|(e, _)| e).collect::<Vec<_>>(), on);
    assert_eq!(world.query::<(Entity, &mut Shield, &Torch)>().into_iter().map(|(e, ..)| e).collect::<Vec<_>>(), on);
    assert_eq!(world.query_filtered::<Entity, With<Visible>>().iter().collect::<Vec<_>>(), on);
    assert_eq!(world.query_filtered::<Entity, With<Torch>>().iter().collect::<Vec<_>>(), on);
    assert_eq!(world.query::<&Shield>().count(), on.len());
    assert_eq!(world.query::<&Torch>().count(), on.len());
    assert_eq!(world.query::<&Shield>().chunks().map(<[Shield]>::len).sum::<usize>(), on.len());
    assert!(world.query::<&Shield>().get(all[0]).is_none() && world.query::<&Shield>().get(all[1]).is_some());
    assert!(world.query::<&Shield>().view().get(all[3]).is_none());
    assert!(world.query::<&Torch>().get(all[0]).is_none() && !world.query::<&Torch>().contains(all[3]));
    assert_eq!(world.get::<Shield>(all[0]), Some(&Shield(0)));
    assert!(world.has::<Shield>(all[0]) && !world.is_on::<Shield>(all[0]) && world.is_on::<Torch>(all[1]));
    let maybe = world.query::<(Option<&Shield>, Has<Torch>, Has<Visible>)>().into_iter();
    assert_eq!(maybe.filter(|(shield, torch, visible)| shield.is_none() && !torch && !visible).count(), 67);
    assert_eq!(world.query::<AnyOf<(&Shield, &Torch)>>().count(), on.len());
    assert_eq!(world.query::<EvenOff<&mut Shield>>().count(), 200);
    assert_eq!(world.query::<EvenOff<&Torch>>().count(), 200);
    let off: Vec<Entity> = all.iter().copied().step_by(3).collect();
    assert_eq!(world.query_filtered::<Entity, Off<Shield>>().iter().collect::<Vec<_>>(), off);
    assert_eq!(world.query_filtered::<Entity, Off<Torch>>().iter().collect::<Vec<_>>(), off);
    assert_eq!(world.query_filtered::<&Shield, Off<Shield>>().count(), 0, "`&T` passes over what is off");
    let mut pairs = 0;
    world.query::<&Shield>().pairs(|_, _| pairs += 1);
    assert_eq!(pairs, on.len() * (on.len() - 1) / 2);
    world.validate().expect("valid");
}

#[test]
fn what_is_off_stays_off_through_moves_and_comes_back_on_with_a_new_value() {
    let (mut world, all) = world_of(5);
    let one = all[2];
    world.switch_off::<Shield>(one).expect("there");
    world.switch_off::<Torch>(one).expect("there");
    world.insert(one, Position(1.0)).expect("alive");
    world.despawn(all[0]).expect("alive");
    world.despawn(all[1]).expect("alive");
    assert!(!world.is_on::<Shield>(one) && !world.is_on::<Torch>(one));
    assert_eq!((world.query::<&Shield>().count(), world.query::<&Torch>().count()), (2, 2));
    world.insert(one, Shield(9)).expect("alive");
    assert!(!world.is_on::<Shield>(one), "a new value in place of an old one does not switch it on");
    world.remove::<(Shield, Torch)>(one).expect("alive");
    world.insert(one, (Shield(1), Torch(1))).expect("alive");
    assert!(world.is_on::<Shield>(one) && world.is_on::<Torch>(one));
    world.validate().expect("valid");
}

#[test]
fn bulk_moves_keep_what_is_off() {
    let (mut world, all) = world_of(130);
    for entity in all.iter().step_by(2) {
        world.switch_off::<Shield>(*entity).expect("there");
    }
    world.insert_where_with::<With<Visible>, Position>(|_| Position(0.0));
    world.spawn((Shield(0), Torch(0), Visible));
    world.remove_where::<With<Visible>, Position>();
    assert_eq!(world.query::<&Shield>().count(), 66);
    assert!(all.iter().enumerate().all(|(at, e)| world.is_on::<Shield>(*e) == (at % 2 == 1)));
    world.validate().expect("valid");
}

#[test]
fn a_copy_and_a_traveller_are_off_where_the_original_was() {
    let (mut world, all) = world_of(2);
    world.switch_off::<Torch>(all[0]).expect("there");
    world.switch_off::<Visible>(all[0]).expect("there");
    let copy = world.clone_entity(all[0]).expect("cloneable");
    assert!(world.is_on::<Shield>(copy) && !world.is_on::<Torch>(copy) && !world.is_on::<Visible>(copy));
    assert!(world.is_on::<Torch>(all[1]));
    let mut other = World::new();
    other.register::<Position>();
    let arrived = world.move_entity(copy, &mut other).expect("room");
    assert!(other.is_on::<Shield>(arrived) && !other.is_on::<Torch>(arrived) && !other.is_on::<Visible>(arrived));
    world.validate().expect("valid");
    other.validate().expect("valid");
}

#[test]
fn switching_is_refused_where_there_is_nothing_to_switch() {
    let mut world = World::new();
    let stone = world.spawn(Position(0.0));
    assert!(world.switch_off::<Shield>(stone).expect_err("none").to_string().contains("has no component `Shield`"));
    world.despawn(stone).expect("alive");
    assert!(world.switch_on::<Shield>(stone).is_err() && !world.is_on::<Shield>(stone));
}

#[test]
fn dynamic_queries_pass_over_what_is_off() {
    let (mut world, all) = world_of(10);
    world.switch_off::<Shield>(all[1]).expect("there");
    world.switch_off::<Torch>(all[2]).expect("there");
    let (shield, torch) = (world.register::<Shield>(), world.register::<Torch>());
    let mut both = phalanx_ecs::DynQuery::builder().read(shield).read(torch).build().expect("no conflict");
    assert_eq!(both.count(&world), 8);
    let mut shields = phalanx_ecs::DynQuery::builder().with(shield).build().expect("no conflict");
    assert_eq!(shields.count(&world), 9);
}

#[cfg(feature = "parallel")]
#[test]
fn parallel_walks_pass_over_what_is_off() {
    let (mut world, all) = world_of(1000);
    for entity in all.iter().step_by(2) {
        world.switch_off::<Shield>(*entity).expect("there");
    }
    world.query::<&mut Shield>().par_for_each(|shield| shield.0 += 10_000);
    assert_eq!(world.query::<EvenOff<&Shield>>().iter().filter(|shield| shield.0 >= 10_000).count(), 500);
    let sums = world.query::<&Shield>().par_chunks(64, <[Shield]>::len);
    assert_eq!(sums.into_iter().sum::<usize>(), 500);
}
