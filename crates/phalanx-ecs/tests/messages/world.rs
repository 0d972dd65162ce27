//! Statistics, memory, and the short forms that `{:?}` prints.

use crate::snapshot::says;
use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentLayout, DynQuery, DynValue};

#[derive(Component)]
struct Position([f32; 3]);

#[derive(Component)]
struct Frozen;

#[derive(Component)]
#[component(storage = "sparse", name = "a component with a name longer than its column")]
struct Burning(u64);

fn small_world() -> (World, Entity) {
    let mut world = World::builder().min_free(0).build();
    let entities = world.spawn_batch((0..3).map(|_| (Position([0.0; 3]), Frozen)));
    let burning = world.spawn((Position([0.0; 3]), Burning(1)));
    world.despawn(entities.get(1).unwrap()).unwrap();
    (world, burning)
}

#[test]
fn statistics_of_one() {
    let mut world = World::new();
    world.register::<Frozen>();
    says("stats_of_one_type", world.stats());
}

#[test]
fn statistics() {
    says("stats_of_an_empty_world", World::new().stats());
    let (world, _) = small_world();
    says("stats", world.stats());
    says("entity_stats", world.stats().entities);
}

/// What the bookkeeping takes changes with every line of it, so it is left out; what components take is a promise.
#[test]
fn memory() {
    let (mut world, _) = small_world();
    world.shrink();
    let report = world.memory().to_string();
    let lines = report.lines().map(|line| {
        let is_bookkeeping = ["tables", "entities", "graph", "all"].iter().any(|name| line.starts_with(name));
        if is_bookkeeping { format!("{}{:>12}", &line[..line.len() - 12], "…") } else { line.to_owned() }
    });
    says("memory", lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn short_forms() {
    let (mut world, burning) = small_world();
    let id = world.register::<Position>();
    let mana = world.register_dyn(ComponentLayout::new("Mana").size(1)).unwrap();
    let mut dynamic = DynQuery::builder().read(id).without(mana).build().unwrap();
    let unused = format!("{dynamic:?}");
    dynamic.count(&world);
    let prepared = Prepared::<(Entity, &mut Position), (Without<Frozen>, Exact)>::new();
    let spawned = world.spawn_batch([(), ()]);
    let entity = world.entity(burning).unwrap();
    let lines = [
        format!("{world:?}"),
        format!("{entity:?}"),
        format!("{spawned:?}"),
        format!("{id:?}"),
        format!("{:?}", world.components().info(id).unwrap()),
        format!("{:?}", world.get_dyn(burning, id).unwrap()),
        format!("{:?} {:?}", DynValue::new(Frozen), DynValue::bytes(&[1, 2])),
        format!("{prepared:?}"),
        format!("{unused} before its first use"),
        format!("{dynamic:?}"),
    ];
    let query = format!("{:?}", world.query::<(&Position, Option<&Burning>)>());
    says("debug", lines.join("\n") + "\n" + &query);
}

#[test]
fn w002_values_that_are_left() {
    let check = phalanx_ecs::testing::LeakCheck::new();
    let values = (check.witness::<u8>(), [check.witness::<u16>(), check.witness::<u16>()]);
    says("w002_left", check.finish().unwrap_err());
    drop(values);
    check.finish().unwrap();
}
