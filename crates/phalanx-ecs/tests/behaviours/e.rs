//! Entities.

use phalanx_ecs::{
    CompactEntity, Component, Entity, EntityConfig, FullKind, HandleLayout, InsertError, Name, NotAliveReason,
    SpawnError, Uuid, World,
};
use std::time::Instant;

#[derive(Component, Debug, PartialEq, Clone)]
struct Number(u32);

fn entity(index: u32, generation: u32) -> Entity {
    Entity::from_parts(index, generation).expect("in range")
}

fn texts(entities: impl IntoIterator<Item = Entity>) -> Vec<String> {
    entities.into_iter().map(|entity| entity.to_string()).collect()
}

#[test]
fn e1_an_entity_is_an_id_and_nothing_else() {
    assert_eq!(size_of::<Entity>(), 8);
    let mut world = World::new();
    let handle = world.spawn(());
    assert_eq!(world.signature(handle).expect("alive"), []);
    let copy = handle;
    assert_eq!(copy, handle);
    assert!(world.is_alive(copy));
}

#[test]
fn e1_the_world_knows_how_many_are_alive() {
    let mut world = World::new();
    assert_eq!(world.alive(), 0);
    let one = world.spawn(());
    let others = world.spawn_batch((0..9).map(Number));
    assert_eq!(world.alive(), 10);
    world.despawn(one).expect("alive");
    assert_eq!(world.alive(), 9);
    assert_eq!(world.entities().collect::<Vec<_>>(), others.to_vec());
    world.clear();
    assert_eq!((world.alive(), world.entities().count()), (0, 0));
    world.validate().expect("consistent");
}

/// O(1) is not timed here but counted: a despawn moves one row, whatever the number of entities.
#[test]
fn e1_despawning_moves_at_most_one_other_row() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(Number)).to_vec();
    let before: Vec<Entity> = world.query::<(Entity, &Number)>().iter().map(|(entity, _)| entity).collect();
    world.despawn(all[10]).expect("alive");
    let after: Vec<Entity> = world.query::<(Entity, &Number)>().iter().map(|(entity, _)| entity).collect();
    let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert_eq!((after.len(), moved, after[10]), (99, 1, all[99]));
}

#[test]
fn e2_a_handle_is_index_and_generation() {
    let mut world = World::builder().min_free(1).build();
    let first = world.spawn(());
    assert_eq!((first.index(), first.generation()), (0, 0));
    world.despawn(first).expect("alive");
    let second = world.spawn(());
    assert_eq!((second.index(), second.generation()), (0, 1));
    assert!(world.is_alive(second) && !world.is_alive(first));
}

#[test]
fn e2_an_out_of_range_index_is_simply_not_alive() {
    let mut world = World::new();
    for handle in [entity(0, 0), entity(u32::MAX, 0), entity(u32::MAX, Entity::MAX_GENERATION)] {
        assert!(!world.is_alive(handle));
    }
    world.spawn(());
    assert!(world.is_alive(entity(0, 0)) && !world.is_alive(entity(1, 0)) && !world.is_alive(entity(0, 1)));
}

#[test]
fn e2_a_foreign_handle_is_not_alive() {
    let mut here = World::new();
    here.spawn(Number(1));
    let mut there = World::new();
    let beyond = there.spawn_batch((0..5).map(Number)).to_vec();
    assert!(!here.is_alive(beyond[4]), "an index this world never handed out");
    // Debug builds tell worlds apart even where the index is in use in both.
    if cfg!(debug_assertions) {
        let mut worlds = std::iter::repeat_with(World::new).take(3);
        assert!(worlds.any(|mut world| {
            let handle = world.spawn(());
            !here.is_alive(handle) && here.despawn(handle).expect_err("foreign").reason == NotAliveReason::Foreign
        }));
        assert_eq!(here.alive(), 1);
    }
}

#[test]
fn e3_wide_handles_have_64_bits_and_so_have_options_of_them() {
    assert_eq!((size_of::<Entity>(), size_of::<Option<Entity>>()), (8, 8));
    assert_eq!(EntityConfig::default().layout, HandleLayout::Wide);
    let handle = entity(u32::MAX, 7);
    assert_eq!(handle.to_bits(), (7 << 32) | u64::from(u32::MAX));
    assert_eq!(Entity::from_bits(handle.to_bits()), Some(handle));
}

