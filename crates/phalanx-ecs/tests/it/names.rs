//! Names and uuids: found by every way entities come, change and go; a second equal uuid is refused by every way, before anything changes.

use crate::hostile::{Held, Ledger, held, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{
    Act, CloneError, CommandFault, DynError, DynValue, InsertError, Name, SpawnError, TransferError, Uuid, UuidTaken,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Component, Clone, Debug, PartialEq)]
struct Health(u32);

#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Burning;

#[derive(Component, Default)]
#[component(requires(Name = Name::new("rat")))]
struct Rat;

#[derive(Bundle)]
struct Known {
    health: Health,
    name: Name,
    uuid: Uuid,
}

fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

fn known(n: u128) -> Known {
    Known { health: Health(0), name: Name::new(n.to_string()), uuid: uuid(n) }
}

/// The world is well and holds what it held before.
#[track_caller]
fn unchanged(world: &World, before: &phalanx_ecs::Checksum) {
    world.validate().unwrap();
    assert_eq!(before.differs_from(&world.checksum()), [], "nothing changed");
}

#[test]
fn entities_are_found_by_every_way_they_come() {
    let mut world = World::new();
    let mut found = Vec::new();
    found.push(world.spawn(known(0)));
    found.push(world.try_spawn(known(1)).unwrap());
    found.extend(world.spawn_batch([known(2), known(3)]));
    let (names, uuids) = (vec![Name::new("4"), Name::new("5")], [uuid(4), uuid(5)]);
    found.extend(world.spawn_columns((names, &uuids[..])).unwrap());
    let mut bundle = BundleBuilder::new();
    bundle.add(Name::new("6")).add(uuid(6));
    found.push(world.spawn_dyn(bundle).unwrap());
    let mut commands = world.commands();
    found.push(commands.spawn(known(7)));
    found.extend(commands.spawn_batch(vec![known(8), known(9)]));
    world.apply(&mut commands).unwrap();
    let bare = world.spawn_batch([(); 6]).to_vec();
    world.insert(bare[0], known(10)).unwrap();
    world.insert_batch(&bare[1..3], [known(11), known(12)]).unwrap();
    world.entity_mut(bare[3]).unwrap().insert((Name::new("13"), uuid(13)));
    let ids = [world.register::<Name>(), world.register::<Uuid>()];
    world.insert_dyn(bare[4], ids[0], DynValue::new(Name::new("14"))).unwrap();
    world.insert_dyn(bare[4], ids[1], DynValue::new(uuid(14))).unwrap();
    let mut commands = world.commands();
    commands.insert(bare[5], known(15));
    world.apply(&mut commands).unwrap();
    found.extend(bare);
    let mut other = World::new();
    let there = other.spawn(known(16));
    found.push(other.move_entity(there, &mut world).unwrap());
    assert_eq!((other.by_uuid(&uuid(16)), other.named("16")), (None, None));

    world.validate().unwrap();
    for (n, entity) in found.iter().enumerate() {
        assert_eq!(world.named(&n.to_string()), Some(*entity), "{n}");
        assert_eq!(world.by_uuid(&uuid(n as u128)), Some(*entity), "{n}");
    }
    assert_eq!((world.named("17"), world.by_uuid(&uuid(17))), (None, None));
    assert!(world.memory().indexes > 0 && world.memory().to_string().contains("names and uuids"));
    assert_eq!(World::new().memory().indexes, 0);
}

