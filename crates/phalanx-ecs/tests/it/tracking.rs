//! Change detection: what a reader sees, through every way a value can come, change and move.

use phalanx_ecs::prelude::*;
use phalanx_ecs::{ComponentId, DynValue};

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
struct Health(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track, storage = "sparse")]
struct Burning(u32);

#[derive(Component, Clone)]
#[component(track)]
struct Enemy;

#[derive(Component, Clone)]
struct Position(f32);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Wet;

type Reader<T> = Prepared<Entity, Changed<T>>;

fn seen<F: phalanx_ecs::Filter>(reader: &mut Prepared<Entity, F>, world: &mut World) -> Vec<Entity> {
    let mut seen: Vec<Entity> = reader.on(world).iter().collect();
    seen.sort();
    seen
}

#[test]
fn a_reader_sees_each_change_once_and_readers_do_not_disturb_each_other() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..200).map(Health)).to_vec();
    let (mut early, mut late) = (Reader::<Health>::new(), Reader::<Health>::new());
    assert_eq!(seen(&mut early, &mut world), all);
    assert!(seen(&mut early, &mut world).is_empty());
    for at in [3, 64, 199] {
        world.get_mut::<Health>(all[at]).expect("there").0 += 1;
        assert_eq!(seen(&mut early, &mut world), [all[at]]);
    }
    assert_eq!(seen(&mut late, &mut world), all, "a reader that never looked sees everything");
    assert!(seen(&mut late, &mut world).is_empty());
}

#[test]
fn a_reader_that_lags_sees_changes_of_several_looks_of_others() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..100).map(Health)).to_vec();
    let (mut quick, mut slow) = (Reader::<Health>::new(), Reader::<Health>::new());
    seen(&mut slow, &mut world);
    for at in 0..20 {
        world.get_mut::<Health>(all[at * 5]).expect("there").0 += 1;
        seen(&mut quick, &mut world);
    }
    let expected: Vec<Entity> = (0..20).map(|at| all[at * 5]).collect();
    assert_eq!(seen(&mut slow, &mut world), expected);
}

#[test]
fn reading_is_no_change_and_every_way_of_writing_is_one() {
    let mut world = World::new();
    let orc = world.spawn((Health(1), Burning(1)));
    let other = world.spawn((Health(1), Burning(1)));
    let health = world.register::<Health>();
    let burning = world.register::<Burning>();
    let (mut table, mut sparse) = (Reader::<Health>::new(), Reader::<Burning>::new());
    let mut check = |world: &mut World, what: &str, expected: [bool; 2], act: &mut dyn FnMut(&mut World)| {
        table.skip_to_now(world);
        sparse.skip_to_now(world);
        act(world);
        let found = [seen(&mut table, world), seen(&mut sparse, world)];
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found.contains(&orc), expected, "{what}: {found:?}");
            assert!(!found.contains(&other), "{what}: {found:?}");
        }
    };
    check(&mut world, "get", [false, false], &mut |world| {
        assert!(world.get::<Health>(orc).is_some() && world.get::<Burning>(orc).is_some());
        world.query::<(&Health, &Burning)>().for_each(|_| ());
    });
    check(&mut world, "get_mut", [true, true], &mut |world| {
        world.get_mut::<Health>(orc).expect("there").0 += 1;
        world.get_mut::<Burning>(orc).expect("there").0 += 1;
    });
    check(&mut world, "lookup_mut", [true, false], &mut |world| world.lookup_mut::<Health>(orc).expect("there").0 += 1);
    check(&mut world, "query get_mut", [true, true], &mut |world| {
        world.query::<(&mut Health, &mut Burning)>().get_mut(orc).expect("there").0.0 += 1;
    });
    check(&mut world, "view", [true, true], &mut |world| {
        world.query::<(&mut Health, &mut Burning)>().view().get_mut(orc).expect("there").0.0 += 1;
    });
    check(&mut world, "Mut, written", [true, true], &mut |world| {
        for (entity, mut health, mut burning) in world.query::<(Entity, Mut<Health>, Mut<Burning>)>() {
            if entity == orc {
                health.0 += 1;
                burning.0 += 1;
            }
        }
    });
    check(&mut world, "Mut, read or bypassed or the same", [false, false], &mut |world| {
        for (mut health, mut burning) in world.query::<(Mut<Health>, Mut<Burning>)>() {
            let before = health.clone();
            Mut::bypass(&mut burning).0 += 1;
            assert!(!Mut::set_if_neq(&mut health, before));
        }
    });
    check(&mut world, "insert over", [true, true], &mut |world| {
        world.insert(orc, (Health(5), Burning(5))).expect("alive");
    });
    check(&mut world, "replace", [true, false], &mut |world| {
        assert!(world.replace(orc, Health(6)).expect("alive").is_some());
    });
    check(&mut world, "entity_mut", [true, true], &mut |world| {
        world.entity_mut(orc).expect("alive").insert((Health(5), Burning(5))).apply();
    });
    check(&mut world, "by id", [true, true], &mut |world| {
        assert!(world.get_dyn_mut(orc, health).is_some() && world.get_dyn_mut(orc, burning).is_some());
    });
    check(&mut world, "insert by id", [true, true], &mut |world| {
        world.insert_dyn(orc, health, DynValue::new(Health(1))).expect("fits");
        world.insert_dyn(orc, burning, DynValue::new(Burning(1))).expect("fits");
    });
    check(&mut world, "a query by id", [true, true], &mut |world| write_by_id(world, orc, &[health, burning]));
    check(&mut world, "moves to another table", [false, false], &mut |world| {
        world.insert(orc, Position(0.0)).expect("alive");
        world.remove::<Position>(orc).expect("alive");
        world.insert(orc, Wet).expect("alive");
        world.entity_mut(orc).expect("alive").remove::<Wet>().insert(Position(0.0)).apply();
    });
    world.validate().expect("valid");
}