#[test]
fn e3_compact_handles_are_a_u32_with_the_index_in_the_low_22_bits() {
    assert_eq!(size_of::<CompactEntity>(), 4);
    let compact = CompactEntity::try_from(entity(5, 3)).expect("fits");
    assert_eq!(compact.to_bits(), 5 | (3 << 22));
    assert_eq!((compact.index(), compact.generation()), (5, 3));
    assert_eq!(CompactEntity::from_bits(u32::MAX).index(), (1 << 22) - 1);
    assert_eq!(CompactEntity::from_bits(u32::MAX).generation(), 1023);
    assert!(CompactEntity::try_from(entity(1 << 22, 0)).is_err());
    assert!(CompactEntity::try_from(entity(0, 1024)).is_err());
}

#[test]
fn e3_all_handles_of_a_compact_world_convert_there_and_back() {
    let mut world = World::builder().layout(HandleLayout::Compact).min_free(1).build();
    let mut handles = world.spawn_batch((0..10).map(Number)).to_vec();
    for _ in 0..30 {
        let oldest = handles.remove(0);
        world.despawn(oldest).expect("alive");
        handles.push(world.spawn(()));
    }
    for handle in handles {
        let compact = CompactEntity::try_from(handle).expect("fits");
        assert_eq!(Entity::from(compact), handle);
        assert_eq!(Entity::from(CompactEntity::from_bits(compact.to_bits())), handle);
        assert!(world.is_alive(compact.into()));
    }
}

/// All 4 million of them; skipped where that is slow.
#[test]
#[cfg(not(any(miri, debug_assertions)))]
fn e3_a_compact_world_keeps_to_22_bit_indices() {
    let mut world = World::builder().layout(HandleLayout::Compact).build();
    world.spawn_batch((0..1 << 22).map(|_| ()));
    let error = world.try_spawn(()).expect_err("no index is left");
    assert!(error.to_string().contains("4194304 indices of layout `Compact`"), "{error}");
}

#[test]
fn e3_entities_print_as_5v3_and_compact_ones_as_5_bar_3_and_are_read_back() {
    let handle = entity(5, 3);
    let compact = CompactEntity::try_from(handle).expect("fits");
    assert_eq!((handle.to_string(), compact.to_string()), ("5v3".into(), "5|3".into()));
    assert_eq!((format!("{handle:?}"), format!("{compact:?}")), ("5v3".into(), "5|3".into()));
    assert_eq!(("5v3".parse(), "5|3".parse()), (Ok(handle), Ok(compact)));
    assert!("5|3".parse::<Entity>().is_err() && "5v3".parse::<CompactEntity>().is_err());
}

#[test]
fn e4_freed_indices_are_reused_first_in_first_out() {
    let mut world = World::builder().min_free(1).build();
    let all = world.spawn_batch((0..4).map(Number)).to_vec();
    for at in [2, 0, 3] {
        world.despawn(all[at]).expect("alive");
    }
    let again: Vec<Entity> = (0..4).map(|_| world.spawn(())).collect();
    assert_eq!(texts(again), ["2v1", "0v1", "3v1", "4v0"]);
}

#[test]
fn e4_below_min_free_a_fresh_index_is_taken() {
    let mut world = World::builder().min_free(3).build();
    let all = world.spawn_batch((0..5).map(Number)).to_vec();
    world.despawn(all[1]).expect("alive");
    world.despawn(all[0]).expect("alive");
    assert_eq!(world.spawn(()).to_string(), "5v0", "two wait, three must");
    world.despawn(all[4]).expect("alive");
    assert_eq!(world.spawn(()).to_string(), "1v1", "three wait");
    assert_eq!(world.spawn(()).to_string(), "6v0", "two wait again");
}

#[test]
fn e4_min_free_is_1024_by_default() {
    assert_eq!(EntityConfig::default().min_free, 1024);
    let mut world = World::new();
    let all = world.spawn_batch((0..1024).map(Number)).to_vec();
    world.despawn_batch(all[..1023].iter().copied()).expect("alive");
    assert_eq!(world.spawn(()).to_string(), "1024v0", "1023 wait");
    world.despawn(all[1023]).expect("alive");
    assert_eq!(world.spawn(()).to_string(), "0v1", "1024 wait");
}

