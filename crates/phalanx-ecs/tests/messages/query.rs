//! `error[Q…]`, explanations and plans.

use crate::snapshot::{panic_of, says};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentLayout, DynQuery};

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

#[derive(Component)]
struct Frozen;

#[derive(Component)]
#[component(storage = "sparse")]
struct Burning;

#[derive(Component)]
#[component(toggle)]
struct Shield;

#[derive(Component)]
#[component(track)]
struct Health;

#[derive(Component)]
#[component(immutable)]
struct Team;

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component)]
struct Slot<T>(T);

#[test]
fn q001_a_query_that_takes_a_component_twice() {
    says("q001_typed", Prepared::<(&Position, &mut Slot<u8>, Option<&Slot<u8>>)>::try_new().err().unwrap());
}

#[test]
fn q001_a_query_made_at_run_time_that_takes_a_component_twice() {
    let mut world = World::new();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(4)).unwrap();
    says("q001_dynamic", DynQuery::builder().read(mana).maybe_write(mana).build().err().unwrap());
}

#[test]
fn q002_an_entity_that_is_not_in_the_query() {
    let mut world = World::new();
    let stone = world.spawn(Position);
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    let query = world.query::<(&Position, &Velocity)>();
    says("q002_lacking", query.get_many([stone]).err().unwrap());
    says("q002_dead", query.get_many([gone]).err().unwrap());
    let mut query = world.query_filtered::<&mut Position, Without<Position>>();
    says("q002_filtered", query.get_many_mut([stone]).err().unwrap());
}

#[test]
fn q002_a_component_that_is_switched_off_or_not_new() {
    let mut world = World::new();
    let orc = world.spawn((Position, Shield, Health));
    world.switch_off::<Shield>(orc).unwrap();
    says("q002_switched_off", world.query::<(&Position, &Shield)>().get_many([orc]).err().unwrap());
    let mut hurt = Prepared::<&Health, Changed<Health>>::new();
    hurt.on(&mut world);
    says("q002_not_changed", hurt.on(&mut world).get_many([orc]).err().unwrap());
}

#[test]
fn q003_an_entity_that_is_asked_for_twice() {
    let mut world = World::new();
    let stone = world.spawn(Position);
    says("q003_twice", world.query::<&mut Position>().get_many_mut([stone, stone]).err().unwrap());
}

#[test]
fn q004_not_one_entity() {
    let mut world = World::new();
    says("q004_none", world.query::<(Entity, &Position)>().single().err().unwrap());
    world.spawn_batch([Position, Position]);
    says("q004_two", world.query_filtered::<&Position, Without<Frozen>>().single().err().unwrap());
}

#[test]
fn q005_queries_that_cannot_be_crossed_in_parallel() {
    let mut world = World::new();
    let (mut first, mut second) = (Prepared::<&mut Position>::new(), Prepared::<(&Position, &Velocity)>::new());
    says("q005_cross", first.par_cross(&mut second, &mut world, |_, _| {}).unwrap_err());
}

#[test]
fn explaining_a_match() {
    let mut world = World::new();
    let stone = world.spawn(Position);
    let query = world.query_filtered::<(Entity, &Position, Option<&mut Velocity>, Has<Burning>), Without<Frozen>>();
    says("explain_match", query.explain(stone));
}

#[test]
fn explaining_what_is_missing_and_what_is_too_much() {
    let mut world = World::new();
    let stone = world.spawn((Position, Frozen));
    let query = world.query_filtered::<(&Position, &Velocity), (With<Burning>, Without<Frozen>)>();
    says("explain_missing", query.explain(stone));
}

#[test]
fn explaining_alternatives() {
    let mut world = World::new();
    let stone = world.spawn(Position);
    let or = world.query_filtered::<&Position, Or<(With<Velocity>, Without<Position>)>>();
    says("explain_or", or.explain(stone));
    let any = world.query::<AnyOf<(&Velocity, &Burning)>>();
    says("explain_any_of", any.explain(stone));
    let both = world.query_filtered::<&Frozen, Or<(With<Velocity>, With<Burning>)>>();
    says("explain_or_and_missing", both.explain(stone));
}

#[test]
fn explaining_an_exact_query() {
    let mut world = World::new();
    let stone = world.spawn((Position, Frozen, Burning));
    says("explain_exact", world.query_filtered::<&Position, Exact>().explain(stone));
    says("explain_exact_and_missing", world.query_filtered::<&Velocity, Exact>().explain(stone));
}

#[test]
fn explaining_a_dead_entity() {
    let mut world = World::new();
    let gone = world.spawn(Position);
    world.despawn(gone).unwrap();
    says("explain_dead", world.query::<&Position>().explain(gone));
}

#[test]
fn explaining_a_query_made_at_run_time() {
    let mut world = World::new();
    let stone = world.spawn(Position);
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(4)).unwrap();
    let position = world.register::<Position>();
    let mut query = DynQuery::builder().write(mana).maybe_read(position).without(position).exact().build().unwrap();
    says("explain_dynamic", query.explain(&world, stone));
}

#[test]
fn plans() {
    let mut world = World::new();
    says("plan_of_an_empty_world", world.query::<&Position>().plan());
    world.spawn(Position);
    says("plan_of_one_table", world.query::<&Position>().plan());
    world.spawn_batch([(Position, Velocity), (Position, Velocity)]);
    says("plan_of_tables", world.query::<&Position>().plan());
    world.spawn(Burning);
    says("plan_of_a_sparse_set", world.query::<(&Position, &Burning)>().plan());
}

#[test]
fn q007_a_query_that_changes_an_immutable_component() {
    let mut world = World::new();
    let team = world.register::<Team>();
    let mut query = DynQuery::builder().write(team).build().unwrap();
    says("q007_immutable", panic_of(|| query.for_each(&mut world, |_| ())));
}