fn write_by_id(world: &mut World, orc: Entity, ids: &[ComponentId]) {
    let mut query = phalanx_ecs::DynQuery::builder();
    for id in ids {
        query = query.write(*id);
    }
    query.build().expect("no conflict").for_each(world, |mut item| {
        if item.entity() == orc {
            assert!(ids.iter().all(|id| item.get_mut(*id).is_some()));
        }
    });
}

#[test]
fn added_sees_arrivals_only() {
    let mut world = World::new();
    let mut arrivals = Prepared::<Entity, Added<Health>>::new();
    let mut sparse = Prepared::<Entity, Added<Burning>>::new();
    let mut tags = Prepared::<Entity, Added<Enemy>>::new();
    let a = world.spawn(Health(1));
    let b = world.spawn(());
    assert_eq!(seen(&mut arrivals, &mut world), [a]);
    world.get_mut::<Health>(a).expect("there").0 = 2;
    world.insert(a, Health(3)).expect("alive");
    assert!(seen(&mut arrivals, &mut world).is_empty(), "a new value in place of an old one changes it");
    world.insert(b, (Health(1), Burning(1), Enemy)).expect("alive");
    assert_eq!(
        (seen(&mut arrivals, &mut world), seen(&mut sparse, &mut world), seen(&mut tags, &mut world)),
        (vec![b], vec![b], vec![b])
    );
    world.remove::<(Health, Burning, Enemy)>(b).expect("alive");
    world.insert(b, (Health(1), Burning(1), Enemy)).expect("alive");
    assert_eq!(
        (seen(&mut arrivals, &mut world), seen(&mut sparse, &mut world), seen(&mut tags, &mut world)),
        (vec![b], vec![b], vec![b])
    );
    let c = world.clone_entity(b).expect("cloneable");
    assert_eq!(seen(&mut arrivals, &mut world), [c]);
    let mut other = World::new();
    let mut there = Prepared::<Entity, Added<Health>>::new();
    let moved = world.move_entity(c, &mut other).expect("room");
    assert_eq!(seen(&mut there, &mut other), [moved]);
    world.validate().expect("valid");
    other.validate().expect("valid");
}

#[test]
fn bulk_changes_are_seen_and_carry_what_was_not_seen() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..150).map(Health)).to_vec();
    let mut reader = Reader::<Health>::new();
    seen(&mut reader, &mut world);
    world.get_mut::<Health>(all[70]).expect("there").0 += 1;
    // Relabelled, then appended to a table that has rows.
    world.insert_where_with::<With<Health>, Position>(|_| Position(0.0));
    let lone = world.spawn(Health(0));
    world.get_mut::<Health>(all[71]).expect("there").0 += 1;
    world.remove_where::<With<Health>, Position>();
    let mut expected = vec![all[70], all[71], lone];
    expected.sort();
    assert_eq!(seen(&mut reader, &mut world), expected);
    world.insert_where_with::<With<Health>, Health>(|_| Health(9));
    assert_eq!(seen(&mut reader, &mut world).len(), 151);
    world.validate().expect("valid");
}