#[test]
fn e4_a_batch_gets_the_same_ids_as_single_spawns() {
    let worn = || {
        let mut world = World::builder().min_free(2).build();
        let all = world.spawn_batch((0..6).map(Number)).to_vec();
        world.despawn_batch([all[5], all[1], all[3], all[2]]).expect("alive");
        world
    };
    let (mut batch, mut single) = (worn(), worn());
    let one_by_one: Vec<Entity> = (0..6).map(|n| single.spawn(Number(n))).collect();
    assert_eq!(batch.spawn_batch((0..6).map(Number)).to_vec(), one_by_one);
    assert_eq!(batch.stats().entities, single.stats().entities);
    batch.validate().expect("consistent");
}

/// The world with all indices in use takes millions of them, so the small part of this row is tested in `entity` itself
/// (`the_bound_is_waived_when_no_fresh_index_is_left`) and the whole of it in release builds.
#[test]
#[cfg(not(any(miri, debug_assertions)))]
fn e4_the_bound_is_waived_when_no_fresh_index_is_left() {
    let mut world = World::builder().layout(HandleLayout::Compact).build();
    let all = world.spawn_batch((0..1 << 22).map(|_| ()));
    world.despawn(all.get(7).expect("there")).expect("alive");
    assert_eq!(world.spawn(()).to_string(), "7v1");
    assert!(world.try_spawn(()).is_err());
}

#[test]
fn e5_compact_generations_wrap_after_1024_uses_and_the_handle_is_alive_again() {
    let mut world = World::builder().layout(HandleLayout::Compact).min_free(1).build();
    let first = world.spawn(Number(0));
    let mut current = first;
    for use_number in 1..1024 {
        world.despawn(current).expect("alive");
        current = world.spawn(Number(use_number));
        assert_eq!((current.index(), current.generation()), (0, use_number));
        assert!(!world.is_alive(first));
    }
    world.despawn(current).expect("alive");
    current = world.spawn(Number(1024));
    assert_eq!(current, first);
    assert_eq!(world.get(first), Some(&Number(1024)));
    assert_eq!(world.stats().entities.retired, 0);
    world.validate().expect("consistent");
}

#[test]
fn e5_wide_generations_never_wrap_an_index_used_up_is_retired() {
    let mut world = World::builder().min_free(1).build();
    world.spawn(Number(1));
    world.simulate_generation(0, Entity::MAX_GENERATION - 1);
    let second_last = world.entities().next().expect("one");
    world.despawn(second_last).expect("alive");
    let last = world.spawn(Number(2));
    assert_eq!((last.index(), last.generation()), (0, Entity::MAX_GENERATION));
    world.despawn(last).expect("alive");
    assert_eq!((world.stats().entities.retired, world.stats().entities.free), (1, 0));
    let next = world.spawn(Number(3));
    assert_eq!(next.to_string(), "1v0", "index 0 is never used again");
    assert_eq!(world.despawn(last).expect_err("dead").reason, NotAliveReason::Retired);
    assert!(!world.is_alive(entity(0, 0)) && !world.is_alive(last));
    world.validate().expect("consistent");
}

#[test]
fn e5_killing_twice_is_an_error_that_changes_nothing() {
    for layout in [HandleLayout::Wide, HandleLayout::Compact] {
        let mut world = World::builder().layout(layout).min_free(1).build();
        let (dead, kept) = (world.spawn(Number(1)), world.spawn(Number(2)));
        world.despawn(dead).expect("alive");
        let before = world.stats();
        let error = world.despawn(dead).expect_err("dead");
        assert_eq!(error.entity, dead);
        assert!(error.to_string().contains("entity 0v0 is not alive"), "{error}");
        assert_eq!(world.stats(), before);
        assert_eq!(world.get(kept), Some(&Number(2)));

        let reused = world.spawn(Number(3));
        assert_eq!(reused.index(), dead.index());
        world.despawn(dead).expect_err("its index belongs to another one now");
        assert_eq!(world.get(reused), Some(&Number(3)));
        world.validate().expect("consistent");
    }
}