#[test]
fn entities_are_not_found_by_any_way_they_go() {
    let mut world = World::new();
    let mut n = 0;
    let mut check = |world: &mut World, lose: &mut dyn FnMut(&mut World, Entity)| {
        n += 1;
        let (stays, goes) = (world.spawn(known(1000 + n)), world.spawn((known(n), Burning)));
        lose(world, goes);
        assert_eq!((world.by_uuid(&uuid(n)), world.named(&n.to_string())), (None, None), "way {n}");
        assert_eq!(world.by_uuid(&uuid(1000 + n)), Some(stays));
        world.validate().unwrap();
        let again = world.spawn(uuid(n));
        assert_eq!(world.by_uuid(&uuid(n)), Some(again), "it is free again");
        world.despawn(again).unwrap();
    };
    check(&mut world, &mut |world, entity| world.despawn(entity).unwrap());
    check(&mut world, &mut |world, entity| world.despawn_lazy(entity).unwrap());
    check(&mut world, &mut |world, entity| {
        world.despawn_lazy(entity).unwrap();
        world.collect(Exact);
    });
    check(&mut world, &mut |world, entity| {
        world.despawn_batch([entity]).unwrap();
    });
    check(&mut world, &mut |world, _| {
        world.despawn_where::<With<Burning>>();
    });
    check(&mut world, &mut |world, entity| {
        world.remove::<(Name, Uuid)>(entity).unwrap();
    });
    check(&mut world, &mut |world, entity| {
        world.take::<Known>(entity).unwrap();
    });
    check(&mut world, &mut |world, entity| {
        world.retain::<Health>(entity).unwrap();
    });
    check(&mut world, &mut |world, entity| {
        world.remove_batch::<(Uuid, Name)>([entity]).unwrap();
    });
    check(&mut world, &mut |world, _| {
        world.remove_where::<With<Burning>, (Uuid, Name)>();
        world.remove_where::<With<Burning>, Burning>();
    });
    check(&mut world, &mut |world, entity| {
        let ids = [world.register::<Name>(), world.register::<Uuid>()];
        for id in ids {
            world.remove_dyn(entity, id).unwrap();
        }
    });
    check(&mut world, &mut |world, entity| {
        world.entity_mut(entity).unwrap().remove::<(Name, Uuid)>();
    });
    check(&mut world, &mut |world, entity| {
        let mut commands = world.commands();
        commands.remove::<Name>(entity);
        commands.despawn(entity);
        world.apply(&mut commands).unwrap();
    });
    check(&mut world, &mut |world, entity| {
        let mut other = World::new();
        let there = world.move_entity(entity, &mut other).unwrap();
        assert_eq!(other.get::<Uuid>(there).and_then(|uuid| other.by_uuid(uuid)), Some(there));
    });
    check(&mut world, &mut |world, entity| {
        // Others in their place.
        world.insert(entity, (Name::new("other"), uuid(77_000))).unwrap();
        assert_eq!((world.named("other"), world.by_uuid(&uuid(77_000))), (Some(entity), Some(entity)));
        assert_eq!(world.replace(entity, Name::new("third")).unwrap(), Some(Name::new("other")));
        world.replace(entity, uuid(78_000)).unwrap();
        assert_eq!((world.named("third"), world.by_uuid(&uuid(78_000))), (Some(entity), Some(entity)));
        assert_eq!((world.named("other"), world.by_uuid(&uuid(77_000))), (None, None));
    });
    world.clear();
    world.validate().unwrap();
    assert_eq!(world.named("third"), None);
    assert_eq!(world.by_uuid(&uuid(1001)), None);
}

#[test]
fn several_of_one_name_are_found_lowest_index_first() {
    let mut world = World::new();
    let all = world.spawn_batch([(); 8]).to_vec();
    for at in [5, 2, 7, 3] {
        world.insert(all[at], Name::new("rat")).unwrap();
    }
    let found = |world: &World| world.all_named("rat").collect::<Vec<_>>();
    assert_eq!(found(&world), [all[2], all[3], all[5], all[7]]);
    assert_eq!(world.named("rat"), Some(all[2]));
    world.despawn(all[2]).unwrap();
    world.insert(all[5], Name::new("cat")).unwrap();
    assert_eq!(found(&world), [all[3], all[7]]);
    let copy = world.clone_entity(all[3]).unwrap();
    let required = world.spawn(Rat);
    assert_eq!(found(&world), [all[3], all[7], copy, required], "what is required is found as well");
    world.insert(all[0], Rat).unwrap();
    assert_eq!(world.named("rat"), Some(all[0]));
    world.insert_where::<With<Name>, _>(Name::new("mouse"));
    assert_eq!((world.all_named("rat").count(), world.all_named("mouse").count()), (0, 6));
    world.validate().unwrap();
}

