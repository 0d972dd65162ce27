//! Readers of what was removed: every way to lose a component, once, in order; and what that costs whom.

use crate::hostile::{Held, Ledger, for_both_storages, held, panic_of};
use phalanx_ecs::prelude::*;
use phalanx_ecs::{
    Act, BundleBuilder, ComponentLayout, DynGone, DynRemoved, DynValue, Gone, Removed, Retention, Storage,
};
use std::collections::BTreeMap;

#[derive(Component, Clone, Debug, PartialEq)]
struct Health(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Burning(u32);

#[derive(Component, Clone)]
struct Tag;

#[derive(Component, Clone)]
struct Position(f32);

/// Generic, so the compiler does not see when it is there twice.
#[derive(Component)]
struct Slot<T>(T);

fn entities<T: Component>(reader: &mut Removed<T>, world: &World) -> Vec<(Entity, bool)> {
    reader.read(world).map(|gone| (gone.entity, gone.despawned)).collect()
}

#[test]
fn every_way_to_lose_a_component_is_read() {
    let mut world = World::new();
    let mut health = Removed::<Health>::with_values(&mut world);
    let mut burning = Removed::<Burning>::with_values(&mut world);
    let mut tags = Removed::<Tag>::new(&mut world);
    let health_id = world.register::<Health>();
    let mut n = 0;
    let mut check = |world: &mut World, despawned: bool, lose: &mut dyn FnMut(&mut World, Entity)| {
        n += 1;
        let other = world.spawn((Health(1000 + n), Burning(1000 + n), Tag));
        let entity = world.spawn((Health(n), Burning(n), Tag, Position(0.0)));
        lose(world, entity);
        assert!(world.is_alive(other));
        let expected = [(entity, despawned, Some(n))];
        let read = health.read(world).map(|gone| (gone.entity, gone.despawned, gone.value().map(|value| value.0)));
        assert!(read.eq(expected), "health, way {n}");
        let read = burning.read(world).map(|gone| (gone.entity, gone.despawned, gone.value().map(|value| value.0)));
        assert!(read.eq(expected), "burning, way {n}");
        assert!(tags.read(world).map(|gone| (gone.entity, gone.despawned)).eq([(entity, despawned)]), "tags, way {n}");
        assert_eq!(entities(&mut health, world), [], "once");
        if world.is_alive(entity) {
            world.despawn(entity).unwrap();
            assert_eq!(entities(&mut health, world), [], "what is not there is not lost");
        }
        world.despawn(other).unwrap();
        assert_eq!((health.read(world).count(), burning.read(world).count(), tags.read(world).count()), (1, 1, 1));
        world.validate().unwrap();
    };
    check(&mut world, false, &mut |world, entity| {
        assert_eq!(world.remove::<(Health, Burning, Tag)>(entity), Ok(3));
    });
    check(&mut world, false, &mut |world, entity| {
        world.remove::<Health>(entity).unwrap();
        world.take::<(Burning, Tag)>(entity).unwrap();
    });
    check(&mut world, false, &mut |world, entity| {
        world.retain::<Position>(entity).unwrap();
    });
    check(&mut world, false, &mut |world, entity| {
        world.remove_dyn(entity, health_id).unwrap();
        world.entity_mut(entity).unwrap().remove::<(Burning, Tag)>();
    });
    check(&mut world, false, &mut |world, entity| {
        world.remove_batch::<(Health, Burning, Tag)>([entity, entity]).unwrap();
    });
    check(&mut world, false, &mut |world, _| {
        world.remove_where::<With<Position>, (Health, Tag)>();
        world.remove_where::<(With<Position>, With<Burning>), Burning>();
    });
    check(&mut world, false, &mut |world, entity| {
        let mut commands = world.commands();
        commands.remove::<(Health, Burning)>(entity);
        commands.retain::<Position>(entity);
        world.apply(&mut commands).unwrap();
    });
    check(&mut world, true, &mut |world, entity| world.despawn(entity).unwrap());
    check(&mut world, true, &mut |world, entity| world.entity_mut(entity).unwrap().despawn());
    check(&mut world, true, &mut |world, entity| {
        world.despawn_batch([entity]).unwrap();
    });
    check(&mut world, true, &mut |world, _| assert_eq!(world.despawn_where::<With<Position>>(), 1));
    check(&mut world, true, &mut |world, entity| {
        world.despawn_lazy(entity).unwrap();
        assert!(world.collect(Exact) == 1);
    });
    check(&mut world, true, &mut |world, entity| {
        let mut commands = world.commands();
        commands.despawn(entity);
        world.apply(&mut commands).unwrap();
    });
    check(&mut world, true, &mut |world, entity| {
        let mut other = World::new();
        let there = world.move_entity(entity, &mut other).unwrap();
        assert!(other.has::<Health>(there));
    });
}

#[test]
fn clearing_a_world_is_read() {
    let mut world = World::new();
    let mut health = Removed::<Health>::new(&mut world);
    let (a, _, c) = (world.spawn(Health(1)), world.spawn(Burning(2)), world.spawn((Health(3), Burning(3))));
    world.clear();
    assert_eq!(entities(&mut health, &world), [(a, true), (c, true)]);
}

#[test]
fn what_is_replaced_changed_or_refused_is_not_lost() {
    let mut world = World::new();
    let mut health = Removed::<Health>::new(&mut world);
    let mut slots = Removed::<Slot<u8>>::new(&mut world);
    let orc = world.spawn((Health(1), Slot(1u8)));
    let id = world.register::<Health>();
    world.insert(orc, Health(2)).unwrap();
    world.replace(orc, Health(3)).unwrap();
    world.insert_dyn(orc, id, DynValue::new(Health(4))).unwrap();
    world.get_mut::<Health>(orc).unwrap().0 = 5;
    world.entity_mut(orc).unwrap().insert(Health(6)).apply();
    assert_eq!(world.remove::<Burning>(orc), Ok(0));
    assert!(world.take::<(Health, Burning)>(orc).is_err());
    assert!(world.remove::<(Slot<u8>, Slot<u8>)>(orc).is_err());
    assert!(world.take::<(Slot<u8>, Slot<u8>)>(orc).is_err());
    assert!(world.remove_batch::<(Slot<u8>, Slot<u8>)>([orc]).is_err());
    let mut full = World::builder().limit(0).build();
    assert!(world.move_entity(orc, &mut full).is_err());
    assert_eq!(world.get::<Health>(orc), Some(&Health(6)));
    assert_eq!(entities(&mut health, &world), []);
    assert_eq!(entities(&mut slots, &world), []);
}

#[test]
fn a_chain_that_removes_and_inserts_loses_what_was_there() {
    let mut world = World::new();
    let mut health = Removed::<Health>::with_values(&mut world);
    let orc = world.spawn(Health(1));
    world.entity_mut(orc).unwrap().remove::<Health>().insert(Health(2)).apply();
    assert!(health.read(&world).map(|gone| gone.value().cloned()).eq([Some(Health(1))]));
    world.entity_mut(orc).unwrap().insert(Burning(1)).remove::<Burning>().apply();
    assert_eq!(world.get::<Health>(orc), Some(&Health(2)));
    assert_eq!(entities(&mut health, &world), []);
}

#[test]
fn tags_that_go_with_what_they_depend_on_are_lost_too() {
    #[derive(Component)]
    #[component(depends_on(Health))]
    struct Wounded;

    let mut world = World::new();
    let mut lost = Removed::<Wounded>::new(&mut world);
    let [orc, elf] = [1, 2].map(|n| world.spawn((Health(n), Wounded)));
    world.remove::<Health>(orc).unwrap();
    world.remove_where::<(), Health>();
    assert_eq!(entities(&mut lost, &world), [(orc, false), (elf, false)]);
}

#[test]
fn each_reader_reads_from_when_it_was_made() {
    let mut world = World::new();
    let [a, b, c] = [1, 2, 3].map(|n| world.spawn(Health(n)));
    let mut first = Removed::<Health>::new(&mut world);
    world.despawn(a).unwrap();
    let mut second = Removed::<Health>::new(&mut world);
    world.despawn(b).unwrap();
    assert_eq!(entities(&mut second, &world), [(b, true)]);
    assert_eq!(first.read(&world).next().unwrap().entity, a, "what is not taken stays unread");
    world.despawn(c).unwrap();
    assert_eq!(first.len(&world), 2);
    assert_eq!(entities(&mut first, &world), [(b, true), (c, true)]);
    assert_eq!(entities(&mut second, &world), [(c, true)]);
    assert!(first.is_empty(&world) && first.missed() == 0);
}

#[test]
fn values_are_cloned_only_while_somebody_asks() {
    let (ledger, mut world) = (Ledger::new(), World::new());
    let mut plain = Removed::<Held<false, 0>>::new(&mut world);
    let lose = |world: &mut World| {
        let entity = world.spawn(held::<false, 0>());
        world.despawn(entity).unwrap();
    };
    lose(&mut world);
    assert_eq!(ledger.born(), 1, "no clone");
    assert!(plain.read(&world).all(|gone| gone.value().is_none()));
    let valued = Removed::<Held<false, 0>>::with_values(&mut world);
    lose(&mut world);
    assert_eq!((ledger.born(), ledger.alive()), (3, 1));
    assert!(plain.read(&world).all(|gone| gone.value().is_some()), "it is there for all");
    drop(valued);
    lose(&mut world);
    assert_eq!(ledger.born(), 4, "no clone");
    drop(plain);
    world.update_events();
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn observers_may_change_a_value_before_it_is_written_down() {
    let mut world = World::new();
    let mut lost = Removed::<Health>::with_values(&mut world);
    world.observe::<Health>(Act::Remove, |trigger| trigger.get_mut::<Health>().unwrap().0 += 1);
    let orc = world.spawn(Health(1));
    world.remove::<Health>(orc).unwrap();
    assert!(lost.read(&world).map(|gone| gone.value().unwrap().0).eq([2]));
}

#[test]
fn who_reads_does_not_count_in_checksums() {
    let lose = |world: &mut World| {
        world.spawn(Health(1));
        world.clear();
        world.checksum()
    };
    let (mut read, mut unread) = (World::new(), World::new());
    let _reader = Removed::<Health>::new(&mut read);
    assert_eq!(lose(&mut read), lose(&mut unread));
    assert_eq!(read.events::<Gone<Health>>().len(), 1);
}

#[test]
fn a_log_ends_with_its_last_reader() {
    let mut world = World::new();
    let (first, second) = (Removed::<Burning>::new(&mut world), Removed::<Burning>::new(&mut world));
    let lose = |world: &mut World| {
        let entity = world.spawn(Burning(1));
        world.despawn(entity).unwrap();
        world.events::<Gone<Burning>>().len()
    };
    assert_eq!(lose(&mut world), 1);
    drop(first);
    assert_eq!(lose(&mut world), 2);
    let said = panic_of(|| _ = world.sparse_mut::<Burning>());
    assert!(said.contains("error[O003]"), "{said}");
    drop(second);
    assert_eq!(lose(&mut world), 0);
    assert_eq!(lose(&mut world), 0);
    assert!(world.sparse_mut::<Burning>().is_empty(), "nobody is to be told");
    let third = Removed::<Burning>::new(&mut world);
    assert_eq!(lose(&mut world), 1);
    assert_eq!(third.len(&world), 1);
    drop(third);
    assert!(world.sparse_mut::<Burning>().is_empty(), "nobody is to be told");
}

#[test]
fn a_log_keeps_what_was_not_read_and_little_more() {
    let mut world = World::new();
    let mut often = Removed::<Health>::new(&mut world);
    let mut seldom = Removed::<Health>::new(&mut world);
    let dropped = Removed::<Health>::new(&mut world);
    drop(dropped);
    let (rounds, pause) = if cfg!(miri) { (40, 10) } else { (400, 50) };
    let (mut most, mut read) = (0, [0, 0]);
    for round in 0..rounds {
        for n in 0..10 {
            let entity = world.spawn(Health(n));
            world.despawn(entity).unwrap();
        }
        read[0] += often.read(&world).count();
        if round % pause == pause - 1 {
            read[1] += seldom.read(&world).count();
        }
        most = most.max(world.events::<Gone<Health>>().len());
    }
    assert_eq!(read, [rounds * 10; 2]);
    assert_eq!((often.missed(), seldom.missed()), (0, 0));
    assert!(most <= pause * 40, "{most} were kept at once");
}

#[test]
fn old_losses_are_dropped_with_old_events() {
    let mut world = World::new();
    let mut lost = Removed::<Health>::new(&mut world);
    let [a, b] = [1, 2].map(|n| world.spawn(Health(n)));
    world.despawn(a).unwrap();
    world.update_events();
    assert_eq!(lost.len(&world), 1, "a frame later it is there");
    world.update_events();
    world.despawn(b).unwrap();
    assert_eq!(entities(&mut lost, &world), [(b, true)]);
    assert_eq!((lost.missed(), lost.missed()), (1, 0));
    world.keep_events::<Gone<Health>>(Retention::Last(1));
    world.spawn_batch([Health(3), Health(4), Health(5)]);
    world.clear();
    assert_eq!(lost.read(&world).count(), 1);
    assert_eq!(lost.missed(), 2);
}

#[test]
fn a_reader_reads_nothing_of_another_world() {
    let (mut world, mut other) = (World::new(), World::new());
    let mut lost = Removed::<Health>::new(&mut world);
    let mut others = Removed::<Health>::new(&mut other);
    other.spawn(Health(1));
    other.clear();
    assert_eq!((lost.read(&other).count(), lost.len(&other)), (0, 0));
    world.spawn(Health(1));
    world.clear();
    assert_eq!((lost.read(&world).count(), others.read(&other).count()), (1, 1));
}

#[test]
fn a_look_at_another_world_does_not_make_a_reader_read_anything_twice() {
    let (mut world, other) = (World::new(), World::new());
    let mut lost = Removed::<Health>::new(&mut world);
    let entities = world.spawn_batch([Health(1), Health(2)]).to_vec();
    world.despawn(entities[0]).unwrap();
    assert_eq!(lost.read(&world).count(), 1);
    assert_eq!(lost.read(&other).count(), 0);
    assert_eq!(lost.len(&world), 0);
    world.despawn(entities[1]).unwrap();
    assert_eq!(lost.read(&other).count(), 0);
    assert_eq!(self::entities(&mut lost, &world), [(entities[1], true)]);
    assert_eq!(lost.missed(), 0);
}

#[test]
fn losses_are_read_by_claims() {
    let mut world = World::new();
    let mut lost = Removed::<Health>::new(&mut world);
    let mut builder = world.plan("bury");
    let ticket = builder.events::<Gone<Health>>().unwrap();
    let plan = builder.build();
    let orc = world.spawn(Health(1));
    world.despawn(orc).unwrap();
    let lend = world.lend();
    let claim = lend.claim(&plan).unwrap();
    assert!(lost.read_from(claim.events(&ticket).unwrap()).map(|gone| gone.entity).eq([orc]));
}

#[test]
fn what_nobody_reads_is_not_written_down() {
    let mut world = World::new();
    let mut burning = Removed::<Burning>::new(&mut world);
    world.spawn_batch((0..100).map(Health));
    world.insert_where::<With<Health>, _>(Position(0.0));
    world.remove_where::<With<Health>, Health>();
    world.despawn_where::<With<Position>>();
    assert!(world.events::<Gone<Health>>().is_empty() && burning.read(&world).len() == 0);
    assert_eq!(world.alive(), 0);
}

fn faults_in_clones_and_drops_lose_nothing<const SPARSE: bool>() {
    let (ledger, mut world) = (Ledger::new(), World::new());
    let mut lost = Removed::<Held<SPARSE, 0>>::with_values(&mut world);
    let [a, b, c] = [(); 3].map(|()| world.spawn(held::<SPARSE, 0>()));
    ledger.clone_panics_at(1);
    assert_eq!(panic_of(|| world.despawn(a)), "this clone panics");
    assert!(!world.is_alive(a));
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.despawn(b)), "this drop panics");
    let read = |gone: &Gone<Held<SPARSE, 0>>| (gone.entity, gone.value().is_some());
    assert!(lost.read(&world).map(read).eq([(a, false), (b, true)]));
    assert_eq!(ledger.alive(), 2, "the clone of the second and the third");
    ledger.clone_panics_at(1);
    assert_eq!(panic_of(|| world.remove_batch::<Held<SPARSE, 0>>([c])), "this clone panics");
    assert!(world.is_alive(c) && !world.has::<Held<SPARSE, 0>>(c));
    assert!(lost.read(&world).map(read).eq([(c, false)]));
    drop(lost);
    ledger.drop_panics_at(1);
    assert_eq!(panic_of(|| world.update_events()), "this drop panics");
    assert_eq!(ledger.alive(), 0);
    world.validate().unwrap();
}