#[test]
fn slices_of_tracked_values_are_changes_and_slices_of_changes_can_be_had() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..300).map(Health)).to_vec();
    let mut reader = Prepared::<(Entity, &Health), Changed<Health>>::new();
    reader.skip_to_now(&world);
    for at in [0, 1, 2, 100, 299] {
        world.get_mut::<Health>(all[at]).expect("there").0 += 1000;
    }
    let lens: Vec<usize> = reader.on(&mut world).chunks().map(|(_, health)| health.len()).collect();
    assert_eq!(lens, [3, 1, 1]);
    world.query::<&mut Health>().chunks().for_each(|health| health[0].0 += 1);
    assert_eq!(reader.on(&mut world).count(), 300);
}

#[test]
fn filters_combine_with_changes() {
    let mut world = World::new();
    let a = world.spawn((Health(1), Burning(1)));
    let b = world.spawn((Health(1), Position(0.0)));
    let c = world.spawn((Burning(1), Position(0.0)));
    type Either = Or<(Changed<Health>, Changed<Burning>)>;
    let mut either = Prepared::<Entity, Either>::new();
    let mut both = Prepared::<Entity, (Changed<Health>, Changed<Burning>)>::new();
    let mut wet = Prepared::<Entity, (Changed<Health>, With<Wet>)>::new();
    let mut or_wet = Prepared::<Entity, Or<(Changed<Health>, With<Wet>)>>::new();
    assert_eq!(seen(&mut either, &mut world), [a, b, c]);
    assert_eq!(seen(&mut both, &mut world), [a]);
    assert!(seen(&mut wet, &mut world).is_empty());
    assert_eq!(seen(&mut or_wet, &mut world), [a, b]);
    world.get_mut::<Burning>(a).expect("there").0 += 1;
    world.insert(c, Wet).expect("alive");
    assert_eq!(seen(&mut either, &mut world), [a]);
    assert!(seen(&mut both, &mut world).is_empty());
    assert_eq!(seen(&mut or_wet, &mut world), [c]);
    world.get_mut::<Health>(b).expect("there").0 += 1;
    world.insert(b, Wet).expect("alive");
    assert_eq!(seen(&mut wet, &mut world), [b]);
    assert_eq!(seen(&mut or_wet, &mut world), [b, c]);
}

#[test]
fn a_walk_over_changes_may_change_them_again() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..100).map(Health)).to_vec();
    let mut spread = Prepared::<&mut Health, Changed<Health>>::new();
    let mut after = Reader::<Health>::new();
    spread.skip_to_now(&world);
    after.skip_to_now(&world);
    world.get_mut::<Health>(all[7]).expect("there").0 = 500;
    spread.on(&mut world).for_each(|health| health.0 += 1);
    assert_eq!(world.get::<Health>(all[7]), Some(&Health(501)));
    assert_eq!(seen(&mut after, &mut world), [all[7]]);
    spread.on(&mut world).for_each(|_| ());
    assert_eq!(seen(&mut after, &mut world), [all[7]], "what the reader changed itself is new to it once more");
}

#[cfg(feature = "parallel")]
#[test]
fn parallel_walks_mark_like_sequential_ones() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..5000).map(|n| (Health(n), Burning(n)))).to_vec();
    let mut reader = Reader::<Health>::new();
    let mut sparse = Reader::<Burning>::new();
    reader.skip_to_now(&world);
    sparse.skip_to_now(&world);
    world.query::<(Mut<Health>, Mut<Burning>)>().par_for_each(|(mut health, mut burning)| {
        if health.0.is_multiple_of(7) {
            health.0 += 70_000;
            burning.0 += 1;
        }
    });
    let expected: Vec<Entity> = all.iter().copied().step_by(7).collect();
    assert_eq!(seen(&mut reader, &mut world), expected);
    assert_eq!(seen(&mut sparse, &mut world), expected);
    world.validate().expect("valid");
}

#[test]
fn a_reader_that_comes_to_another_world_finds_everything_new() {
    let (mut here, mut there) = (World::new(), World::new());
    here.spawn(Health(1));
    let far = there.spawn(Health(1));
    let mut reader = Reader::<Health>::new();
    for _ in 0..10 {
        seen(&mut reader, &mut here);
    }
    assert_eq!(seen(&mut reader, &mut there), [far]);
    assert!(seen(&mut reader, &mut there).is_empty());
}