#[test]
fn a_name_is_a_text() {
    let name = Name::new("Grub");
    assert_eq!((name.as_str(), name.len(), &*name.to_string()), ("Grub", 4, "Grub"));
    assert_eq!(format!("{name:?} {name:>6}"), "\"Grub\"   Grub");
    assert_eq!((Name::from("Grub"), Name::from("Grub".to_owned())), (name.clone(), name));
    let mut world = World::new();
    for text in ["", "é", "orc\n", "a name that is longer than a cache line, to see that nothing is cut off at its end"]
    {
        let entity = world.spawn(Name::new(text));
        assert_eq!(world.named(text), Some(entity));
    }
}

#[test]
fn uuids_are_drawn_from_the_seed() {
    let draw = |seed| {
        let mut world = World::builder().seed(seed).build();
        world.spawn_batch((0..10).map(Health));
        [(); 20].map(|()| world.new_uuid())
    };
    let (seven, eight) = (draw(7), draw(8));
    assert_eq!(seven, draw(7));
    assert!(seven.iter().all(|uuid| !eight.contains(uuid)));
    let mut all = draw(0).to_vec();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 20);
    let (mut world, taken) = (World::new(), draw(0)[0]);
    world.spawn(taken);
    assert_eq!(world.new_uuid(), draw(0)[1], "one that is taken is passed over");
}

#[test]
fn names_and_uuids_count_in_checksums() {
    let mut world = World::new();
    let orc = world.spawn(known(1));
    let before = world.content_checksum();
    assert!(before.is_complete());
    world.insert(orc, Name::new("other")).unwrap();
    let renamed = world.content_checksum();
    assert_ne!(before, renamed);
    world.insert(orc, uuid(2)).unwrap();
    assert_ne!(renamed, world.content_checksum());
    world.insert(orc, known(1)).unwrap();
    assert_eq!(before, world.content_checksum());
    let exact = world.checksum();
    world.new_uuid();
    assert_ne!(exact, world.checksum(), "the next one to be drawn counts");
}