#[test]
fn e6_the_spawn_past_the_limit_is_an_error_with_limit_and_alive() {
    let mut world = World::builder().limit(2).build();
    let first = world.spawn(Number(1));
    world.spawn(Number(2));
    let Err(SpawnError::Full { 0: full, .. }) = world.try_spawn(Number(3)) else { panic!("the world is full") };
    assert_eq!((full.limit, full.alive, full.asked, full.kind), (2, 2, 1, FullKind::Limit));
    assert!(full.to_string().contains("limit: 2, alive: 2"), "{full}");
    assert_eq!((world.alive(), world.stats().entities.highest_index), (2, Some(1)), "no id was handed out");
    world.despawn(first).expect("alive");
    assert!(world.try_spawn(Number(3)).is_ok(), "there is room again");
    world.validate().expect("consistent");
}

#[test]
fn e6_a_batch_past_the_limit_spawns_nothing() {
    let mut world = World::builder().limit(3).build();
    world.spawn(Number(0));
    let Err(SpawnError::Full { 0: full, .. }) = world.try_spawn_batch((0..3).map(Number)) else {
        panic!("the world is full")
    };
    assert_eq!((full.limit, full.alive), (3, 1));
    assert_eq!(world.alive(), 1);
    // An iterator that does not say how long it is.
    assert!(world.try_spawn_batch((0..9).filter(|n| n % 3 == 0).map(Number)).is_err());
    assert!(world.spawn_columns((vec![Number(1), Number(2), Number(3)],)).is_err());
    assert_eq!(world.query::<&Number>().count(), 1);
    assert_eq!(world.spawn_batch((0..2).map(Number)).len(), 2);
    world.validate().expect("consistent");
}

#[test]
fn e6_without_a_limit_there_is_none() {
    let mut world = World::new();
    assert_eq!(EntityConfig::default().limit, None);
    let many = if cfg!(miri) { 100 } else { 5000 };
    assert_eq!(world.spawn_batch((0..many).map(Number)).len(), many as usize);
}

#[test]
#[should_panic(expected = "limit: 0, alive: 0")]
fn e6_spawn_panics_with_the_same_message() {
    World::builder().limit(0).build().spawn(());
}

#[test]
fn e7_entities_are_created_and_destroyed_in_batches() {
    let mut world = World::new();
    let all = world.spawn_batch((0..10).map(Number));
    assert_eq!((all.len(), world.alive()), (10, 10));
    assert_eq!(world.despawn_batch(all.iter().step_by(2)), Ok(5));
    assert_eq!(world.query::<&Number>().iter().map(|n| n.0 % 2).sum::<u32>(), 5);
    world.validate().expect("consistent");
}

#[test]
fn e7_destroying_a_batch_answers_for_each_that_was_missing() {
    let mut world = World::new();
    let all = world.spawn_batch((0..4).map(Number)).to_vec();
    let never = entity(77, 0);
    let error = world.despawn_batch([all[3], never, all[3], all[1]]).expect_err("two are missing");
    assert_eq!(error.despawned, 2);
    assert_eq!(error.missing.iter().map(|dead| dead.entity).collect::<Vec<_>>(), [never, all[3]]);
    assert_eq!(world.entities().collect::<Vec<_>>(), [all[0], all[2]]);
    world.validate().expect("consistent");
}

#[test]
fn e7_batch_lookup_keeps_the_callers_order_and_answers_per_entity() {
    let mut world = World::new();
    let all = world.spawn_batch((0..5).map(Number)).to_vec();
    let bare = world.spawn(());
    world.despawn(all[2]).expect("alive");
    let asked = [all[4], all[2], bare, all[0], all[4]];
    let found = world.get_many::<Number>(&asked);
    assert_eq!(found, [Some(&Number(4)), None, None, Some(&Number(0)), Some(&Number(4))]);
}