/// A world in which tracked values lie in tables of many lengths, some with dead rows, beside entities that have none.
fn tables_of_many_lengths() -> World {
    let mut world = World::new();
    world.spawn_batch((0..130).map(Health));
    world.spawn_batch((0..64).map(|n| (Health(n), Position(0.0))));
    world.spawn_batch((0..63).map(|n| (Health(n), Enemy)));
    world.spawn_batch((0..65).map(|n| (Health(n), Enemy, Position(0.0))));
    world.spawn((Health(0), Enemy, Position(0.0), Wet));
    world.spawn_batch((0..100).map(|_| Position(0.0)));
    let dead = world.spawn_batch((0..200).map(|n| (Health(n), Burning(n)))).to_vec();
    for entity in dead.into_iter().skip(50).step_by(3) {
        world.despawn_lazy(entity).expect("alive");
    }
    world
}

/// Each way to walk over all writes exactly what it hands out, whoever looked when.
#[test]
fn walks_over_all_mark_all_that_they_hand_out_and_nothing_else() {
    type Walk = fn(&mut World);
    #[cfg_attr(not(feature = "parallel"), expect(unused_mut, reason = "there are no others"))]
    let mut walks: Vec<(&str, Walk)> = vec![
        ("for_each", |world| world.query::<&mut Health>().for_each(|health| health.0 += 1)),
        ("fold", |world| assert!(world.query::<&mut Health>().iter_mut().fold(0, |n, _| n + 1) > 300)),
        ("next", |world| {
            for health in world.query::<&mut Health>() {
                health.0 += 1;
            }
        }),
        ("option", |world| world.query::<Option<&mut Health>>().iter_mut().flatten().for_each(|health| health.0 += 1)),
        ("tuple", |world| {
            type Many = (Entity, Option<&'static Position>, Option<&'static Enemy>, (Has<Wet>, &'static mut Health));
            world.query::<Many>().for_each(|(.., (_, health))| health.0 += 1);
        }),
        ("chunks", |world| world.query::<&mut Health>().chunks().for_each(|all| all.iter_mut().for_each(|h| h.0 += 1))),
    ];
    #[cfg(feature = "parallel")]
    walks.extend::<[(&str, Walk); 2]>([
        ("parallel", |world| world.query::<&mut Health>().par_for_each(|health| health.0 += 1)),
        ("parallel chunks", |world| {
            world.query::<&mut Health>().par_chunks(50, |all| all.iter_mut().for_each(|h| h.0 += 1));
        }),
    ]);
    let mut world = tables_of_many_lengths();
    let all: Vec<Entity> = world.query_filtered::<Entity, With<Health>>().iter().collect();
    let (mut often, mut seldom, mut enemies) =
        (Reader::<Health>::new(), Reader::<Health>::new(), Reader::<Enemy>::new());
    often.skip_to_now(&world);
    seldom.skip_to_now(&world);
    enemies.skip_to_now(&world);
    for (round, (name, walk)) in walks.into_iter().enumerate() {
        assert!(often.on(&mut world).is_empty(), "{name}: before");
        walk(&mut world);
        assert!(often.on(&mut world).iter().eq(all.iter().copied()), "{name}: all, in order");
        assert!(enemies.on(&mut world).is_empty(), "{name}: what was not asked for");
        // Blocks of which some rows change again later, while somebody still has to learn of the others.
        let one = all[round * 37];
        world.get_mut::<Health>(one).expect("there").0 += 1;
        assert_eq!(often.on(&mut world).iter().collect::<Vec<_>>(), [one], "{name}: after");
        world.validate().expect("valid");
    }
    assert_eq!(seldom.on(&mut world).count(), all.len());
}

/// Who walks notes changes in blocks of 64: of a walk that ends in the middle of one, all of it counts.
#[test]
fn a_walk_that_panics_has_marked_what_it_handed_out_and_at_most_the_block() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..300).map(Health)).to_vec();
    let mut reader = Reader::<Health>::new();
    reader.skip_to_now(&world);
    let walk = std::panic::AssertUnwindSafe(|| {
        world.query::<&mut Health>().for_each(|health| assert!(health.0 < 70, "a planned panic"));
    });
    std::panic::catch_unwind(walk).expect_err("it panics");
    assert_eq!(reader.on(&mut world).iter().collect::<Vec<_>>(), all[..128]);
    world.validate().expect("valid");
}