#[test]
fn observers_find_what_has_come_and_what_is_about_to_go() {
    let mut world = World::new();
    let said = Arc::new(Mutex::new(Vec::new()));
    for act in [Act::Insert, Act::Replace, Act::Remove] {
        let said = Arc::clone(&said);
        world.observe::<Name>(act, move |trigger| {
            let name = trigger.get::<Name>().unwrap().clone();
            let found = trigger.world().named(&name) == Some(trigger.entity());
            let all = trigger.world().all_named("a").count();
            said.lock().unwrap().push(format!("{act:?} {name} {found} {all}"));
        });
    }
    let both = world.spawn_batch([Name::new("a"), Name::new("b")]).to_vec();
    world.insert(both[1], Name::new("c")).unwrap();
    world.despawn_where::<With<Name>>();
    let said = std::mem::take(&mut *said.lock().unwrap());
    let expected = [
        "Insert a true 1",
        "Insert b true 1",
        "Replace b true 1",
        "Insert c true 1",
        "Remove a true 1",
        "Remove c true 1",
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_uuid_that_is_taken_is_refused_by_every_way() {
    let mut world = World::new();
    let hero = world.spawn((known(1), Burning));
    let other = world.spawn((known(2), Held::<false, 0>(Ledger::new().token())));
    let before = world.checksum();
    let is_taken = |taken: &UuidTaken, wanted: Option<Entity>| {
        assert_eq!((taken.uuid, taken.holder, taken.wanted), (uuid(1), Some(hero), wanted));
        assert_eq!(taken.name.as_deref(), Some("1"));
        true
    };

    assert!(matches!(world.try_spawn(known(1)), Err(SpawnError::Uuid(taken)) if is_taken(&taken, None)));
    assert!(panic_of(|| world.spawn((Burning, uuid(1)))).starts_with("error[E006]"));
    let batch = [known(5), known(1), known(6)];
    assert!(matches!(world.try_spawn_batch(batch), Err(SpawnError::Uuid(taken)) if is_taken(&taken, None)));
    assert!(panic_of(|| world.spawn_batch([(uuid(5), Burning), (uuid(1), Burning)])).starts_with("error[E006]"));
    let columns = (vec![uuid(5), uuid(1)], [Health(1), Health(2)]);
    assert!(matches!(world.spawn_columns(columns), Err(SpawnError::Uuid(taken)) if is_taken(&taken, None)));
    let mut bundle = BundleBuilder::new();
    bundle.add(Health(3)).add(uuid(1));
    assert!(matches!(world.spawn_dyn(bundle), Err(DynError::Uuid(taken)) if is_taken(&taken, None)));

    let inserted = [
        world.insert(other, (Burning, uuid(1))),
        world.insert_batch([other], [known(1)]),
        world.replace(other, uuid(1)).map(|_| ()),
    ];
    for refused in inserted {
        assert!(matches!(refused, Err(InsertError::Uuid(taken)) if is_taken(&taken, Some(other))));
    }
    let bare = world.spawn(());
    assert!(matches!(world.insert_if_new(bare, uuid(1)), Err(InsertError::Uuid(_))));
    assert_eq!(world.insert_if_new(other, uuid(1)), Ok(false), "it has one");
    assert!(matches!(world.replace(bare, uuid(1)), Err(InsertError::Uuid(_))));
    world.despawn(bare).unwrap();
    let before_commands = world.checksum();
    let id = world.register::<Uuid>();
    let refused = world.insert_dyn(other, id, DynValue::new(uuid(1)));
    assert!(matches!(refused, Err(DynError::Uuid(taken)) if is_taken(&taken, Some(other))));
    assert!(panic_of(|| _ = world.entity_mut(other).unwrap().insert(known(1))).starts_with("error[E006]"));
    assert!(panic_of(|| world.insert_where::<With<Held<false, 0>>, _>(uuid(1))).starts_with("error[E006]"));
    let make = |entity: Entity| uuid(u128::from(entity.index()));
    assert!(panic_of(|| world.insert_where_with::<Without<Burning>, _>(|_| uuid(1))).starts_with("error[E006]"));
    assert_eq!(world.insert_where_with::<(With<Health>, Without<Health>), _>(make), 0);
    unchanged(&world, &before_commands);

    let mut another = World::new();
    let foreign = another.spawn((known(1), held::<false, 0>()));
    let before_move = another.checksum();
    let refused = another.move_entity(foreign, &mut world);
    assert!(matches!(refused, Err(TransferError::Uuid(taken)) if is_taken(&taken, Some(foreign))));
    unchanged(&another, &before_move);
    unchanged(&world, &before_commands);

    assert!(matches!(world.clone_entity(hero), Err(CloneError::NotCloneable { .. })));
    assert_eq!(world.checksum().differs_from(&before).len(), 1, "only ids were used up");
    let copy = world.clone_entity_partly(hero).unwrap();
    assert!(world.has::<Name>(copy) && !world.has::<Uuid>(copy));
    world.validate().unwrap();
}

#[test]
fn commands_refuse_a_uuid_that_is_taken() {
    let mut world = World::new();
    let (hero, other) = (world.spawn(known(1)), world.spawn(Health(2)));
    let mut commands = world.commands();
    let refused = commands.spawn(known(1));
    let good = commands.spawn(known(2));
    let batch: Vec<Entity> = commands.spawn_batch(vec![known(3), known(1)]).into_iter().collect();
    let twice: Vec<Entity> = commands.spawn_batch(vec![known(4), known(4)]).into_iter().collect();
    commands.insert(other, (uuid(1), Burning));
    commands.insert_if_new(other, uuid(2));
    commands.insert(hero, known(1));
    commands.insert(other, known(5));
    let errors = world.apply(&mut commands).unwrap_err().errors;
    let faults: Vec<_> = errors
        .iter()
        .map(|error| match &error.fault {
            CommandFault::Uuid(taken) => (taken.uuid, taken.holder, taken.wanted),
            _ => panic!("{error}"),
        })
        .collect();
    let expected = [
        (uuid(1), Some(hero), Some(refused)),
        (uuid(1), Some(hero), Some(batch[1])),
        (uuid(4), Some(twice[0]), Some(twice[1])),
        (uuid(1), Some(hero), Some(other)),
        (uuid(2), Some(good), Some(other)),
    ];
    assert_eq!(faults, expected);
    assert_eq!(world.entities().collect::<Vec<_>>(), [hero, other, good], "a batch is all or nothing");
    assert!(!world.has::<Burning>(other));
    assert_eq!(world.by_uuid(&uuid(5)), Some(other));
    world.validate().unwrap();
    // The ids that were not needed do no harm.
    let mut commands = world.commands();
    let next = commands.spawn(known(1000));
    world.apply(&mut commands).unwrap();
    assert_eq!(world.by_uuid(&uuid(1000)), Some(next));
    world.validate().unwrap();
}

#[test]
fn two_equal_uuids_of_one_batch_are_refused() {
    let mut world = World::new();
    let bare = world.spawn_batch([(); 3]).to_vec();
    let before = world.checksum();
    let Err(SpawnError::Uuid(taken)) = world.try_spawn_batch([known(1), known(2), known(1)]) else { panic!("refused") };
    assert_eq!((taken.uuid, taken.holder, taken.wanted), (uuid(1), None, None));
    assert!(world.spawn_columns(([uuid(1), uuid(1)],)).is_err());
    let Err(InsertError::Uuid(taken)) = world.insert_batch(&bare, [uuid(1), uuid(2), uuid(2)]) else {
        panic!("refused")
    };
    assert_eq!((taken.uuid, taken.holder, taken.wanted), (uuid(2), Some(bare[1]), Some(bare[2])));
    assert!(panic_of(|| world.insert_where::<(), _>(uuid(1))).starts_with("error[E006]"));
    unchanged(&world, &before);
    world.despawn_batch(&bare[1..]).unwrap();
    assert_eq!(world.insert_where::<(), _>(uuid(1)), 1, "one is enough for one");
}

#[test]
fn a_batch_may_pass_uuids_round() {
    let mut world = World::new();
    let all = world.spawn_batch([known(0), known(1), known(2)]).to_vec();
    world.insert_batch(&all, [uuid(1), uuid(2), uuid(0)]).unwrap();
    assert_eq!([0, 1, 2].map(|n| world.by_uuid(&uuid(n)).unwrap()), [all[2], all[0], all[1]]);
    assert!(world.insert_batch(&all[..2], [uuid(0), uuid(9)]).is_err(), "the third keeps its own");
    // Of two for one entity the last counts.
    world.insert_batch([all[0], all[0]], [uuid(7), uuid(8)]).unwrap();
    assert_eq!((world.by_uuid(&uuid(7)), world.by_uuid(&uuid(8))), (None, Some(all[0])));
    world.insert_batch([all[0], all[0], all[1]], [uuid(5), uuid(6), uuid(5)]).unwrap();
    assert_eq!((world.by_uuid(&uuid(5)), world.by_uuid(&uuid(6))), (Some(all[1]), Some(all[0])));
    world.insert(all[0], uuid(6)).unwrap();
    world.replace(all[0], uuid(6)).unwrap();
    world.insert_where_with::<(), _>(|entity| uuid(u128::from(entity.index()) + 100));
    assert_eq!(world.by_uuid(&uuid(101)), Some(all[1]));
    world.validate().unwrap();
}

#[test]
fn what_is_refused_is_dropped_once_and_told_nobody() {
    let (ledger, mut world) = (Ledger::new(), World::new());
    let told = Arc::new(Mutex::new(0));
    for act in [Act::Insert, Act::Replace, Act::Remove, Act::Despawn] {
        let told = Arc::clone(&told);
        world.observe::<Uuid>(act, move |_| *told.lock().unwrap() += 1);
    }
    let hero = world.spawn((uuid(1), held::<false, 0>()));
    let other = world.spawn(held::<false, 0>());
    assert_eq!(*told.lock().unwrap(), 1);
    assert!(world.try_spawn((held::<false, 0>(), uuid(1))).is_err());
    assert!(world.try_spawn_batch([(held::<false, 0>(), uuid(1)), (held::<false, 0>(), uuid(3))]).is_err());
    assert!(world.spawn_columns((vec![held::<false, 0>()], vec![uuid(1)])).is_err());
    assert!(world.insert(other, (held::<false, 0>(), uuid(1))).is_err());
    assert!(world.insert_batch([other], [(held::<true, 0>(), uuid(1))]).is_err());
    assert!(panic_of(|| _ = world.entity_mut(other).unwrap().insert((uuid(1), held::<true, 0>()))).contains("E006"));
    let mut commands = world.commands();
    commands.spawn((held::<false, 0>(), uuid(1)));
    commands.spawn_batch(vec![(held::<false, 0>(), uuid(1))]);
    commands.insert(other, (held::<false, 0>(), uuid(1)));
    assert_eq!(world.apply(&mut commands).unwrap_err().errors.len(), 3);
    assert_eq!((ledger.alive(), *told.lock().unwrap()), (2, 1));
    world.insert(hero, uuid(1)).unwrap();
    assert_eq!(*told.lock().unwrap(), 3, "its own in its place is allowed, and told");
    world.validate().unwrap();
}

#[test]
fn faults_leave_the_index_right() {
    let (ledger, mut world) = (Ledger::new(), World::new());
    let all = world.spawn_batch((0..4).map(|n| (known(n), held::<false, 0>()))).to_vec();
    ledger.drop_panics_at(1);
    panic_of(|| world.despawn(all[0]));
    world.validate().unwrap();
    assert_eq!(world.by_uuid(&uuid(0)), None);
    // A maker that panics half-way: some have theirs, some keep theirs.
    let mut left = 2;
    panic_of(|| {
        world.insert_where_with::<With<Name>, _>(|entity| {
            left -= 1;
            assert!(left > 0, "no more");
            Name::new(format!("new {entity}"))
        })
    });
    world.validate().unwrap();
    panic_of(|| world.insert_where_with::<With<Uuid>, _>(|_| -> Uuid { panic!("none") }));
    panic_of(|| world.spawn_batch((0..3u128).map(|n| if n < 2 { known(50 + n) } else { panic!("no more") })));
    assert_eq!((world.by_uuid(&uuid(50)), world.alive()), (None, 3));
    ledger.drop_panics_at(1);
    panic_of(|| world.remove_where::<With<Name>, (Held<false, 0>, Name)>());
    world.validate().unwrap();
    ledger.drop_panics_at(1);
    let spare = world.spawn((known(70), held::<false, 0>()));
    panic_of(|| world.insert(spare, (held::<false, 0>(), uuid(71), Name::new("x"))));
    assert_eq!(
        (world.by_uuid(&uuid(71)), world.by_uuid(&uuid(70)), world.named("x")),
        (Some(spare), None, Some(spare))
    );
    world.validate().unwrap();
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn uuid(&mut self) -> Uuid {
        uuid(self.below(24) as u128)
    }

    fn name(&mut self) -> Name {
        Name::new(["", "rat", "cat", "orc", "a longer name than most"][self.below(5)])
    }
}

#[derive(Default, Clone)]
struct Row {
    name: Option<Name>,
    uuid: Option<Uuid>,
}

type Book = BTreeMap<Entity, Row>;

fn holder(book: &Book, uuid: Uuid) -> Option<Entity> {
    book.iter().find(|(_, row)| row.uuid == Some(uuid)).map(|(entity, _)| *entity)
}

/// Random changes by many ways, against a naive book: what is refused, and who is found.
#[test]
fn the_index_agrees_with_a_naive_book() {
    for seed in 0..if cfg!(miri) { 1 } else { 6 } {
        let (mut random, mut world, mut book) = (Random(seed), World::new(), Book::new());
        let mut refused = 0;
        for step in 0..if cfg!(miri) { 120 } else { 3000 } {
            let alive: Vec<Entity> = book.keys().copied().collect();
            let pick = if alive.is_empty() { None } else { Some(alive[random.below(alive.len())]) };
            let (name, uuid) = (random.name(), random.uuid());
            let taken = holder(&book, uuid);
            let row = Row { name: Some(name.clone()), uuid: Some(uuid) };
            match (random.below(16), pick) {
                (0..=2, _) | (_, None) => match world.try_spawn((name, uuid, Health(step))) {
                    Ok(entity) => {
                        assert_eq!(taken, None);
                        book.insert(entity, row);
                    }
                    Err(_) => {
                        assert!(taken.is_some());
                        refused += 1;
                    }
                },
                (3, _) => {
                    let second = random.uuid();
                    let bad = taken.is_some() || holder(&book, second).is_some() || second == uuid;
                    let spawned = world.try_spawn_batch([(uuid, name.clone()), (second, name.clone())]);
                    assert_eq!(spawned.is_err(), bad);
                    for (entity, uuid) in spawned.into_iter().flatten().zip([uuid, second]) {
                        book.insert(entity, Row { name: Some(name.clone()), uuid: Some(uuid) });
                    }
                }
                (4, _) => {
                    let mut commands = world.commands();
                    let entity = commands.spawn((uuid, name));
                    assert_eq!(world.apply(&mut commands).is_err(), taken.is_some());
                    if taken.is_none() {
                        book.insert(entity, row);
                    }
                }
                (5 | 6, Some(entity)) => {
                    let done = if random.below(2) == 0 {
                        world.insert(entity, (name, uuid)).is_ok()
                    } else {
                        let mut commands = world.commands();
                        commands.insert(entity, (uuid, name));
                        world.apply(&mut commands).is_ok()
                    };
                    assert_eq!(done, taken.is_none_or(|holder| holder == entity));
                    if done {
                        book.insert(entity, row);
                    }
                }
                (7, Some(entity)) => {
                    world.insert(entity, (name, Burning)).unwrap();
                    book.get_mut(&entity).unwrap().name = row.name;
                }
                (8, Some(entity)) => {
                    let other = alive[random.below(alive.len())];
                    let second = random.uuid();
                    let mut after = book.clone();
                    after.get_mut(&entity).unwrap().uuid = Some(uuid);
                    after.get_mut(&other).unwrap().uuid = Some(second);
                    let mut all: Vec<Uuid> = after.values().filter_map(|row| row.uuid).collect();
                    let count = all.len();
                    all.sort();
                    all.dedup();
                    let done = world.insert_batch([entity, other], [uuid, second]).is_ok();
                    assert_eq!(done, all.len() == count, "as if all came at once");
                    if done {
                        book = after;
                    }
                }
                (9, Some(entity)) => {
                    world.remove::<Uuid>(entity).unwrap();
                    book.get_mut(&entity).unwrap().uuid = None;
                }
                (10, Some(entity)) => {
                    world.remove::<(Health, Name)>(entity).unwrap();
                    book.get_mut(&entity).unwrap().name = None;
                }
                (11, Some(entity)) => {
                    if random.below(2) == 0 {
                        world.despawn(entity).unwrap();
                    } else {
                        world.despawn_lazy(entity).unwrap();
                    }
                    book.remove(&entity);
                }
                (12, Some(entity)) => {
                    let copy = world.clone_entity_partly(entity).unwrap();
                    book.insert(copy, Row { name: book[&entity].name.clone(), uuid: None });
                }
                (13, Some(entity)) => {
                    let mut other = World::new();
                    let there = world.move_entity(entity, &mut other).unwrap();
                    let back = other.move_entity(there, &mut world).unwrap();
                    let row = book.remove(&entity).unwrap();
                    book.insert(back, row);
                }
                (14, Some(_)) if random.below(10) == 0 => {
                    world.insert_where::<(With<Burning>, With<Name>), _>(name.clone());
                    let renamed = world.query_filtered::<Entity, (With<Burning>, With<Name>)>();
                    for entity in &renamed {
                        book.get_mut(&entity).unwrap().name = Some(name.clone());
                    }
                }
                (15, Some(_)) if random.below(20) == 0 => {
                    world.despawn_where::<With<Health>>();
                    book.retain(|entity, _| world.is_alive(*entity));
                }
                _ => {
                    world.collect(Exact);
                }
            }
            let uuid = random.uuid();
            assert_eq!(world.by_uuid(&uuid), holder(&book, uuid));
            let name = random.name();
            let named = book.iter().filter(|(_, row)| row.name.as_ref() == Some(&name)).map(|(entity, _)| *entity);
            assert!(world.all_named(&name).eq(named));
            if step % 50 == 0 {
                world.validate().unwrap();
            }
        }
        assert!(cfg!(miri) || refused > 50, "something was refused");
        world.validate().unwrap();
    }
}

/// In a world that has never heard of the types.
#[test]
fn the_first_name_and_the_first_uuid_are_found_by_every_way_they_come() {
    let ways: [fn(&mut World, Entity); 9] = [
        |world, entity| world.insert(entity, (Name::new("x"), uuid(1))).unwrap(),
        |world, entity| world.insert_batch([entity], [(Name::new("x"), uuid(1))]).unwrap(),
        |world, _| _ = world.insert_where::<(), _>((Name::new("x"), uuid(1))),
        |world, _| _ = world.insert_where_with::<(), _>(|_| (Name::new("x"), uuid(1))),
        |world, entity| _ = world.entity_mut(entity).unwrap().insert((Name::new("x"), uuid(1))),
        |world, entity| {
            assert_eq!(world.replace(entity, Name::new("x")).unwrap(), None);
            assert!(world.insert_if_new(entity, uuid(1)).unwrap());
        },
        |world, entity| {
            let mut bundle = BundleBuilder::new();
            bundle.add(Name::new("x")).add(uuid(1));
            world.insert_bundle_dyn(entity, bundle).unwrap();
        },
        |world, entity| {
            let mut commands = world.commands();
            commands.insert(entity, (Name::new("x"), uuid(1)));
            world.apply(&mut commands).unwrap();
        },
        |world, entity| {
            let mut other = World::new();
            let there = other.spawn((Name::new("x"), uuid(1)));
            world.despawn(entity).unwrap();
            other.move_entity(there, world).unwrap();
        },
    ];
    let (ledger, mut world) = (Ledger::new(), World::new());
    let entity = world.spawn(held::<false, 0>());
    ledger.drop_panics_at(1);
    panic_of(|| world.insert(entity, (held::<false, 0>(), Name::new("x"))));
    assert_eq!(world.named("x"), Some(entity), "a drop that panics changes nothing about that");
    for (n, way) in ways.iter().enumerate() {
        let mut world = World::new();
        let entity = world.spawn(());
        way(&mut world, entity);
        world.validate().unwrap_or_else(|broken| panic!("way {n}: {broken}"));
        assert!(world.named("x").is_some() && world.named("x") == world.by_uuid(&uuid(1)), "way {n}");
    }
    let required: [fn(&mut World, Entity); 4] = [
        |world, entity| world.insert(entity, Rat).unwrap(),
        |world, entity| world.insert_batch([entity], [Rat]).unwrap(),
        |world, _| _ = world.insert_where_with::<(), _>(|_| Rat),
        |world, entity| _ = world.entity_mut(entity).unwrap().insert(Rat),
    ];
    for (n, way) in required.iter().enumerate() {
        let mut world = World::new();
        let entity = world.spawn(());
        way(&mut world, entity);
        assert_eq!(world.named("rat"), Some(entity), "way {n}");
    }
    let spawned: [fn(&mut World); 5] = [
        |world| _ = world.spawn(Rat),
        |world| _ = world.spawn_batch([Rat]),
        |world| _ = world.spawn_columns(([Rat],)).unwrap(),
        |world| {
            let mut commands = world.commands();
            commands.spawn(Rat);
            world.apply(&mut commands).unwrap();
        },
        |world| {
            let mut commands = world.commands();
            commands.spawn_batch(vec![Rat]);
            world.apply(&mut commands).unwrap();
        },
    ];
    for (n, way) in spawned.iter().enumerate() {
        let mut world = World::new();
        way(&mut world);
        world.validate().unwrap_or_else(|broken| panic!("way {n}: {broken}"));
        assert_eq!(world.all_named("rat").count(), 1, "way {n}");
    }
}