#[test]
fn e8_any_entity_can_carry_a_uuid_and_a_name_and_is_found_by_either() {
    let mut world = World::new();
    let uuid: Uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8".parse().expect("a uuid");
    let hero = world.spawn((Number(1), Name::new("Ariadne"), uuid));
    let late = world.spawn(());
    world.insert(late, (Name::new("Theseus"), Uuid::from_u128(2))).expect("free");
    assert_eq!((world.by_uuid(&uuid), world.named("Ariadne")), (Some(hero), Some(hero)));
    assert_eq!((world.by_uuid(&Uuid::from_u128(2)), world.named("Theseus")), (Some(late), Some(late)));
    world.remove::<Name>(hero).expect("alive");
    world.despawn(late).expect("alive");
    assert_eq!((world.named("Ariadne"), world.named("Theseus")), (None, None));
    assert_eq!((world.by_uuid(&uuid), world.by_uuid(&Uuid::from_u128(2))), (Some(hero), None));
    world.validate().expect("consistent");
}

/// Among a hundred times as many a look costs about as much. Generous, because machines are busy.
#[test]
fn e8_a_look_costs_the_same_among_many() {
    let time = |count: u32| {
        let mut world = World::new();
        world.spawn_batch((0..count).map(|n| (Name::new(n.to_string()), Uuid::from_u128(n.into()))));
        world.spawn_batch((0..count).map(|_| Name::new("rat")));
        let wanted: Vec<(String, Uuid)> =
            (0..500).map(|n| n * (count / 500)).map(|n| (n.to_string(), Uuid::from_u128(n.into()))).collect();
        let round = || {
            let start = Instant::now();
            for (name, uuid) in &wanted {
                assert!(world.named(name).is_some() && world.by_uuid(uuid).is_some() && world.named("rat").is_some());
            }
            start.elapsed()
        };
        (0..20).map(|_| round()).min().expect("some rounds")
    };
    let (few, many) = if cfg!(miri) { (500, 500) } else { (500, 50_000) };
    let (one, hundred) = (time(few), time(many));
    assert!(hundred < one * 20, "{one:?} among {few}, {hundred:?} among {many}");
}

#[test]
fn e8_a_second_entity_of_one_uuid_is_refused_with_an_error() {
    let mut world = World::new();
    let uuid = world.new_uuid();
    let hero = world.spawn((Number(1), uuid));
    let Err(SpawnError::Uuid(taken)) = world.try_spawn((Number(2), uuid)) else { panic!("refused") };
    assert_eq!((taken.uuid, taken.holder), (uuid, Some(hero)));
    let other = world.spawn(Number(3));
    let Err(InsertError::Uuid(taken)) = world.insert(other, (Number(4), uuid)) else { panic!("refused") };
    assert_eq!((taken.holder, taken.wanted), (Some(hero), Some(other)));
    assert_eq!((world.alive(), world.get::<Number>(other)), (2, Some(&Number(3))), "nothing changed");
    world.despawn(hero).expect("alive");
    world.insert(other, uuid).expect("it is free again");
    assert_eq!(world.by_uuid(&uuid), Some(other));
    world.validate().expect("consistent");
}

#[test]
fn e9_statistics_say_alive_free_retired_highest_index_and_highest_generation() {
    let mut world = World::builder().min_free(1).build();
    let stats = world.stats().entities;
    assert_eq!((stats.alive, stats.free, stats.retired), (0, 0, 0));
    assert_eq!((stats.highest_index, stats.highest_generation), (None, None));

    let all = world.spawn_batch((0..6).map(Number)).to_vec();
    world.despawn_batch([all[0], all[1], all[2]]).expect("alive");
    let stats = world.stats().entities;
    assert_eq!((stats.alive, stats.free, stats.retired), (3, 3, 0));
    assert_eq!((stats.highest_index, stats.highest_generation), (Some(5), Some(0)));

    world.spawn(());
    let stats = world.stats().entities;
    assert_eq!((stats.alive, stats.free, stats.highest_generation), (4, 2, Some(1)));

    world.simulate_generation(5, Entity::MAX_GENERATION);
    world.despawn(entity(5, Entity::MAX_GENERATION)).expect("alive");
    let stats = world.stats().entities;
    assert_eq!((stats.alive, stats.free, stats.retired), (3, 2, 1));
    assert_eq!((stats.highest_index, stats.highest_generation), (Some(5), Some(Entity::MAX_GENERATION)));
}