for_both_storages!(faults_in_clones_and_drops_lose_nothing);

/// A bundle made at run time that replaces one thing and adds another.
fn built(n: u32) -> BundleBuilder {
    let mut bundle = BundleBuilder::new();
    bundle.add(Health(n)).add(Burning(n));
    bundle
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// What a naive book says was lost of one component.
#[derive(Default)]
struct Book {
    values: BTreeMap<Entity, u32>,
    lost: Vec<(Entity, bool, u32)>,
}

impl Book {
    fn lose(&mut self, entity: Entity, despawned: bool) {
        if let Some(value) = self.values.remove(&entity) {
            self.lost.push((entity, despawned, value));
        }
    }
}

struct Reader<T: Component>(Removed<T>, usize);

impl<T: Component> Reader<T> {
    /// Reads some of what is new.
    fn check(&mut self, world: &World, book: &Book, value: fn(&T) -> u32, most: usize) {
        assert_eq!(self.0.len(world), book.lost.len() - self.1);
        for gone in self.0.read(world).take(most) {
            let (entity, despawned, expected) = book.lost[self.1];
            assert_eq!((gone.entity, gone.despawned, gone.value().map(value)), (entity, despawned, Some(expected)));
            self.1 += 1;
        }
        assert_eq!(self.0.missed(), 0);
    }
}

/// Random changes, and readers that come, read and go at random, against the book.
#[test]
fn readers_agree_with_a_naive_book() {
    let steps = if cfg!(miri) { 150 } else { 6000 };
    for seed in 0..if cfg!(miri) { 1 } else { 8 } {
        let (mut random, mut world) = (Random(seed), World::new());
        let (mut health, mut burning) = (Book::default(), Book::default());
        // Somebody always reads, so that the book and the log begin together.
        let mut healths = vec![Reader(Removed::<Health>::with_values(&mut world), 0)];
        let mut burnings = vec![Reader(Removed::<Burning>::with_values(&mut world), 0)];
        let mut alive: Vec<Entity> = Vec::new();
        for step in 0..steps {
            let value = u32::try_from(step).expect("few");
            let pick = if alive.is_empty() { None } else { Some(alive[random.below(alive.len())]) };
            match (random.below(16), pick) {
                (0..=3, _) | (_, None) => {
                    let both = random.below(2) == 0;
                    let entity =
                        if both { world.spawn((Health(value), Burning(value))) } else { world.spawn(Health(value)) };
                    health.values.insert(entity, value);
                    if both {
                        burning.values.insert(entity, value);
                    }
                    alive.push(entity);
                }
                (4, Some(entity)) => {
                    world.insert(entity, (Health(value), Position(0.0))).unwrap();
                    health.values.insert(entity, value);
                }
                (5, Some(entity)) => {
                    world.insert_bundle_dyn(entity, built(value)).unwrap();
                    health.values.insert(entity, value);
                    burning.values.insert(entity, value);
                }
                (6, Some(entity)) => {
                    world.remove::<Health>(entity).unwrap();
                    health.lose(entity, false);
                }
                (7, Some(entity)) => {
                    world.remove::<(Burning, Health)>(entity).unwrap();
                    health.lose(entity, false);
                    burning.lose(entity, false);
                }
                (8, Some(entity)) => {
                    let mut commands = world.commands();
                    commands.remove::<Burning>(entity);
                    commands.insert(entity, Health(value));
                    commands.despawn(entity);
                    world.apply(&mut commands).unwrap();
                    burning.lose(entity, false);
                    health.values.insert(entity, value);
                    health.lose(entity, true);
                    alive.retain(|other| *other != entity);
                }
                (9, Some(entity)) => {
                    if random.below(2) == 0 {
                        world.despawn(entity).unwrap();
                    } else {
                        world.despawn_lazy(entity).unwrap();
                    }
                    health.lose(entity, true);
                    burning.lose(entity, true);
                    alive.retain(|other| *other != entity);
                }
                (10, Some(_)) if random.below(8) == 0 => {
                    // In the order of the query, which is that of the log.
                    let going: Vec<Entity> =
                        world.query_filtered::<Entity, (With<Health>, With<Position>)>().iter().collect();
                    world.despawn_where::<(With<Health>, With<Position>)>();
                    for entity in going {
                        health.lose(entity, true);
                        burning.lose(entity, true);
                        alive.retain(|other| *other != entity);
                    }
                }
                (11, Some(_)) if random.below(8) == 0 => {
                    let going: Vec<Entity> = world.query::<(Entity, &Burning)>().iter().map(|(e, _)| e).collect();
                    world.remove_where::<With<Burning>, Burning>();
                    for entity in going {
                        burning.lose(entity, false);
                    }
                }
                (12, Some(_)) => {
                    world.collect(Exact);
                }
                (13, Some(_)) if random.below(4) == 0 => {
                    // A new reader begins here; or one that is not the last goes.
                    if random.below(2) == 0 || healths.len() == 1 {
                        healths.push(Reader(Removed::with_values(&mut world), health.lost.len()));
                        burnings.push(Reader(Removed::with_values(&mut world), burning.lost.len()));
                    } else {
                        healths.remove(random.below(healths.len()));
                        burnings.remove(random.below(burnings.len()));
                    }
                }
                _ => {
                    let most = random.below(20);
                    let at = random.below(healths.len());
                    healths[at].check(&world, &health, |value| value.0, most);
                    let at = random.below(burnings.len());
                    burnings[at].check(&world, &burning, |value| value.0, most);
                }
            }
        }
        for reader in &mut healths {
            reader.check(&world, &health, |value| value.0, usize::MAX);
            assert_eq!(reader.1, health.lost.len());
        }
        for reader in &mut burnings {
            reader.check(&world, &burning, |value| value.0, usize::MAX);
        }
        assert!(health.lost.len() > steps / 20, "there was something to read");
        world.validate().unwrap();
    }
}

#[test]
fn a_reader_by_id_sees_what_a_reader_by_type_sees() {
    let mut world = World::new();
    let (health, burning) = (world.register::<Health>(), world.register::<Burning>());
    let mut typed = (Removed::<Health>::new(&mut world), Removed::<Burning>::new(&mut world));
    let mut by_id = [health, burning].map(|id| DynRemoved::new(&mut world, id).expect("known"));
    let all = world.spawn_batch((0..8).map(|n| (Health(n), Burning(n)))).to_vec();
    world.remove::<Health>(all[0]).expect("alive");
    world.remove_dyn(all[1], burning).expect("known");
    world.despawn(all[2]).expect("alive");
    world.despawn_lazy(all[3]).expect("alive");
    world.take::<Health>(all[4]).expect("there");
    world.remove_where::<With<Health>, Burning>();
    world.move_entity(all[5], &mut World::new()).expect("room");
    world.clear();
    let [of_health, of_burning] = by_id
        .each_mut()
        .map(|reader| reader.read(&world).map(|gone| (gone.entity, gone.despawned)).collect::<Vec<_>>());
    assert_eq!(of_health.len(), 8);
    assert_eq!((entities(&mut typed.0, &world), entities(&mut typed.1, &world)), (of_health, of_burning));
    assert!(by_id.iter_mut().all(|reader| reader.read(&world).next().is_none()), "each is seen once");
    assert_eq!(by_id[0].read(&World::new()).count(), 0, "of another world nothing");
}

#[test]
fn losses_of_run_time_types_are_read_until_the_last_reader_goes() {
    const MANY: usize = if cfg!(miri) { 20 } else { 500 };
    for storage in [Storage::Table, Storage::Sparse, Storage::Shared] {
        let mut world = World::new();
        let ids = ["Mana", "Paint"]
            .map(|name| world.register_dyn(ComponentLayout::new(name).size(1).storage(storage)).expect("possible"));
        let lose = |world: &mut World| {
            let entity = world.spawn(());
            for id in ids {
                world.insert_dyn(entity, id, DynValue::bytes(&[1])).expect("fits");
            }
            for id in ids {
                assert!(world.remove_dyn(entity, id).expect("known"));
            }
            entity
        };
        lose(&mut world);
        let mut first = DynRemoved::new(&mut world, ids[0]).expect("known");
        let one = lose(&mut world);
        assert_eq!(world.events::<DynGone>().len(), 1, "nobody reads the other");
        let mut second = DynRemoved::new(&mut world, ids[1]).expect("known");
        let two = lose(&mut world);
        assert!(first.read(&world).map(|gone| (gone.component, gone.entity)).eq([(ids[0], one), (ids[0], two)]));
        assert!(second.read(&world).map(|gone| (gone.component, gone.entity)).eq([(ids[1], two)]));
        // What all have read is dropped, and what one has not is kept.
        for _ in 0..MANY {
            lose(&mut world);
            assert_eq!((first.read(&world).count(), second.read(&world).count()), (1, 1));
        }
        assert!(world.events::<DynGone>().len() < 300, "{}", world.events::<DynGone>().len());
        for _ in 0..MANY {
            lose(&mut world);
            assert_eq!(first.read(&world).count(), 1);
        }
        assert_eq!((second.read(&world).count(), second.missed()), (MANY, 0));
        // One reader goes, and then the last.
        drop(first);
        lose(&mut world);
        assert_eq!(second.read(&world).count(), 1);
        drop(second);
        lose(&mut world);
        assert_eq!(world.events::<DynGone>().len(), 0);
        world.validate().expect("consistent");
    }
}
