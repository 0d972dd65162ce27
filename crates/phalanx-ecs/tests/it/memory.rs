//! Memory: counted, given back, and never lost.

use crate::allocated::bytes_of;
use crate::hostile::{Held, Ledger, Tag, assert_well, for_both_storages, held, tags_alive};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{Component, ComponentLayout, DynValue};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct X(u64);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u64);

#[test]
fn an_empty_world_has_no_values() {
    let memory = World::new().memory();
    assert_eq!((memory.live(), memory.components.len()), (0, 0));
    assert_eq!(memory.tables.len(), 1, "the table of entities without components");
}

#[test]
fn the_report_adds_up() {
    let mut world = World::new();
    world.spawn_batch((0..100).map(|n| (X(n), S(n))));
    world.spawn_batch((0..50).map(S));
    let memory = world.memory();
    assert_eq!((memory.components[0].live, memory.components[1].live), (800, 1200));
    let parts = memory.components.iter().map(|c| c.reserved).sum::<usize>()
        + memory.tables.iter().map(|t| t.overhead).sum::<usize>()
        + memory.entities
        + memory.graph
        + memory.queries;
    assert_eq!(memory.reserved(), parts);
    for table in &memory.tables {
        assert!(table.reserved >= table.overhead && table.reserved >= table.live);
    }
    let text = memory.to_string();
    assert!(text.contains("X ") && text.contains("1200 B") && text.contains("graph and queries"), "{text}");
}

#[test]
fn the_lines_of_the_report_add_up_to_its_last() {
    let mut world = World::new();
    world.spawn_batch((0..10_000).map(|n| (X(n), S(n))));
    world.spawn_batch((0..5_000).map(X));
    let text = world.memory().to_string();
    let reserved = |line: &str| {
        let mut words = line.split_whitespace().rev();
        let unit = if words.next() == Some("kB") { 1000.0 } else { 1.0 };
        words.next().expect("a number").parse::<f64>().expect("a number") * unit
    };
    let lines: Vec<f64> = text.lines().skip(1).map(reserved).collect();
    let [parts @ .., all] = &lines[..] else { panic!("{text}") };
    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    let rounding = 50.0 * lines.len() as f64;
    assert!((parts.iter().sum::<f64>() - all).abs() <= rounding, "{text}");
    assert!(reserved(text.lines().find(|line| line.starts_with("tables")).expect("a line")) > rounding, "{text}");
}

/// A world of many types and tables, whose graph is most of what it has.
fn many_tables() -> World {
    let mut world = World::new();
    let layout = |at: usize| ComponentLayout::new(format!("type {at}")).size(4).align(4);
    let ids: Vec<_> = (0..100).map(|at| world.register_dyn(layout(at)).expect("possible")).collect();
    for first in &ids {
        for second in &ids[..20] {
            let entity = world.spawn(X(1));
            for id in [first, second] {
                world.insert_dyn(entity, *id, DynValue::bytes(&[1; 4])).expect("fits");
            }
        }
    }
    world
}

#[test]
fn the_report_knows_nearly_all_that_was_allocated() {
    let (allocated, world) = bytes_of(many_tables);
    assert!(world.stats().tables > 1500);
    let reported = world.memory().reserved();
    let percent = reported * 100 / allocated;
    assert!((95..105).contains(&percent), "{reported} reported, {allocated} allocated\n{}", world.memory().graph);
}

#[test]
fn a_dropped_world_gives_all_its_memory_back() {
    let (left, ()) = bytes_of(|| drop(many_tables()));
    assert_eq!(left, 0);
}

#[test]
fn queries_are_counted() {
    let mut world = World::new();
    world.spawn(X(1));
    let before = world.memory().queries;
    world.query::<(&X, Option<&S>)>().count();
    assert!(world.memory().queries > before);
}

#[test]
fn shrinking_gives_back_what_is_not_used_and_loses_nothing() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let many = if cfg!(miri) { 600 } else { 3000 };
    let all = world.spawn_batch((0..many).map(|n| (X(n), held::<true, 0>()))).to_vec();
    world.despawn_batch(all[10..].iter().copied()).expect("alive");
    let before = world.memory();
    world.shrink();
    let after = world.memory();
    assert_eq!((after.components[0].live, after.components[0].reserved), (80, 80));
    let values = (all.len() - 10) * (size_of::<X>() + size_of::<Held<true, 0>>());
    assert!(after.reserved() <= before.reserved() - values, "{} to {}", before.reserved(), after.reserved());
    for (n, entity) in (0..).zip(&all[..10]) {
        assert_eq!(world.get::<X>(*entity), Some(&X(n)));
        assert!(world.has::<Held<true, 0>>(*entity));
    }
    assert_well(&world, ledger, 10);
    // And it grows again.
    world.spawn_batch((0..100).map(|n| (X(n), held::<true, 0>())));
    assert_well(&world, ledger, 110);
    world.shrink();
    world.shrink();
    assert_well(&world, ledger, 110);
}

fn clearing_drops_all_and_keeps_types_and_tables<const SPARSE: bool>() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let all = world.spawn_batch((0..20).map(|n| (X(n), held::<SPARSE, 0>(), Tag::<SPARSE>::new()))).to_vec();
    let tables = world.stats().tables;
    world.clear();
    assert_well(&world, ledger, 0);
    assert_eq!((tags_alive(), world.alive(), world.stats().tables), (0, 0, tables));
    assert_eq!((world.components().len(), world.stats().empty_tables), (3, tables));
    assert!(all.iter().all(|entity| !world.is_alive(*entity)));
    world.spawn_batch((0..5).map(|n| (X(n), held::<SPARSE, 0>())));
    assert_well(&world, ledger, 5);
    assert_eq!(world.query::<(&X, &Held<SPARSE, 0>)>().count(), 5);
}

#[test]
fn reclaiming_deletes_tables_without_entities_and_they_come_back() {
    let ledger = Ledger::new();
    let mut world = World::new();
    let entity = world.spawn(X(1));
    for _ in 0..3 {
        world.insert(entity, held::<false, 0>()).expect("alive");
        world.insert(entity, (held::<false, 1>(), Tag::<false>::new())).expect("alive");
        world.remove::<(Held<false, 0>, Tag<false>)>(entity).expect("alive");
        world.remove::<Held<false, 1>>(entity).expect("alive");
    }
    assert_eq!((world.stats().tables, world.stats().empty_tables), (5, 4));
    assert_eq!(world.reclaim(), 3, "all but that of X and that of nothing");
    assert_eq!((world.stats().tables, world.reclaim()), (2, 0));
    assert_well(&world, ledger, 0);
    world.insert(entity, (held::<false, 1>(), held::<false, 0>())).expect("alive");
    assert_eq!(world.get::<X>(entity), Some(&X(1)));
    assert_well(&world, ledger, 2);
}

#[test]
fn a_dropped_world_leaves_nothing() {
    let ledger = Ledger::new();
    {
        let mut world = World::new();
        world.spawn_batch((0..10).map(|_| (held::<false, 0>(), held::<true, 1>())));
        world.reserve::<(Held<false, 2>, Held<true, 3>)>(100);
        world.insert_where_with::<With<Held<true, 1>>, _>(|_| (held::<false, 2>(), Tag::<true>::new()));
        assert_eq!((ledger.alive(), tags_alive()), (30, 10));
    }
    assert_eq!((ledger.alive(), tags_alive()), (0, 0));
}

for_both_storages!(clearing_drops_all_and_keeps_types_and_tables);
